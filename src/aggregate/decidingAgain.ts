/** A command that another runner has performed, decided again here (`wallets/Instructions.ts`). */
import { Effect } from "effect"
import { keyOf, NotCommitted, StaleVersion } from "../platform/commit/Change.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import type { PerformedCommand } from "../wallets/Instructions.ts"
import type { Aggregate, Kind } from "./Aggregate.ts"
import type { deciding } from "./WriteLoop.ts"

/**
 * Derives what is committed for a command that another runner has performed. If the object is not at the version that
 * the other runner has seen, the command fails as stale, and the other runner reads the object again.
 */
export const decidingAgain = <K extends Kind>(aggregate: Aggregate<K>, decide: ReturnType<typeof deciding<K>>) =>
  Effect.fnUntraced(function* ({ answer, command, id, version }: PerformedCommand<K["Id"], K["Command"]>) {
    // There is no such object, so no runner has performed this command.
    const { decision, derived } = yield* Effect.mapError(
      decide(id, command, undefined, { answer }),
      () => new NotCommitted({ reason: "rejected" })
    )
    if (decision.events.length > 0 && derived.after.version === version + 1) return { ...derived, performed: command }
    const row = aggregate.replacement(derived.after, derived.after.state, yield* currentTime)
    return yield* new StaleVersion({ table: row.table, key: keyOf(row) })
  })
