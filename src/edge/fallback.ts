/** Answers for requests that no handler has answered: unknown routes, failures, and refusals of the framework. */
import * as Wire from "@coffer/contract/Errors"
import { Cause, Effect, Option } from "effect"
import { HttpServerError, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { addressParty } from "../http/addressParty.ts"
import type { Admission } from "../http/Admission.ts"
import type { RequestRecord } from "../http/CurrentRequest.ts"
import { busyMessage, isRefusal, refusalOf } from "../http/replies.ts"
import type { Merchants } from "../merchants/Merchants.ts"
import { isDatabaseTrouble } from "../platform/postgres/trouble.ts"
import { kindOf } from "./PublicAdmission.ts"
import { methodsAt, undecodable } from "./routes.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Gives the framework's own refusals our envelope, or the header that they lack. */
export const normalized = (response: Response, { requestId: request_id }: RequestRecord): Response => {
  switch (response.status) {
    case 415: {
      const message = "Send a JSON body with Content-Type: application/json; a file, as multipart/form-data."
      return refusalOf(new Wire.InvalidRequest({ message, request_id }))
    }
    case 503:
    case 429:
      return response.headers["retry-after"] === undefined
        ? HttpServerResponse.setHeader(response, "retry-after", "1")
        : response
    default:
      return response
  }
}

/** The answer to a failed route. Fails only when the request was interrupted because its client has left. */
export const answerFailure = <E>(
  cause: Cause.Cause<E>,
  isConnected: boolean,
  record: RequestRecord
): Effect.Effect<Response, E> => {
  const { requestId: request_id } = record
  if (Cause.hasInterruptsOnly(cause)) {
    // With a client there, it was this service that stopped, or another runner that was processing the request.
    return isConnected ? Effect.succeed(unavailable(record)) : Effect.failCause(cause)
  }
  const error = Cause.squash(cause)
  if (isRefusal(error)) return Effect.succeed(normalized(refusalOf(error), record))
  if (isDatabaseTrouble(error)) return Effect.succeed(unavailable(record))
  if (isBodyIncomplete(error)) {
    return Effect.succeed(refusalOf(new Wire.InvalidRequest({ message: "The body did not arrive whole.", request_id })))
  }
  return Effect.as(
    Effect.logError("a request failed", cause),
    refusalOf(new Wire.InternalError({ message: "Internal error.", request_id }))
  )
}

/** Nothing is known to be wrong with the request: it may be sent again. */
export const unavailable = (record: RequestRecord): Response =>
  normalized(refusalOf(new Wire.Unavailable({ message: busyMessage, request_id: record.requestId })), record)

const isBodyIncomplete = (error: unknown): boolean =>
  error instanceof HttpServerError.HttpServerError && error.reason._tag === "RequestParseError"

// No route ----------------------------------------------------------------------

/** Fails as the router does when no route matches. */
export const noSuchRoute = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.die(new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) }))

export const isNoRoute = <E>(cause: Cause.Cause<E>): boolean => {
  const error = Cause.squash(cause)
  return error instanceof HttpServerError.HttpServerError && error.reason._tag === "RouteNotFound"
}

/**
 * The answer is the same for everybody. A call under `/v1` is still logged for the merchant whose key it carries
 * (silences: A4, G14).
 */
export const makeAnswerNoRoute = (merchants: Merchants["Service"], admission: Admission["Service"]) => {
  const noteOwner = (record: RequestRecord, key: string) =>
    Effect.map(merchants.byKey(key).account(record.arrived), (account) => {
      if (Option.isNone(account)) return
      const { key, merchant, mode } = account.value
      record.account = { merchantId: merchant.merchant_id, mode }
      record.keyId = key?.key_id
    })

  return (record: RequestRecord): Effect.Effect<Response> => {
    const { behind, ip } = record
    record.visit ??= admission.enter({ group: "public", party: addressParty(ip), kind: kindOf(record), behind })
    if (record.visit === undefined) return Effect.succeed(unavailable(record))
    const key = record.ofConsole === undefined ? record.sent["x-api-key"] : undefined
    return key !== undefined && /^\/v1(\/|$)/.test(record.path)
      ? Effect.as(Effect.exit(noteOwner(record, key)), notFound(record))
      : Effect.succeed(notFound(record))
  }
}

const notFound = ({ method, path, requestId: request_id }: RequestRecord): Response => {
  if (Option.isNone(decoded(path))) return refusalOf(new Wire.InvalidRequest({ message: undecodable, request_id }))
  const allowed = methodsAt(path)
  const response = refusalOf(new Wire.RouteNotFound({ message: `${method} ${path} is not an endpoint.`, request_id }))
  // The address is that of an object that does not exist: no other method would help.
  return allowed.length === 0 || allowed.includes(method)
    ? response
    : HttpServerResponse.setHeader(response, "allow", allowed.join(", "))
}
const decoded = Option.liftThrowable(decodeURIComponent)
