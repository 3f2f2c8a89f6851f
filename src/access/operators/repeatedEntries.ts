/**
 * Entries of the audit log that could be repeated without limit: by a merchant that reads its own secret, by an
 * operator whose role lacks the right. The log is never shortened, so one entry of each kind is written an hour. The
 * others of the hour are counted, and an entry with their number follows when the hour is over or the process stops.
 */
import { isoText } from "@coffer/model/isoText"
import { DateTime, Deferred, Effect, Exit } from "effect"
import { unmovedMillis } from "../../platform/runtime/MerchantClocks.ts"
import type { Entry } from "./AuditLog.ts"

export const repeatWindowMillis = 60 * 60 * 1_000

/** Kinds of entries that are remembered at once. The oldest beyond them is written out before its hour is over. */
const kindsMax = 10_000

interface Kind {
  readonly entry: Entry
  readonly since: number
  readonly written: Deferred.Deferred<void>
  repeated: number
}

export const makeRepeatedEntries = Effect.fnUntraced(function* (write: (entry: Entry) => Effect.Effect<void>) {
  const kinds = new Map<string, Kind>()

  /** The number of unwritten entries. */
  const close = (key: string, { entry, repeated, since }: Kind) =>
    Effect.suspend(() => {
      kinds.delete(key)
      if (repeated === 0) return Effect.void
      const { details, ...rest } = entry
      const more = { ...details, repeated, since: isoText(DateTime.makeUnsafe(since)) }
      return Effect.ignoreCause(write({ ...rest, details: more }), { log: "Error" })
    })

  const closeBefore = (moment: number) =>
    Effect.forEach(
      [...kinds].filter(([, { since }]) => since <= moment - repeatWindowMillis),
      ([key, kind]) => close(key, kind),
      { discard: true }
    )
  yield* Effect.addFinalizer(() => Effect.forEach([...kinds], ([key, kind]) => close(key, kind), { discard: true }))

  const begin = (key: string, entry: Entry, since: number) =>
    Effect.suspend(() => {
      const kind: Kind = { entry, since, written: Deferred.makeUnsafe<void>(), repeated: 0 }
      kinds.set(key, kind)
      return Effect.onExit(write(entry), (exit) => {
        // The next entry of this kind tries again.
        if (Exit.isFailure(exit)) kinds.delete(key)
        return Deferred.done(kind.written, exit)
      })
    })

  return {
    /** The entry, or an earlier one of the same kind, is written when this returns. */
    writeOnce: Effect.fnUntraced(function* (entry: Entry) {
      const { act, actor, phase, status, target } = entry
      const now = yield* unmovedMillis
      // The environments of a merchant are told apart; the rest of a target is not, since there is no limit of targets.
      const key = [actor?.id, act, phase, status, phase === "seen" ? target.replace(/\/.*/, "") : ""].join("\n")
      const known = kinds.get(key)
      if (known !== undefined && now < known.since + repeatWindowMillis) {
        known.repeated++
        return yield* Deferred.await(known.written)
      }
      if (known !== undefined) yield* close(key, known)
      const [oldest] = kinds.size >= kindsMax ? kinds : []
      if (oldest !== undefined) yield* close(...oldest)
      return yield* begin(key, entry, now)
    }),
    closeBefore
  }
})
