/** A buyer's dispute of a payment, or the inquiry before it. */
import type Stripe from "stripe"

export interface DisputeFacts {
  readonly id: string
  readonly created: number
  readonly dueBy: number
  readonly amount: number
  readonly currency: string
  readonly reason: string
  readonly isInquiry: boolean
  readonly charge: Stripe.Charge
}

export const newDispute = (facts: DisputeFacts): Stripe.Dispute => {
  const brand = facts.charge.payment_method_details?.card?.brand
  return {
    id: facts.id,
    object: "dispute",
    amount: facts.amount,
    balance_transactions: [],
    charge: facts.charge.id,
    created: facts.created,
    currency: facts.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence,
    evidence_details: {
      due_by: facts.dueBy,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: "not_submitted"
    },
    intended_submission_method: "manual",
    is_charge_refundable: facts.isInquiry,
    livemode: facts.charge.livemode,
    metadata: {},
    payment_intent: facts.charge.payment_intent as string | null,
    ...(typeof brand === "string" && {
      payment_method_details: {
        type: "card",
        card: {
          brand,
          case_type: facts.isInquiry ? "inquiry" : "chargeback",
          network: brand,
          network_reason_code: facts.reason === "fraudulent" ? "10.4" : "13.1"
        }
      } satisfies Stripe.Dispute.PaymentMethodDetails
    }),
    reason: facts.reason,
    status: facts.isInquiry ? "warning_needs_response" : "needs_response"
  }
}

const noEvidence: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null
}

/** The evidence fields that are files, referenced by id. */
export const fileEvidence: ReadonlySet<string> = new Set([
  "cancellation_policy",
  "customer_communication",
  "customer_signature",
  "duplicate_charge_documentation",
  "receipt",
  "refund_policy",
  "service_documentation",
  "shipping_documentation",
  "uncategorized_file"
])
