/**
 * Front door to API logs (spec: API log). Taking a call down costs its request an offer to a bounded queue; a fiber
 * of its own reads, redacts and writes what is queued, many calls at once. Best effort: what finds the queue full, or
 * no database, is dropped and counted, and no answer ever waits for it (silences: A7).
 */
import { type LogQuery, retentionDays } from "@coffer/contract/Logs"
import { idBody, type MerchantId, type Mode, prefixes } from "@coffer/model/Ids"
import { InvalidField } from "@coffer/rules/InvalidField"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { redact, redactText } from "@coffer/rules/redaction"
import { Context, DateTime, Deferred, Effect, Layer, Metric, Option, Queue, Schema } from "effect"
import { jsonText, parseJson } from "../platform/runtime/codecs.ts"
import { Faults } from "../platform/runtime/Faults.ts"
import type { Owner } from "../platform/postgres/Pages.ts"
import { onRealTime } from "../platform/runtime/realTime.ts"
import { span } from "../platform/runtime/span.ts"
import { type LogFilter, type LogRow, LogStore, type NewLogRow } from "./LogStore.ts"

/** A body as it went over the wire, or as it was read or written; or only its size; or none that is JSON. */
export type LoggedBody = string | Uint8Array | { readonly bytes: number; readonly json?: unknown } | undefined

export interface LoggedCall {
  readonly requestId: string
  readonly merchantId: MerchantId
  readonly mode: Mode
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly status: number
  readonly at: DateTime.Utc
  readonly durationMillis: number
  readonly ip: string | undefined
  readonly userAgent: string | undefined
  readonly idempotencyKey: string | undefined
  readonly requestBody: LoggedBody
  readonly responseBody: LoggedBody
}

export class Logs extends Context.Service<
  Logs,
  {
    /** Queues the call, or drops it: neither waits nor fails. */
    readonly append: (call: LoggedCall) => Effect.Effect<void>
    /** Waits until what was appended before is written or dropped. */
    readonly flushed: Effect.Effect<void>
    /** Newest first, and no older than the retention. */
    readonly page: (owner: Owner, query: LogQuery) => Effect.Effect<Page<LogRow>, InvalidField>
  }
>()("@coffer/logs/Logs") {}

/** Calls that may wait. */
export const waitingMax = 10_000
/** Bytes of bodies that may wait: a full queue of large ones would be a third of a gigabyte. */
const waitingBytesMax = 64 * 1024 * 1024
/** Rows of one insert. */
const batchMax = 500
/** Between two inserts, so that under load each takes many calls; a flush does not wait for it. */
const pause = "100 millis"
/** An insert that takes longer counts as failed. */
const insertPatience = "10 seconds"
/** What is queued at the end has this long to be written. */
const flushPatience = "2 seconds"
/** Bodies read and redacted before others get their turn. */
const breathEvery = 32

const dropped = Metric.counter("coffer_api_logs_dropped", {
  description: "Calls whose API log was not written: the queue was full or the insert failed",
  incremental: true
})

export const layer = Layer.effect(
  Logs,
  Effect.gen(function* () {
    const store = yield* LogStore
    const faults = yield* Faults
    const queue = yield* Queue.dropping<LoggedCall>(waitingMax)
    const bell = yield* Queue.sliding<void>(1)
    const flushes = new Set<{ readonly upTo: number; readonly done: Deferred.Deferred<void> }>()
    let [waitingBytes, appended, settled] = [0, 0, 0]
    yield* Metric.update(dropped, 0)

    const append = (call: LoggedCall) =>
      Effect.suspend(() => {
        const bytes = bytesOf(call)
        if (waitingBytes + bytes > waitingBytesMax || !Queue.offerUnsafe(queue, call)) return Metric.update(dropped, 1)
        waitingBytes += bytes
        appended++
        return Effect.void
      })

    const flushed = Effect.suspend(() => {
      if (settled >= appended) return Effect.void
      const flush = { upTo: appended, done: Deferred.makeUnsafe<void>() }
      flushes.add(flush)
      Queue.offerUnsafe(bell, undefined)
      return Deferred.await(flush.done)
    })

    const settle = (calls: ReadonlyArray<LoggedCall>) => {
      settled += calls.length
      for (const flush of flushes) {
        if (flush.upTo > settled) continue
        flushes.delete(flush)
        Deferred.doneUnsafe(flush.done, Effect.void)
      }
    }

    const write = (calls: ReadonlyArray<LoggedCall>) =>
      Effect.forEach(calls, (call, index) =>
        index % breathEvery === breathEvery - 1 ? Effect.as(Effect.yieldNow, rowOf(call)) : Effect.succeed(rowOf(call))
      ).pipe(
        Effect.flatMap((rows) => faults.around("Logs.insert", store.insert(rows))),
        Effect.timeout(insertPatience),
        Effect.catchCause((cause) =>
          Effect.andThen(
            Metric.update(dropped, calls.length),
            Effect.logWarning(`${calls.length} API logs were dropped`, cause)
          )
        ),
        Effect.ensuring(Effect.sync(() => settle(calls)))
      )

    const drain = Effect.gen(function* () {
      const calls = yield* Queue.takeBetween(queue, 1, batchMax)
      for (const call of calls) waitingBytes -= bytesOf(call)
      yield* write(calls)
      if (flushes.size === 0 && Queue.sizeUnsafe(queue) < batchMax) {
        yield* Effect.timeoutOption(Queue.take(bell), pause)
      }
    })
    yield* drain.pipe(
      Effect.forever,
      // How long an insert takes is a matter of real time, also where a test holds the service's clock.
      onRealTime,
      Effect.forkScoped
    )
    // Added after the fiber, so run before its end.
    yield* Effect.addFinalizer(() => onRealTime(Effect.timeoutOption(flushed, flushPatience)))

    const page = span("Logs.page")(function* (owner: Owner, query: LogQuery) {
      const { created, cursor, limit } = yield* Effect.fromResult(readPageRequest(query))
      const oldest = DateTime.subtract(yield* DateTime.now, { days: retentionDays })
      if (
        cursor !== undefined &&
        cursor.id < prefixes.request + idBody(Math.max(0, DateTime.toEpochMillis(oldest)), [])
      ) {
        return yield* new InvalidField({
          param: cursor.param,
          problem: `is not kept: logs are for ${retentionDays} days`
        })
      }
      const from = created.from === undefined ? oldest : DateTime.max(created.from, oldest)
      return yield* store.page(owner, { cursor, limit, created: { ...created, from } }, filterOf(query))
    })

    return Logs.of({ append, flushed, page })
  })
)

const filterOf = ({ error_code, path, request_id, status }: LogQuery): LogFilter => ({
  requestId: request_id,
  status,
  path,
  errorCode: error_code
})

export type { LogRow }

// Rows ------------------------------------------------------------------------

const bytesOf = ({ requestBody, responseBody }: LoggedCall): number => sizeOf(requestBody) + sizeOf(responseBody)

const sizeOf = (body: LoggedBody): number => {
  if (body === undefined) return 0
  if (typeof body === "object" && "bytes" in body) return "json" in body ? body.bytes : 0
  return body.length
}

const rowOf = (call: LoggedCall): NewLogRow => {
  const response = parsed(call.responseBody)
  return {
    request_id: call.requestId,
    merchant_id: call.merchantId,
    mode: call.mode,
    method: call.method,
    path: redactText(call.path),
    status: call.status,
    error_code: call.status >= 400 ? errorCodeOf(response) : null,
    duration_ms: Math.max(0, Math.round(call.durationMillis)),
    ip: call.ip ?? null,
    user_agent: textOf(call.userAgent),
    idempotency_key: textOf(call.idempotencyKey),
    request_body: storable(parsed(call.requestBody)),
    response_body: storable(response),
    created_at: call.at
  }
}

const textOf = (header: string | undefined): string | null => (header === undefined ? null : redactText(header))

/** Redacted, with nothing of what was not JSON; an object or an array, since a bare text may be anything. */
const parsed = (body: LoggedBody): object | undefined => {
  if (body === undefined) return undefined
  if (typeof body === "object" && "bytes" in body) {
    return "json" in body ? redacted(body.json) : { _truncated: true, bytes: body.bytes }
  }
  return redacted(Option.getOrUndefined(parseJson(typeof body === "string" ? body : utf8.decode(body))))
}

const redacted = (value: unknown): object | undefined =>
  typeof value === "object" && value !== null ? (redact(value) as object) : undefined

const utf8 = new TextDecoder()

const isError = Schema.is(Schema.Struct({ error: Schema.String }))
const errorCodeOf = (response: object | undefined) => (isError(response) ? response.error : null)

const storable = (body: object | undefined): string | null => {
  if (body === undefined) return null
  const text = jsonText(body)
  return text.includes("\\u") ? text.replace(escapes, (escape) => (escape.length > 2 ? "\\ufffd" : escape)) : text
}

/** Postgres has no NUL in text, and half a surrogate pair is no UTF-8; other escapes are passed over in one piece. */
const escapes = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|[^])/g
