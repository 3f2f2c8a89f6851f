/**
 * Rows of webhook settings, read fresh for who changes or shows them; and an account's single address, which is the
 * merchant's own and only shown here (docs/decisions/0021).
 */
import { Mode } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { DefaultEndpoint, type SingleAddress, type WebhookSettings } from "@coffer/rules/webhooks/Settings"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { settingsIdOf, webhookSettings } from "../merchants/webhookSettings.ts"
import { type Change, update } from "../platform/commit/Change.ts"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"

export interface StoredSettings {
  readonly settings: WebhookSettings
  readonly version: number
  /** Undefined where the operator has set none. */
  readonly single: SingleAddress | undefined
}

export class WebhookSettingsStore extends Context.Service<
  WebhookSettingsStore,
  { readonly load: (account: Account) => Effect.Effect<StoredSettings> }
>()("@coffer/webhooks/WebhookSettingsStore") {}

/** The settings after a change, in place of the version that was read. */
export const replacement = (account: Account, before: StoredSettings, after: WebhookSettings): Change => {
  const row = { id: settingsIdOf(account), ...account, ...after }
  return update(webhookSettings, before.version, row, { version: before.version + 1 })
}

const Single = Schema.Struct({
  default_notify_url: Schema.NullOr(Schema.String),
  default_endpoint: Schema.NullOr(DefaultEndpoint)
})

export const layer = Layer.effect(
  WebhookSettingsStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const settings = SqlSchema.findOne({
      Request: Schema.String,
      Result: webhookSettings.row,
      execute: (id) => sql`select * from webhook_settings where id = ${id}`
    })
    const single = SqlSchema.findOne({
      Request: Schema.Struct({ merchantId: Schema.String, mode: Mode }),
      Result: Single,
      execute: ({ merchantId, mode }) => sql`select default_notify_url, default_endpoint from merchant_modes
        where merchant_id = ${merchantId} and mode = ${mode}`
    })
    return WebhookSettingsStore.of({
      load: Effect.fnUntraced(
        function* ({ merchantId, mode }) {
          const row = yield* settings(settingsIdOf({ merchantId, mode }))
          const { default_endpoint, default_notify_url } = yield* single({ merchantId, mode })
          return {
            settings: webhookSettings.read(row),
            version: row.version,
            single:
              default_notify_url === null || default_endpoint === null
                ? undefined
                : { ...default_endpoint, url: default_notify_url }
          }
        },
        // Every merchant has both rows from the start.
        Effect.catchTags({ NoSuchElementError: Effect.die }),
        sqlDefects
      )
    })
  })
)
