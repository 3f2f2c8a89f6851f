/**
 * Change sets wait here for a lock that another program holds, so that the lanes go on with other sets. Waiting sets
 * with the same lane key stay together, in their order. Later sets with that key join them, until an attempt meets no
 * lock. Each attempt waits for the lock as long as Postgres allows (`lockMillis`). A set that has no time left for
 * another attempt ends, and is certainly not written.
 */
import { Effect, Metric, Semaphore } from "effect"
import { keyOf, NotCommitted } from "./Change.ts"
import type { OpenSet, OpenSets } from "./openSets.ts"
import type { Blocked } from "./writeSets.ts"

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

/** Rows and lanes that one line of the log names. */
const namedMax = 5

/** The rows that a set replaces: one of them is locked. */
const rowsOf = ({ changes }: OpenSet) =>
  changes.flatMap((change) => (change.op === "update" ? [`${change.table} ${keyOf(change)}`] : []))

const waiting = Metric.gauge("coffer_change_sets_locked", {
  description: "Change sets that wait for a lock that somebody else holds"
})

interface Options {
  readonly sets: OpenSets
  readonly write: (sets: ReadonlyArray<OpenSet>) => Effect.Effect<Blocked | undefined>
  readonly batchMax: number
}

export const makeBlockedSets = Effect.fnUntraced(function* (options: Options) {
  const { sets } = options
  const parcelOf = new Map<string, Parcel>()
  yield* Metric.update(waiting, 0)
  const { begin, carry, show } = yield* makeCarrier(options, parcelOf)

  return {
    /** The sets that may be written now. Sets of a blocked lane key join its parcel; sets that have ended go. */
    without: (taken: ReadonlyArray<OpenSet>): ReadonlyArray<OpenSet> =>
      parcelOf.size === 0
        ? taken.filter(sets.isOpen)
        : taken.filter((set) => {
            const parcel = parcelOf.get(set.lane)
            if (parcel === undefined) return sets.isOpen(set)
            parcel.sets.push(set)
            if (!parcel.carried) Effect.runFork(carry(parcel))
            return false
          }),

    /** Keeps the blocked sets here, with all sets that have one of their lane keys. Returns the others. */
    put: Effect.fnUntraced(function* ({ blocked, sets: all }: Blocked) {
      const lanes = new Set([...(blocked.size === 0 ? all : blocked)].map(({ lane }) => lane))
      yield* Effect.logWarning("change sets wait for a lock that somebody else holds", {
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
      // Fail the sets that meet the lock, so that the rest of their lane can be written; their callers decide anew.
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
