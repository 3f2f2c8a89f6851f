/**
 * The only way to write business rows: group commit. Change sets wait in a bounded queue; a lane takes all that are
 * waiting and writes them in ONE Postgres transaction, one statement in all. Nothing waits for a timer: while
 * one transaction is being flushed the next batch gathers. Each set is all or nothing on its own: one that meets a
 * stale version or a taken key is left out, and the others are written without it (docs/architecture.md, section 4).
 * One that meets a row which is locked by others goes aside (`blockedSets.ts`), and the others are written without it
 * (docs/decisions/0015).
 */
import { Context, Deferred, Effect, Layer, Metric, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { makeBlockedSets } from "./blockedSets.ts"
import { type ChangeSet, type CommitError, NotCommitted } from "./Change.ts"
import { makeOpenSets, type OpenSet } from "./openSets.ts"
import { ListHorizon } from "../postgres/ListHorizon.ts"
import { leftIn } from "../runtime/Deadline.ts"
import { shownAs } from "@coffer/cluster/shownAs"
import { commitMillis } from "../runtime/patience.ts"
import * as RealTime from "../runtime/realTime.ts"
import { Wakeups } from "./Wakeups.ts"
import { makeWriter } from "./writeBatch.ts"
import { makeWrite } from "./writeSets.ts"

/** How many transactions may be in flight. */
const lanes = 2
/** Change sets that one transaction takes. */
const batchMax = 256
/** Change sets that may wait in a lane; beyond it a caller is told to come back. */
const waitingMax = 8_192
export class Transactor extends Context.Service<
  Transactor,
  {
    /**
     * Durable when it succeeds; it ends within `commitMillis` (`patience.ts`), or what is left of the request. Sets
     * with one `lane` key are written in the order in which they were submitted.
     */
    readonly commit: (lane: string, changes: ChangeSet) => Effect.Effect<void, CommitError>
    /**
     * Queues at once, in the caller's synchronous block; waiting comes after, `within` milliseconds at most. Undefined
     * when the queue is full, or no time is left.
     */
    readonly submit: (lane: string, changes: ChangeSet, within: number) => Effect.Effect<void, CommitError> | undefined
    /** For how many milliseconds sets have been waiting and not one could be written; 0 while writing goes well. */
    readonly stalledMillis: () => number
  }
>()("@coffer/platform/Transactor") {}

export const layer = Layer.effect(
  Transactor,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wakeups = yield* Wakeups
    const horizon = yield* ListHorizon
    const sets = yield* RealTime.onRealTime(makeOpenSets)

    horizon.awaits("shown", sets.lowestOf)

    const write = makeWrite({ sets, wakeups, writer: yield* makeWriter(sql) })
    const aside = yield* makeBlockedSets({ sets, write, batchMax })

    const round = Effect.fnUntraced(function* (taken: ReadonlyArray<OpenSet>) {
      let left = aside.without(taken)
      while (left.length > 0) {
        const blocked = yield* write(left)
        if (blocked === undefined) return
        left = yield* aside.put(blocked)
      }
    })

    const queues = yield* Effect.forEach(Array.from({ length: lanes }), () => Queue.bounded<OpenSet>(waitingMax))
    for (const [lane, queue] of queues.entries()) {
      const measured = yield* makeLaneMetrics(lane, () => Queue.sizeUnsafe(queue))
      yield* Effect.forkScoped(
        Queue.takeBetween(queue, 1, batchMax).pipe(
          // A batch that was taken is finished even while the service closes.
          Effect.flatMap((taken) => Effect.uninterruptible(measured(taken.length, round(taken)))),
          // Lets the replies of this batch, and the requests that follow them, run before the next is gathered.
          Effect.andThen(Effect.yieldNow),
          Effect.forever
        )
      )
    }

    const submit = (lane: string, changes: ChangeSet, within: number) => {
      const set = sets.open(lane, changes, within)
      if (within > 0 && Queue.offerUnsafe(queues[laneOf(lane)]!, set)) return Deferred.await(set.done)
      sets.fail(set, new NotCommitted({ reason: "overloaded" }))
      return undefined
    }

    return Transactor.of({
      submit,
      commit: (lane, changes) =>
        Effect.withFiber((fiber) =>
          changes.length === 0
            ? Effect.void
            : (submit(lane, changes, leftIn(fiber, commitMillis)) ??
              Effect.fail(new NotCommitted({ reason: "overloaded" })))
        ),
      stalledMillis: sets.stalledMillis
    })
  })
)

const laneOf = (key: string): number => {
  let hash = 0
  for (let index = 0; index < key.length; index++) hash = (hash * 31 + key.charCodeAt(index)) | 0
  return Math.abs(hash) % lanes
}

const inLane = Metric.gauge("coffer_lane_waiting", { description: "Change sets that wait for their lane, by lane" })
const sizes = Metric.histogram("coffer_batch_size", {
  description: "Change sets that a lane took together, by lane",
  boundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256]
})
const durations = Metric.histogram("coffer_batch_duration_seconds", {
  description: "Time from taking a batch until all in it were answered or had gone aside, seconds, by lane",
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
})

/** Answers what measures one round of the lane. */
const makeLaneMetrics = Effect.fnUntraced(function* (number: number, size: () => number) {
  const lane = String(number)
  const context = yield* Effect.context()
  const [ofSize, ofDuration] = [Metric.withAttributes(sizes, { lane }), Metric.withAttributes(durations, { lane })]
  yield* shownAs(Metric.withAttributes(inLane, { lane }), size)
  for (const histogram of [ofSize, ofDuration]) yield* Metric.value(histogram)

  return <A, E, R>(taken: number, round: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const began = RealTime.elapsedMillis()
      ofSize.updateUnsafe(taken, context)
      return Effect.ensuring(
        round,
        Effect.sync(() => ofDuration.updateUnsafe((RealTime.elapsedMillis() - began) / 1_000, context))
      )
    })
})
