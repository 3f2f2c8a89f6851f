/** A PaymentIntent as Stripe answers it. */
import type Stripe from "stripe"

export interface IntentFacts {
  readonly id: string
  readonly secret: string
  readonly created: number
  readonly livemode: boolean
  readonly amount: number
  readonly currency: string
  readonly methods: ReadonlyArray<string>
  readonly isAutomatic: boolean
  readonly capture?: Stripe.PaymentIntent.CaptureMethod
  readonly confirmation?: Stripe.PaymentIntent.ConfirmationMethod
  readonly shipping?: Stripe.PaymentIntent.Shipping | null
  readonly options?: Stripe.PaymentIntent.PaymentMethodOptions
  readonly data: {
    readonly description?: string
    readonly metadata?: Stripe.Metadata
    readonly receipt_email?: string | null
    readonly statement_descriptor?: string
    readonly statement_descriptor_suffix?: string
  }
}

export const newIntent = (facts: IntentFacts): Stripe.PaymentIntent => ({
  id: facts.id,
  object: "payment_intent",
  allowed_payment_method_types: facts.isAutomatic ? null : (facts.methods as Array<"card">),
  amount: facts.amount,
  amount_capturable: 0,
  amount_details: { tip: {} },
  amount_received: 0,
  application: null,
  application_fee_amount: null,
  automatic_payment_methods: facts.isAutomatic ? { allow_redirects: "always", enabled: true } : null,
  canceled_at: null,
  cancellation_reason: null,
  capture_method: facts.capture ?? "automatic_async",
  client_secret: facts.secret,
  confirmation_method: facts.confirmation ?? "automatic",
  created: facts.created,
  currency: facts.currency,
  customer: null,
  customer_account: null,
  description: facts.data.description ?? null,
  excluded_payment_method_types: null,
  last_payment_error: null,
  latest_charge: null,
  livemode: facts.livemode,
  managed_payments: null,
  metadata: facts.data.metadata ?? {},
  next_action: null,
  on_behalf_of: null,
  payment_method: null,
  payment_method_configuration_details: null,
  payment_method_options: facts.options ?? {},
  payment_method_types: [...facts.methods],
  payment_record: null,
  processing: null,
  receipt_email: facts.data.receipt_email ?? null,
  review: null,
  setup_future_usage: null,
  shipping: facts.shipping ?? null,
  source: null,
  statement_descriptor: facts.data.statement_descriptor ?? null,
  statement_descriptor_suffix: facts.data.statement_descriptor_suffix ?? null,
  status: "requires_payment_method",
  transfer_data: null,
  transfer_group: null
})
