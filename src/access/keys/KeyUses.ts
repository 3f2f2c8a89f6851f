/**
 * When keys with scopes were last used, and from where. A call leaves a note in memory; twice a minute all notes are
 * written in one statement. A process that is killed loses the notes that it has not written, and so a use may be
 * missing.
 */
import { Context, Effect, Layer } from "effect"
import { onRealTime } from "../../platform/runtime/realTime.ts"
import { ApiKeyStore, type Use } from "./ApiKeyStore.ts"

export class KeyUses extends Context.Service<
  KeyUses,
  {
    /** Neither waits nor fails. */
    readonly note: (use: Use) => void
    /** Writes what was noted here so far; what cannot be written is kept for the next time. Never fails. */
    readonly written: Effect.Effect<void>
  }
>()("@coffer/keys/KeyUses") {}

const interval = "30 seconds"
/** Keys that are noted at once. More are not used by a runner within the interval. */
const notedMax = 10_000
/** When the service stops, what is noted has this long to be written. */
const patience = "2 seconds"

export const layer = Layer.effect(
  KeyUses,
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    let noted = new Map<string, Use>()

    const written = Effect.suspend(() => {
      if (noted.size === 0) return Effect.void
      const taken = noted
      noted = new Map()
      // Uses that were noted meanwhile are newer. One that is written twice is written as it was.
      const keep = Effect.sync(() => {
        noted = new Map([...taken, ...noted].slice(0, notedMax))
      })
      return Effect.onError(store.noteUses([...taken.values()]), () => keep)
    }).pipe(Effect.ignoreCause({ log: "Warn" }))

    yield* written.pipe(Effect.delay(interval), Effect.forever, onRealTime, Effect.forkScoped)
    yield* Effect.addFinalizer(() => onRealTime(Effect.timeoutOption(written, patience)))

    return KeyUses.of({
      note: (use) => {
        if (noted.size < notedMax || noted.has(use.keyId)) noted.set(use.keyId, use)
      },
      written
    })
  })
)
