/** A new merchant with its first keys. The keys are shown once; only their hashes are stored. */
import { createdAtOf, type MerchantId, type Mode } from "@coffer/model/Ids"
import { Effect } from "effect"
import type { Secrets } from "../../platform/runtime/Secrets.ts"
import { newKey } from "./keyText.ts"
import type { MerchantRow, ModeRow } from "./MerchantStore.ts"
import { newSecret } from "./signingSecrets.ts"

/** Nothing is stored yet. The merchant is not approved and has no fees of its own. */
export const newMerchant = Effect.fnUntraced(function* (
  merchantId: MerchantId,
  secrets: Secrets["Service"],
  name: string
) {
  const sandboxKey = yield* newKey(secrets, "sandbox")
  const liveKey = yield* newKey(secrets, "live")
  const merchant: MerchantRow = {
    merchant_id: merchantId,
    name,
    logo: null,
    support_email: null,
    support_url: null,
    terms_url: null,
    privacy_url: null,
    business_address: null,
    tax_id: null,
    accent_color: null,
    contact_email: null,
    time_zone: "UTC",
    domain: null,
    approved: false,
    live_currencies: [],
    fees: [],
    dispute_fee: {},
    payout_fee: {},
    quotas: {},
    suspended_at: null,
    closed_at: null,
    note: null,
    created_at: createdAtOf(merchantId),
    modes: {
      sandbox: yield* newMode(secrets, merchantId, "sandbox"),
      live: yield* newMode(secrets, merchantId, "live")
    }
  }
  const keyHashes = { sandbox: secrets.keyHash(sandboxKey), live: secrets.keyHash(liveKey) }
  return { merchant, sandboxKey, liveKey, keyHashes }
})

const newMode = Effect.fnUntraced(function* (secrets: Secrets["Service"], merchantId: MerchantId, mode: Mode) {
  const { sealed } = yield* newSecret(secrets, { merchantId, mode }, null)
  return {
    ip_allowlist: "",
    default_notify_url: null,
    default_endpoint: null,
    payment_methods: null,
    mail_recipients: [],
    channel_accounts: {},
    webhooks: { signing: { current: sealed, rotatedAt: null, old: [] }, endpoints: [] }
  } satisfies ModeRow
})
