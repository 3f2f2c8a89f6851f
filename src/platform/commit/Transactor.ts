/**
 * The only way to write business rows: group commit. Change sets wait in a bounded queue; a lane takes all that are
 * waiting and writes them in ONE Postgres transaction, one statement in all. There is no timer: while one transaction
 * is flushed, the next batch gathers (`waitingSets.ts`). Each set is all or nothing on its own: a set with a stale
 * version or a taken key is left out, and the others are written without it (docs/architecture.md, section 4). A set
 * with a row that another program has locked is put aside, and the others are written without it (docs/decisions/0015).
 */
import { Context, Deferred, Effect, Layer, Metric, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { type ChangeSet, type CommitError, keyOf, NotCommitted } from "./Change.ts"
import { makeOpenSets, type OpenSet, type OpenSets } from "./openSets.ts"
import { DatabaseHealth } from "../postgres/DatabaseHealth.ts"
import { ListHorizon } from "../postgres/ListHorizon.ts"
import { leftIn } from "../runtime/Deadline.ts"
import { shownAs } from "@coffer/cluster/shownAs"
import { commitMillis } from "../runtime/patience.ts"
import * as RealTime from "../runtime/realTime.ts"
import { batchMax, makeWaitingSets } from "./waitingSets.ts"
import { Wakeups } from "./Wakeups.ts"
import { type Blocked, makeWrite, makeWriter } from "./writeBatch.ts"

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
     * when the queue is full, or no time is left. Model: models/writes.pml.
     */
    readonly submit: (lane: string, changes: ChangeSet, within: number) => Effect.Effect<void, CommitError> | undefined
    /** Milliseconds for which sets have been waiting and none could be written; 0 while writing succeeds. */
    readonly stalledMillis: () => number
  }
>()("@coffer/platform/Transactor") {}

export const layer = Layer.effect(
  Transactor,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wakeups = yield* Wakeups
    const horizon = yield* ListHorizon
    const health = yield* DatabaseHealth
    const sets = yield* RealTime.onRealTime(makeOpenSets)

    horizon.awaits("shown", sets.lowestOf)

    const write = makeWrite({ sets, wakeups, writer: yield* makeWriter(sql), health })
    const aside = yield* makeBlockedSets({ sets, write, batchMax })

    const round = Effect.fnUntraced(function* (taken: ReadonlyArray<OpenSet>, onWritten: () => void) {
      let left = aside.without(taken)
      while (left.length > 0) {
        const blocked = yield* write(left, onWritten)
        if (blocked === undefined) return
        left = yield* aside.put(blocked)
      }
    })

    /** A lane survives a defect of a round, whose sets may be written or not. */
    const survived = (taken: ReadonlyArray<OpenSet>, work: Effect.Effect<void>) =>
      Effect.catchCause(work, (cause) =>
        Effect.andThen(
          Effect.logError("a batch of change sets ended with a defect", cause),
          Effect.sync(() => sets.failAll(taken.filter(sets.isOpen), "unknown"))
        )
      )

    const context = yield* Effect.context<never>()
    const waiting = makeWaitingSets()
    for (const [lane, writing] of waiting.lanes.entries()) {
      // The waiting sets are in one queue, which metrics show as the first lane's.
      const { ofDuration, ofSize } = yield* makeLaneMetrics(lane, lane === 0 ? waiting.size : () => 0)
      yield* Effect.forkScoped(
        writing(
          Effect.fnUntraced(function* (taken, onWritten) {
            const began = RealTime.elapsedMillis()
            ofSize.updateUnsafe(taken.length, context)
            yield* survived(taken, round(taken, onWritten))
            ofDuration.updateUnsafe((RealTime.elapsedMillis() - began) / 1_000, context)
          })
        )
      )
    }

    const submit = (lane: string, changes: ChangeSet, within: number) => {
      const set = sets.open(lane, changes, within)
      if (within > 0 && waiting.offer(set)) return Deferred.await(set.done)
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

const inLane = Metric.gauge("coffer_lane_waiting", { description: "Change sets that wait for their lane, by lane" })
const sizes = Metric.histogram("coffer_batch_size", {
  description: "Change sets that a lane took together, by lane",
  boundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256]
})
const durations = Metric.histogram("coffer_batch_duration_seconds", {
  description: "Time from taking a batch until all in it were answered or put aside, seconds, by lane",
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
})

/** What a lane measures of each round. */
const makeLaneMetrics = Effect.fnUntraced(function* (number: number, size: () => number) {
  const lane = String(number)
  const [ofSize, ofDuration] = [Metric.withAttributes(sizes, { lane }), Metric.withAttributes(durations, { lane })]
  yield* shownAs(Metric.withAttributes(inLane, { lane }), size)
  for (const histogram of [ofSize, ofDuration]) yield* Metric.value(histogram)
  return { ofSize, ofDuration }
})

// Aside --------------------------------------------------------------------------
// Change sets wait here for a lock that another program holds, so that the lanes go on with other sets. Waiting sets
// with the same lane key stay together, in their order. Later sets with that key join them, until an attempt meets no
// lock. Each attempt waits for the lock as long as Postgres allows (`lockMillis`). A set that has no time left for
// another attempt ends, and is certainly not written.

/** Change sets that are tried together. */
interface Parcel {
  readonly lanes: ReadonlySet<string>
  sets: Array<OpenSet>
  carried: boolean
}

/** Attempts under way at once; each holds a connection. */
const attemptsMax = 2
/** Lane keys that are remembered as blocked. Beyond it the oldest goes back to its lane, and is found blocked again. */
const rememberedMax = 10_000

/** Rows and lanes that one log line names. */
const namedMax = 5

/** The rows that a set replaces: one of them is locked. */
const rowsOf = ({ changes }: OpenSet) =>
  changes.flatMap((change) => (change.op === "update" ? [`${change.table} ${keyOf(change)}`] : []))

const waiting = Metric.gauge("coffer_change_sets_locked", {
  description: "Change sets that wait for a lock held by another program"
})

interface Options {
  readonly sets: OpenSets
  readonly write: (sets: ReadonlyArray<OpenSet>) => Effect.Effect<Blocked | undefined>
  readonly batchMax: number
}

const makeBlockedSets = Effect.fnUntraced(function* (options: Options) {
  const parcelOf = new Map<string, Parcel>()
  yield* Metric.update(waiting, 0)
  const { begin, carry, show } = yield* makeCarrier(options, parcelOf)
  const fork = Effect.runForkWith(yield* Effect.context<never>())

  return {
    /** The sets that may be written now. Sets of a blocked lane key join its parcel. */
    without: (taken: ReadonlyArray<OpenSet>): ReadonlyArray<OpenSet> =>
      parcelOf.size === 0
        ? taken
        : taken.filter((set) => {
            const parcel = parcelOf.get(set.lane)
            if (parcel === undefined) return true
            parcel.sets.push(set)
            if (!parcel.carried) fork(carry(parcel))
            return false
          }),

    /** Puts the blocked sets aside, with all sets that have one of their lane keys. Returns the others. */
    put: Effect.fnUntraced(function* ({ blocked, sets: all }: Blocked) {
      const lanes = new Set([...(blocked.size === 0 ? all : blocked)].map(({ lane }) => lane))
      yield* Effect.logWarning("change sets wait for a lock held by another program", {
        sets: blocked.size === 0 ? all.length : blocked.size,
        rows: [...new Set([...blocked].flatMap(rowsOf))].slice(0, namedMax).join(", "),
        lanes: [...lanes].slice(0, namedMax).join(", ")
      })
      for (const [lane] of parcelOf) {
        if (parcelOf.size + lanes.size <= rememberedMax) break
        if (parcelOf.get(lane)?.carried === false) parcelOf.delete(lane)
      }
      if (blocked.size === 0) yield* begin([...lanes], all)
      else for (const lane of lanes) yield* begin([lane], all)
      yield* show
      return all.filter(({ lane }) => !lanes.has(lane))
    })
  }
})

/** Tries parcels until all of their sets are written or answered. */
const makeCarrier = Effect.fnUntraced(function* ({ batchMax, sets, write }: Options, parcelOf: Map<string, Parcel>) {
  const scope = yield* Effect.scope
  const turn = yield* Semaphore.make(attemptsMax)

  const show = Effect.suspend(() => {
    const parcels = Array.from(new Set(parcelOf.values()))
    return Metric.update(
      waiting,
      parcels.reduce((sum, parcel) => sum + parcel.sets.length, 0)
    )
  })

  const carry = (parcel: Parcel): Effect.Effect<void> =>
    Effect.suspend(() => {
      parcel.carried = true
      return Effect.asVoid(Effect.forkIn(Effect.uninterruptible(attempts(parcel)), scope))
    })

  const attempts = Effect.fnUntraced(function* (parcel: Parcel): Effect.fn.Return<void> {
    while (true) {
      for (const set of parcel.sets) {
        if (sets.isTooLate(set)) sets.fail(set, new NotCommitted({ reason: "overloaded" }))
      }
      parcel.sets = parcel.sets.filter(sets.isOpen)
      yield* show
      if (parcel.sets.length === 0) break
      const now = parcel.sets.slice(0, batchMax)
      const blocked = yield* turn.withPermit(write(now))
      parcel.sets = parcel.sets.filter(sets.isOpen)
      if (blocked === undefined) {
        if (parcel.sets.length > 0) continue
        for (const lane of parcel.lanes) parcelOf.delete(lane)
        break
      }
      if (parcel.lanes.size > 1) return yield* split(parcel)
      // Fail the sets that meet the lock, so that the rest of their lane can be written; their callers decide again.
      if (blocked.blocked.size > 0 && blocked.blocked.size < blocked.sets.length) {
        for (const set of blocked.blocked) sets.fail(set, new NotCommitted({ reason: "overloaded" }))
      }
    }
    parcel.carried = false
    yield* show
  })

  /** Halves a parcel when it is unknown which lane meets the lock: one half may not meet it. */
  const split = Effect.fnUntraced(function* (parcel: Parcel): Effect.fn.Return<void> {
    const lanes = [...parcel.lanes]
    const middle = Math.ceil(lanes.length / 2)
    for (const half of [lanes.slice(0, middle), lanes.slice(middle)]) yield* begin(half, parcel.sets)
  })

  const begin = (lanes: ReadonlyArray<string>, from: ReadonlyArray<OpenSet>): Effect.Effect<void> => {
    const own = new Set(lanes)
    const parcel: Parcel = { lanes: own, sets: from.filter(({ lane }) => own.has(lane)), carried: false }
    for (const lane of lanes) parcelOf.set(lane, parcel)
    return carry(parcel)
  }

  return { begin, carry, show }
})
