/**
 * The two ways a handler ends: an envelope around data, or a refusal with the request's id. A reply takes a view that
 * already has the shape of the wire and builds the final response, so nothing is encoded twice (docs/decisions/0086).
 */
import * as Wire from "@coffer/contract/Errors"
import { isoText } from "@coffer/model/isoText"
import type { Page } from "@coffer/rules/lists/pageRequest"
import { Duration, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { jsonText } from "../../platform/runtime/codecs.ts"
import { inSlices } from "../../platform/runtime/slices.ts"
import { CurrentRecord } from "./CurrentRequest.ts"

export const reply = (data: object, code = 200) =>
  Effect.withFiberSucceed((fiber) => {
    const record = fiber.getRef(CurrentRecord)
    const answer = { code, message: messages[code] ?? "ok", request_id: record.requestId, data }
    record.answer = answer
    return HttpServerResponse.jsonUnsafe(answer, { status: code })
  })

/** Adds a header to the answer, whether it is a reply or a refusal. */
export const addHeader = (name: string, value: string) =>
  Effect.map(CurrentRecord, (record) => {
    record.headers = { ...record.headers, [name]: value }
  })

const messages: Record<number, string> = { 201: "created", 202: "accepted" }

/**
 * A page of a list (spec: List conventions), with the fields of `more`. It may be large, so it is serialized in slices.
 */
export const replyList = Effect.fnUntraced(function* <Item>(
  resource: string,
  url: string,
  { data, hasMore, sorted }: Page<Item>,
  view: (item: Item) => object,
  more: object = {}
) {
  const record = yield* CurrentRecord
  const objects: Array<object> = []
  const texts = yield* inSlices(data, (some) => {
    const shown = some.map(view)
    objects.push(...shown)
    return jsonText(shown).slice(1, -1)
  })
  const sortedBeside = sorted && {
    sorted: { from: isoText(sorted.from), to: isoText(sorted.to), is_whole: sorted.isWhole }
  }
  const answerWith = (data: ReadonlyArray<object>) => {
    const list = { object: "list", resource, has_more: hasMore, url, ...sortedBeside, ...more, data }
    return { code: 200, message: "ok", request_id: record.requestId, data: list }
  }
  record.answer = answerWith(objects)
  const head = jsonText(answerWith([])).slice(0, -tail.length)
  if (texts.reduce((sum, { length }) => sum + length, 0) < longMin) {
    return HttpServerResponse.text(`${head}${texts.join(",")}${tail}`, { contentType: "application/json" })
  }
  const parts = [head, ...texts.map((text, index) => (index === 0 ? text : `,${text}`)), tail]
  const bytes = yield* inSlices(parts, ([part]) => utf8.encode(part), 1)
  return HttpServerResponse.uint8Array(Buffer.concat(bytes), { contentType: "application/json" })
})

/** The end of the answer after the objects of its list, even if there are none. */
const tail = "]}}"
/** Characters. A longer text is encoded in slices, too; a shorter one is left to Node. */
const longMin = 512 * 1024
const utf8 = new TextEncoder()

/** `reason`: why, where that is finer than the error's code. */
export const refuseWith = <Refusal>(make: (request_id: string) => Refusal, reason?: string) =>
  Effect.flatMap(CurrentRecord, (record) => {
    record.reason = reason
    return Effect.fail(make(record.requestId))
  })

/** A temporary refusal. `Retry-After` says when, in whole seconds and at least one. */
export const refuseTemporarily = <Refusal>(
  lasts: Duration.Duration,
  make: (request_id: string) => Refusal,
  reason?: string
) =>
  Effect.flatMap(CurrentRecord, (record) => {
    record.reason = reason
    const seconds = Math.max(1, Math.ceil(Duration.toSeconds(lasts)))
    record.headers = { ...record.headers, "retry-after": String(seconds) }
    return Effect.fail(make(record.requestId))
  })

/** The service is overloaded, or a dependency does not answer. The request may be retried. */
export const busyMessage = "Busy; retry in a moment."
export const busy = refuseWith((request_id) => new Wire.Unavailable({ message: busyMessage, request_id }))

type Refusal = InstanceType<(typeof Wire)[keyof typeof Wire]>

const encoders: ReadonlyMap<Function, (error: unknown) => unknown> = new Map(
  Object.values(Wire).map((schema) => [schema, Schema.encodeUnknownSync(schema as Schema.Codec<Refusal, unknown>)])
)
export const isRefusal = (error: unknown): error is Refusal =>
  typeof error === "object" && error !== null && encoders.has(error.constructor)

/** The response of a refusal. */
export const refusalOf = (error: Refusal) =>
  HttpServerResponse.jsonUnsafe(encoders.get(error.constructor)!(error), { status: error.code })

/** A 400 that names the wrong field; `param` is "" when there is none. A problem that ends with a question is whole. */
export const refuseField = (param: string, problem: string) =>
  refuseParam(param, (named) => `${named === "" ? "" : `${named}: `}${problem}${problem.endsWith("?") ? "" : "."}`)

/** The same with a whole sentence, which gets the name as it may be shown. */
export const refuseParam = (param: string, sentence: (named: string) => string) => {
  const named = param.length > namedLengthMax ? `${param.slice(0, namedLengthMax).toWellFormed()}…` : param
  const message = sentence(named)
  return refuseWith(
    (request_id) => new Wire.InvalidRequest({ message, ...(named === "" ? {} : { param: named }), request_id })
  )
}

/** Longer names are cut: a metadata key may be as long as the whole body. */
const namedLengthMax = 100
