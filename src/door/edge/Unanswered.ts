/**
 * Answers to requests without a handler's answer: calls that do not decode, unknown routes, failures, and refusals of
 * the framework.
 */
import * as Wire from "@coffer/contract/Errors"
import { Cause, Context, Effect, identity, Layer, Option, Schema, SchemaIssue } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { addressParty } from "../../shared/http/addressParty.ts"
import type { Admission } from "../../shared/http/Admission.ts"
import { CurrentRecord, type RequestRecord } from "../../shared/http/CurrentRequest.ts"
import { busyMessage, isRefusal, refusalOf, refuseField } from "../../shared/http/replies.ts"
import { fieldProblem } from "../../shared/http/fieldProblem.ts"
import { jsonProblem } from "../../shared/http/jsonProblem.ts"
import { parseJson } from "../../platform/runtime/codecs.ts"
import type { Merchants } from "../../access/merchants/Merchants.ts"
import { isDatabaseTrouble } from "../../platform/postgres/trouble.ts"
import { kindOf } from "./PublicAdmission.ts"
import { isForPerson, noSuchPage } from "./noSuchPage.ts"
import { routeHint } from "./routeHint.ts"
import { methodsAt, undecodable } from "./routes.ts"
import { Decoding } from "@coffer/contract/Caller"
import { queryParametersMax } from "@coffer/model/Limits"
import { Currency } from "@coffer/model/Money"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { memoize } from "@coffer/model/memoize"
import { checkNamesOfText, descriptionOf, namesIn, refuseUnknownField, refuseUnknownParameter } from "./unknownNames.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Adds our envelope, or a missing header, to the framework's own refusals. */
export const addEnvelope = (response: Response, { requestId: request_id }: RequestRecord): Response => {
  switch (response.status) {
    case 415: {
      const message = "Send a JSON body with Content-Type: application/json, or a file as multipart/form-data."
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
    // The client is still connected, so this service was stopped, or the runner that was processing the request was.
    return isConnected ? Effect.succeed(unavailable(record)) : Effect.failCause(cause)
  }
  const error = Cause.squash(cause)
  if (isRefusal(error)) return Effect.succeed(addEnvelope(refusalOf(error), record))
  if (isDatabaseTrouble(error)) return Effect.succeed(unavailable(record))
  if (isBodyIncomplete(error)) {
    return Effect.succeed(refusalOf(new Wire.InvalidRequest({ message: "The body is incomplete.", request_id })))
  }
  return Effect.as(
    Effect.logError("a request failed", cause),
    refusalOf(new Wire.InternalError({ message: "Internal error.", request_id }))
  )
}

/** The request may be correct: it may be retried. */
export const unavailable = (record: RequestRecord): Response =>
  addEnvelope(refusalOf(new Wire.Unavailable({ message: busyMessage, request_id: record.requestId })), record)

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
 * The answer does not depend on the caller. A call under `/v1` is still logged for the merchant of its key (silences:
 * A4, G14).
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
    const key = record.ofConsole === undefined && record.shop === undefined ? record.sent["x-api-key"] : undefined
    return key !== undefined && /^\/v1(\/|$)/.test(record.path)
      ? Effect.as(Effect.exit(noteOwner(record, key)), notFound(record))
      : Effect.succeed(notFound(record))
  }
}

const notFound = (record: RequestRecord): Response => {
  const { method, path, requestId: request_id, shop } = record
  if (Option.isNone(decoded(path))) return refusalOf(new Wire.InvalidRequest({ message: undecodable, request_id }))
  if (isForPerson(record)) return noSuchPage(record)
  // A shop's host must not reveal other routes.
  const allowed = shop === undefined ? methodsAt(path) : []
  const hint = shop === undefined ? ` ${routeHint(method, path, record.isAtAdmin === true)}` : ""
  const message = `${method} ${path} is not an endpoint.${hint}`
  const response = refusalOf(new Wire.RouteNotFound({ message, request_id }))
  // The address is that of an object that does not exist: no other method would help.
  return allowed.length === 0 || allowed.includes(method)
    ? response
    : HttpServerResponse.setHeader(response, "allow", allowed.join(", "))
}
const decoded = Option.liftThrowable(decodeURIComponent)

// A call that does not decode ----------------------------------------------------
// It is refused: 400 `invalid_request`, and `param` names the first wrong field (spec: Errors). No body at all is an
// empty object where nothing in it is required, and an export has no page.

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const layerRefuseUndecodable = HttpApiMiddleware.layerSchemaErrorTransform(Decoding, (error, { endpoint }) => {
  // The schema of a reply failed: our bug, not the caller's.
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.fail(error)
  const isQuery = error.kind === "Query"
  return Effect.flatMap(error.kind === "Payload" ? bodySent : Effect.undefined, (sent) =>
    refuseUndecodable(endpoint)(error.cause, { sent, isQuery })
  )
})

/** The body of a call that the framework has decoded; none of a form. */
const bodySent = Effect.flatMap(CurrentRecord, ({ sent, text }) =>
  sent["content-type"]?.startsWith("application/json") === true
    ? Effect.map(Effect.option(text), (read) => Option.getOrUndefined(Option.flatMap(read, parseJson)))
    : Effect.undefined
)

/** A part of a call: the parsed body, or the parameters. Undefined where it is not at hand. */
export interface Part {
  readonly sent: unknown
  readonly isQuery: boolean
}

/** The refusal names the first wrong field, and says what to write. */
export const refuseUndecodable =
  (endpoint: HttpApiEndpoint.Top) =>
  ({ issue }: Schema.SchemaError, { isQuery, sent }: Part) => {
    const [first] = format(issue).issues
    const path = (first?.path ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment))
    if (path.length === 0) return refuseOtherThanObject
    const { message } = first!
    const name = nameOf(path)
    if (message === excess) return isQuery ? refuseUnknownParameter(endpoint, name) : refuseUnknownField(endpoint, path)
    const problem = fieldProblem({
      message,
      name: String(path.at(-1)),
      sent: path.reduce(valueAt, sent),
      isQuery,
      currency: isQuery ? undefined : currencyOf(endpoint, sent),
      description: path.length === 1 && !isQuery ? descriptionOf(endpoint, name) : undefined
    })
    return Effect.flatMap(CurrentRecord, ({ ignored = [] }) => {
      const misspelt = message === missing ? ignored.find(({ nearest }) => nearest === name) : undefined
      return refuseField(
        name,
        misspelt === undefined ? problem : `is required. You sent \`${misspelt.name}\`: rename it`
      )
    })
  }

const missing = "Missing key"
const excess = "Expected no excess property"

const valueAt = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Fields)[key] : undefined
type Fields = Readonly<Record<PropertyKey, unknown>>

/** The currency of an amount of this body: what the body says, or the default. */
const currencyOf = (endpoint: HttpApiEndpoint.Top, sent: unknown): Currency | undefined => {
  if (!namesIn(endpoint).includes("currency")) return undefined
  const named = valueAt(sent, "currency")
  return Schema.is(Currency)(named) ? named : "USD"
}

export const refuseOtherThanObject = Effect.flatMap(CurrentRecord, ({ text }) =>
  Effect.flatMap(Effect.option(text), (read) => refuseField("", jsonProblem(Option.getOrElse(read, () => ""))))
)

/** The path as merchants write it: `metadata.key`, `files[2].url` (silences: D4). */
const nameOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((name, key) => {
    if (typeof key === "number") return `${name}[${key}]`
    return name === "" ? String(key) : `${name}.${String(key)}`
  }, "")

/** The problem of a query that is malformed, whatever parameters the endpoint has (silences: G6, G22). */
export const queryProblem = (url: string): { readonly param: string; readonly problem: string } | undefined => {
  const start = url.indexOf("?")
  if (start < 0) return undefined
  const parameters = url.slice(start + 1).split("&", queryParametersMax + 1)
  if (parameters.length > queryParametersMax) {
    return { param: "", problem: `The query must not have more than ${queryParametersMax} parameters` }
  }
  for (const parameter of parameters) {
    if (!parameter.includes("%") || Option.isSome(decodeParameter(parameter))) continue
    const name = decodeParameter(parameter.split("=", 1)[0]!)
    return { param: Option.getOrElse(name, () => ""), problem: "must be percent-encoded UTF-8" }
  }
  return undefined
}

const decodeParameter = Option.liftThrowable(decodeURIComponent)

const checkQuery = Effect.flatMap(CurrentRecord, ({ url }) => {
  const problem = queryProblem(url)
  return problem === undefined ? Effect.void : refuseField(problem.param, problem.problem)
})

/** An export ignores `limit`, cursors and `wait` (silences: P15). */
const withoutPaging = <Services>(context: Context.Context<Services>): Context.Context<Services> => {
  const query = Context.getOrUndefined(context, HttpServerRequest.ParsedSearchParams)
  if (query?.["format"] !== "csv") return context
  const { ending_before: _before, limit: _limit, starting_after: _after, wait: _wait, ...filters } = query
  return Context.add(context, HttpServerRequest.ParsedSearchParams, filters)
}

export const layerDecoding = Layer.effect(
  Decoding,
  Effect.map(Decoding, (refuse) =>
    Decoding.of((decoded, options) => {
      const httpEffect: typeof decoded = Effect.updateContext(decoded, withoutPaging)
      const check = Effect.andThen(checkQuery, checkNamesOfText(options.endpoint))
      return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        if (!takesNoBody(options.endpoint)) return Effect.andThen(check, refuse(httpEffect, options))
        return Effect.andThen(
          check,
          Effect.flatMap(withBody(request), (read) =>
            refuse(Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, read), options)
          )
        )
      })
    })
  )
).pipe(Layer.provide(layerRefuseUndecodable))

const takesNothing = (schema: Schema.Top) => Schema.is(Schema.toEncoded(schema))({})

/** More than there are endpoints. */
const endpointsMax = 1_000
/** Whether an empty object is a body that this endpoint takes. */
export const takesNoBody = memoize(endpointsMax, identity<HttpApiEndpoint.Top>, ({ payload }) =>
  [...payload.values()].some(({ schemas }) => schemas.some(takesNothing))
)

/** Whether a chunked request has a body is only known once it is read. */
const withBody = (request: HttpServerRequest.HttpServerRequest) => {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers
  if (encoding !== undefined) {
    return Effect.flatMap(CurrentRecord, (record) =>
      Effect.map(record.text, (text) => (text === "" ? withEmptyBody(request) : request))
    )
  }
  return Effect.succeed(length === undefined || length === "0" ? withEmptyBody(request) : request)
}

const withEmptyBody = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    headers: { value: { ...request.headers, "content-type": "application/json" } },
    text: { value: Effect.succeed("{}") }
  })
