/** One payment attempt: succeeded, or declined by the issuer. */
import type Stripe from "stripe"
import type { DeclineWords } from "../cards/declines.ts"

/** How long the issuer keeps an authorization. */
export const holdSeconds = 7 * 86_400

export interface ChargeFacts {
  readonly id: string
  readonly created: number
  readonly intent: Stripe.PaymentIntent
  readonly method: Stripe.PaymentMethod
  readonly isAuthenticated: boolean
  readonly failure: { readonly words: DeclineWords; readonly isBlocked: boolean } | undefined
  readonly transactionId: string
  readonly receiptUrl: string
}

export const newCharge = (facts: ChargeFacts): Stripe.Charge => {
  const { failure, intent, method } = facts
  const isCaptured = failure === undefined && intent.capture_method !== "manual"
  return {
    id: facts.id,
    object: "charge",
    amount: intent.amount,
    amount_captured: isCaptured ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { ...method.billing_details },
    calculated_statement_descriptor: (intent.statement_descriptor ?? "SIMULATOR").toUpperCase(),
    captured: isCaptured,
    created: facts.created,
    currency: intent.currency,
    customer: null,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: failure === undefined ? null : failure.words.code,
    failure_message: failure === undefined ? null : failure.words.message,
    fraud_details: {},
    livemode: intent.livemode,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: outcomeOf(failure),
    paid: failure === undefined,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: detailsOf(facts),
    ...(intent.presentment_details !== undefined && { presentment_details: intent.presentment_details }),
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: failure === undefined ? facts.receiptUrl : null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: failure === undefined ? "succeeded" : "failed",
    transfer_data: null,
    transfer_group: null
  }
}

const outcomeOf = (failure: ChargeFacts["failure"]): Stripe.Charge.Outcome => {
  if (failure === undefined) {
    return {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: "approved_by_network",
      reason: null,
      risk_level: "normal",
      risk_score: 20,
      seller_message: "Payment complete.",
      type: "authorized"
    }
  }
  const { isBlocked, words } = failure
  return {
    advice_code: words.advice,
    network_advice_code: null,
    network_decline_code: isBlocked ? null : "05",
    network_status: isBlocked ? "not_sent_to_network" : "declined_by_network",
    reason: isBlocked ? "highest_risk_level" : (words.declineCode ?? words.code),
    risk_level: isBlocked ? "highest" : "normal",
    risk_score: isBlocked ? 99 : 20,
    seller_message: isBlocked ? "Stripe blocked this payment as too risky." : "The bank refused the payment.",
    type: isBlocked ? "blocked" : "issuer_declined"
  }
}

const detailsOf = ({
  created,
  failure,
  intent,
  isAuthenticated,
  method,
  transactionId
}: ChargeFacts): Stripe.Charge.PaymentMethodDetails => {
  if (method.card === undefined) {
    const wallet = { fingerprint: null, transaction_id: transactionId }
    return method.type === "alipay" ? { type: "alipay", alipay: wallet } : { type: "wechat_pay", wechat_pay: wallet }
  }
  const card: Stripe.Charge.PaymentMethodDetails.Card = {
    amount_authorized: intent.amount,
    authorization_code: null,
    brand: method.card.brand,
    ...(intent.capture_method === "manual" && failure === undefined && { capture_before: created + holdSeconds }),
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: "pass" },
    country: method.card.country,
    electronic_commerce_indicator: isAuthenticated ? "05" : null,
    exp_month: method.card.exp_month,
    exp_year: method.card.exp_year,
    fingerprint: method.card.fingerprint ?? null,
    funding: method.card.funding,
    installments: null,
    last4: method.card.last4,
    mandate: null,
    network: method.card.brand,
    network_token: { used: false },
    network_transaction_id: transactionId,
    regulated_status: "unregulated",
    three_d_secure: isAuthenticated ? authenticated : null,
    transaction_link_id: null,
    wallet: null
  }
  return { type: "card", card }
}

const authenticated: Stripe.Charge.PaymentMethodDetails.Card.ThreeDSecure = {
  authentication_flow: "challenge",
  electronic_commerce_indicator: "05",
  exemption_indicator: null,
  result: "authenticated",
  result_reason: null,
  transaction_id: null,
  version: "2.2.0"
}
