/** What a laptop finds on its first start: a merchant with keys, whose sandbox is seeded as every merchant's is. */
import { Effect, Redacted, Schema } from "effect"
import { DataDir } from "../platform/runtime/DataDir.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { Seeds } from "./Seeds.ts"

/** Kept in COFFER_HOME for whoever tries the service on this machine (docs/architecture.md, section 7). */
export const Credentials = Schema.fromJsonString(
  Schema.Struct({
    base_url: Schema.String,
    operator_token: Schema.String,
    merchant_id: Schema.String,
    sandbox_key: Schema.String,
    live_key: Schema.String
  })
)
export type Credentials = typeof Credentials.Type

const file = "credentials.json"

/** The credentials as they are kept; made, with the merchant behind them, on the first start. */
export const credentials = Effect.gen(function* () {
  const home = yield* DataDir
  const settings = yield* Settings
  const kept = yield* home.keep(
    file,
    Effect.flatMap(demoMerchant, Schema.encodeEffect(Credentials)).pipe(Effect.catchTags({ SchemaError: Effect.die }))
  )
  const known = yield* Effect.catchTags(Schema.decodeEffect(Credentials)(kept), { SchemaError: Effect.die })
  // The port may have changed since.
  const current = { ...known, base_url: `${settings.publicUrl}/v1` }
  if (current.base_url !== known.base_url) {
    yield* home.write(
      file,
      `${yield* Effect.catchTags(Schema.encodeEffect(Credentials)(current), { SchemaError: Effect.die })}\n`
    )
  }
  return current
})

const demoMerchant = Effect.gen(function* () {
  const settings = yield* Settings
  const merchants = yield* Merchants
  const seeds = yield* Seeds

  const { liveKey, merchant, sandboxKey } = yield* merchants.create("Demo merchant")
  yield* seeds.plant(merchant.merchant_id)
  return {
    base_url: `${settings.publicUrl}/v1`,
    operator_token: Redacted.value(settings.operatorToken),
    merchant_id: merchant.merchant_id,
    sandbox_key: sandboxKey,
    live_key: liveKey
  }
})
