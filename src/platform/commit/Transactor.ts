/**
 * The only way to write business rows: group commit. Change sets wait in a bounded queue; a lane takes all that are
 * waiting and writes them in ONE Postgres transaction, one statement in all. Nothing waits for a timer: while
 * one transaction is being flushed the next batch gathers. Each set is all or nothing on its own: one that meets a
 * stale version or a taken key is left out, and the others are written without it (docs/architecture.md, section 4).
 * One that meets a row that somebody else has locked goes aside (`aside.ts`), and the others are written without it
 * (docs/decisions/0015).
 */
import { Context, Deferred, Effect, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { makeAside } from "./aside.ts"
import { plan } from "./Batch.ts"
import { type ChangeSet, type CommitError, NotCommitted } from "./Change.ts"
import { makeOpenSets, type OpenSet } from "./openSets.ts"
import * as RealTime from "../runtime/realTime.ts"
import { Wakeups } from "./Wakeups.ts"
import { type Outcome, makeWriter } from "./writeBatch.ts"

/** How many transactions may be in flight. */
const lanes = 2
/** Change sets that one transaction takes. */
const batchMax = 256
/** Change sets that may wait in a lane; beyond it a caller is told to come back. */
const waitingMax = 8_192
/** How often a batch that met a deadlock, or a lock that is gone when it is looked for, is written again. */
const retriesMax = 5

export class Transactor extends Context.Service<
  Transactor,
  {
    /**
     * Durable when it succeeds; it ends within `commitMillis` (`patience.ts`). Sets with one `lane` key are written in
     * the order in which they were submitted.
     */
    readonly commit: (lane: string, changes: ChangeSet) => Effect.Effect<void, CommitError>
    /** Queues at once, in the caller's synchronous block; waiting comes after. Undefined when the queue is full. */
    readonly submit: (lane: string, changes: ChangeSet) => Effect.Effect<void, CommitError> | undefined
    /** For how many milliseconds sets have been waiting and not one could be written; 0 while writing goes well. */
    readonly stalledMillis: () => number
  }
>()("@coffer/platform/Transactor") {}

export const layer = Layer.effect(
  Transactor,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wakeups = yield* Wakeups
    const sets = yield* RealTime.onRealTime(makeOpenSets)
    const writer = yield* makeWriter(sql)

    /** Writes what can be written. What is left stands behind a lock. */
    const write = Effect.fnUntraced(function* (given: ReadonlyArray<OpenSet>): Effect.fn.Return<Blocked | undefined> {
      const blamed: Array<readonly [OpenSet, CommitError]> = []
      const blocked = yield* writeOthers(given, blamed)
      // What they met may be in this very batch; who hears that it exists goes and looks for it.
      for (const [set, error] of blamed) sets.fail(set, error)
      return blocked
    })

    const writeOthers = Effect.fnUntraced(function* (
      given: ReadonlyArray<OpenSet>,
      blamed: Array<readonly [OpenSet, CommitError]>
    ): Effect.fn.Return<Blocked | undefined> {
      let left = given
      for (let retries = 0; left.length > 0;) {
        const batch = plan(left)
        for (const set of left) set.writing = true
        const outcome: Outcome = yield* writer.writeOnce(batch)
        for (const set of left) set.writing = false
        switch (outcome._tag) {
          case "Written":
            for (const set of batch.accepted) if (!outcome.taken.has(set)) sets.succeed(set)
            for (const { table } of batch.statements) wakeups.raise(table)
            blamed.push(...outcome.taken)
            // They were left out for the sake of others. If one of those was not written, they may be.
            left = batch.refused.map(([set]) => set)
            if (outcome.taken.size > 0) continue
            for (const [set, error] of batch.refused) sets.fail(set, error)
            return undefined
          case "Conflict": {
            blamed.push(...outcome.blamed)
            left = left.filter((set) => !outcome.blamed.has(set))
            continue
          }
          case "Collided":
            if (retries++ < retriesMax) continue
            return sets.failAll(left, "overloaded")
          case "Locked": {
            const blocked = yield* writer.blockedIn(batch)
            // A row is one merchant's trouble. What no row shows, such as a locked table, may be everybody's.
            if (blocked.size === 0) sets.stalls()
            if (blocked.size === 0 && retries++ === 0) continue
            return { sets: left, blocked }
          }
          case "NotNow":
            return sets.failAll(left, outcome.reason)
          case "Rejected":
            if (left.length === 1) {
              yield* Effect.logError("a change set was refused", { reason: outcome.reason })
              return sets.failAll(left, "rejected")
            }
            // One set holds something that Postgres does not take: let it fail alone.
            for (const [index, set] of left.entries()) {
              const blocked = yield* writeOthers([set], blamed)
              if (blocked !== undefined) return { sets: left.slice(index), blocked: new Set([set]) }
            }
            return undefined
        }
      }
      return undefined
    })

    const aside = yield* makeAside({ sets, write, batchMax })

    const round = Effect.fnUntraced(function* (taken: ReadonlyArray<OpenSet>) {
      let left = aside.without(taken)
      while (left.length > 0) {
        const blocked = yield* write(left)
        if (blocked === undefined) return
        left = yield* aside.put(blocked)
      }
    })

    const queues = yield* Effect.forEach(Array.from({ length: lanes }), () => Queue.bounded<OpenSet>(waitingMax))
    for (const queue of queues) {
      yield* Effect.forkScoped(
        Queue.takeBetween(queue, 1, batchMax).pipe(
          // A batch that was taken is finished even while the service closes.
          Effect.flatMap((taken) => Effect.uninterruptible(round(taken))),
          // Lets the replies of this batch, and the requests that follow them, run before the next is gathered.
          Effect.andThen(Effect.yieldNow),
          Effect.forever
        )
      )
    }

    const submit = (lane: string, changes: ChangeSet) => {
      const set = sets.open(lane, changes)
      if (Queue.offerUnsafe(queues[laneOf(lane)]!, set)) return Deferred.await(set.done)
      sets.fail(set, new NotCommitted({ reason: "overloaded" }))
      return undefined
    }

    return Transactor.of({
      submit,
      commit: (lane, changes) =>
        Effect.suspend(() =>
          changes.length === 0
            ? Effect.void
            : (submit(lane, changes) ?? Effect.fail(new NotCommitted({ reason: "overloaded" })))
        ),
      stalledMillis: sets.stalledMillis
    })
  })
)

/** What a lock keeps from being written. */
export interface Blocked {
  /** All that is not written, in its order. */
  readonly sets: ReadonlyArray<OpenSet>
  /** Those among them that meet a locked row; empty when it is not known who meets what. */
  readonly blocked: ReadonlySet<OpenSet>
}

const laneOf = (key: string): number => {
  let hash = 0
  for (let index = 0; index < key.length; index++) hash = (hash * 31 + key.charCodeAt(index)) | 0
  return Math.abs(hash) % lanes
}
