/**
 * Writes change sets until each is written, answered, or found behind a lock. A set that Postgres refuses is answered
 * alone, and the others are written without it (docs/architecture.md, section 4).
 */
import { Effect } from "effect"
import { plan } from "./Batch.ts"
import type { CommitError } from "./Change.ts"
import type { OpenSet, OpenSets } from "./openSets.ts"
import type { Wakeups } from "./Wakeups.ts"
import type { Outcome, Writer } from "./writeBatch.ts"

/** How often a batch that met a deadlock, or a lock that is gone when it is looked for, is written again. */
const retriesMax = 5

/** The change sets that a lock keeps from being written. */
export interface Blocked {
  /** All that is not written, in its order. */
  readonly sets: ReadonlyArray<OpenSet>
  /** Those among them that meet a locked row; empty when it is not known who meets what. */
  readonly blocked: ReadonlySet<OpenSet>
}

/** Sets that failed, with the error of each. */
type Failed = Array<readonly [OpenSet, CommitError]>

interface Services {
  readonly sets: OpenSets
  readonly wakeups: Wakeups["Service"]
  readonly writer: Writer
}

export const makeWrite = ({ sets, wakeups, writer }: Services) => {
  /** Writes the sets that no lock blocks. The rest is returned. */
  const write = Effect.fnUntraced(function* (waiting: ReadonlyArray<OpenSet>): Effect.fn.Return<Blocked | undefined> {
    const failed: Failed = []
    const blocked = yield* writeOthers(waiting, failed)
    // Fail these after the commit: callers read the colliding row back, and it may be in this very batch.
    for (const [set, error] of failed) sets.fail(set, error)
    return blocked
  })

  const writeOthers = Effect.fnUntraced(function* (
    waiting: ReadonlyArray<OpenSet>,
    failed: Failed
  ): Effect.fn.Return<Blocked | undefined> {
    let left = waiting
    for (let retries = 0; left.length > 0;) {
      const batch = plan(left)
      for (const set of left) set.writing = true
      const outcome: Outcome = yield* writer.writeOnce(batch)
      for (const set of left) set.writing = false
      switch (outcome._tag) {
        case "Written":
          for (const set of batch.accepted) if (!outcome.taken.has(set)) sets.succeed(set)
          for (const { table } of batch.statements) wakeups.raise(table)
          failed.push(...outcome.taken)
          // The plan left these out because of earlier sets. If an earlier set was not written, they may be now.
          left = batch.refused.map(([set]) => set)
          if (outcome.taken.size > 0) continue
          for (const [set, error] of batch.refused) sets.fail(set, error)
          return undefined
        case "Conflict":
          failed.push(...outcome.blamed)
          left = left.filter((set) => !outcome.blamed.has(set))
          continue
        case "Collided":
          if (retries++ < retriesMax) continue
          return sets.failAll(left, "overloaded")
        case "Locked": {
          const blocked = yield* writer.blockedIn(batch)
          // A locked row is one merchant's trouble. A locked table shows no row, and may stop everybody.
          if (blocked.size === 0) sets.stalls()
          if (blocked.size === 0 && retries++ === 0) continue
          return { sets: left, blocked }
        }
        case "NotNow":
          return sets.failAll(left, outcome.reason)
        case "Rejected":
          if (left.length > 1) return yield* writeOneByOne(left, failed)
          yield* Effect.logError("a change set was refused", { reason: outcome.reason })
          return sets.failAll(left, "rejected")
      }
    }
    return undefined
  })

  /** One set holds something that Postgres does not take: it fails alone. */
  const writeOneByOne = Effect.fnUntraced(function* (
    all: ReadonlyArray<OpenSet>,
    failed: Failed
  ): Effect.fn.Return<Blocked | undefined> {
    for (const [index, set] of all.entries()) {
      const blocked = yield* writeOthers([set], failed)
      if (blocked !== undefined) return { sets: all.slice(index), blocked: new Set([set]) }
    }
    return undefined
  })

  return write
}
