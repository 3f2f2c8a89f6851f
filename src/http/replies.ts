/**
 * The two ways a handler ends: an envelope around data, or a refusal with the request's id on it. A reply is finished
 * here, from a view that already has the wire's shape, so nothing is encoded twice.
 */
import * as Wire from "@coffer/contract/Errors"
import type { Page } from "@coffer/rules/lists/pageRequest"
import { Duration, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { jsonText } from "../platform/runtime/codecs.ts"
import { inSlices } from "../platform/runtime/slices.ts"
import { CurrentRecord } from "./CurrentRequest.ts"

export const reply = (data: object, code = 200) =>
  Effect.map(CurrentRecord, (record) => {
    const answer = { code, message: messages[code] ?? "ok", request_id: record.requestId, data }
    record.answer = answer
    return HttpServerResponse.jsonUnsafe(answer, { status: code })
  })

const messages: Record<number, string> = { 201: "created", 202: "accepted" }

/** A page of a list (spec: List conventions), of which `more` is said. It may be large, so it is written in slices. */
export const replyList = Effect.fnUntraced(function* <Item>(
  resource: string,
  url: string,
  { data, hasMore }: Page<Item>,
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
  const answerWith = (data: ReadonlyArray<object>) => {
    const list = { object: "list", resource, has_more: hasMore, url, ...more, data }
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

/** How the answer ends after the objects of its list, also when there are none. */
const tail = "]}}"
/** Characters. So long a text is made bytes in slices, too; a shorter one is left to Node. */
const longMin = 512 * 1024
const utf8 = new TextEncoder()

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
