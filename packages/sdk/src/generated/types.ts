/** The parameters and answers of operations. Written by `npm run sdk` from the contract: do not edit. */

/** All event types. */
export type EventType =
  "payment.succeeded" | "payment.failed" | "payment.expired" | "payment.duplicate_refunded" | "payment.authorized" | "payment.captured" | "payment.canceled" | "payment.authorization_expired" | "refund.succeeded" | "refund.failed" | "dispute.created" | "dispute.updated" | "dispute.won" | "dispute.lost" | "dispute.closed"

/** The `error` of a refusal: what a program branches on. */
export type ErrorCode =
  "internal_error" | "forbidden" | "merchant_not_approved" | "ip_not_allowed" | "invalid_api_key" | "missing_api_key" | "route_not_found" | "rate_limited" | "idempotency_in_progress" | "conflict" | "idempotency_error" | "invalid_request" | "processor_error" | "dispute_not_found" | "order_not_found" | "refund_not_found" | "delivery_not_found" | "endpoint_not_found" | "default_endpoint_secret_managed" | "erasure_not_found" | "event_not_found" | "report_not_found" | "payment_link_not_found" | "insufficient_balance" | "refund_window_expired"

/** A moment: ISO 8601 in UTC, seconds of Unix time, or a Date. */
export type Moment =
  string | number | Date

/** One call. */
export interface ApiLog {
  /** Always `api_log`. */
  readonly object: "api_log"
  /** Number of the request, as in its answer. */
  readonly request_id: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** HTTP method. */
  readonly method: string
  /** Path, without the query; always in the form `/v1/...`. */
  readonly path: string
  /** HTTP status of the answer. */
  readonly status: number
  /** The `error` of the answer; null if it was not an error. */
  readonly error_code: string | null
  /** Duration from the request's arrival to its answer, in milliseconds. */
  readonly duration_ms: number
  /** Address of the caller; null if it had disconnected. */
  readonly ip: string | null
  /** Number of the key with scopes that called; null for your main key, and for the console. */
  readonly key_id: string | null
  /** `api`: with a key. `console`: changed by a person in the console, whose reads are not logged. */
  readonly source: "api" | "console"
  /** The `User-Agent` header. */
  readonly user_agent: string | null
  /** The `Idempotency-Key` header. */
  readonly idempotency_key: string | null
  /** Unknown fields of the body, at most ten, as in `Coffer-Ignored-Fields`; null if there are none, and in the live environment. */
  readonly ignored_fields: ReadonlyArray<{
    /** As it was sent; `[redacted]` unless it looks like a plain identifier. */
    readonly name: string
    /** The known field with the most similar name; null if there is none. */
    readonly nearest: string | null
  }> | null
  /** The body of the request, its secrets replaced by `[redacted]`; `{"_truncated": true, "bytes": n}` for one over 16 KB; `{"_refused": {"count": n}}` in the answer of a call that stands for n refused ones of a minute; null for none, or one that is not JSON. */
  readonly request_body: unknown
  /** The body of the answer, its secrets replaced by `[redacted]`; `{"_truncated": true, "bytes": n}` for one over 16 KB; `{"_refused": {"count": n}}` in the answer of a call that stands for n refused ones of a minute; null for none, or one that is not JSON. */
  readonly response_body: unknown
  /** When the request came. */
  readonly created_at: string
}

/** The wallet. */
export interface Balance {
  /** The merchant that this belongs to. */
  readonly merchant_id: string
  /** ISO 4217 code of the currency of every amount here. */
  readonly currency: "USD" | "HKD" | "CNY"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** The amount available for refunds and payouts; a dispute may take it below zero, in minor units. */
  readonly available_balance: number
  /** Held by pending refunds, disputes and payouts under review, in minor units. */
  readonly frozen_balance: number
  /** Everything that buyers have paid, in minor units. */
  readonly total_revenue: number
  /** Everything charged for payments, disputes and payouts, in minor units. */
  readonly total_fee: number
  /** Everything paid out, in minor units. */
  readonly total_payout: number
  /** Everything refunded, in minor units. */
  readonly total_refund: number
  /** When the wallet last changed; when the merchant was created, if it never has. */
  readonly updated_at: string
}

/** One movement of the wallet. */
export interface BalanceTransaction {
  /** Always `balance_transaction`. */
  readonly object: "balance_transaction"
  /** Number of this movement; begins with `LED_`, and rises with time. */
  readonly id: string
  /** The merchant that this belongs to. */
  readonly merchant_id: string
  /** The cause of the movement. */
  readonly type: "payment_credit" | "fee_debit" | "refund_freeze" | "refund_debit" | "refund_unfreeze" | "dispute_freeze" | "dispute_unfreeze" | "dispute_debit" | "dispute_fee" | "payout_freeze" | "payout_unfreeze" | "payout_success" | "payout_fee"
  /** ISO 4217 code of the currency of every amount here. */
  readonly currency: "USD" | "HKD" | "CNY"
  /** The movement, below zero when money leaves, in minor units. */
  readonly amount: number
  /** Available balance before, in minor units. */
  readonly balance_before: number
  /** Available balance after; the same as before when frozen money was taken, in minor units. */
  readonly balance_after: number
  /** Number of the order, refund, dispute or payout that caused it. */
  readonly reference_id: string
  /** For people to read; do not parse it. */
  readonly description: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it was booked. */
  readonly created_at: string
  /** The order it belongs to; null for a payout. */
  readonly trade_no: string | null
  /** Your own number of that order; null for a payout. */
  readonly out_trade_no: string | null
}

/** What is charged. */
export interface CaptureOrder {
  /** Minor units to charge, at most the order's amount. Default: all of it. What is not charged is released. */
  readonly amount?: number | null | undefined
}

/** The terms of the order. */
export interface CreateOrder {
  /** The amount to pay: a whole number of minor units, 1999 for $19.99. Where Stripe processes the payments, it accepts at least 50 (0.50 USD), 400 (4.00 HKD) or 400 (4.00 CNY), and at most 99999999 (999,999.99) in each currency; other amounts are 400 for `amount`. */
  readonly amount: number
  /** Your number of the order, one line. Repeating it with the same terms returns the same order. */
  readonly out_trade_no?: string | null | undefined
  /** Default: `USD`. In live, it must be enabled for you. */
  readonly currency?: "USD" | "HKD" | "CNY" | null | undefined
  /** The title that the buyer sees at checkout, one line of at most 255 characters. */
  readonly subject?: string | null | undefined
  /** URL for the events of this order, instead of your endpoints. In live, public HTTPS only. */
  readonly notify_url?: string | null | undefined
  /** URL to which the buyer is sent after the payment; `{TRADE_NO}` and `{OUT_TRADE_NO}` are filled in. */
  readonly return_url?: string | null | undefined
  /** At most 50 keys of 1 to 40 characters, with values of at most 500. */
  readonly metadata?: { readonly [key: string]: string | null } | null | undefined
  /** The address for the receipt, which is sent automatically after payment. */
  readonly receipt_email?: string | null | undefined
  /** Language of checkout and receipt. Default: the browser's. */
  readonly locale?: "zh" | "en" | null | undefined
  /** Default: `automatic`. `manual`: the buyer's bank holds the amount, and you charge it with `POST /v1/orders/{ref}/capture` until `capture_by`. Only methods that can hold an amount are offered then. */
  readonly capture?: "automatic" | "manual" | null | undefined
}

/** The terms of each order that a visit creates. */
export interface CreatePaymentLink {
  /** The amount that each buyer pays, in minor units. It cannot be changed. Where Stripe processes the payments, it accepts at least 50 (0.50 USD), 400 (4.00 HKD) or 400 (4.00 CNY), and at most 99999999 (999,999.99) in each currency; other amounts are 400 for `amount`. */
  readonly amount: number
  /** Default: `USD`. In live, it must be enabled for you. It cannot be changed. */
  readonly currency?: "USD" | "HKD" | "CNY" | null | undefined
  /** The title that the buyer sees at checkout, one line of at most 255 characters. */
  readonly subject?: string | null | undefined
  /** How many orders visits may create. Default: no limit. */
  readonly max_uses?: number | null | undefined
  /** From when on visits create no order, in the future. Default: never. */
  readonly expires_at?: string | null | undefined
  /** URL for the events of the orders, instead of your endpoints. In live, public HTTPS only. */
  readonly notify_url?: string | null | undefined
  /** URL to which buyers are sent after the payment; `{TRADE_NO}` and `{OUT_TRADE_NO}` are filled in. */
  readonly return_url?: string | null | undefined
  /** At most 50 keys of 1 to 40 characters, with values of at most 500. */
  readonly metadata?: { readonly [key: string]: string | null } | null | undefined
  /** Default: `automatic`. `manual`: the buyer's bank holds the amount, and you charge it with `POST /v1/orders/{ref}/capture` until `capture_by`. Only methods that can hold an amount are offered then. */
  readonly capture?: "automatic" | "manual" | null | undefined
}

/** The refund to make. */
export interface CreateRefund {
  /** The order: our number or yours. */
  readonly trade_no: string
  /** Your number of the refund, one line; required in live. Repeating it returns the same refund. */
  readonly out_refund_no?: string | null | undefined
  /** Minor units. Default: everything that can still be refunded. Null is an error and does not mean everything. */
  readonly amount?: number | undefined
  /** For your records, at most 500 characters; line breaks are kept. */
  readonly reason?: string | null | undefined
  /** At most 50 keys of 1 to 40 characters, with values of at most 500. */
  readonly metadata?: { readonly [key: string]: string | null } | null | undefined
}

/** The content of the file. */
export interface CreateReport {
  /** The kind of report. */
  readonly report: "statement" | "transactions" | "fees" | "payout" | "frozen"
  /** `csv`; `jsonl`, one JSON object on each line; or a journal for `hledger` or `beancount`, of `statement`, `transactions` and `payout`. Default: `csv`. */
  readonly format?: "csv" | "jsonl" | "hledger" | "beancount" | null | undefined
  /** The first day, as `YYYY-MM-DD`. For `statement`, `fees`, and `transactions` without a `payout_no`. */
  readonly from?: string | null | undefined
  /** The last day, inclusive. Default: the first. */
  readonly to?: string | null | undefined
  /** `day` closes a statement each day, `month` each month, `range` only at the end. Default: `day`. */
  readonly interval?: "day" | "month" | "range" | null | undefined
  /** Only the wallet of this currency. Default: all wallets. */
  readonly currency?: "USD" | "HKD" | "CNY" | null | undefined
  /** Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC. */
  readonly time_zone?: string | null | undefined
  /** Number of the payout. For `payout`, and for `transactions` instead of days. */
  readonly payout_no?: string | null | undefined
  /** The moment, as ISO 8601 or Unix time in seconds. Default: now. For `frozen`. */
  readonly at?: string | null | undefined
}

/** A new endpoint. */
export interface CreateWebhookEndpoint {
  /** In live, public HTTPS only. The sandbox also accepts http, and private addresses if the operator allows them. */
  readonly url: string
  /** Your description. */
  readonly description?: string | null | undefined
  /** Event types to subscribe to. Default: all of them. */
  readonly enabled_events?: ReadonlyArray<"payment.succeeded" | "payment.failed" | "payment.expired" | "payment.duplicate_refunded" | "payment.authorized" | "payment.captured" | "payment.canceled" | "payment.authorization_expired" | "refund.succeeded" | "refund.failed" | "dispute.created" | "dispute.updated" | "dispute.won" | "dispute.lost" | "dispute.closed" | "*"> | null | undefined
  /** Disable it automatically after five days without a successful delivery. Default: `false`. */
  readonly disable_when_failing?: boolean | null | undefined
}

/** A deleted endpoint. */
export interface DeletedWebhookEndpoint {
  /** Always `webhook_endpoint`. */
  readonly object: "webhook_endpoint"
  /** Number of the endpoint; begins with `whe_`. */
  readonly id: string
  /** Always `true`. */
  readonly deleted: true
}

/** The dispute. */
export interface Dispute {
  /** Always `dispute`. */
  readonly object: "dispute"
  /** Our number of the dispute; begins with `dsp_`. */
  readonly dispute_no: string
  /** Our number of the order whose payment is disputed. */
  readonly trade_no: string
  /** The merchant that this belongs to. */
  readonly merchant_id: string
  /** The channel's number of the dispute; either number finds it. */
  readonly processor_dispute_id: string
  /** The amount that the buyer wants back; moved from available to frozen when it is taken, which no inquiry does, in minor units. */
  readonly amount: number
  /** Charged in addition to the amount, in minor units; null unless it was lost. */
  readonly fee: number | null
  /** ISO 4217 code of the currency of every amount here. */
  readonly currency: "USD" | "HKD" | "CNY"
  /** `needs_response` waits for your evidence, `under_review` for the bank, which may ask again. `won` and `closed` release the amount; `lost` takes it, unless an appeal changes it to `won`. */
  readonly status: "needs_response" | "under_review" | "won" | "lost" | "closed"
  /** The status as the channel names it, for investigation and reconciliation. */
  readonly processor_status: string
  /** Why the buyer disputes the payment; it determines which evidence helps. */
  readonly reason: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** Whether the amount is still frozen. Never for an inquiry: the payment may still be refunded, which ends the inquiry. */
  readonly funds_frozen: boolean
  /** The deadline for evidence; without an answer by then the dispute is lost. If the bank asks again, there is a new deadline. Null if the channel sets none. */
  readonly evidence_due_by: string | null
  /** When the buyer's bank opened the dispute. */
  readonly opened_at: string
  /** When it was decided; null until then. */
  readonly closed_at: string | null
  /** When the channel reported it. */
  readonly created_at: string
  /** When it last changed. */
  readonly updated_at: string
  /** Your own number of that order. */
  readonly out_trade_no: string
}

/** The issuer withdrew, and the money is available again. The event, byte for byte as it is delivered. */
export interface DisputeClosedEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "dispute.closed"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Dispute
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.dispute_no`; for receivers written for the older form. */
    readonly dispute_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "needs_response" | "under_review" | "won" | "lost" | "closed"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "dispute.closed"
}

/** A chargeback was opened, and its amount is frozen. The event, byte for byte as it is delivered. */
export interface DisputeCreatedEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "dispute.created"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Dispute
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.dispute_no`; for receivers written for the older form. */
    readonly dispute_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "needs_response" | "under_review" | "won" | "lost" | "closed"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "dispute.created"
}

/** The evidence. */
export interface DisputeEvidence {
  /** Always `dispute_evidence`. */
  readonly object: "dispute_evidence"
  /** Our number of the dispute. */
  readonly dispute_no: string
  /** Only the texts that were provided. */
  readonly evidence: {
    /** The goods or the service. */
    readonly product_description?: string
    /** The buyer's name. */
    readonly customer_name?: string
    /** The buyer's e-mail address. */
    readonly customer_email_address?: string
    /** The address that the buyer ordered from. */
    readonly customer_purchase_ip?: string
    /** The buyer's billing address. */
    readonly billing_address?: string
    /** Where the goods were sent. */
    readonly shipping_address?: string
    /** The carrier of the goods. */
    readonly shipping_carrier?: string
    /** The tracking number of the parcel. */
    readonly shipping_tracking_number?: string
    /** When the goods were shipped. */
    readonly shipping_date?: string
    /** When the service was provided. */
    readonly service_date?: string
    /** When and from where the buyer used what was sold. */
    readonly access_activity_log?: string
    /** How the buyer was shown the refund policy. */
    readonly refund_policy_disclosure?: string
    /** Why the buyer is not entitled to a refund. */
    readonly refund_refusal_explanation?: string
    /** How the buyer was shown the cancellation policy. */
    readonly cancellation_policy_disclosure?: string
    /** Why the subscription was not cancelled. */
    readonly cancellation_rebuttal?: string
    /** Only for test disputes of a sandbox that takes payments through an acquirer, and refused elsewhere: `winning_evidence` or `losing_evidence` decides one, and `escalate_inquiry_evidence` makes a chargeback of an inquiry. */
    readonly uncategorized_text?: string
  }
  /** The files that were named. */
  readonly files: ReadonlyArray<{
    /** The content of the file. */
    readonly type: "receipt" | "customer_communication" | "customer_signature" | "shipping_documentation" | "service_documentation" | "cancellation_policy" | "refund_policy" | "invoice_showing_distinct_transactions" | "recurring_transaction_agreement" | "uncategorized_file"
    /** Its URL, from the answer to the upload. */
    readonly url: string
  }>
  /** Whether it was submitted to the bank; then it is final unless the bank asks again. */
  readonly submitted: boolean
  /** When it was submitted; null for a draft. */
  readonly submitted_at: string | null
  /** When it was last replaced; null before the first draft. */
  readonly updated_at: string | null
}

/** The dispute is lost, and its amount was debited. The event, byte for byte as it is delivered. */
export interface DisputeLostEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "dispute.lost"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Dispute
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.dispute_no`; for receivers written for the older form. */
    readonly dispute_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "needs_response" | "under_review" | "won" | "lost" | "closed"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "dispute.lost"
}

/** The evidence is under review, or the bank asks again. The event, byte for byte as it is delivered. */
export interface DisputeUpdatedEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "dispute.updated"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Dispute
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.dispute_no`; for receivers written for the older form. */
    readonly dispute_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "needs_response" | "under_review" | "won" | "lost" | "closed"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "dispute.updated"
}

/** The appeal succeeded, and the money is available again. The event, byte for byte as it is delivered. */
export interface DisputeWonEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "dispute.won"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Dispute
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.dispute_no`; for receivers written for the older form. */
    readonly dispute_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "needs_response" | "under_review" | "won" | "lost" | "closed"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "dispute.won"
}

/** The erasure of a buyer. It contains no data of the buyer. */
export interface Erasure {
  /** Always `erasure`. */
  readonly object: "erasure"
  /** Number of the erasure; null for a dry run, which stores nothing. */
  readonly erasure_no: string | null
  /** `running` until nothing of the buyer is left, including waiting orders. */
  readonly status: "dry_run" | "running" | "done"
  /** The merchant of the buyer; null where a buyer of all merchants is erased. */
  readonly merchant_id: string | null
  /** In which environment; null for both. */
  readonly mode: "sandbox" | "live" | null
  /** The erased order; null if the erasure is by email address. */
  readonly trade_no: string | null
  /** An HMAC of the address: this installation computes the same value for the same address; null if one order is erased. */
  readonly email_hash: string | null
  /** Waiting orders: evidence is needed while a dispute is open, and pending mails and deliveries have to arrive first. */
  readonly orders_waiting: number
  /** Rows of each kind that were changed, or for a dry run, that would be. */
  readonly counts: {
    /** Orders. */
    readonly orders: number
    /** Refunds of these orders. */
    readonly refunds: number
    /** Disputes of these orders, with their evidence. */
    readonly disputes: number
    /** Files that the evidence named. */
    readonly files: number
    /** Mails with receipts. */
    readonly mails: number
    /** Events about these. */
    readonly events: number
    /** Answers of webhook receivers. */
    readonly attempts: number
    /** Payment links whose own texts contained the address; null for a dry run. */
    readonly payment_links: number | null
    /** Stored answers of requests with an `Idempotency-Key`; null for a dry run. */
    readonly answers: number | null
    /** API logs; null for a dry run. */
    readonly logs: number | null
  }
  /** For a dry run: there are more than 10,000 orders or other rows, and the rest was not looked at. */
  readonly is_capped: boolean
  /** Who requested it: a team member's address, the number of a key with scopes, or `main_key`. Or the number of an operator. Null for a dry run. */
  readonly requested_by: string | null
  /** When it was requested. Later orders are not erased; null for a dry run. */
  readonly requested_at: string | null
  /** When it was complete; null before. */
  readonly done_at: string | null
}

/** The event, byte for byte as it is delivered. `type` says what `data.object` is. */
export type Event =
  PaymentSucceededEvent | PaymentFailedEvent | PaymentExpiredEvent | PaymentDuplicateRefundedEvent | PaymentAuthorizedEvent | PaymentCapturedEvent | PaymentCanceledEvent | PaymentAuthorizationExpiredEvent | RefundSucceededEvent | RefundFailedEvent | DisputeCreatedEvent | DisputeUpdatedEvent | DisputeWonEvent | DisputeLostEvent | DisputeClosedEvent

/** The fees of one payment method. */
export interface FeeLine {
  /** Always `fee_line`. */
  readonly object: "fee_line"
  /** ISO 4217 code of the currency of every amount here. */
  readonly currency: "USD" | "HKD" | "CNY"
  /** The kind of object for which the fee was charged. */
  readonly source: "payment" | "dispute" | "payout"
  /** How the buyer paid; null for payouts. */
  readonly payment_method: "card" | "alipay" | "wechat_pay" | "apple_pay" | "google_pay" | null
  /** How many were charged. */
  readonly count: number
  /** The total paid, disputed or paid out, in minor units. */
  readonly volume: number
  /** The sum of the fees, in minor units. */
  readonly fee: number
}

/** A report and its lines. */
export interface FeesReport {
  /** Always `fees_report`. */
  readonly object: "fees_report"
  /** The merchant that this belongs to. */
  readonly merchant_id: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** Time zone of the days, such as `Europe/Berlin`. */
  readonly time_zone: string
  /** Every movement before it is in the report, and none after: the range's end, or an earlier call. */
  readonly as_of: string
  /** Whether the whole range is in the past: nothing can be added. */
  readonly complete: boolean
  /** The lines, by currency and then by time. */
  readonly lines: ReadonlyArray<FeeLine>
}

/** Money that is held, or an open dispute. */
export interface FrozenLine {
  /** Always `frozen_line`. */
  readonly object: "frozen_line"
  /** ISO 4217 code of the currency of every amount here. */
  readonly currency: "USD" | "HKD" | "CNY"
  /** The kind of object that holds the money. `total` is the frozen balance, the sum of the lines before it. */
  readonly kind: "dispute" | "payout" | "refund" | "total"
  /** Number of the dispute, payout or refund; null for the total. */
  readonly number: string | null
  /** The order behind a dispute or a refund. */
  readonly trade_no: string | null
  /** The amount that is held; 0 for an inquiry, in minor units. */
  readonly amount: number
  /** Since when; null for the total. */
  readonly since: string | null
  /** Your own number of that order; null for a payout and for the total. */
  readonly out_trade_no: string | null
}

/** A report and its lines. */
export interface FrozenReport {
  /** Always `frozen_report`. */
  readonly object: "frozen_report"
  /** The merchant that this belongs to. */
  readonly merchant_id: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** Time zone of the days, such as `Europe/Berlin`. */
  readonly time_zone: string
  /** Every movement before it is in the report, and none after: the range's end, or an earlier call. */
  readonly as_of: string
  /** Whether the whole range is in the past: nothing can be added. */
  readonly complete: boolean
  /** The lines, by currency and then by time. */
  readonly lines: ReadonlyArray<FrozenLine>
}

/** One link of the chain. */
export interface LedgerLink {
  /** Always `ledger_link`. */
  readonly object: "ledger_link"
  /** Number of the movement, as the ledger lists it. */
  readonly id: string
  /** Its place in the wallet, from 1 on, without a gap. */
  readonly sequence: number
  /** The hash of the row before it, in hex; empty for the first. */
  readonly previous_hash: string
  /** SHA-256 of `text`, in hex. */
  readonly hash: string
  /** The text that is hashed, as UTF-8: twelve values, one per line. */
  readonly text: string
  /** When it was booked. */
  readonly created_at: string
}

/** The order. */
export interface Order {
  /** Always `order`. */
  readonly object: "order"
  /** Our number of the order; begins with `TRD_SB_` in the sandbox, `TRD_` in live. */
  readonly trade_no: string
  /** Your number of the order; equal to `trade_no` when you gave none. */
  readonly out_trade_no: string
  /** The merchant that this belongs to. */
  readonly merchant_id: string
  /** The amount that the buyer pays, in minor units. */
  readonly amount: number
  /** The acquiring fee, in minor units; null until the payment is credited. */
  readonly fee: number | null
  /** `amount` less `fee`, in minor units; null until the payment is credited. */
  readonly net_amount: number | null
  /** The sum of the refunds that have succeeded, in minor units. */
  readonly refunded_amount: number
  /** ISO 4217 code of the currency of every amount here. */
  readonly currency: "USD" | "HKD" | "CNY"
  /** The title that the buyer reads at checkout. */
  readonly subject: string | null
  /** `pending` may still be paid. `failed` and `expired` are final; money that comes then goes back. Only orders with `capture: "manual"` are `authorized`, when the amount is held and not charged, or `canceled`, when you have given the hold up. */
  readonly status: "pending" | "paid" | "partially_refunded" | "refunded" | "failed" | "expired" | "authorized" | "canceled"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** The channel's number of the payment; null until paid. Reconcile by `trade_no`: this one may change. */
  readonly payment_id: string | null
  /** How the buyer paid; null until then. */
  readonly payment_method: "card" | "alipay" | "wechat_pay" | "apple_pay" | "google_pay" | null
  /** The last moment for a refund, where the payment method has one (`alipay`, `wechat_pay`); otherwise null. */
  readonly refundable_until: string | null
  /** Send the buyer there. It is signed and expires: do not store or log it. */
  readonly checkout_url: string
  /** When checkout stops accepting payment: 24 hours after creation. */
  readonly expires_at: string
  /** Where the events of this order go, instead of to your endpoints. */
  readonly notify_url: string | null
  /** Where the buyer goes after the payment. */
  readonly return_url: string | null
  /** Your own keys and values. */
  readonly metadata: { readonly [key: string]: string }
  /** When the payment succeeded; null until then. */
  readonly paid_at: string | null
  /** When the order was created. */
  readonly created_at: string
  /** The printable receipt; null until paid. It shows what was refunded, too. */
  readonly receipt_url: string | null
  /** The receipt's number; null until it is first viewed or sent. */
  readonly receipt_number: string | null
  /** The address for the receipt. */
  readonly receipt_email: string | null
  /** When a receipt was last sent; null before. */
  readonly receipt_sent_at: string | null
  /** The buyer's language; null follows the browser. */
  readonly locale: "zh" | "en" | null
  /** Why the last mail with the receipt did not go out, such as the mail server's words; null when it did. */
  readonly receipt_failure_reason: string | null
  /** Why the last attempt to pay did not succeed, in the channel's code, such as `insufficient_funds`; null when there was none, and once the order is paid. The timeline has all attempts. */
  readonly payment_failure_reason: string | null
  /** The card that was charged, also behind Apple Pay or Google Pay; null until paid, and where it was no card. */
  readonly paid_card: {
    /** In the channel's word: `visa`, `mastercard`, `amex`, `unionpay`, `jcb`, `discover`, `diners`. */
    readonly brand: string
    /** The last four digits of its number. */
    readonly last4: string
  } | null
  /** What disputes have done to the payment. `open`: an amount is frozen, and nothing is refunded until the bank decides. `lost`: the bank has kept an amount. `won`: all that was frozen has come back, because the bank decided for you or withdrew. Null: no amount was ever frozen. `GET /disputes?trade_no=` has each dispute. */
  readonly dispute_status: "open" | "won" | "lost" | null
  /** `manual`: you charge the held amount yourself. Only orders that were created so have it. */
  readonly capture?: "manual"
  /** With `capture: "manual"`: when the hold runs out, and the order expires. Null until it is authorized. */
  readonly capture_by?: string | null
  /** With `capture: "manual"`: the amount that the buyer has paid, in minor units; null until you capture. */
  readonly captured_amount?: number | null
  /** With `capture: "manual"`: an amount that the channel is capturing, in minor units; null otherwise. */
  readonly capturing_amount?: number | null
}

/** The hold of an order ran out, and nothing was charged. The event, byte for byte as it is delivered. */
export interface PaymentAuthorizationExpiredEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "payment.authorization_expired"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Order
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "pending" | "paid" | "partially_refunded" | "refunded" | "failed" | "expired" | "authorized" | "canceled"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "payment.authorization_expired"
}

/** The buyer's bank holds the amount of an order, which is not charged yet. The event, byte for byte as it is delivered. */
export interface PaymentAuthorizedEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "payment.authorized"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Order
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "pending" | "paid" | "partially_refunded" | "refunded" | "failed" | "expired" | "authorized" | "canceled"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "payment.authorized"
}

/** You have given up the hold of an order, and nothing was charged. The event, byte for byte as it is delivered. */
export interface PaymentCanceledEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "payment.canceled"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Order
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "pending" | "paid" | "partially_refunded" | "refunded" | "failed" | "expired" | "authorized" | "canceled"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "payment.canceled"
}

/** A held amount was charged; the same moment as payment.succeeded. The event, byte for byte as it is delivered. */
export interface PaymentCapturedEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "payment.captured"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Order
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "pending" | "paid" | "partially_refunded" | "refunded" | "failed" | "expired" | "authorized" | "canceled"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "payment.captured"
}

/** A payment that arrived after the order had ended was returned to the buyer in full. The event, byte for byte as it is delivered. */
export interface PaymentDuplicateRefundedEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "payment.duplicate_refunded"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Order
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "pending" | "paid" | "partially_refunded" | "refunded" | "failed" | "expired" | "authorized" | "canceled"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "payment.duplicate_refunded"
}

/** An order was not paid within 24 hours, or was closed. The event, byte for byte as it is delivered. */
export interface PaymentExpiredEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "payment.expired"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Order
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "pending" | "paid" | "partially_refunded" | "refunded" | "failed" | "expired" | "authorized" | "canceled"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "payment.expired"
}

/** The channel reports that the payment has failed. The event, byte for byte as it is delivered. */
export interface PaymentFailedEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "payment.failed"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Order
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "pending" | "paid" | "partially_refunded" | "refunded" | "failed" | "expired" | "authorized" | "canceled"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "payment.failed"
}

/** The payment link. */
export interface PaymentLink {
  /** Always `payment_link`. */
  readonly object: "payment_link"
  /** Number of the link; begins with `plink_`. */
  readonly link_id: string
  /** The merchant that this belongs to. */
  readonly merchant_id: string
  /** Give this address to buyers. Each visit makes a new order. */
  readonly url: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** The amount that each buyer pays, in minor units. */
  readonly amount: number
  /** ISO 4217 code of the currency of every amount here. */
  readonly currency: "USD" | "HKD" | "CNY"
  /** The title that the buyer reads at checkout. */
  readonly subject: string | null
  /** Visits to an `inactive` link make no order. */
  readonly status: "active" | "inactive"
  /** How many orders visits may make; null for any number. */
  readonly max_uses: number | null
  /** Orders that visits have made, paid or not. */
  readonly used_count: number
  /** Where the events of the orders go, instead of to your endpoints. */
  readonly notify_url: string | null
  /** Where buyers go after the payment. */
  readonly return_url: string | null
  /** From when on visits make no order; null for never. */
  readonly expires_at: string | null
  /** Your own keys and values; each order gets them. */
  readonly metadata: { readonly [key: string]: string }
  /** When the link was made. */
  readonly created_at: string
  /** `manual`: you charge the held amount of each order yourself. Only such links have it. */
  readonly capture?: "manual"
}

/** A payment succeeded, and the money is in the wallet. The event, byte for byte as it is delivered. */
export interface PaymentSucceededEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "payment.succeeded"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Order
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "pending" | "paid" | "partially_refunded" | "refunded" | "failed" | "expired" | "authorized" | "canceled"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "payment.succeeded"
}

/** A report and its lines. */
export interface PayoutReport {
  /** Always `payout_report`. */
  readonly object: "payout_report"
  /** The merchant that this belongs to. */
  readonly merchant_id: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** Time zone of the days, such as `Europe/Berlin`. */
  readonly time_zone: string
  /** Every movement before it is in the report, and none after: the range's end, or an earlier call. */
  readonly as_of: string
  /** Whether the whole range is in the past: nothing can be added. */
  readonly complete: boolean
  /** The lines, by currency and then by time. */
  readonly lines: ReadonlyArray<StatementLine>
}

/** The refund. */
export interface Refund {
  /** Always `refund`. */
  readonly object: "refund"
  /** Our number of the refund. */
  readonly refund_no: string
  /** Your number of the refund; made by us when you gave none. */
  readonly out_refund_no: string
  /** The order whose payment goes back. */
  readonly trade_no: string
  /** The amount that the buyer gets back, in minor units. */
  readonly amount: number
  /** Your reason, if you gave one. */
  readonly reason: string | null
  /** `pending` until the channel has settled it. A channel may take back what had `succeeded`. */
  readonly status: "pending" | "succeeded" | "failed"
  /** Whether the amount is held in the frozen balance. */
  readonly funds_frozen: boolean
  /** When the amount was deducted for good; null while pending, and when it failed. */
  readonly settled_at: string | null
  /** Your own keys and values. */
  readonly metadata: { readonly [key: string]: string }
  /** ISO 4217 code of the currency of every amount here. */
  readonly currency: "USD" | "HKD" | "CNY"
  /** The merchant that this belongs to. */
  readonly merchant_id: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** The channel's reason; null unless it failed. */
  readonly failure_reason: string | null
  /** When the refund was accepted. */
  readonly created_at: string
  /** When it last changed. */
  readonly updated_at: string
  /** Your own number of that order. */
  readonly out_trade_no: string
}

/** The channel rejected a refund, and the money is available again. The event, byte for byte as it is delivered. */
export interface RefundFailedEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "refund.failed"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Refund
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.refund_no`; for receivers written for the older form. */
    readonly refund_no?: string
    /** As `object.out_refund_no`; for receivers written for the older form. */
    readonly out_refund_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "pending" | "succeeded" | "failed"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "refund.failed"
}

/** A refund was paid out of the wallet. The event, byte for byte as it is delivered. */
export interface RefundSucceededEvent {
  /** Always `event`. */
  readonly object: "event"
  /** Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate. */
  readonly id: string
  /** The kind of event. */
  readonly type: "refund.succeeded"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When it happened. */
  readonly created_at: string
  /** Increases with each change of the object: of two events, the higher one is later. */
  readonly sequence: number
  /** The object of the event, as it was then. */
  readonly data: {
    /** The order, refund or dispute as its own endpoint would have returned it at that moment. */
    readonly object: Refund
    /** As `object.trade_no`; for receivers written for the older form. */
    readonly trade_no?: string
    /** As `object.out_trade_no`; for receivers written for the older form. */
    readonly out_trade_no?: string
    /** As `object.refund_no`; for receivers written for the older form. */
    readonly refund_no?: string
    /** As `object.out_refund_no`; for receivers written for the older form. */
    readonly out_refund_no?: string
    /** As `object.amount`; for receivers written for the older form. */
    readonly amount?: number
    /** As `object.currency`; for receivers written for the older form. */
    readonly currency?: "USD" | "HKD" | "CNY"
    /** As `object.status`; for receivers written for the older form. */
    readonly status?: "pending" | "succeeded" | "failed"
  }
  /** As `id`; for receivers written for the older form. */
  readonly event_id: string
  /** As `type`; for receivers written for the older form. */
  readonly event_type: "refund.succeeded"
}

/** A report that is written to a file, and its progress. */
export interface Report {
  /** Always `report`. */
  readonly object: "report"
  /** Number of the report; begins with `rpt_`. */
  readonly report_no: string
  /** The merchant that this belongs to. */
  readonly merchant_id: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** The kind of report. */
  readonly report: "statement" | "transactions" | "fees" | "payout" | "frozen"
  /** `csv`; `jsonl`, one JSON object on each line; or a journal for `hledger` or `beancount`, of `statement`, `transactions` and `payout`. */
  readonly format: "csv" | "jsonl" | "hledger" | "beancount"
  /** The first day that it covers, as `YYYY-MM-DD` in the report's time zone. */
  readonly from: string
  /** Its last day, as `YYYY-MM-DD` in the report's time zone. */
  readonly to: string
  /** The only currency in it; null: all. */
  readonly currency: "USD" | "HKD" | "CNY" | null
  /** `pending` while the file is being written. Only a report that `succeeded` has a file. */
  readonly status: "pending" | "succeeded" | "failed"
  /** Why there is no file; null unless it failed. */
  readonly failure_reason: string | null
  /** Time zone of the days, such as `Europe/Berlin`. */
  readonly time_zone: string
  /** Every movement before it is in the report, and none after: the range's end, or an earlier call. */
  readonly as_of: string
  /** Whether the whole range is in the past: nothing can be added. */
  readonly complete: boolean
  /** Ledger rows read so far. */
  readonly rows_done: number
  /** How many there are to read; null if it is not known in advance. */
  readonly rows_total: number | null
  /** Size of the file so far. */
  readonly bytes: number
  /** When it was made. */
  readonly created_at: string
  /** When the file was complete; null before. */
  readonly finished_at: string | null
  /** When the report and its file are deleted. */
  readonly expires_at: string
  /** Who requested it: a team member's address, the number of a key with scopes, or `main_key`. Null if that was not recorded. */
  readonly requested_by: string | null
}

/** The state of the channel. */
export interface SandboxChannel {
  /** Whether your sandbox channel answers. */
  readonly reachable: boolean
}

/** The clock of your sandbox. It only moves forward. */
export interface SandboxClock {
  /** Always `sandbox_clock`. */
  readonly object: "sandbox_clock"
  /** `advancing` while the clock is on its way to `target`. */
  readonly status: "ready" | "advancing"
  /** The time by the clock of your sandbox. */
  readonly now: string
  /** How far it is ahead of real time, in milliseconds; 0 until it is advanced. */
  readonly ahead_ms: number
  /** The time to which the clock is advancing; null while it is `ready`. */
  readonly target: string | null
  /** At how many moments the last advance stopped to process what was due. */
  readonly stops: number
  /** Counts of the events during the last advance, by type, and `webhook_attempts`, the requests to your servers. */
  readonly happened: { readonly [key: string]: number }
}

/** Where to. */
export interface SendReceipt {
  /** The address for it, which also becomes the order's `receipt_email`. Default: the order's `receipt_email`. */
  readonly email?: string | null | undefined
}

/** How the refund ends. */
export interface SettleRefund {
  /** The bank's decision. `failed` may also follow `succeeded`, which reverses the refund. */
  readonly outcome: "succeeded" | "failed"
}

/** One line of a wallet's statement. */
export interface StatementLine {
  /** Always `statement_line`. */
  readonly object: "statement_line"
  /** ISO 4217 code of the currency of every amount here. */
  readonly currency: "USD" | "HKD" | "CNY"
  /** The first day that the line covers, as `YYYY-MM-DD` in the report's time zone. */
  readonly from: string
  /** Its last day, as `YYYY-MM-DD` in the report's time zone. */
  readonly to: string
  /** `opening` and `closing` are balances. Each other line is the total of the movements of one type. */
  readonly line: "opening" | "payment_credit" | "fee_debit" | "refund_freeze" | "refund_debit" | "refund_unfreeze" | "dispute_freeze" | "dispute_unfreeze" | "dispute_debit" | "dispute_fee" | "payout_freeze" | "payout_unfreeze" | "payout_success" | "payout_fee" | "closing"
  /** Movements of the type; 0 for a balance. */
  readonly count: number
  /** The sum of the movements as the ledger shows them; 0 for a balance, in minor units. */
  readonly amount: number
  /** The available balance, or its change by the movements, in minor units. */
  readonly available: number
  /** The frozen balance, or its change by the movements, in minor units. */
  readonly frozen: number
  /** The place of the wallet's newest movement, 0 before the first; null if the line is not a balance. */
  readonly sequence: number | null
  /** The hash of that movement, in hex: the head of the chain; null if the line is not a balance. */
  readonly hash: string | null
}

/** A report and its lines. */
export interface StatementReport {
  /** Always `statement`. */
  readonly object: "statement"
  /** The merchant that this belongs to. */
  readonly merchant_id: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** Time zone of the days, such as `Europe/Berlin`. */
  readonly time_zone: string
  /** Every movement before it is in the report, and none after: the range's end, or an earlier call. */
  readonly as_of: string
  /** Whether the whole range is in the past: nothing can be added. */
  readonly complete: boolean
  /** The lines, by currency and then by time. */
  readonly lines: ReadonlyArray<StatementLine>
}

/** The complete evidence: `evidence`, `files` or both are required. */
export interface SubmitEvidence {
  /** Texts of at most 5000 characters each; line breaks are kept. An unknown name is refused. `{}` removes all texts. */
  readonly evidence?: {
    /** The goods or the service. */
    readonly product_description?: string | null | undefined
    /** The buyer's name. */
    readonly customer_name?: string | null | undefined
    /** The buyer's e-mail address. */
    readonly customer_email_address?: string | null | undefined
    /** The address that the buyer ordered from. */
    readonly customer_purchase_ip?: string | null | undefined
    /** The buyer's billing address. */
    readonly billing_address?: string | null | undefined
    /** Where the goods were sent. */
    readonly shipping_address?: string | null | undefined
    /** The carrier of the goods. */
    readonly shipping_carrier?: string | null | undefined
    /** The tracking number of the parcel. */
    readonly shipping_tracking_number?: string | null | undefined
    /** When the goods were shipped. */
    readonly shipping_date?: string | null | undefined
    /** When the service was provided. */
    readonly service_date?: string | null | undefined
    /** When and from where the buyer used what was sold. */
    readonly access_activity_log?: string | null | undefined
    /** How the buyer was shown the refund policy. */
    readonly refund_policy_disclosure?: string | null | undefined
    /** Why the buyer is not entitled to a refund. */
    readonly refund_refusal_explanation?: string | null | undefined
    /** How the buyer was shown the cancellation policy. */
    readonly cancellation_policy_disclosure?: string | null | undefined
    /** Why the subscription was not cancelled. */
    readonly cancellation_rebuttal?: string | null | undefined
    /** Only for test disputes of a sandbox that takes payments through an acquirer, and refused elsewhere: `winning_evidence` or `losing_evidence` decides one, and `escalate_inquiry_evidence` makes a chargeback of an inquiry. */
    readonly uncategorized_text?: string | null | undefined
  } | null | undefined
  /** At most 8 files that you have uploaded in this environment. `[]` removes all of them. */
  readonly files?: ReadonlyArray<{
    /** The content of the file. */
    readonly type: "receipt" | "customer_communication" | "customer_signature" | "shipping_documentation" | "service_documentation" | "cancellation_policy" | "refund_policy" | "invoice_showing_distinct_transactions" | "recurring_transaction_agreement" | "uncategorized_file"
    /** Its URL, from the answer to the upload. */
    readonly url: string
  }> | null | undefined
  /** `true` submits it to the bank; this works only once unless the bank asks again. Otherwise it is saved as a draft. */
  readonly submit?: boolean | null | undefined
}

/** One order's whole story. */
export interface Timeline {
  /** Always `timeline`. */
  readonly object: "timeline"
  /** The order's number. */
  readonly trade_no: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** From the first entry to the last, in milliseconds. */
  readonly duration_ms: number
  /** Whether there are more than 1000 entries of a kind, in which case the newest of them are left out. */
  readonly truncated: boolean
  /** Kinds of entries that are left out because the key does not have their scopes: `logs:read` for requests, `balance:read` for the ledger, `webhooks:read` for deliveries and attempts, and so on. */
  readonly omitted_kinds: ReadonlyArray<"request" | "order" | "payment_attempt" | "unapplied_payment" | "refund" | "dispute" | "ledger" | "event" | "delivery" | "attempt" | "receipt">
  /** Oldest first. */
  readonly entries: ReadonlyArray<TimelineEntry>
}

/** One thing that happened. */
export interface TimelineEntry {
  /** When it happened. */
  readonly at: string
  /** Time since the previous entry, in milliseconds; 0 for the first. */
  readonly after_ms: number
  /** The kind of object that it belongs to. */
  readonly kind: "request" | "order" | "payment_attempt" | "unapplied_payment" | "refund" | "dispute" | "ledger" | "event" | "delivery" | "attempt" | "receipt"
  /** Number of the object: the request, the ledger row, the event and so on. */
  readonly id: string
  /** The step, for people to read; do not parse it. */
  readonly text: string
  /** The fields of the object, named as elsewhere in this API: `ip` and `idempotency_key` of a request, the balances of a ledger row, `status_code` of an attempt. More may be added. */
  readonly details: { readonly [key: string]: string | number | "Infinity" | "-Infinity" | "NaN" | null }
}

/** The fields to change. */
export interface UpdateOrder {
  /** Keys to set; null deletes a key, and null instead of an object deletes all of them. */
  readonly metadata?: { readonly [key: string]: string | null } | null | undefined
  /** The new address for the receipt; null for none. */
  readonly receipt_email?: string | null | undefined
}

/** The fields to change. */
export interface UpdatePaymentLink {
  /** `inactive` closes the link, `active` opens it. */
  readonly status?: "active" | "inactive" | null | undefined
  /** Null removes the title. */
  readonly subject?: string | null | undefined
  /** Null removes the limit. A value below `used_count` closes the link. */
  readonly max_uses?: number | null | undefined
  /** Null: never. A time that has passed closes the link. */
  readonly expires_at?: string | null | undefined
  /** Keys to set; null deletes a key, and null instead of an object deletes all of them. */
  readonly metadata?: { readonly [key: string]: string | null } | null | undefined
}

/** The fields to change. */
export interface UpdateRefund {
  /** Keys to set; null deletes a key, and null instead of an object deletes all of them. */
  readonly metadata?: { readonly [key: string]: string | null } | null | undefined
}

/** The fields to change. */
export interface UpdateWebhookEndpoint {
  /** The new URL; pending deliveries go there, too. */
  readonly url?: string | null | undefined
  /** Your description; null removes it. */
  readonly description?: string | null | undefined
  /** Replaces the event types to which it is subscribed. */
  readonly enabled_events?: ReadonlyArray<"payment.succeeded" | "payment.failed" | "payment.expired" | "payment.duplicate_refunded" | "payment.authorized" | "payment.captured" | "payment.canceled" | "payment.authorization_expired" | "refund.succeeded" | "refund.failed" | "dispute.created" | "dispute.updated" | "dispute.won" | "dispute.lost" | "dispute.closed" | "*"> | null | undefined
  /** `disabled` stops deliveries, `paused` holds them, `enabled` sends waiting and new ones. */
  readonly status?: "enabled" | "paused" | "disabled" | null | undefined
  /** Disable it automatically after five days without a successful delivery. Default: `false`. */
  readonly disable_when_failing?: boolean | null | undefined
  /** An alternative to `status`; do not send both. */
  readonly disabled?: boolean | null | undefined
}

/** The stored file. */
export interface UploadedFile {
  /** Its URL, used in evidence. Anyone who has the URL can read the file. */
  readonly url: string
  /** Its media type, detected from its content. */
  readonly content_type: "application/pdf" | "image/png" | "image/jpeg"
  /** Bytes. */
  readonly size: number
}

/** An attempt. */
export interface WebhookAttempt {
  /** Its number, from 1. */
  readonly attempt: number
  /** `manual`: sent again on request. */
  readonly kind: "automatic" | "manual"
  /** When it was made. */
  readonly at: string
  /** Duration in milliseconds. */
  readonly duration_ms: number
  /** HTTP status of the receiver's answer; null if there was none. */
  readonly status_code: number | null
  /** Why there was no answer; null if there was one. */
  readonly failure: string | null
  /** The first kilobyte of the receiver's answer. Null if there was none, and in a sandbox after 600 in a minute. */
  readonly response_excerpt: string | null
}

/** The delivery. */
export interface WebhookDelivery {
  /** Always `webhook_delivery`. */
  readonly object: "webhook_delivery"
  /** Number of the delivery; begins with `dlv_`. */
  readonly id: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** The event that is delivered. */
  readonly event_id: string
  /** Its type. */
  readonly event_type: "payment.succeeded" | "payment.failed" | "payment.expired" | "payment.duplicate_refunded" | "payment.authorized" | "payment.captured" | "payment.canceled" | "payment.authorization_expired" | "refund.succeeded" | "refund.failed" | "dispute.created" | "dispute.updated" | "dispute.won" | "dispute.lost" | "dispute.closed"
  /** The endpoint; null for an order's `notify_url` and the account's default URL. */
  readonly endpoint_id: string | null
  /** The URL to which it is posted. */
  readonly url: string
  /** `pending`: another attempt follows. `failed`: all attempts failed. `skipped`: its endpoint was disabled or deleted. */
  readonly status: "pending" | "succeeded" | "failed" | "skipped"
  /** When the next automatic attempt is due; null if there is none. */
  readonly next_attempt_at: string | null
  /** The delivery that this one repeats on request; null for an original one. */
  readonly resend_of: string | null
  /** The attempts, in order. */
  readonly attempts: ReadonlyArray<WebhookAttempt>
  /** When it was recorded: with the event, or when it was requested. */
  readonly created_at: string
}

/** The endpoint. */
export interface WebhookEndpoint {
  /** Always `webhook_endpoint`. */
  readonly object: "webhook_endpoint"
  /** Number of the endpoint; begins with `whe_`. */
  readonly id: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** The URL to which events are posted. */
  readonly url: string
  /** Your description; null if there is none. */
  readonly description: string | null
  /** Event types to which it is subscribed; `*` means all of them, including those added later. */
  readonly enabled_events: ReadonlyArray<"payment.succeeded" | "payment.failed" | "payment.expired" | "payment.duplicate_refunded" | "payment.authorized" | "payment.captured" | "payment.canceled" | "payment.authorization_expired" | "refund.succeeded" | "refund.failed" | "dispute.created" | "dispute.updated" | "dispute.won" | "dispute.lost" | "dispute.closed" | "*">
  /** Nothing is delivered to a disabled endpoint, and deliveries that fall due in the meantime are skipped. Deliveries to a paused one wait until it is enabled again. */
  readonly status: "enabled" | "paused" | "disabled"
  /** Whether it is disabled automatically after five days without a successful delivery. */
  readonly disable_when_failing: boolean
  /** The account's default URL, for events to which no endpoint is subscribed. It is set elsewhere. */
  readonly is_default: boolean
  /** When its secret was last rotated; null: never. */
  readonly rotated_at: string | null
  /** Until when a previous secret signs as well; null if none does. */
  readonly previous_until: string | null
  /** When each previous secret ends that still signs, the next end first; empty if none does. */
  readonly previous_ends: ReadonlyArray<string>
  /** When it was created. */
  readonly created_at: string
  /** When it last changed. */
  readonly updated_at: string
}

/** The endpoint with its secret. */
export interface WebhookEndpointWithSecret {
  /** Always `webhook_endpoint`. */
  readonly object: "webhook_endpoint"
  /** Number of the endpoint; begins with `whe_`. */
  readonly id: string
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** The URL to which events are posted. */
  readonly url: string
  /** Your description; null if there is none. */
  readonly description: string | null
  /** Event types to which it is subscribed; `*` means all of them, including those added later. */
  readonly enabled_events: ReadonlyArray<"payment.succeeded" | "payment.failed" | "payment.expired" | "payment.duplicate_refunded" | "payment.authorized" | "payment.captured" | "payment.canceled" | "payment.authorization_expired" | "refund.succeeded" | "refund.failed" | "dispute.created" | "dispute.updated" | "dispute.won" | "dispute.lost" | "dispute.closed" | "*">
  /** Nothing is delivered to a disabled endpoint, and deliveries that fall due in the meantime are skipped. Deliveries to a paused one wait until it is enabled again. */
  readonly status: "enabled" | "paused" | "disabled"
  /** Whether it is disabled automatically after five days without a successful delivery. */
  readonly disable_when_failing: boolean
  /** The account's default URL, for events to which no endpoint is subscribed. It is set elsewhere. */
  readonly is_default: boolean
  /** When its secret was last rotated; null: never. */
  readonly rotated_at: string | null
  /** Until when a previous secret signs as well; null if none does. */
  readonly previous_until: string | null
  /** When each previous secret ends that still signs, the next end first; empty if none does. */
  readonly previous_ends: ReadonlyArray<string>
  /** When it was created. */
  readonly created_at: string
  /** When it last changed. */
  readonly updated_at: string
  /** Signs deliveries to this endpoint. It is shown only this once. */
  readonly secret: string
}

/** The account's secret. */
export interface WebhookSigningSecret {
  /** Always `webhook_signing_secret`. */
  readonly object: "webhook_signing_secret"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** Signs deliveries to an order's `notify_url` and to the account's default URL. */
  readonly secret: string
  /** When its secret was last rotated; null: never. */
  readonly rotated_at: string | null
  /** Until when a previous secret signs as well; null if none does. */
  readonly previous_until: string | null
  /** When each previous secret ends that still signs, the next end first; empty if none does. */
  readonly previous_ends: ReadonlyArray<string>
}

/** The account's secret, without its text. */
export interface WebhookSigningSecretRotation {
  /** Always `webhook_signing_secret`. */
  readonly object: "webhook_signing_secret"
  /** The environment, decided by the API key alone. */
  readonly mode: "sandbox" | "live"
  /** When its secret was last rotated; null: never. */
  readonly rotated_at: string | null
  /** Until when a previous secret signs as well; null if none does. */
  readonly previous_until: string | null
  /** When each previous secret ends that still signs, the next end first; empty if none does. */
  readonly previous_ends: ReadonlyArray<string>
}

/** Erase a buyer */
export interface ErasuresCreate {
  /** The buyer's address, in any spelling: erases all orders that have it, and only the address itself where other orders contain it. */
  readonly email?: string | null | undefined
  /** The one order that is erased, whatever address it has. */
  readonly trade_no?: string | null | undefined
  /** `true` returns how many rows of each kind would change, and changes nothing. */
  readonly dry_run?: boolean | null | undefined
}

/** Export everything stored about a buyer */
export interface ExportsBuyer {
  /** The buyer's address. */
  readonly email: string
}

/** Pay an order as its buyer would */
export interface TestHelpersOrdersPay {
  /** One that you offer. Default: `card`, or the first that you offer if you do not offer cards. */
  readonly payment_method?: "card" | "alipay" | "wechat_pay" | "apple_pay" | "google_pay" | null | undefined
  /** Default: `succeed`. `decline`: the attempt fails, the order stays pending. `fail`: the channel reports a final failure. `redirect`: the buyer is paying at the channel and cannot be stopped. `succeed_unreported`: the channel has the money and has not reported it yet. */
  readonly outcome?: "succeed" | "decline" | "cancel" | "fail" | "redirect" | "succeed_unreported" | null | undefined
  /** Minor units that reach the channel; an amount other than the order's is parked, not credited. */
  readonly amount?: number | null | undefined
}

/** Authorize an order as its buyer would */
export interface TestHelpersOrdersAuthorize {
  /** One that you offer and that can hold an amount. Default: `card`, or the first of them. */
  readonly payment_method?: "card" | "alipay" | "wechat_pay" | "apple_pay" | "google_pay" | null | undefined
}

/** Let the bank capture or release what it holds */
export interface TestHelpersOrdersCapture {
  /** Default: `succeed`. `succeed_unreported`: the bank captures and does not report it. `release`: it gives the hold up. `refuse`: it refuses each capture that you ask for. `late`: it captures 5 seconds after you ask. */
  readonly outcome?: "succeed" | "succeed_unreported" | "refuse" | "late" | "release" | null | undefined
  /** Minor units that the bank captures. Default: all that it holds. */
  readonly amount?: number | null | undefined
}

/** Let the buyer dispute the payment */
export interface TestHelpersOrdersDispute {
  /** The amount that the buyer wants back, in minor units. Default: the whole amount. */
  readonly amount?: number | null | undefined
  /** The reason, one line. Default: `fraudulent`. */
  readonly reason?: string | null | undefined
  /** The deadline for evidence. Default: in 7 days; null for none. It may be in the past. */
  readonly evidence_due_by?: string | null | undefined
}

/** Let the bank decide a dispute */
export interface TestHelpersDisputesResolve {
  /** `won` may also follow `lost`, as an appeal. `closed`: the buyer's bank withdraws. */
  readonly outcome: "won" | "lost" | "closed"
}

/** Move the clock of your sandbox forward */
export interface TestHelpersClockAdvance {
  /** By how much: a number of seconds, or a number with a unit, s, m, h or d. Either `by` or `to`. */
  readonly by?: number | string | null | undefined
  /** The time to which to advance, later than the clock's current time. Either `by` or `to`. */
  readonly to?: string | null | undefined
}

/** The query of `orders.list`. */
export interface OrdersListQuery {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Cursor for the next page: the id of the last object of this one. */
  readonly starting_after?: string | undefined
  /** Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`. */
  readonly ending_before?: string | undefined
  /** Created between these moments, both included; one of them is enough. */
  readonly created?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
  /** `created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it. */
  readonly sort?: "-created" | "created" | "-amount" | "amount" | undefined
  /** Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`. */
  readonly wait?: number | undefined
  /** Orders in this state. */
  readonly status?: "pending" | "paid" | "partially_refunded" | "refunded" | "failed" | "expired" | "authorized" | "canceled" | undefined
  /** The order with exactly this number of yours. */
  readonly out_trade_no?: string | undefined
  /** Orders whose receipt goes to this address, in any capitals. */
  readonly receipt_email?: string | undefined
  /** Orders that were paid so. */
  readonly payment_method?: "card" | "alipay" | "wechat_pay" | "apple_pay" | "google_pay" | undefined
  /** Paid between these moments, both included; one of them is enough. */
  readonly paid_at?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
  /** Between these amounts in minor units, both included; one of them is enough. */
  readonly amount?: { readonly gte?: number | undefined; readonly lte?: number | undefined } | undefined
  /** `metadata[shelf]=A7`: objects with exactly this value under this key. Several filters have to match together. */
  readonly metadata?: { readonly [key: string]: string } | undefined
}

/** The query of `refunds.list`. */
export interface RefundsListQuery {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Cursor for the next page: the id of the last object of this one. */
  readonly starting_after?: string | undefined
  /** Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`. */
  readonly ending_before?: string | undefined
  /** Created between these moments, both included; one of them is enough. */
  readonly created?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
  /** `created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it. */
  readonly sort?: "-created" | "created" | "-amount" | "amount" | undefined
  /** Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`. */
  readonly wait?: number | undefined
  /** Refunds of this order: its `trade_no`, or your own `out_trade_no`. */
  readonly trade_no?: string | undefined
  /** The refund with exactly this number of yours. */
  readonly out_refund_no?: string | undefined
  /** Refunds in this state. */
  readonly status?: "pending" | "succeeded" | "failed" | undefined
}

/** The query of `disputes.list`. */
export interface DisputesListQuery {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Cursor for the next page: the id of the last object of this one. */
  readonly starting_after?: string | undefined
  /** Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`. */
  readonly ending_before?: string | undefined
  /** Created between these moments, both included; one of them is enough. */
  readonly created?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
  /** `created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it. */
  readonly sort?: "-created" | "created" | "-amount" | "amount" | undefined
  /** Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`. */
  readonly wait?: number | undefined
  /** Disputes in this state. */
  readonly status?: "needs_response" | "under_review" | "won" | "lost" | "closed" | undefined
  /** Disputes of this order: its `trade_no`, or your own `out_trade_no`. */
  readonly trade_no?: string | undefined
}

/** The query of `paymentLinks.list`. */
export interface PaymentLinksListQuery {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Cursor for the next page: the id of the last object of this one. */
  readonly starting_after?: string | undefined
  /** Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`. */
  readonly ending_before?: string | undefined
  /** Created between these moments, both included; one of them is enough. */
  readonly created?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
  /** Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`. */
  readonly wait?: number | undefined
}

/** The query of `balance.get`. */
export interface BalanceGetQuery {
  /** Which wallet. Default: `USD`. */
  readonly currency?: "USD" | "HKD" | "CNY" | undefined
}

/** The query of `ledger.list`. */
export interface LedgerListQuery {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Cursor for the next page: the id of the last object of this one. */
  readonly starting_after?: string | undefined
  /** Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`. */
  readonly ending_before?: string | undefined
  /** Created between these moments, both included; one of them is enough. */
  readonly created?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
  /** Movements of this type. */
  readonly type?: "payment_credit" | "fee_debit" | "refund_freeze" | "refund_debit" | "refund_unfreeze" | "dispute_freeze" | "dispute_unfreeze" | "dispute_debit" | "dispute_fee" | "payout_freeze" | "payout_unfreeze" | "payout_success" | "payout_fee" | undefined
  /** Movements that this order, refund, dispute or payout caused: our number, or your own. */
  readonly reference_id?: string | undefined
  /** Movements of this currency's wallet. */
  readonly currency?: "USD" | "HKD" | "CNY" | undefined
}

/** The query of `ledger.chain`. */
export interface LedgerChainQuery {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Cursor for the next page: the id of the last object of this one. */
  readonly starting_after?: string | undefined
  /** Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`. */
  readonly ending_before?: string | undefined
  /** Created between these moments, both included; one of them is enough. */
  readonly created?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
}

/** The query of `reports.list`. */
export interface ReportsListQuery {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Cursor for the next page: the id of the last object of this one. */
  readonly starting_after?: string | undefined
  /** Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`. */
  readonly ending_before?: string | undefined
  /** Created between these moments, both included; one of them is enough. */
  readonly created?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
}

/** The query of `reports.statement`. */
export interface ReportsStatementQuery {
  /** The first day, as `YYYY-MM-DD`. */
  readonly from: string
  /** The last day, inclusive. Default: the first. */
  readonly to?: string | undefined
  /** Only the wallet of this currency. Default: all wallets. */
  readonly currency?: "USD" | "HKD" | "CNY" | undefined
  /** Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC. */
  readonly time_zone?: string | undefined
  /** `day` closes a statement each day, `month` each month, `range` only at the end. Default: `day`. */
  readonly interval?: "day" | "month" | "range" | undefined
}

/** The query of `reports.fees`. */
export interface ReportsFeesQuery {
  /** The first day, as `YYYY-MM-DD`. */
  readonly from: string
  /** The last day, inclusive. Default: the first. */
  readonly to?: string | undefined
  /** Only the wallet of this currency. Default: all wallets. */
  readonly currency?: "USD" | "HKD" | "CNY" | undefined
  /** Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC. */
  readonly time_zone?: string | undefined
}

/** The query of `reports.payout`. */
export interface ReportsPayoutQuery {
  /** Number of the payout. For `payout`, and for `transactions` instead of days. */
  readonly payout_no: string
  /** Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC. */
  readonly time_zone?: string | undefined
}

/** The query of `reports.frozen`. */
export interface ReportsFrozenQuery {
  /** The moment, as ISO 8601 or Unix time in seconds. Default: now. For `frozen`. */
  readonly at?: string | undefined
  /** Only the wallet of this currency. Default: all wallets. */
  readonly currency?: "USD" | "HKD" | "CNY" | undefined
  /** Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC. */
  readonly time_zone?: string | undefined
}

/** The query of `events.list`. */
export interface EventsListQuery {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Cursor for the next page: the id of the last object of this one. */
  readonly starting_after?: string | undefined
  /** Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`. */
  readonly ending_before?: string | undefined
  /** Created between these moments, both included; one of them is enough. */
  readonly created?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
  /** Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`. */
  readonly wait?: number | undefined
  /** Events of this type; repeat it for several types. */
  readonly type?: "payment.succeeded" | "payment.failed" | "payment.expired" | "payment.duplicate_refunded" | "payment.authorized" | "payment.captured" | "payment.canceled" | "payment.authorization_expired" | "refund.succeeded" | "refund.failed" | "dispute.created" | "dispute.updated" | "dispute.won" | "dispute.lost" | "dispute.closed" | ReadonlyArray<"payment.succeeded" | "payment.failed" | "payment.expired" | "payment.duplicate_refunded" | "payment.authorized" | "payment.captured" | "payment.canceled" | "payment.authorization_expired" | "refund.succeeded" | "refund.failed" | "dispute.created" | "dispute.updated" | "dispute.won" | "dispute.lost" | "dispute.closed"> | undefined
  /** Events of this order, refund or dispute: our number, or any other that its path accepts. */
  readonly object_id?: string | undefined
}

/** The query of `apiLogs.list`. */
export interface ApiLogsListQuery {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Cursor for the next page: the id of the last object of this one. */
  readonly starting_after?: string | undefined
  /** Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`. */
  readonly ending_before?: string | undefined
  /** Created between these moments, both included; one of them is enough. */
  readonly created?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
  /** Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`. */
  readonly wait?: number | undefined
  /** The call with exactly this number. */
  readonly request_id?: string | undefined
  /** An exact status, or a class such as `4xx`. */
  readonly status?: string | undefined
  /** Calls of exactly this path: `/v1/orders`. */
  readonly path?: string | undefined
  /** Calls that were refused with this `error`. */
  readonly error_code?: string | undefined
  /** Calls of your own servers (`api`), or changes that people made in the console (`console`). */
  readonly source?: "api" | "console" | undefined
}

/** The query of `erasures.list`. */
export interface ErasuresListQuery {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Cursor for the next page: the id of the last object of this one. */
  readonly starting_after?: string | undefined
  /** Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`. */
  readonly ending_before?: string | undefined
  /** Created between these moments, both included; one of them is enough. */
  readonly created?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
}

/** The query of `webhookEndpoints.list`. */
export interface WebhookEndpointsListQuery {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Cursor for the next page: the id of the last object of this one. */
  readonly starting_after?: string | undefined
  /** Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`. */
  readonly ending_before?: string | undefined
  /** Created between these moments, both included; one of them is enough. */
  readonly created?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
}

/** The query of `webhookDeliveries.list`. */
export interface WebhookDeliveriesListQuery {
  /** Page size, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
  /** Cursor for the next page: the id of the last object of this one. */
  readonly starting_after?: string | undefined
  /** Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`. */
  readonly ending_before?: string | undefined
  /** Created between these moments, both included; one of them is enough. */
  readonly created?: { readonly gte?: Moment | undefined; readonly lte?: Moment | undefined } | undefined
  /** Deliveries of this event. */
  readonly event_id?: string | undefined
  /** Deliveries to this endpoint. */
  readonly endpoint_id?: string | undefined
  /** `pending`: another attempt follows. `failed`: all attempts failed. `skipped`: its endpoint was disabled or deleted. */
  readonly status?: "pending" | "succeeded" | "failed" | "skipped" | undefined
  /** Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`. */
  readonly wait?: number | undefined
}
