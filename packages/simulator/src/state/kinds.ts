/** The state of an account: Stripe's objects as answered, and internal data (`x.`). */
import type Stripe from "stripe"

export interface Kinds {
  balance_transaction: Stripe.BalanceTransaction
  charge: Stripe.Charge
  "checkout.session": Stripe.Checkout.Session
  dispute: Stripe.Dispute
  event: Stripe.Event
  file: Stripe.File
  payment_intent: Stripe.PaymentIntent
  payment_method: Stripe.PaymentMethod
  refund: Stripe.Refund
  webhook_endpoint: Stripe.WebhookEndpoint
  "x.answer": StoredAnswer
  "x.content": Content
  "x.job": Job
  "x.lines": Lines
  "x.payment": PaymentNote
  "x.platform": PlatformNote
  "x.secret": EndpointSecret
}
export type Kind = keyof Kinds

/** The answer of an Idempotency-Key; the id is the key. */
export interface StoredAnswer {
  readonly id: string
  readonly operation: string
  readonly fingerprint: string
  readonly requestId: string
  readonly status: number
  readonly body: string
  /** Seconds. */
  readonly created: number
}

/** The bytes of a file, by its id. */
export interface Content {
  readonly id: string
  readonly base64: string
}

/** The line items of a session, by its id. */
export interface Lines {
  readonly id: string
  readonly items: ReadonlyArray<Stripe.LineItem>
  readonly intent: IntentData
}

/** The data for a session's payment intent. */
export interface IntentData {
  readonly capture_method?: Stripe.PaymentIntent.CaptureMethod
  readonly description?: string
  readonly metadata?: Stripe.Metadata
  readonly receipt_email?: string
  readonly statement_descriptor?: string
  readonly statement_descriptor_suffix?: string
}

/** The outcome of payments with a payment method, by its id: the name of a test card's behaviour. */
export interface PaymentNote {
  readonly id: string
  readonly behaviour: string
}

/** For a connected account: the platform that acts for it. */
export interface PlatformNote {
  readonly id: "platform"
  readonly account: string
}

/** The secret of a webhook endpoint, by its id. An answer shows it once. */
export interface EndpointSecret {
  readonly id: string
  readonly secret: string
  readonly connect: boolean
}

/** Scheduled jobs. */
export interface Job {
  readonly id: string
  /** Milliseconds. */
  readonly at: number
  readonly task: Task
}

export type Task =
  | { readonly do: "expireSession"; readonly session: string }
  | { readonly do: "finishPayment"; readonly intent: string }
  | { readonly do: "bookCharge"; readonly charge: string }
  | { readonly do: "expireCharge"; readonly charge: string }
  | { readonly do: "completeRefund"; readonly refund: string }
  | { readonly do: "failRefund"; readonly refund: string; readonly reason: string }
  | { readonly do: "lapseDispute"; readonly dispute: string }
  | { readonly do: "decideDispute"; readonly dispute: string; readonly submission: number; readonly verdict: Verdict }
  | {
      readonly do: "deliver"
      readonly event: string
      readonly endpoint: string
      readonly attempt: number
      readonly isStruck?: boolean
    }

/** The verdict of Stripe's test evidence on a dispute, a few seconds after it was submitted. */
export type Verdict = "won" | "lost" | "warning_closed" | "escalated"
