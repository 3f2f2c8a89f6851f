/** A refund as Stripe answers it. */
import type Stripe from "stripe"

export interface RefundFacts {
  readonly id: string
  readonly created: number
  readonly amount: number
  readonly charge: Stripe.Charge
  readonly status: "succeeded" | "pending" | "requires_action"
  readonly params: Stripe.RefundCreateParams
  readonly metadata: Stripe.Metadata
}

export const newRefund = (facts: RefundFacts): Stripe.Refund => ({
  id: facts.id,
  object: "refund",
  amount: facts.amount,
  balance_transaction: null,
  charge: facts.charge.id,
  created: facts.created,
  currency: facts.charge.currency,
  customer: null,
  customer_account: null,
  destination_details: destinationOf(facts.charge),
  metadata: facts.metadata,
  payment_intent: facts.charge.payment_intent as string | null,
  payment_method: facts.charge.payment_method,
  ...(facts.status === "pending" && { pending_reason: "processing" }),
  reason: facts.params.reason ?? null,
  receipt_number: null,
  source_transfer_reversal: null,
  status: facts.status,
  transfer_reversal: null
})

const destinationOf = ({ payment_method_details }: Stripe.Charge): Stripe.Refund.DestinationDetails => {
  switch (payment_method_details?.type) {
    case "alipay":
      return { type: "alipay", alipay: {} }
    case "wechat_pay":
      return { type: "wechat_pay", wechat_pay: {} }
    default:
      return {
        type: "card",
        card: { reference_status: "pending", reference_type: "acquirer_reference_number", type: "refund" }
      }
  }
}
