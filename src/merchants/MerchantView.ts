/** A merchant's settings as the operator sees them: without keys and secrets. Pure. */
import type { MerchantResource } from "@coffer/contract/Operator"
import { effectiveDisputeFees, effectivePayoutFees } from "@coffer/model/Fees"
import { effectiveQuotas } from "@coffer/model/Quotas"
import { DateTime } from "effect"
import type { Merchant } from "./Merchants.ts"

export const merchantView = (merchant: Merchant): MerchantResource => ({
  object: "merchant",
  merchant_id: merchant.merchant_id,
  name: merchant.name,
  approved: merchant.approved,
  live_currencies: merchant.live_currencies,
  fees: merchant.fees,
  dispute_fee: effectiveDisputeFees(merchant),
  payout_fee: effectivePayoutFees(merchant),
  quotas: effectiveQuotas(merchant.quotas),
  sandbox: modeView(merchant.modes.sandbox),
  live: modeView(merchant.modes.live),
  suspended_at: merchant.suspended_at === null ? null : DateTime.formatIso(merchant.suspended_at),
  note: merchant.note,
  created_at: DateTime.formatIso(merchant.created_at)
})

const modeView = ({ default_notify_url, ip_allowlist }: Merchant["modes"]["live"]) => ({
  ip_allowlist,
  default_notify_url
})
