/** Front door to API logs (spec: API log). A call costs its request one offer to a queue; no answer waits for it. */
import type { LogQuery } from "@coffer/contract/Logs"
import { idBody, millisOfId, prefixes } from "@coffer/model/Ids"
import { InvalidField } from "@coffer/rules/InvalidField"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import type { Account } from "@coffer/model/Account"
import { span } from "../../platform/runtime/span.ts"
import { onRealTime } from "../../platform/runtime/realTime.ts"
import { MerchantClocks, unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { makeLogQueue } from "./logQueue.ts"
import { makeOpenCalls, type OpenCall } from "./openCalls.ts"
import type { LoggedCall, QueuedCall } from "./logRow.ts"
import { type LogFilter, type LogRow, LogStore } from "./LogStore.ts"

export class Logs extends Context.Service<
  Logs,
  {
    /** A call has begun; it is to be ended or appended. */
    readonly begun: (call: OpenCall) => void
    /** The call gets no row. */
    readonly ended: (call: OpenCall) => void
    /** Queues the call, or drops it. `begun`: the call as it began. */
    readonly append: (call: LoggedCall, begun?: OpenCall) => void
    /** Waits until everything appended so far is written or dropped. */
    readonly flushed: Effect.Effect<void>
    /** Newest first, and no older than the retention. */
    readonly page: (account: Account, query: LogQuery) => Effect.Effect<Page<LogRow>, InvalidField>
    /** Calls with a created object that were running at one of these moments. */
    readonly atWork: LogStore["Service"]["atWork"]
  }
>()("@coffer/logs/Logs") {}

export const layer = Layer.effect(
  Logs,
  Effect.gen(function* () {
    const store = yield* LogStore
    const clocks = yield* MerchantClocks
    const calls = makeOpenCalls()
    const { keep, runner } = yield* Settings
    const hasOthers = runner !== undefined
    const base = yield* Clock.Clock
    const nowOf = (account: Account) =>
      hasOthers ? ids.corrected(base.currentTimeMillisUnsafe() + clocks.offsetOf(account)) : undefined
    const ids = yield* NewIds
    const horizon = yield* ListHorizon
    horizon.awaits("calls", (account) => calls.lowestOf(account, nowOf(account)))
    const numbered = ({ merchantId, mode, ...call }: QueuedCall) => {
      const account = { merchantId, mode }
      const number = Effect.provideService(clocks.working(account, ids.next(prefixes.request)), Clock.Clock, base)
      return Effect.map(number, (requestId): QueuedCall => {
        const begun = { requestId, account }
        calls.begun(begun)
        const aheadMillis = clocks.offsetOf(account)
        const at = DateTime.makeUnsafe(millisOfId(requestId) - aheadMillis)
        return { ...call, ...account, call: begun, requestId, aheadMillis, at }
      })
    }
    const queue = yield* makeLogQueue(calls, numbered)
    /** The call waits in the queue by its number and account alone: its request, answer and socket are not kept. */
    const append = (call: LoggedCall, begun?: OpenCall) => {
      const { merchantId, mode, requestId } = call
      const waiting: OpenCall = { requestId, account: { merchantId, mode } }
      calls.begun(waiting)
      if (begun !== undefined) calls.ended(begun)
      queue.append({ ...call, call: waiting })
    }

    const page = span("Logs.page")(function* (account: Account, query: LogQuery) {
      const { created, cursor, limit } = yield* Effect.fromResult(readPageRequest(query))
      const newer = cursor?.param === "ending_before"
      // Days are dropped by real time, also those of a sandbox that is ahead (silences: A14).
      const oldest = DateTime.subtract(yield* unmovedTime, { days: keep.apiLogDays })
      if (cursor !== undefined && cursor.id < firstIdAt(oldest)) {
        const problem = `is too far back: logs are kept for ${keep.apiLogDays} days`
        return yield* new InvalidField({ param: cursor.param, problem })
      }
      // A plain list shows the rows so far. A reader who continues from a row or a time must miss nothing (silences:
      // P20).
      const isFollowed =
        query.request_id === undefined && (newer || created.from !== undefined || query.wait !== undefined)
      if (!isFollowed) yield* onRealTime(Effect.timeoutOption(queue.written, writtenPatience))
      const from = created.from === undefined ? oldest : DateTime.max(created.from, oldest)
      const request = { cursor, limit, created: { ...created, from } }
      return yield* store.page(account, request, filterOf(query), {
        isClockMoved: clocks.offsetOf(account) > 0,
        isFollowed
      })
    })

    return Logs.of({
      begun: calls.begun,
      ended: calls.ended,
      append,
      flushed: queue.flushed,
      page,
      atWork: (account, moments) => store.atWork(account, moments)
    })
  })
)

/** How long a list waits until earlier calls are written. */
const writtenPatience = "1 second"

/** No request id of this time or later is smaller. */
const firstIdAt = (time: DateTime.Utc): string =>
  prefixes.request + idBody(Math.max(0, DateTime.toEpochMillis(time)), [])

const filterOf = ({ error_code, path, request_id, source, status }: LogQuery): LogFilter => ({
  requestId: request_id,
  status,
  path,
  errorCode: error_code,
  source
})

export type { LogRow }
