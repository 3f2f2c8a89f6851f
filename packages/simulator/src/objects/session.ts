/** A Checkout Session as Stripe answers it. */
import type Stripe from "stripe"

export interface SessionFacts {
  readonly id: string
  readonly created: number
  readonly livemode: boolean
  readonly currency: string
  readonly amount: number
  readonly expiresAt: number
  readonly methods: ReadonlyArray<string>
  readonly isAdaptive: boolean
  readonly url: string
  readonly params: Stripe.Checkout.SessionCreateParams
}

export const newSession = (facts: SessionFacts): Stripe.Checkout.Session => {
  const { params } = facts
  return {
    ...unsimulatedFields(params),
    id: facts.id,
    object: "checkout.session",
    adaptive_pricing: { enabled: facts.isAdaptive },
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
    amount_subtotal: facts.amount,
    amount_total: facts.amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    client_secret: null,
    created: facts.created,
    currency: facts.currency,
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer_creation: "if_required",
    customer_details: params.customer_email === undefined ? null : buyerOf(params.customer_email),
    customer_email: params.customer_email ?? null,
    expires_at: facts.expiresAt,
    livemode: facts.livemode,
    locale: params.locale ?? null,
    metadata: params.metadata === undefined ? {} : textsOf(params.metadata),
    mode: "payment",
    payment_intent: null,
    payment_method_collection: "if_required",
    payment_method_options: { card: { request_three_d_secure: "automatic" } },
    payment_method_types: [...facts.methods],
    payment_status: "unpaid",
    phone_number_collection: { enabled: false },
    status: "open",
    submit_type: params.submit_type ?? null,
    success_url: params.success_url ?? null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: "hosted_page",
    url: facts.url,
    wallet_options: params.wallet_options ?? null
  }
}

/** The session's details of the buyer. */
export const buyerOf = (email: string | null, name: string | null = null): Stripe.Checkout.Session.CustomerDetails => ({
  address: null,
  business_name: null,
  email,
  individual_name: name,
  name,
  phone: null,
  tax_exempt: "none",
  tax_ids: []
})

/** Metadata in answers: texts. */
export const textsOf = (metadata: Stripe.MetadataParam): Stripe.Metadata =>
  Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, String(value)]))

const unsimulatedFields = (params: Stripe.Checkout.SessionCreateParams) =>
  ({
    after_expiration: null,
    allow_promotion_codes: null,
    billing_address_collection: params.billing_address_collection ?? null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    currency_conversion: null,
    custom_fields: [],
    customer: null,
    customer_account: null,
    discounts: [],
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    managed_payments: null,
    origin_context: null,
    payment_link: null,
    payment_method_configuration_details: null,
    permissions: null,
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    subscription: null
  }) satisfies Partial<Stripe.Checkout.Session>
