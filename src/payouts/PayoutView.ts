/** A payout as the operator sees it. Pure. */
import type { PayoutResource } from "@coffer/contract/Payouts"
import type { Payout } from "@coffer/rules/payout/Payout"
import { DateTime } from "effect"

export const payoutView = (payout: Payout): PayoutResource => ({
  object: "payout",
  payout_no: payout.payoutNo,
  merchant_id: payout.merchantId,
  mode: payout.mode,
  currency: payout.currency,
  amount: payout.amount,
  fee: payout.fee,
  status: payout.status,
  reference: payout.reference,
  created_at: DateTime.formatIso(payout.createdAt),
  updated_at: DateTime.formatIso(payout.updatedAt)
})
