/**
 * The row of a merchant's webhook settings in one environment (docs/decisions/0021). It is read with the merchant, and
 * changed by `src/webhooks/deliveries`.
 */
import { MerchantId, Mode } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { Endpoint, StoredSecrets } from "@coffer/rules/webhooks/Settings"
import { Schema } from "effect"
import { table } from "../../platform/commit/Table.ts"

export const webhookSettings = table("webhook_settings", {
  place: 70,
  of: Schema.Struct({
    id: Schema.String,
    merchantId: MerchantId,
    mode: Mode,
    signing: StoredSecrets,
    endpoints: Schema.Array(Endpoint)
  }),
  extra: { version: Schema.Int },
  key: "id",
  version: "version",
  fixed: ["merchantId", "mode"]
})

export const settingsIdOf = ({ merchantId, mode }: Account): string => `${merchantId}/${mode}`
