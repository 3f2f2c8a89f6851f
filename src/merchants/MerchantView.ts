/** A merchant's settings as the operator sees them: without keys and secrets. Pure. */
import type { MerchantResource } from "@coffer/contract/Operator"
import { effectiveDisputeFees, effectiveFee, effectivePayoutFees } from "@coffer/model/Fees"
import { effectiveQuotas } from "@coffer/model/Quotas"
import { DateTime } from "effect"
import type { Merchant } from "./Merchants.ts"
import { offeredIn } from "./shopOf.ts"

interface Surroundings {
  /** Where the file with this name is. */
  readonly logoUrl: (name: string) => string
  /** How far the sandbox's clock is ahead, in milliseconds. */
  readonly ahead: number
}

export const merchantView = (merchant: Merchant, { ahead, logoUrl }: Surroundings): MerchantResource => ({
  object: "merchant",
  merchant_id: merchant.merchant_id,
  name: merchant.name,
  logo_url: merchant.logo === null ? null : logoUrl(merchant.logo),
  support_email: merchant.support_email,
  support_url: merchant.support_url,
  contact_email: merchant.contact_email,
  time_zone: merchant.time_zone,
  approved: merchant.approved,
  live_currencies: merchant.live_currencies,
  fees: merchant.fees,
  default_fee: effectiveFee(merchant),
  dispute_fee: effectiveDisputeFees(merchant),
  payout_fee: effectivePayoutFees(merchant),
  quotas: effectiveQuotas(merchant.quotas),
  sandbox: {
    ...modeView(merchant.modes.sandbox),
    mail_recipients: merchant.modes.sandbox.mail_recipients,
    clock_ahead_ms: ahead
  },
  live: modeView(merchant.modes.live),
  suspended_at: merchant.suspended_at === null ? null : DateTime.formatIso(merchant.suspended_at),
  closed_at: merchant.closed_at === null ? null : DateTime.formatIso(merchant.closed_at),
  note: merchant.note,
  created_at: DateTime.formatIso(merchant.created_at)
})

const modeView = (mode: Merchant["modes"]["live"]) => ({
  ip_allowlist: mode.ip_allowlist,
  default_notify_url: mode.default_notify_url,
  payment_methods: offeredIn(mode)
})
