/**
 * The queue between requests and the log store. A fiber of its own redacts and writes what is queued, many calls in one
 * insert. Best effort: calls that find the queue full, or no database, are dropped and counted (silences: A7).
 */
import { Deferred, Effect, Metric, Queue } from "effect"
import { Faults } from "../../platform/runtime/Faults.ts"
import { onRealTime, realMillis } from "../../platform/runtime/realTime.ts"
import { bytesOf, type QueuedCall, rowOf } from "./logRow.ts"
import { LogStore } from "./LogStore.ts"
import type { OpenCalls } from "./openCalls.ts"
import { makeRefusedCalls } from "./refusedCalls.ts"

/** Calls that may wait. */
export const waitingMax = 10_000
/** Bytes of bodies that may wait. A full queue of large bodies would take a third of a gigabyte. */
const waitingBytesMax = 64 * 1024 * 1024
/** How often to check whether minutes of refused calls are over. */
const refusedEvery = "10 seconds"
/** Rows of one insert. */
const batchMax = 500
/** Between two inserts, so that under load each takes many calls. A flush ends the pause. */
const pause = "100 millis"
/** An insert that takes longer counts as failed. */
const insertPatience = "10 seconds"
/** When the service stops, what is queued has this long to be written. */
const flushPatience = "2 seconds"
/** After so many bodies other fibers get their turn. */
const yieldEvery = 32

const dropped = Metric.counter("coffer_api_logs_dropped_total", {
  description: "Calls whose API log was not written: the queue was full or the insert failed",
  incremental: true
})

/** `numbered`: the call with a number of this moment. */
export const makeLogQueue = Effect.fnUntraced(function* (
  open: OpenCalls,
  numbered: (call: QueuedCall) => Effect.Effect<QueuedCall>
) {
  const write = yield* makeWrite
  yield* Metric.update(dropped, 0)
  const queue = yield* Queue.dropping<QueuedCall>(waitingMax)
  const flushes = yield* makeFlushes
  let waitingBytes = 0

  const end = ({ call }: QueuedCall) => {
    if (call !== undefined) open.ended(call)
  }

  let droppedNow = 0
  const offer = (call: QueuedCall) => {
    const bytes = bytesOf(call)
    if (waitingBytes + bytes > waitingBytesMax || !Queue.offerUnsafe(queue, call)) {
      end(call)
      return void droppedNow++
    }
    waitingBytes += bytes
    flushes.appended()
  }
  const counts: Array<QueuedCall> = []
  const refusedCalls = makeRefusedCalls(offer, (first) => void counts.push(first))

  /** A count comes when its minute is over. Lists may have passed the number of its first call by then. */
  const offerCounts = Effect.suspend(() =>
    Effect.forEach(counts.splice(0), (first) => Effect.map(numbered(first), offer), { discard: true })
  )
  const tellDropped = Effect.suspend(() => {
    const count = droppedNow
    droppedNow = 0
    return count === 0 ? Effect.void : Metric.update(dropped, count)
  })
  const offerRest = Effect.suspend(() => (counts.length === 0 ? tellDropped : Effect.andThen(offerCounts, tellDropped)))
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const append = (call: QueuedCall) => {
    if (call.isUncounted !== true) offer(call)
    else if (!refusedCalls.note(call, realMillis())) end(call)
    if (counts.length > 0 || droppedNow > 0) fork(offerRest)
  }
  /** Minutes that are not over count as over for a caller that waits. */
  const flushed = Effect.suspend(() => {
    refusedCalls.closeBefore()
    return Effect.andThen(offerRest, flushes.flushed)
  })
  const closeMinutes = Effect.suspend(() => {
    refusedCalls.closeBefore(realMillis())
    return offerRest
  })

  const drain = Effect.gen(function* () {
    const calls = yield* Queue.takeBetween(queue, 1, batchMax)
    for (const call of calls) waitingBytes -= bytesOf(call)
    yield* Effect.ensuring(
      write(calls),
      Effect.sync(() => {
        calls.forEach(end)
        flushes.ended(calls.length)
      })
    )
    if (Queue.sizeUnsafe(queue) < batchMax) yield* flushes.pause
  })

  // An insert takes real time, also where a test holds the service's clock.
  yield* drain.pipe(Effect.forever, onRealTime, Effect.forkScoped)
  yield* closeMinutes.pipe(Effect.delay(refusedEvery), Effect.forever, onRealTime, Effect.forkScoped)
  // Finalizers run in reverse order: this one runs before the fiber is interrupted.
  yield* Effect.addFinalizer(() => onRealTime(Effect.timeoutOption(flushed, flushPatience)))

  return { append, flushed, written: flushes.flushed }
})

/** Writes calls in one insert. Never fails: calls that cannot be written are dropped. */
const makeWrite = Effect.gen(function* () {
  const store = yield* LogStore
  const faults = yield* Faults
  return (calls: ReadonlyArray<QueuedCall>) =>
    Effect.forEach(calls, (call, index) =>
      index % yieldEvery === yieldEvery - 1 ? Effect.as(Effect.yieldNow, rowOf(call)) : Effect.succeed(rowOf(call))
    ).pipe(
      Effect.flatMap((rows) => faults.around("Logs.insert", store.insert(rows))),
      Effect.flatMap((late) => Metric.update(dropped, late)),
      Effect.timeout(insertPatience),
      Effect.catchCause((cause) =>
        Effect.andThen(
          Metric.update(dropped, calls.length),
          Effect.logWarning(`${calls.length} API logs were dropped`, cause)
        )
      )
    )
})

/** Counts calls, for a caller that waits until all that were appended so far are written or dropped. */
const makeFlushes = Effect.gen(function* () {
  const requested = yield* Queue.sliding<void>(1)
  const waiting = new Set<{ readonly upTo: number; readonly done: Deferred.Deferred<void> }>()
  let [appended, ended] = [0, 0]
  return {
    appended: () => {
      appended++
    },
    ended: (count: number) => {
      ended += count
      for (const flush of waiting) {
        if (flush.upTo > ended) continue
        waiting.delete(flush)
        Deferred.doneUnsafe(flush.done, Effect.void)
      }
    },
    flushed: Effect.suspend(() => {
      if (ended >= appended) return Effect.void
      const flush = { upTo: appended, done: Deferred.makeUnsafe<void>() }
      waiting.add(flush)
      Queue.offerUnsafe(requested, undefined)
      return Deferred.await(flush.done)
    }),
    /** The pause between two inserts, which ends when a caller waits. */
    pause: Effect.suspend(() =>
      waiting.size === 0 ? Effect.asVoid(Effect.timeoutOption(Queue.take(requested), pause)) : Effect.void
    )
  }
})
