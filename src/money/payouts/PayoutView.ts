/** A payout as the operator sees it. Pure. */
import { isoText } from "@coffer/model/isoText"
import type { PayoutResource } from "@coffer/contract/Payouts"
import type { Payout } from "@coffer/rules/payout/Payout"

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
  created_at: isoText(payout.createdAt),
  updated_at: isoText(payout.updatedAt)
})
