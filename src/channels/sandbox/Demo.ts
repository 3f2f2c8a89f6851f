/** The demo merchant, which the first start on a laptop creates with its keys and a seeded sandbox. */
import { Effect, Redacted, Schema } from "effect"
import { DataDir } from "../../platform/runtime/DataDir.ts"
import { reachable } from "../../platform/runtime/places.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { Seeds } from "./Seeds.ts"

/** Kept in COFFER_HOME, for people who try the service on this machine (docs/architecture.md, section 7). */
export const Credentials = Schema.fromJsonString(
  Schema.Struct({
    base_url: Schema.String,
    // Missing in a file of an earlier version.
    operator_url: Schema.optionalKey(Schema.String),
    operator_token: Schema.String,
    merchant_id: Schema.String,
    sandbox_key: Schema.String,
    live_key: Schema.String
  })
)
export type Credentials = typeof Credentials.Type

const file = "credentials.json"

/** The kept credentials. The first start makes them, and the merchant with them. */
export const credentials = Effect.gen(function* () {
  const dataDir = yield* DataDir
  const settings = yield* Settings
  const kept = yield* dataDir.keep(
    file,
    Effect.flatMap(demoMerchant, Schema.encodeEffect(Credentials)).pipe(Effect.catchTags({ SchemaError: Effect.die }))
  )
  const known = yield* Effect.catchTags(Schema.decodeEffect(Credentials)(kept), { SchemaError: Effect.die })
  // A port may have changed since the credentials were written.
  const current = { ...known, base_url: `${settings.publicUrl}/v1`, operator_url: operatorUrl(settings) }
  if (current.base_url !== known.base_url || current.operator_url !== known.operator_url) {
    yield* dataDir.write(
      file,
      `${yield* Effect.catchTags(Schema.encodeEffect(Credentials)(current), { SchemaError: Effect.die })}\n`
    )
  }
  return current
})

/** The credentials of an earlier start, or of another runner. */
export const kept = Effect.gen(function* () {
  const dataDir = yield* DataDir
  const text = yield* dataDir.keep(file, Effect.die(new Error(`no ${file}`)))
  return yield* Effect.catchTags(Schema.decodeEffect(Credentials)(text), { SchemaError: Effect.die })
})

/** The address of the operator's API on this machine. */
export const operatorUrl = ({ admin, publicUrl }: Pick<Settings["Service"], "admin" | "publicUrl">): string => {
  if (admin === undefined) return `${publicUrl}/operator/v1`
  return `http://${reachable(admin.host)}:${admin.port}/operator/v1`
}

const demoMerchant = Effect.gen(function* () {
  const settings = yield* Settings
  const merchants = yield* Merchants
  const seeds = yield* Seeds

  const { liveKey, merchant, sandboxKey } = yield* merchants.create("Demo merchant")
  yield* seeds.plant(merchant.merchant_id)
  return {
    base_url: `${settings.publicUrl}/v1`,
    operator_url: operatorUrl(settings),
    operator_token: Redacted.value(settings.operatorToken),
    merchant_id: merchant.merchant_id,
    sandbox_key: sandboxKey,
    live_key: liveKey
  }
})
