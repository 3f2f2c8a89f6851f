/**
 * Writes how attempts ended, many at a time: while one statement is under way the next batch gathers, and nothing waits
 * for a timer. What a crash leaves unwritten is posted again when its lease ends.
 */
import { hostOf } from "@coffer/rules/delivery/route"
import { Cause, Effect, Exit, Queue } from "effect"
import type { Ended, LeasedDelivery } from "./deliveryAttempts.ts"
import { DeliveryStore } from "./DeliveryStore.ts"

/** Results that one statement writes. */
const batchMax = 256
/** With so many waiting no delivery is begun: the database does not keep up. */
const waitingMax = 1_024
/** After a batch that failed its results are written one by one, so many at once. */
const singles = 8

/** `written` is told of each batch, whatever came of it, and whether there was no room for more. */
export const makeResults = Effect.fnUntraced(function* <Result extends Ended>(
  written: (batch: ReadonlyArray<Result>, wasBehind: boolean) => Effect.Effect<void>
) {
  const store = yield* DeliveryStore
  const queue = yield* Queue.unbounded<Result>()
  let waiting = 0
  const isBehind = () => waiting >= waitingMax

  const writeOne = (ended: Ended) => Effect.catchCause(store.record([ended]), (cause) => logLost(ended.delivery, cause))
  const write = Effect.fnUntraced(function* (batch: ReadonlyArray<Result>) {
    // One that cannot be written must not keep the others out.
    const all = yield* Effect.exit(store.record(batch))
    if (Exit.isFailure(all)) yield* Effect.forEach(batch, writeOne, { concurrency: singles, discard: true })
    const wasBehind = isBehind()
    waiting -= batch.length
    // What follows from one batch must not keep the next from being written.
    yield* Effect.catchCause(written(batch, wasBehind), (cause) => Effect.logError("after results were written", cause))
  }, Effect.uninterruptible)

  // The results of attempts that have ended are written before the service stops.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => (waiting === 0 ? Effect.void : Effect.flatMap(Queue.clear(queue), write)))
  )
  yield* Queue.takeBetween(queue, 1, batchMax).pipe(
    Effect.flatMap(write),
    // Lets the posts that have ended meanwhile join the next batch.
    Effect.andThen(Effect.yieldNow),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    add: (ended: Result) => {
      waiting++
      Queue.offerUnsafe(queue, ended)
    },
    isBehind
  }
})

/** Its row is due again when its lease ends. */
export const logLost = ({ attempts, destination, id }: LeasedDelivery, cause: Cause.Cause<unknown>) => {
  const why = String(Cause.squash(cause))
  return Effect.logWarning(
    `delivery ${id} to ${hostOf(destination)}: attempt ${attempts + 1} could not be made or recorded (${why}); ` +
      "it comes again"
  )
}
