/**
 * Leaked keys (docs/decisions/0090; silences: U29). A key with scopes is revoked at once; a main key keeps working,
 * since a reset would stop a shop. The merchant is notified of both by mail.
 */
import { Context, Effect, Layer, Option } from "effect"
import { MerchantStore } from "../merchants/MerchantStore.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { isKey } from "../merchants/keyText.ts"
import { works } from "../merchants/ScopedKey.ts"
import { AuditLog } from "../operators/AuditLog.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { span } from "../../platform/runtime/span.ts"
import { type Leak, LeakStore } from "./LeakStore.ts"

export class Leaks extends Context.Service<
  Leaks,
  {
    /** Acts on the report if the key works. The caller cannot tell whether it did. */
    readonly report: (text: string) => Effect.Effect<void>
  }
>()("@coffer/keys/Leaks") {}

const act = "leaked_keys.report"

export const layer = Layer.effect(
  Leaks,
  Effect.gen(function* () {
    const merchants = yield* Merchants
    const owners = yield* MerchantStore
    const leaks = yield* LeakStore
    const secrets = yield* Secrets
    const log = yield* AuditLog
    const wakeups = yield* Wakeups

    return Leaks.of({
      report: span("Leaks.report")(function* (text) {
        if (!isKey(text)) return
        const keyHash = secrets.keyHash(text)
        const found = Option.getOrUndefined(yield* owners.byKeyHash(keyHash))
        const now = yield* currentTime
        if (found === undefined || !works(found, now.epochMilliseconds)) return
        const { ends_at, key, merchant, mode } = found
        const leak: Leak = {
          keyHash,
          merchantId: merchant.merchant_id,
          mode,
          // Of a rolled key only the old secret ends: the key itself has a new one.
          key: key === undefined ? null : { keyId: key.key_id, isOldSecret: ends_at !== null }
        }
        const path = `merchants/${leak.merchantId}/${key === undefined ? `keys/${mode}` : `api_keys/${key.key_id}`}`
        // For a main key only the mail is sent, once a day: repeats are not acts.
        if (key !== undefined) yield* log.write({ act, phase: "begun", target: path })
        const isNew = yield* leaks.record(leak, now)
        if (key !== undefined) yield* merchants.forget(leak.merchantId)
        if (isNew) {
          wakeups.raise("key_leaks")
          const details = { mode, done: key === undefined ? "told" : "revoked and told" }
          yield* log.write({ act, phase: "done", target: path, details })
          yield* Effect.annotateLogs(Effect.logWarning("a key was reported as leaked"), {
            merchant_id: leak.merchantId,
            mode,
            key_id: key?.key_id ?? "main"
          })
        }
      })
    })
  })
)
