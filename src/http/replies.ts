/**
 * The two ways a handler ends: an envelope around data, or a refusal with the request's id on it. A reply is finished
 * here, from a view that already has the wire's shape, so nothing is encoded twice.
 */
import * as Wire from "@coffer/contract/Errors"
import { Duration, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentRecord } from "./CurrentRequest.ts"

export const reply = (data: object, code = 200) =>
  Effect.map(CurrentRecord, (record) => {
    const answer = { code, message: messages[code] ?? "ok", request_id: record.requestId, data }
    record.answer = answer
    return HttpServerResponse.jsonUnsafe(answer, { status: code })
  })

const messages: Record<number, string> = { 201: "created", 202: "accepted" }

/** A page of a list (spec: List conventions). */
export const replyList = (
  resource: string,
  url: string,
  page: { readonly data: ReadonlyArray<object>; readonly hasMore: boolean }
) => reply({ object: "list", resource, has_more: page.hasMore, url, data: page.data })

export const refuseWith = <Refusal>(make: (request_id: string) => Refusal) =>
  Effect.flatMap(CurrentRecord, ({ requestId }) => Effect.fail(make(requestId)))

/** A refusal that ends by itself; with when the same request may be sent again, in whole seconds and at least one. */
export const refuseMeanwhile = <Refusal>(lasts: Duration.Duration, make: (request_id: string) => Refusal) =>
  Effect.flatMap(CurrentRecord, (record) => {
    const seconds = Math.max(1, Math.ceil(Duration.toSeconds(lasts)))
    record.headers = { ...record.headers, "retry-after": String(seconds) }
    return Effect.fail(make(record.requestId))
  })

/** Too much is in work, or what is needed does not answer: the request may be sent again. */
export const busyMessage = "Busy; retry in a moment."
export const busy = refuseWith((request_id) => new Wire.Unavailable({ message: busyMessage, request_id }))

type Refusal = InstanceType<(typeof Wire)[keyof typeof Wire]>

const encoders: ReadonlyMap<Function, (error: unknown) => unknown> = new Map(
  Object.values(Wire).map((schema) => [schema, Schema.encodeUnknownSync(schema as Schema.Codec<Refusal, unknown>)])
)
export const isRefusal = (error: unknown): error is Refusal =>
  typeof error === "object" && error !== null && encoders.has(error.constructor)

/** A refusal as it goes out. */
export const refusalOf = (error: Refusal) =>
  HttpServerResponse.jsonUnsafe(encoders.get(error.constructor)!(error), { status: error.code })

/** 400 that names the field; without a name when there is none to blame. */
export const refuseField = (param: string, problem: string) => {
  const named = param.length > namedLengthMax ? `${param.slice(0, namedLengthMax).toWellFormed()}…` : param
  return refuseWith(
    (request_id) =>
      new Wire.InvalidRequest(
        named === ""
          ? { message: `${problem}.`, request_id }
          : { message: `${named}: ${problem}.`, param: named, request_id }
      )
  )
}

/** A name may hold a metadata key as long as a body; what is refused is not sent back. */
const namedLengthMax = 100
