/**
 * Last uses of keys with scopes: time and address. A call records its use in memory; twice a minute all uses are
 * written in one statement. A killed process loses unwritten uses.
 */
import { Context, Effect, Layer } from "effect"
import { onRealTime } from "../../platform/runtime/realTime.ts"
import { ApiKeyStore, type Use } from "./ApiKeyStore.ts"

export class KeyUses extends Context.Service<
  KeyUses,
  {
    /** Neither waits nor fails. */
    readonly note: (use: Use) => void
    /** Writes the recorded uses; those that cannot be written are kept for the next time. Never fails. */
    readonly written: Effect.Effect<void>
  }
>()("@coffer/keys/KeyUses") {}

const interval = "30 seconds"
/** Keys in memory. A runner does not use more within the interval. */
const notedMax = 10_000
/** How long writing may take when the service stops. */
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
      // Uses recorded during the write are newer, and are kept. Writing one twice is harmless.
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
