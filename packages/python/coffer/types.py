"""The parameters and answers of operations. Written by `npm run sdk` from the contract: do not edit."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NotRequired, TypedDict, Union


EventType = Literal["payment.succeeded", "payment.failed", "payment.expired", "payment.duplicate_refunded", "payment.authorized", "payment.captured", "payment.canceled", "payment.authorization_expired", "refund.succeeded", "refund.failed", "dispute.created", "dispute.updated", "dispute.won", "dispute.lost", "dispute.closed"]
"""Everything that an event may tell of."""


ErrorCode = Literal["internal_error", "forbidden", "merchant_not_approved", "ip_not_allowed", "invalid_api_key", "missing_api_key", "route_not_found", "rate_limited", "idempotency_in_progress", "conflict", "idempotency_error", "invalid_request", "processor_error", "dispute_not_found", "order_not_found", "refund_not_found", "delivery_not_found", "endpoint_not_found", "default_endpoint_secret_managed", "erasure_not_found", "event_not_found", "report_not_found", "payment_link_not_found", "insufficient_balance", "refund_window_expired"]
"""The `error` of a refusal: a program branches on it."""


Moment = Union[str, int, float, datetime]
"""A moment: ISO 8601 in UTC, seconds of Unix time, or a datetime with a time zone."""


class MomentRange(TypedDict):
    """Both ends are included; one of them is enough."""

    gte: NotRequired[Moment]
    lte: NotRequired[Moment]


class AmountRange(TypedDict):
    """Both ends are included; one of them is enough."""

    gte: NotRequired[int]
    lte: NotRequired[int]


class ApiLogIgnoredFields(TypedDict):
    name: str
    """As it was sent; `[redacted]` unless it looks like a plain identifier."""
    nearest: Union[str, None]
    """The known field with the most similar name; null if there is none."""


class ApiLog(TypedDict):
    """One call."""

    object: Literal["api_log"]
    """Always `api_log`."""
    request_id: str
    """Number of the request, as in its answer."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    method: str
    """HTTP method."""
    path: str
    """Path, without the query; always in the form `/v1/...`."""
    status: int
    """HTTP status of the answer."""
    error_code: Union[str, None]
    """The `error` of the answer; null if it was not an error."""
    duration_ms: int
    """Duration from the request's arrival to its answer, in milliseconds."""
    ip: Union[str, None]
    """Address of the caller; null if it had disconnected."""
    key_id: Union[str, None]
    """Number of the key with scopes that called; null for your main key, and for the console."""
    source: Literal["api", "console"]
    """`api`: with a key. `console`: changed by a person in the console, whose reads are not logged."""
    user_agent: Union[str, None]
    """The `User-Agent` header."""
    idempotency_key: Union[str, None]
    """The `Idempotency-Key` header."""
    ignored_fields: Union[list[ApiLogIgnoredFields], None]
    """Unknown fields of the body, at most ten, as in `Coffer-Ignored-Fields`; null if there are none, and in the live environment."""
    request_body: Any
    """The body of the request, its secrets replaced by `[redacted]`; `{"_truncated": true, "bytes": n}` for one over 16 KB; `{"_refused": {"count": n}}` in the answer of a call that stands for n refused ones of a minute; null for none, or one that is not JSON."""
    response_body: Any
    """The body of the answer, its secrets replaced by `[redacted]`; `{"_truncated": true, "bytes": n}` for one over 16 KB; `{"_refused": {"count": n}}` in the answer of a call that stands for n refused ones of a minute; null for none, or one that is not JSON."""
    created_at: str
    """When the request came."""


class Balance(TypedDict):
    """The wallet."""

    merchant_id: str
    """The merchant that this belongs to."""
    currency: Literal["USD", "HKD", "CNY"]
    """ISO 4217 code of the currency of every amount here."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    available_balance: int
    """The amount available for refunds and payouts; a dispute may take it below zero, in minor units."""
    frozen_balance: int
    """Held by pending refunds, disputes and payouts under review, in minor units."""
    total_revenue: int
    """Everything that buyers have paid, in minor units."""
    total_fee: int
    """Everything charged for payments, disputes and payouts, in minor units."""
    total_payout: int
    """Everything paid out, in minor units."""
    total_refund: int
    """Everything refunded, in minor units."""
    updated_at: str
    """When the wallet last changed; when the merchant was created, if it never has."""


class BalanceTransaction(TypedDict):
    """One movement of the wallet."""

    object: Literal["balance_transaction"]
    """Always `balance_transaction`."""
    id: str
    """Number of this movement; begins with `LED_`, and rises with time."""
    merchant_id: str
    """The merchant that this belongs to."""
    type: Literal["payment_credit", "fee_debit", "refund_freeze", "refund_debit", "refund_unfreeze", "dispute_freeze", "dispute_unfreeze", "dispute_debit", "dispute_fee", "payout_freeze", "payout_unfreeze", "payout_success", "payout_fee"]
    """The cause of the movement."""
    currency: Literal["USD", "HKD", "CNY"]
    """ISO 4217 code of the currency of every amount here."""
    amount: int
    """The movement, below zero when money leaves, in minor units."""
    balance_before: int
    """Available balance before, in minor units."""
    balance_after: int
    """Available balance after; the same as before when frozen money was taken, in minor units."""
    reference_id: str
    """Number of the order, refund, dispute or payout that caused it."""
    description: str
    """For people to read; do not parse it."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it was booked."""
    trade_no: Union[str, None]
    """The order it belongs to; null for a payout."""
    out_trade_no: Union[str, None]
    """Your own number of that order; null for a payout."""


class CaptureOrder(TypedDict):
    """What is charged."""

    amount: NotRequired[Union[int, None]]
    """Minor units to charge, at most the order's amount. Default: all of it. What is not charged is released."""


class CreateOrder(TypedDict):
    """The terms of the order."""

    amount: int
    """The amount to pay: a whole number of minor units, 1999 for $19.99. Where Stripe processes the payments, it accepts at least 50 (0.50 USD), 400 (4.00 HKD) or 400 (4.00 CNY), and at most 99999999 (999,999.99) in each currency; other amounts are 400 for `amount`."""
    out_trade_no: NotRequired[Union[str, None]]
    """Your number of the order, one line. Repeating it with the same terms returns the same order."""
    currency: NotRequired[Union[Literal["USD", "HKD", "CNY"], None]]
    """Default: `USD`. In live, it must be enabled for you."""
    subject: NotRequired[Union[str, None]]
    """The title that the buyer sees at checkout, one line of at most 255 characters."""
    notify_url: NotRequired[Union[str, None]]
    """URL for the events of this order, instead of your endpoints. In live, public HTTPS only."""
    return_url: NotRequired[Union[str, None]]
    """URL to which the buyer is sent after the payment; `{TRADE_NO}` and `{OUT_TRADE_NO}` are filled in."""
    metadata: NotRequired[Union[Mapping[str, Union[str, None]], None]]
    """At most 50 keys of 1 to 40 characters, with values of at most 500."""
    receipt_email: NotRequired[Union[str, None]]
    """The address for the receipt, which is sent automatically after payment."""
    locale: NotRequired[Union[Literal["zh", "en"], None]]
    """Language of checkout and receipt. Default: the browser's."""
    capture: NotRequired[Union[Literal["automatic", "manual"], None]]
    """Default: `automatic`. `manual`: the buyer's bank holds the amount, and you charge it with `POST /v1/orders/{ref}/capture` until `capture_by`. Only methods that can hold an amount are offered then."""


class CreatePaymentLink(TypedDict):
    """The terms of each order that a visit creates."""

    amount: int
    """The amount that each buyer pays, in minor units. It cannot be changed. Where Stripe processes the payments, it accepts at least 50 (0.50 USD), 400 (4.00 HKD) or 400 (4.00 CNY), and at most 99999999 (999,999.99) in each currency; other amounts are 400 for `amount`."""
    currency: NotRequired[Union[Literal["USD", "HKD", "CNY"], None]]
    """Default: `USD`. In live, it must be enabled for you. It cannot be changed."""
    subject: NotRequired[Union[str, None]]
    """The title that the buyer sees at checkout, one line of at most 255 characters."""
    max_uses: NotRequired[Union[int, None]]
    """How many orders visits may create. Default: no limit."""
    expires_at: NotRequired[Union[str, None]]
    """From when on visits create no order, in the future. Default: never."""
    notify_url: NotRequired[Union[str, None]]
    """URL for the events of the orders, instead of your endpoints. In live, public HTTPS only."""
    return_url: NotRequired[Union[str, None]]
    """URL to which buyers are sent after the payment; `{TRADE_NO}` and `{OUT_TRADE_NO}` are filled in."""
    metadata: NotRequired[Union[Mapping[str, Union[str, None]], None]]
    """At most 50 keys of 1 to 40 characters, with values of at most 500."""
    capture: NotRequired[Union[Literal["automatic", "manual"], None]]
    """Default: `automatic`. `manual`: the buyer's bank holds the amount, and you charge it with `POST /v1/orders/{ref}/capture` until `capture_by`. Only methods that can hold an amount are offered then."""


class CreateRefund(TypedDict):
    """The refund to make."""

    trade_no: str
    """The order: our number or yours."""
    out_refund_no: NotRequired[Union[str, None]]
    """Your number of the refund, one line; required in live. Repeating it returns the same refund."""
    amount: NotRequired[int]
    """Minor units. Default: everything that can still be refunded. Null is an error and does not mean everything."""
    reason: NotRequired[Union[str, None]]
    """For your records, at most 500 characters; line breaks are kept."""
    metadata: NotRequired[Union[Mapping[str, Union[str, None]], None]]
    """At most 50 keys of 1 to 40 characters, with values of at most 500."""


CreateReport = TypedDict(
    "CreateReport",
    {
        # The kind of report.
        "report": 'Literal["statement", "transactions", "fees", "payout", "frozen"]',
        # `csv`; `jsonl`, one JSON object on each line; or a journal for `hledger` or `beancount`, of `statement`, `transactions` and `payout`. Default: `csv`.
        "format": NotRequired['Union[Literal["csv", "jsonl", "hledger", "beancount"], None]'],
        # The first day, as `YYYY-MM-DD`. For `statement`, `fees`, and `transactions` without a `payout_no`.
        "from": NotRequired['Union[str, None]'],
        # The last day, inclusive. Default: the first.
        "to": NotRequired['Union[str, None]'],
        # `day` closes a statement each day, `month` each month, `range` only at the end. Default: `day`.
        "interval": NotRequired['Union[Literal["day", "month", "range"], None]'],
        # Only the wallet of this currency. Default: all wallets.
        "currency": NotRequired['Union[Literal["USD", "HKD", "CNY"], None]'],
        # Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC.
        "time_zone": NotRequired['Union[str, None]'],
        # Number of the payout. For `payout`, and for `transactions` instead of days.
        "payout_no": NotRequired['Union[str, None]'],
        # The moment, as ISO 8601 or Unix time in seconds. Default: now. For `frozen`.
        "at": NotRequired['Union[str, None]'],
    },
)
"""The content of the file."""


class CreateWebhookEndpoint(TypedDict):
    """A new endpoint."""

    url: str
    """In live, public HTTPS only. The sandbox also accepts http, and private addresses if the operator allows them."""
    description: NotRequired[Union[str, None]]
    """Your description."""
    enabled_events: NotRequired[Union[Sequence[Literal["payment.succeeded", "payment.failed", "payment.expired", "payment.duplicate_refunded", "payment.authorized", "payment.captured", "payment.canceled", "payment.authorization_expired", "refund.succeeded", "refund.failed", "dispute.created", "dispute.updated", "dispute.won", "dispute.lost", "dispute.closed", "*"]], None]]
    """Event types to subscribe to. Default: all of them."""
    disable_when_failing: NotRequired[Union[bool, None]]
    """Disable it automatically after five days without a successful delivery. Default: `false`."""


class DeletedWebhookEndpoint(TypedDict):
    """A deleted endpoint."""

    object: Literal["webhook_endpoint"]
    """Always `webhook_endpoint`."""
    id: str
    """Number of the endpoint; begins with `whe_`."""
    deleted: Literal[True]
    """Always `true`."""


class Dispute(TypedDict):
    """The dispute."""

    object: Literal["dispute"]
    """Always `dispute`."""
    dispute_no: str
    """Our number of the dispute; begins with `dsp_`."""
    trade_no: str
    """Our number of the order whose payment is disputed."""
    merchant_id: str
    """The merchant that this belongs to."""
    processor_dispute_id: str
    """The channel's number of the dispute; either number finds it."""
    amount: int
    """The amount that the buyer wants back; moved from available to frozen when it is taken, which no inquiry does, in minor units."""
    fee: Union[int, None]
    """Charged in addition to the amount, in minor units; null unless it was lost."""
    currency: Literal["USD", "HKD", "CNY"]
    """ISO 4217 code of the currency of every amount here."""
    status: Literal["needs_response", "under_review", "won", "lost", "closed"]
    """`needs_response` waits for your evidence, `under_review` for the bank, which may ask again. `won` and `closed` release the amount; `lost` takes it, unless an appeal changes it to `won`."""
    processor_status: str
    """The status as the channel names it, for investigation and reconciliation."""
    reason: str
    """Why the buyer disputes the payment; it determines which evidence helps."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    funds_frozen: bool
    """Whether the amount is still frozen. Never for an inquiry: the payment may still be refunded, which ends the inquiry."""
    evidence_due_by: Union[str, None]
    """The deadline for evidence; without an answer by then the dispute is lost. If the bank asks again, there is a new deadline. Null if the channel sets none."""
    opened_at: str
    """When the buyer's bank opened the dispute."""
    closed_at: Union[str, None]
    """When it was decided; null until then."""
    created_at: str
    """When the channel reported it."""
    updated_at: str
    """When it last changed."""
    out_trade_no: str
    """Your own number of that order."""


class DisputeClosedEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Dispute
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    dispute_no: NotRequired[str]
    """As `object.dispute_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["needs_response", "under_review", "won", "lost", "closed"]]
    """As `object.status`; for receivers written for the older form."""


class DisputeClosedEvent(TypedDict):
    """The issuer withdrew, and the money is available again. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["dispute.closed"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: DisputeClosedEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["dispute.closed"]
    """As `type`; for receivers written for the older form."""


class DisputeCreatedEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Dispute
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    dispute_no: NotRequired[str]
    """As `object.dispute_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["needs_response", "under_review", "won", "lost", "closed"]]
    """As `object.status`; for receivers written for the older form."""


class DisputeCreatedEvent(TypedDict):
    """A chargeback was opened, and its amount is frozen. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["dispute.created"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: DisputeCreatedEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["dispute.created"]
    """As `type`; for receivers written for the older form."""


class DisputeEvidenceEvidence(TypedDict):
    """Only the texts that were provided."""

    product_description: NotRequired[str]
    """The goods or the service."""
    customer_name: NotRequired[str]
    """The buyer's name."""
    customer_email_address: NotRequired[str]
    """The buyer's e-mail address."""
    customer_purchase_ip: NotRequired[str]
    """The address that the buyer ordered from."""
    billing_address: NotRequired[str]
    """The buyer's billing address."""
    shipping_address: NotRequired[str]
    """Where the goods were sent."""
    shipping_carrier: NotRequired[str]
    """The carrier of the goods."""
    shipping_tracking_number: NotRequired[str]
    """The tracking number of the parcel."""
    shipping_date: NotRequired[str]
    """When the goods were shipped."""
    service_date: NotRequired[str]
    """When the service was provided."""
    access_activity_log: NotRequired[str]
    """When and from where the buyer used what was sold."""
    refund_policy_disclosure: NotRequired[str]
    """How the buyer was shown the refund policy."""
    refund_refusal_explanation: NotRequired[str]
    """Why the buyer is not entitled to a refund."""
    cancellation_policy_disclosure: NotRequired[str]
    """How the buyer was shown the cancellation policy."""
    cancellation_rebuttal: NotRequired[str]
    """Why the subscription was not cancelled."""
    uncategorized_text: NotRequired[str]
    """Only for test disputes of a sandbox that takes payments through an acquirer, and refused elsewhere: `winning_evidence` or `losing_evidence` decides one, and `escalate_inquiry_evidence` makes a chargeback of an inquiry."""


class DisputeEvidenceFiles(TypedDict):
    type: Literal["receipt", "customer_communication", "customer_signature", "shipping_documentation", "service_documentation", "cancellation_policy", "refund_policy", "invoice_showing_distinct_transactions", "recurring_transaction_agreement", "uncategorized_file"]
    """The content of the file."""
    url: str
    """Its URL, from the answer to the upload."""


class DisputeEvidence(TypedDict):
    """The evidence."""

    object: Literal["dispute_evidence"]
    """Always `dispute_evidence`."""
    dispute_no: str
    """Our number of the dispute."""
    evidence: DisputeEvidenceEvidence
    """Only the texts that were provided."""
    files: list[DisputeEvidenceFiles]
    """The files that were named."""
    submitted: bool
    """Whether it was submitted to the bank; then it is final unless the bank asks again."""
    submitted_at: Union[str, None]
    """When it was submitted; null for a draft."""
    updated_at: Union[str, None]
    """When it was last replaced; null before the first draft."""


class DisputeLostEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Dispute
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    dispute_no: NotRequired[str]
    """As `object.dispute_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["needs_response", "under_review", "won", "lost", "closed"]]
    """As `object.status`; for receivers written for the older form."""


class DisputeLostEvent(TypedDict):
    """The dispute is lost, and its amount was debited. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["dispute.lost"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: DisputeLostEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["dispute.lost"]
    """As `type`; for receivers written for the older form."""


class DisputeUpdatedEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Dispute
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    dispute_no: NotRequired[str]
    """As `object.dispute_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["needs_response", "under_review", "won", "lost", "closed"]]
    """As `object.status`; for receivers written for the older form."""


class DisputeUpdatedEvent(TypedDict):
    """The evidence is under review, or the bank asks again. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["dispute.updated"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: DisputeUpdatedEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["dispute.updated"]
    """As `type`; for receivers written for the older form."""


class DisputeWonEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Dispute
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    dispute_no: NotRequired[str]
    """As `object.dispute_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["needs_response", "under_review", "won", "lost", "closed"]]
    """As `object.status`; for receivers written for the older form."""


class DisputeWonEvent(TypedDict):
    """The appeal succeeded, and the money is available again. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["dispute.won"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: DisputeWonEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["dispute.won"]
    """As `type`; for receivers written for the older form."""


class ErasureCounts(TypedDict):
    """Rows of each kind that were changed, or for a dry run, that would be."""

    orders: int
    """Orders."""
    refunds: int
    """Refunds of these orders."""
    disputes: int
    """Disputes of these orders, with their evidence."""
    files: int
    """Files that the evidence named."""
    mails: int
    """Mails with receipts."""
    events: int
    """Events about these."""
    attempts: int
    """Answers of webhook receivers."""
    payment_links: Union[int, None]
    """Payment links whose own texts contained the address; null for a dry run."""
    answers: Union[int, None]
    """Stored answers of requests with an `Idempotency-Key`; null for a dry run."""
    logs: Union[int, None]
    """API logs; null for a dry run."""


class Erasure(TypedDict):
    """The erasure of a buyer. It contains no data of the buyer."""

    object: Literal["erasure"]
    """Always `erasure`."""
    erasure_no: Union[str, None]
    """Number of the erasure; null for a dry run, which stores nothing."""
    status: Literal["dry_run", "running", "done"]
    """`running` until nothing of the buyer is left, including waiting orders."""
    merchant_id: Union[str, None]
    """The merchant of the buyer; null where a buyer of all merchants is erased."""
    mode: Union[Literal["sandbox", "live"], None]
    """In which environment; null for both."""
    trade_no: Union[str, None]
    """The erased order; null if the erasure is by email address."""
    email_hash: Union[str, None]
    """An HMAC of the address: this installation computes the same value for the same address; null if one order is erased."""
    orders_waiting: int
    """Waiting orders: evidence is needed while a dispute is open, and pending mails and deliveries have to arrive first."""
    counts: ErasureCounts
    """Rows of each kind that were changed, or for a dry run, that would be."""
    is_capped: bool
    """For a dry run: there are more than 10,000 orders or other rows, and the rest was not looked at."""
    requested_by: Union[str, None]
    """Who requested it: a team member's address, the number of a key with scopes, or `main_key`. Or the number of an operator. Null for a dry run."""
    requested_at: Union[str, None]
    """When it was requested. Later orders are not erased; null for a dry run."""
    done_at: Union[str, None]
    """When it was complete; null before."""


class FeeLine(TypedDict):
    """The fees of one payment method."""

    object: Literal["fee_line"]
    """Always `fee_line`."""
    currency: Literal["USD", "HKD", "CNY"]
    """ISO 4217 code of the currency of every amount here."""
    source: Literal["payment", "dispute", "payout"]
    """The kind of object for which the fee was charged."""
    payment_method: Union[Literal["card", "alipay", "wechat_pay", "apple_pay", "google_pay"], None]
    """How the buyer paid; null for payouts."""
    count: int
    """How many were charged."""
    volume: int
    """The total paid, disputed or paid out, in minor units."""
    fee: int
    """The sum of the fees, in minor units."""


class FeesReport(TypedDict):
    """A report and its lines."""

    object: Literal["fees_report"]
    """Always `fees_report`."""
    merchant_id: str
    """The merchant that this belongs to."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    time_zone: str
    """Time zone of the days, such as `Europe/Berlin`."""
    as_of: str
    """Every movement before it is in the report, and none after: the range's end, or an earlier call."""
    complete: bool
    """Whether the whole range is in the past: nothing can be added."""
    lines: list[FeeLine]
    """The lines, by currency and then by time."""


class FrozenLine(TypedDict):
    """Money that is held, or an open dispute."""

    object: Literal["frozen_line"]
    """Always `frozen_line`."""
    currency: Literal["USD", "HKD", "CNY"]
    """ISO 4217 code of the currency of every amount here."""
    kind: Literal["dispute", "payout", "refund", "total"]
    """The kind of object that holds the money. `total` is the frozen balance, the sum of the lines before it."""
    number: Union[str, None]
    """Number of the dispute, payout or refund; null for the total."""
    trade_no: Union[str, None]
    """The order behind a dispute or a refund."""
    amount: int
    """The amount that is held; 0 for an inquiry, in minor units."""
    since: Union[str, None]
    """Since when; null for the total."""
    out_trade_no: Union[str, None]
    """Your own number of that order; null for a payout and for the total."""


class FrozenReport(TypedDict):
    """A report and its lines."""

    object: Literal["frozen_report"]
    """Always `frozen_report`."""
    merchant_id: str
    """The merchant that this belongs to."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    time_zone: str
    """Time zone of the days, such as `Europe/Berlin`."""
    as_of: str
    """Every movement before it is in the report, and none after: the range's end, or an earlier call."""
    complete: bool
    """Whether the whole range is in the past: nothing can be added."""
    lines: list[FrozenLine]
    """The lines, by currency and then by time."""


class LedgerLink(TypedDict):
    """One link of the chain."""

    object: Literal["ledger_link"]
    """Always `ledger_link`."""
    id: str
    """Number of the movement, as the ledger lists it."""
    sequence: int
    """Its place in the wallet, from 1 on, without a gap."""
    previous_hash: str
    """The hash of the row before it, in hex; empty for the first."""
    hash: str
    """SHA-256 of `text`, in hex."""
    text: str
    """The text that is hashed, as UTF-8: twelve values, one per line."""
    created_at: str
    """When it was booked."""


class OrderPaidCard(TypedDict):
    brand: str
    """In the channel's word: `visa`, `mastercard`, `amex`, `unionpay`, `jcb`, `discover`, `diners`."""
    last4: str
    """The last four digits of its number."""


class Order(TypedDict):
    """The order."""

    object: Literal["order"]
    """Always `order`."""
    trade_no: str
    """Our number of the order; begins with `TRD_SB_` in the sandbox, `TRD_` in live."""
    out_trade_no: str
    """Your number of the order; equal to `trade_no` when you gave none."""
    merchant_id: str
    """The merchant that this belongs to."""
    amount: int
    """The amount that the buyer pays, in minor units."""
    fee: Union[int, None]
    """The acquiring fee, in minor units; null until the payment is credited."""
    net_amount: Union[int, None]
    """`amount` less `fee`, in minor units; null until the payment is credited."""
    refunded_amount: int
    """The sum of the refunds that have succeeded, in minor units."""
    currency: Literal["USD", "HKD", "CNY"]
    """ISO 4217 code of the currency of every amount here."""
    subject: Union[str, None]
    """The title that the buyer reads at checkout."""
    status: Literal["pending", "paid", "partially_refunded", "refunded", "failed", "expired", "authorized", "canceled"]
    """`pending` may still be paid. `failed` and `expired` are final; money that comes then goes back. Only orders with `capture: "manual"` are `authorized`, when the amount is held and not charged, or `canceled`, when you have given the hold up."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    payment_id: Union[str, None]
    """The channel's number of the payment; null until paid. Reconcile by `trade_no`: this one may change."""
    payment_method: Union[Literal["card", "alipay", "wechat_pay", "apple_pay", "google_pay"], None]
    """How the buyer paid; null until then."""
    refundable_until: Union[str, None]
    """The last moment for a refund, where the payment method has one (`alipay`, `wechat_pay`); otherwise null."""
    checkout_url: str
    """Send the buyer there. It is signed and expires: do not store or log it."""
    expires_at: str
    """When checkout stops accepting payment: 24 hours after creation."""
    notify_url: Union[str, None]
    """Where the events of this order go, instead of to your endpoints."""
    return_url: Union[str, None]
    """Where the buyer goes after the payment."""
    metadata: dict[str, str]
    """Your own keys and values."""
    paid_at: Union[str, None]
    """When the payment succeeded; null until then."""
    created_at: str
    """When the order was created."""
    receipt_url: Union[str, None]
    """The printable receipt; null until paid. It shows what was refunded, too."""
    receipt_number: Union[str, None]
    """The receipt's number; null until it is first viewed or sent."""
    receipt_email: Union[str, None]
    """The address for the receipt."""
    receipt_sent_at: Union[str, None]
    """When a receipt was last sent; null before."""
    locale: Union[Literal["zh", "en"], None]
    """The buyer's language; null follows the browser."""
    receipt_failure_reason: Union[str, None]
    """Why the last mail with the receipt did not go out, such as the mail server's words; null when it did."""
    payment_failure_reason: Union[str, None]
    """Why the last attempt to pay did not succeed, in the channel's code, such as `insufficient_funds`; null when there was none, and once the order is paid. The timeline has all attempts."""
    paid_card: Union[OrderPaidCard, None]
    """The card that was charged, also behind Apple Pay or Google Pay; null until paid, and where it was no card."""
    dispute_status: Union[Literal["open", "won", "lost"], None]
    """What disputes have done to the payment. `open`: an amount is frozen, and nothing is refunded until the bank decides. `lost`: the bank has kept an amount. `won`: all that was frozen has come back, because the bank decided for you or withdrew. Null: no amount was ever frozen. `GET /disputes?trade_no=` has each dispute."""
    capture: NotRequired[Literal["manual"]]
    """`manual`: you charge the held amount yourself. Only orders that were created so have it."""
    capture_by: NotRequired[Union[str, None]]
    """With `capture: "manual"`: when the hold runs out, and the order expires. Null until it is authorized."""
    captured_amount: NotRequired[Union[int, None]]
    """With `capture: "manual"`: the amount that the buyer has paid, in minor units; null until you capture."""
    capturing_amount: NotRequired[Union[int, None]]
    """With `capture: "manual"`: an amount that the channel is capturing, in minor units; null otherwise."""


class PaymentAuthorizationExpiredEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Order
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["pending", "paid", "partially_refunded", "refunded", "failed", "expired", "authorized", "canceled"]]
    """As `object.status`; for receivers written for the older form."""


class PaymentAuthorizationExpiredEvent(TypedDict):
    """The hold of an order ran out, and nothing was charged. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["payment.authorization_expired"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: PaymentAuthorizationExpiredEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["payment.authorization_expired"]
    """As `type`; for receivers written for the older form."""


class PaymentAuthorizedEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Order
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["pending", "paid", "partially_refunded", "refunded", "failed", "expired", "authorized", "canceled"]]
    """As `object.status`; for receivers written for the older form."""


class PaymentAuthorizedEvent(TypedDict):
    """The buyer's bank holds the amount of an order, which is not charged yet. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["payment.authorized"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: PaymentAuthorizedEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["payment.authorized"]
    """As `type`; for receivers written for the older form."""


class PaymentCanceledEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Order
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["pending", "paid", "partially_refunded", "refunded", "failed", "expired", "authorized", "canceled"]]
    """As `object.status`; for receivers written for the older form."""


class PaymentCanceledEvent(TypedDict):
    """You have given up the hold of an order, and nothing was charged. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["payment.canceled"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: PaymentCanceledEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["payment.canceled"]
    """As `type`; for receivers written for the older form."""


class PaymentCapturedEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Order
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["pending", "paid", "partially_refunded", "refunded", "failed", "expired", "authorized", "canceled"]]
    """As `object.status`; for receivers written for the older form."""


class PaymentCapturedEvent(TypedDict):
    """A held amount was charged; the same moment as payment.succeeded. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["payment.captured"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: PaymentCapturedEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["payment.captured"]
    """As `type`; for receivers written for the older form."""


class PaymentDuplicateRefundedEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Order
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["pending", "paid", "partially_refunded", "refunded", "failed", "expired", "authorized", "canceled"]]
    """As `object.status`; for receivers written for the older form."""


class PaymentDuplicateRefundedEvent(TypedDict):
    """A payment that arrived after the order had ended was returned to the buyer in full. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["payment.duplicate_refunded"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: PaymentDuplicateRefundedEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["payment.duplicate_refunded"]
    """As `type`; for receivers written for the older form."""


class PaymentExpiredEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Order
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["pending", "paid", "partially_refunded", "refunded", "failed", "expired", "authorized", "canceled"]]
    """As `object.status`; for receivers written for the older form."""


class PaymentExpiredEvent(TypedDict):
    """An order was not paid within 24 hours, or was closed. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["payment.expired"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: PaymentExpiredEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["payment.expired"]
    """As `type`; for receivers written for the older form."""


class PaymentFailedEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Order
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["pending", "paid", "partially_refunded", "refunded", "failed", "expired", "authorized", "canceled"]]
    """As `object.status`; for receivers written for the older form."""


class PaymentFailedEvent(TypedDict):
    """The channel reports that the payment has failed. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["payment.failed"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: PaymentFailedEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["payment.failed"]
    """As `type`; for receivers written for the older form."""


class PaymentLink(TypedDict):
    """The payment link."""

    object: Literal["payment_link"]
    """Always `payment_link`."""
    link_id: str
    """Number of the link; begins with `plink_`."""
    merchant_id: str
    """The merchant that this belongs to."""
    url: str
    """Give this address to buyers. Each visit makes a new order."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    amount: int
    """The amount that each buyer pays, in minor units."""
    currency: Literal["USD", "HKD", "CNY"]
    """ISO 4217 code of the currency of every amount here."""
    subject: Union[str, None]
    """The title that the buyer reads at checkout."""
    status: Literal["active", "inactive"]
    """Visits to an `inactive` link make no order."""
    max_uses: Union[int, None]
    """How many orders visits may make; null for any number."""
    used_count: int
    """Orders that visits have made, paid or not."""
    notify_url: Union[str, None]
    """Where the events of the orders go, instead of to your endpoints."""
    return_url: Union[str, None]
    """Where buyers go after the payment."""
    expires_at: Union[str, None]
    """From when on visits make no order; null for never."""
    metadata: dict[str, str]
    """Your own keys and values; each order gets them."""
    created_at: str
    """When the link was made."""
    capture: NotRequired[Literal["manual"]]
    """`manual`: you charge the held amount of each order yourself. Only such links have it."""


class PaymentSucceededEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Order
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["pending", "paid", "partially_refunded", "refunded", "failed", "expired", "authorized", "canceled"]]
    """As `object.status`; for receivers written for the older form."""


class PaymentSucceededEvent(TypedDict):
    """A payment succeeded, and the money is in the wallet. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["payment.succeeded"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: PaymentSucceededEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["payment.succeeded"]
    """As `type`; for receivers written for the older form."""


class PayoutReport(TypedDict):
    """A report and its lines."""

    object: Literal["payout_report"]
    """Always `payout_report`."""
    merchant_id: str
    """The merchant that this belongs to."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    time_zone: str
    """Time zone of the days, such as `Europe/Berlin`."""
    as_of: str
    """Every movement before it is in the report, and none after: the range's end, or an earlier call."""
    complete: bool
    """Whether the whole range is in the past: nothing can be added."""
    lines: list[StatementLine]
    """The lines, by currency and then by time."""


class Refund(TypedDict):
    """The refund."""

    object: Literal["refund"]
    """Always `refund`."""
    refund_no: str
    """Our number of the refund."""
    out_refund_no: str
    """Your number of the refund; made by us when you gave none."""
    trade_no: str
    """The order whose payment goes back."""
    amount: int
    """The amount that the buyer gets back, in minor units."""
    reason: Union[str, None]
    """Your reason, if you gave one."""
    status: Literal["pending", "succeeded", "failed"]
    """`pending` until the channel has settled it. A channel may take back what had `succeeded`."""
    funds_frozen: bool
    """Whether the amount is held in the frozen balance."""
    settled_at: Union[str, None]
    """When the amount was deducted for good; null while pending, and when it failed."""
    metadata: dict[str, str]
    """Your own keys and values."""
    currency: Literal["USD", "HKD", "CNY"]
    """ISO 4217 code of the currency of every amount here."""
    merchant_id: str
    """The merchant that this belongs to."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    failure_reason: Union[str, None]
    """The channel's reason; null unless it failed."""
    created_at: str
    """When the refund was accepted."""
    updated_at: str
    """When it last changed."""
    out_trade_no: str
    """Your own number of that order."""


class RefundFailedEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Refund
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    refund_no: NotRequired[str]
    """As `object.refund_no`; for receivers written for the older form."""
    out_refund_no: NotRequired[str]
    """As `object.out_refund_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["pending", "succeeded", "failed"]]
    """As `object.status`; for receivers written for the older form."""


class RefundFailedEvent(TypedDict):
    """The channel rejected a refund, and the money is available again. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["refund.failed"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: RefundFailedEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["refund.failed"]
    """As `type`; for receivers written for the older form."""


class RefundSucceededEventData(TypedDict):
    """The object of the event, as it was then."""

    object: Refund
    """The order, refund or dispute as its own endpoint would have returned it at that moment."""
    trade_no: NotRequired[str]
    """As `object.trade_no`; for receivers written for the older form."""
    out_trade_no: NotRequired[str]
    """As `object.out_trade_no`; for receivers written for the older form."""
    refund_no: NotRequired[str]
    """As `object.refund_no`; for receivers written for the older form."""
    out_refund_no: NotRequired[str]
    """As `object.out_refund_no`; for receivers written for the older form."""
    amount: NotRequired[int]
    """As `object.amount`; for receivers written for the older form."""
    currency: NotRequired[Literal["USD", "HKD", "CNY"]]
    """As `object.currency`; for receivers written for the older form."""
    status: NotRequired[Literal["pending", "succeeded", "failed"]]
    """As `object.status`; for receivers written for the older form."""


class RefundSucceededEvent(TypedDict):
    """A refund was paid out of the wallet. The event, byte for byte as it is delivered."""

    object: Literal["event"]
    """Always `event`."""
    id: str
    """Number of the event; begins with `evt_`. The same in every redelivery; use it to deduplicate."""
    type: Literal["refund.succeeded"]
    """The kind of event."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    created_at: str
    """When it happened."""
    sequence: int
    """Increases with each change of the object: of two events, the higher one is later."""
    data: RefundSucceededEventData
    """The object of the event, as it was then."""
    event_id: str
    """As `id`; for receivers written for the older form."""
    event_type: Literal["refund.succeeded"]
    """As `type`; for receivers written for the older form."""


Report = TypedDict(
    "Report",
    {
        # Always `report`.
        "object": 'Literal["report"]',
        # Number of the report; begins with `rpt_`.
        "report_no": 'str',
        # The merchant that this belongs to.
        "merchant_id": 'str',
        # The environment, decided by the API key alone.
        "mode": 'Literal["sandbox", "live"]',
        # The kind of report.
        "report": 'Literal["statement", "transactions", "fees", "payout", "frozen"]',
        # `csv`; `jsonl`, one JSON object on each line; or a journal for `hledger` or `beancount`, of `statement`, `transactions` and `payout`.
        "format": 'Literal["csv", "jsonl", "hledger", "beancount"]',
        # The first day that it covers, as `YYYY-MM-DD` in the report's time zone.
        "from": 'str',
        # Its last day, as `YYYY-MM-DD` in the report's time zone.
        "to": 'str',
        # The only currency in it; null: all.
        "currency": 'Union[Literal["USD", "HKD", "CNY"], None]',
        # `pending` while the file is being written. Only a report that `succeeded` has a file.
        "status": 'Literal["pending", "succeeded", "failed"]',
        # Why there is no file; null unless it failed.
        "failure_reason": 'Union[str, None]',
        # Time zone of the days, such as `Europe/Berlin`.
        "time_zone": 'str',
        # Every movement before it is in the report, and none after: the range's end, or an earlier call.
        "as_of": 'str',
        # Whether the whole range is in the past: nothing can be added.
        "complete": 'bool',
        # Ledger rows read so far.
        "rows_done": 'int',
        # How many there are to read; null if it is not known in advance.
        "rows_total": 'Union[int, None]',
        # Size of the file so far.
        "bytes": 'int',
        # When it was made.
        "created_at": 'str',
        # When the file was complete; null before.
        "finished_at": 'Union[str, None]',
        # When the report and its file are deleted.
        "expires_at": 'str',
        # Who requested it: a team member's address, the number of a key with scopes, or `main_key`. Null if that was not recorded.
        "requested_by": 'Union[str, None]',
    },
)
"""A report that is written to a file, and its progress."""


class SandboxChannel(TypedDict):
    """The state of the channel."""

    reachable: bool
    """Whether your sandbox channel answers."""


class SandboxClock(TypedDict):
    """The clock of your sandbox. It only moves forward."""

    object: Literal["sandbox_clock"]
    """Always `sandbox_clock`."""
    status: Literal["ready", "advancing"]
    """`advancing` while the clock is on its way to `target`."""
    now: str
    """The time by the clock of your sandbox."""
    ahead_ms: int
    """How far it is ahead of real time, in milliseconds; 0 until it is advanced."""
    target: Union[str, None]
    """The time to which the clock is advancing; null while it is `ready`."""
    stops: int
    """At how many moments the last advance stopped to process what was due."""
    happened: dict[str, int]
    """Counts of the events during the last advance, by type, and `webhook_attempts`, the requests to your servers."""


class SendReceipt(TypedDict):
    """Where to."""

    email: NotRequired[Union[str, None]]
    """The address for it, which also becomes the order's `receipt_email`. Default: the order's `receipt_email`."""


class SettleRefund(TypedDict):
    """How the refund ends."""

    outcome: Literal["succeeded", "failed"]
    """The bank's decision. `failed` may also follow `succeeded`, which reverses the refund."""


StatementLine = TypedDict(
    "StatementLine",
    {
        # Always `statement_line`.
        "object": 'Literal["statement_line"]',
        # ISO 4217 code of the currency of every amount here.
        "currency": 'Literal["USD", "HKD", "CNY"]',
        # The first day that the line covers, as `YYYY-MM-DD` in the report's time zone.
        "from": 'str',
        # Its last day, as `YYYY-MM-DD` in the report's time zone.
        "to": 'str',
        # `opening` and `closing` are balances. Each other line is the total of the movements of one type.
        "line": 'Literal["opening", "payment_credit", "fee_debit", "refund_freeze", "refund_debit", "refund_unfreeze", "dispute_freeze", "dispute_unfreeze", "dispute_debit", "dispute_fee", "payout_freeze", "payout_unfreeze", "payout_success", "payout_fee", "closing"]',
        # Movements of the type; 0 for a balance.
        "count": 'int',
        # The sum of the movements as the ledger shows them; 0 for a balance, in minor units.
        "amount": 'int',
        # The available balance, or its change by the movements, in minor units.
        "available": 'int',
        # The frozen balance, or its change by the movements, in minor units.
        "frozen": 'int',
        # The place of the wallet's newest movement, 0 before the first; null if the line is not a balance.
        "sequence": 'Union[int, None]',
        # The hash of that movement, in hex: the head of the chain; null if the line is not a balance.
        "hash": 'Union[str, None]',
    },
)
"""One line of a wallet's statement."""


class StatementReport(TypedDict):
    """A report and its lines."""

    object: Literal["statement"]
    """Always `statement`."""
    merchant_id: str
    """The merchant that this belongs to."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    time_zone: str
    """Time zone of the days, such as `Europe/Berlin`."""
    as_of: str
    """Every movement before it is in the report, and none after: the range's end, or an earlier call."""
    complete: bool
    """Whether the whole range is in the past: nothing can be added."""
    lines: list[StatementLine]
    """The lines, by currency and then by time."""


class SubmitEvidenceEvidence(TypedDict):
    product_description: NotRequired[Union[str, None]]
    """The goods or the service."""
    customer_name: NotRequired[Union[str, None]]
    """The buyer's name."""
    customer_email_address: NotRequired[Union[str, None]]
    """The buyer's e-mail address."""
    customer_purchase_ip: NotRequired[Union[str, None]]
    """The address that the buyer ordered from."""
    billing_address: NotRequired[Union[str, None]]
    """The buyer's billing address."""
    shipping_address: NotRequired[Union[str, None]]
    """Where the goods were sent."""
    shipping_carrier: NotRequired[Union[str, None]]
    """The carrier of the goods."""
    shipping_tracking_number: NotRequired[Union[str, None]]
    """The tracking number of the parcel."""
    shipping_date: NotRequired[Union[str, None]]
    """When the goods were shipped."""
    service_date: NotRequired[Union[str, None]]
    """When the service was provided."""
    access_activity_log: NotRequired[Union[str, None]]
    """When and from where the buyer used what was sold."""
    refund_policy_disclosure: NotRequired[Union[str, None]]
    """How the buyer was shown the refund policy."""
    refund_refusal_explanation: NotRequired[Union[str, None]]
    """Why the buyer is not entitled to a refund."""
    cancellation_policy_disclosure: NotRequired[Union[str, None]]
    """How the buyer was shown the cancellation policy."""
    cancellation_rebuttal: NotRequired[Union[str, None]]
    """Why the subscription was not cancelled."""
    uncategorized_text: NotRequired[Union[str, None]]
    """Only for test disputes of a sandbox that takes payments through an acquirer, and refused elsewhere: `winning_evidence` or `losing_evidence` decides one, and `escalate_inquiry_evidence` makes a chargeback of an inquiry."""


class SubmitEvidenceFiles(TypedDict):
    type: Literal["receipt", "customer_communication", "customer_signature", "shipping_documentation", "service_documentation", "cancellation_policy", "refund_policy", "invoice_showing_distinct_transactions", "recurring_transaction_agreement", "uncategorized_file"]
    """The content of the file."""
    url: str
    """Its URL, from the answer to the upload."""


class SubmitEvidence(TypedDict):
    """The complete evidence: `evidence`, `files` or both are required."""

    evidence: NotRequired[Union[SubmitEvidenceEvidence, None]]
    """Texts of at most 5000 characters each; line breaks are kept. An unknown name is refused. `{}` removes all texts."""
    files: NotRequired[Union[Sequence[SubmitEvidenceFiles], None]]
    """At most 8 files that you have uploaded in this environment. `[]` removes all of them."""
    submit: NotRequired[Union[bool, None]]
    """`true` submits it to the bank; this works only once unless the bank asks again. Otherwise it is saved as a draft."""


class Timeline(TypedDict):
    """One order's whole story."""

    object: Literal["timeline"]
    """Always `timeline`."""
    trade_no: str
    """The order's number."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    duration_ms: int
    """From the first entry to the last, in milliseconds."""
    truncated: bool
    """Whether there are more than 1000 entries of a kind, in which case the newest of them are left out."""
    omitted_kinds: list[Literal["request", "order", "payment_attempt", "unapplied_payment", "refund", "dispute", "ledger", "event", "delivery", "attempt", "receipt"]]
    """Kinds of entries that are left out because the key does not have their scopes: `logs:read` for requests, `balance:read` for the ledger, `webhooks:read` for deliveries and attempts, and so on."""
    entries: list[TimelineEntry]
    """Oldest first."""


class TimelineEntry(TypedDict):
    """One thing that happened."""

    at: str
    """When it happened."""
    after_ms: int
    """Time since the previous entry, in milliseconds; 0 for the first."""
    kind: Literal["request", "order", "payment_attempt", "unapplied_payment", "refund", "dispute", "ledger", "event", "delivery", "attempt", "receipt"]
    """The kind of object that it belongs to."""
    id: str
    """Number of the object: the request, the ledger row, the event and so on."""
    text: str
    """The step, for people to read; do not parse it."""
    details: dict[str, Union[str, float, Literal["Infinity", "-Infinity", "NaN"], None]]
    """The fields of the object, named as elsewhere in this API: `ip` and `idempotency_key` of a request, the balances of a ledger row, `status_code` of an attempt. More may be added."""


class UpdateOrder(TypedDict):
    """The fields to change."""

    metadata: NotRequired[Union[Mapping[str, Union[str, None]], None]]
    """Keys to set; null deletes a key, and null instead of an object deletes all of them."""
    receipt_email: NotRequired[Union[str, None]]
    """The new address for the receipt; null for none."""


class UpdatePaymentLink(TypedDict):
    """The fields to change."""

    status: NotRequired[Union[Literal["active", "inactive"], None]]
    """`inactive` closes the link, `active` opens it."""
    subject: NotRequired[Union[str, None]]
    """Null removes the title."""
    max_uses: NotRequired[Union[int, None]]
    """Null removes the limit. A value below `used_count` closes the link."""
    expires_at: NotRequired[Union[str, None]]
    """Null: never. A time that has passed closes the link."""
    metadata: NotRequired[Union[Mapping[str, Union[str, None]], None]]
    """Keys to set; null deletes a key, and null instead of an object deletes all of them."""


class UpdateRefund(TypedDict):
    """The fields to change."""

    metadata: NotRequired[Union[Mapping[str, Union[str, None]], None]]
    """Keys to set; null deletes a key, and null instead of an object deletes all of them."""


class UpdateWebhookEndpoint(TypedDict):
    """The fields to change."""

    url: NotRequired[Union[str, None]]
    """The new URL; pending deliveries go there, too."""
    description: NotRequired[Union[str, None]]
    """Your description; null removes it."""
    enabled_events: NotRequired[Union[Sequence[Literal["payment.succeeded", "payment.failed", "payment.expired", "payment.duplicate_refunded", "payment.authorized", "payment.captured", "payment.canceled", "payment.authorization_expired", "refund.succeeded", "refund.failed", "dispute.created", "dispute.updated", "dispute.won", "dispute.lost", "dispute.closed", "*"]], None]]
    """Replaces the event types to which it is subscribed."""
    status: NotRequired[Union[Literal["enabled", "paused", "disabled"], None]]
    """`disabled` stops deliveries, `paused` holds them, `enabled` sends waiting and new ones."""
    disable_when_failing: NotRequired[Union[bool, None]]
    """Disable it automatically after five days without a successful delivery. Default: `false`."""
    disabled: NotRequired[Union[bool, None]]
    """An alternative to `status`; do not send both."""


class UploadedFile(TypedDict):
    """The stored file."""

    url: str
    """Its URL, used in evidence. Anyone who has the URL can read the file."""
    content_type: Literal["application/pdf", "image/png", "image/jpeg"]
    """Its media type, detected from its content."""
    size: int
    """Bytes."""


class WebhookAttempt(TypedDict):
    """An attempt."""

    attempt: int
    """Its number, from 1."""
    kind: Literal["automatic", "manual"]
    """`manual`: sent again on request."""
    at: str
    """When it was made."""
    duration_ms: int
    """Duration in milliseconds."""
    status_code: Union[int, None]
    """HTTP status of the receiver's answer; null if there was none."""
    failure: Union[str, None]
    """Why there was no answer; null if there was one."""
    response_excerpt: Union[str, None]
    """The first kilobyte of the receiver's answer. Null if there was none, and in a sandbox after 600 in a minute."""


class WebhookDelivery(TypedDict):
    """The delivery."""

    object: Literal["webhook_delivery"]
    """Always `webhook_delivery`."""
    id: str
    """Number of the delivery; begins with `dlv_`."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    event_id: str
    """The event that is delivered."""
    event_type: Literal["payment.succeeded", "payment.failed", "payment.expired", "payment.duplicate_refunded", "payment.authorized", "payment.captured", "payment.canceled", "payment.authorization_expired", "refund.succeeded", "refund.failed", "dispute.created", "dispute.updated", "dispute.won", "dispute.lost", "dispute.closed"]
    """Its type."""
    endpoint_id: Union[str, None]
    """The endpoint; null for an order's `notify_url` and the account's default URL."""
    url: str
    """The URL to which it is posted."""
    status: Literal["pending", "succeeded", "failed", "skipped"]
    """`pending`: another attempt follows. `failed`: all attempts failed. `skipped`: its endpoint was disabled or deleted."""
    next_attempt_at: Union[str, None]
    """When the next automatic attempt is due; null if there is none."""
    resend_of: Union[str, None]
    """The delivery that this one repeats on request; null for an original one."""
    attempts: list[WebhookAttempt]
    """The attempts, in order."""
    created_at: str
    """When it was recorded: with the event, or when it was requested."""


class WebhookEndpoint(TypedDict):
    """The endpoint."""

    object: Literal["webhook_endpoint"]
    """Always `webhook_endpoint`."""
    id: str
    """Number of the endpoint; begins with `whe_`."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    url: str
    """The URL to which events are posted."""
    description: Union[str, None]
    """Your description; null if there is none."""
    enabled_events: list[Literal["payment.succeeded", "payment.failed", "payment.expired", "payment.duplicate_refunded", "payment.authorized", "payment.captured", "payment.canceled", "payment.authorization_expired", "refund.succeeded", "refund.failed", "dispute.created", "dispute.updated", "dispute.won", "dispute.lost", "dispute.closed", "*"]]
    """Event types to which it is subscribed; `*` means all of them, including those added later."""
    status: Literal["enabled", "paused", "disabled"]
    """Nothing is delivered to a disabled endpoint, and deliveries that fall due in the meantime are skipped. Deliveries to a paused one wait until it is enabled again."""
    disable_when_failing: bool
    """Whether it is disabled automatically after five days without a successful delivery."""
    is_default: bool
    """The account's default URL, for events to which no endpoint is subscribed. It is set elsewhere."""
    rotated_at: Union[str, None]
    """When its secret was last rotated; null: never."""
    previous_until: Union[str, None]
    """Until when a previous secret signs as well; null if none does."""
    previous_ends: list[str]
    """When each previous secret ends that still signs, the next end first; empty if none does."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""


class WebhookEndpointWithSecret(TypedDict):
    """The endpoint with its secret."""

    object: Literal["webhook_endpoint"]
    """Always `webhook_endpoint`."""
    id: str
    """Number of the endpoint; begins with `whe_`."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    url: str
    """The URL to which events are posted."""
    description: Union[str, None]
    """Your description; null if there is none."""
    enabled_events: list[Literal["payment.succeeded", "payment.failed", "payment.expired", "payment.duplicate_refunded", "payment.authorized", "payment.captured", "payment.canceled", "payment.authorization_expired", "refund.succeeded", "refund.failed", "dispute.created", "dispute.updated", "dispute.won", "dispute.lost", "dispute.closed", "*"]]
    """Event types to which it is subscribed; `*` means all of them, including those added later."""
    status: Literal["enabled", "paused", "disabled"]
    """Nothing is delivered to a disabled endpoint, and deliveries that fall due in the meantime are skipped. Deliveries to a paused one wait until it is enabled again."""
    disable_when_failing: bool
    """Whether it is disabled automatically after five days without a successful delivery."""
    is_default: bool
    """The account's default URL, for events to which no endpoint is subscribed. It is set elsewhere."""
    rotated_at: Union[str, None]
    """When its secret was last rotated; null: never."""
    previous_until: Union[str, None]
    """Until when a previous secret signs as well; null if none does."""
    previous_ends: list[str]
    """When each previous secret ends that still signs, the next end first; empty if none does."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it last changed."""
    secret: str
    """Signs deliveries to this endpoint. It is shown only this once."""


class WebhookSigningSecret(TypedDict):
    """The account's secret."""

    object: Literal["webhook_signing_secret"]
    """Always `webhook_signing_secret`."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    secret: str
    """Signs deliveries to an order's `notify_url` and to the account's default URL."""
    rotated_at: Union[str, None]
    """When its secret was last rotated; null: never."""
    previous_until: Union[str, None]
    """Until when a previous secret signs as well; null if none does."""
    previous_ends: list[str]
    """When each previous secret ends that still signs, the next end first; empty if none does."""


class WebhookSigningSecretRotation(TypedDict):
    """The account's secret, without its text."""

    object: Literal["webhook_signing_secret"]
    """Always `webhook_signing_secret`."""
    mode: Literal["sandbox", "live"]
    """The environment, decided by the API key alone."""
    rotated_at: Union[str, None]
    """When its secret was last rotated; null: never."""
    previous_until: Union[str, None]
    """Until when a previous secret signs as well; null if none does."""
    previous_ends: list[str]
    """When each previous secret ends that still signs, the next end first; empty if none does."""


class OrdersListQuery(TypedDict):
    """The query of `orders.list`."""

    limit: NotRequired[Union[int, None]]
    """Page size, 1 to 100. Default: 20."""
    starting_after: NotRequired[Union[str, None]]
    """Cursor for the next page: the id of the last object of this one."""
    ending_before: NotRequired[Union[str, None]]
    """Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."""
    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""
    sort: NotRequired[Union[Literal["-created", "created", "-amount", "amount"], None]]
    """`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it."""
    wait: NotRequired[Union[int, None]]
    """Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."""
    status: NotRequired[Union[Literal["pending", "paid", "partially_refunded", "refunded", "failed", "expired", "authorized", "canceled"], None]]
    """Orders in this state."""
    out_trade_no: NotRequired[Union[str, None]]
    """The order with exactly this number of yours."""
    receipt_email: NotRequired[Union[str, None]]
    """Orders whose receipt goes to this address, in any capitals."""
    payment_method: NotRequired[Union[Literal["card", "alipay", "wechat_pay", "apple_pay", "google_pay"], None]]
    """Orders that were paid so."""
    paid_at: NotRequired[Union[MomentRange, None]]
    """Paid between these moments, both included; one of them is enough."""
    amount: NotRequired[Union[AmountRange, None]]
    """Between these amounts in minor units, both included; one of them is enough."""
    metadata: NotRequired[Union[Mapping[str, str], None]]
    """`metadata[shelf]=A7`: objects with exactly this value under this key. Several filters have to match together."""


class OrdersCsvQuery(TypedDict):
    """The query of `orders.list` as a file."""

    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""
    sort: NotRequired[Union[Literal["-created", "created", "-amount", "amount"], None]]
    """`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it."""
    wait: NotRequired[Union[int, None]]
    """Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."""
    status: NotRequired[Union[Literal["pending", "paid", "partially_refunded", "refunded", "failed", "expired", "authorized", "canceled"], None]]
    """Orders in this state."""
    out_trade_no: NotRequired[Union[str, None]]
    """The order with exactly this number of yours."""
    receipt_email: NotRequired[Union[str, None]]
    """Orders whose receipt goes to this address, in any capitals."""
    payment_method: NotRequired[Union[Literal["card", "alipay", "wechat_pay", "apple_pay", "google_pay"], None]]
    """Orders that were paid so."""
    paid_at: NotRequired[Union[MomentRange, None]]
    """Paid between these moments, both included; one of them is enough."""
    amount: NotRequired[Union[AmountRange, None]]
    """Between these amounts in minor units, both included; one of them is enough."""
    metadata: NotRequired[Union[Mapping[str, str], None]]
    """`metadata[shelf]=A7`: objects with exactly this value under this key. Several filters have to match together."""


class OrdersFollowQuery(TypedDict):
    """The query of `orders.list` that is followed."""

    sort: NotRequired[Union[Literal["-created", "created", "-amount", "amount"], None]]
    """`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it."""
    status: NotRequired[Union[Literal["pending", "paid", "partially_refunded", "refunded", "failed", "expired", "authorized", "canceled"], None]]
    """Orders in this state."""
    out_trade_no: NotRequired[Union[str, None]]
    """The order with exactly this number of yours."""
    receipt_email: NotRequired[Union[str, None]]
    """Orders whose receipt goes to this address, in any capitals."""
    payment_method: NotRequired[Union[Literal["card", "alipay", "wechat_pay", "apple_pay", "google_pay"], None]]
    """Orders that were paid so."""
    paid_at: NotRequired[Union[MomentRange, None]]
    """Paid between these moments, both included; one of them is enough."""
    amount: NotRequired[Union[AmountRange, None]]
    """Between these amounts in minor units, both included; one of them is enough."""
    metadata: NotRequired[Union[Mapping[str, str], None]]
    """`metadata[shelf]=A7`: objects with exactly this value under this key. Several filters have to match together."""
    after: NotRequired[Union[str, None]]
    """The id of the newest that you have handled. None: from the first one on. Left out: from now on."""


class RefundsListQuery(TypedDict):
    """The query of `refunds.list`."""

    limit: NotRequired[Union[int, None]]
    """Page size, 1 to 100. Default: 20."""
    starting_after: NotRequired[Union[str, None]]
    """Cursor for the next page: the id of the last object of this one."""
    ending_before: NotRequired[Union[str, None]]
    """Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."""
    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""
    sort: NotRequired[Union[Literal["-created", "created", "-amount", "amount"], None]]
    """`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it."""
    wait: NotRequired[Union[int, None]]
    """Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."""
    trade_no: NotRequired[Union[str, None]]
    """Refunds of this order: its `trade_no`, or your own `out_trade_no`."""
    out_refund_no: NotRequired[Union[str, None]]
    """The refund with exactly this number of yours."""
    status: NotRequired[Union[Literal["pending", "succeeded", "failed"], None]]
    """Refunds in this state."""


class RefundsCsvQuery(TypedDict):
    """The query of `refunds.list` as a file."""

    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""
    sort: NotRequired[Union[Literal["-created", "created", "-amount", "amount"], None]]
    """`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it."""
    wait: NotRequired[Union[int, None]]
    """Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."""
    trade_no: NotRequired[Union[str, None]]
    """Refunds of this order: its `trade_no`, or your own `out_trade_no`."""
    out_refund_no: NotRequired[Union[str, None]]
    """The refund with exactly this number of yours."""
    status: NotRequired[Union[Literal["pending", "succeeded", "failed"], None]]
    """Refunds in this state."""


class RefundsFollowQuery(TypedDict):
    """The query of `refunds.list` that is followed."""

    sort: NotRequired[Union[Literal["-created", "created", "-amount", "amount"], None]]
    """`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it."""
    trade_no: NotRequired[Union[str, None]]
    """Refunds of this order: its `trade_no`, or your own `out_trade_no`."""
    out_refund_no: NotRequired[Union[str, None]]
    """The refund with exactly this number of yours."""
    status: NotRequired[Union[Literal["pending", "succeeded", "failed"], None]]
    """Refunds in this state."""
    after: NotRequired[Union[str, None]]
    """The id of the newest that you have handled. None: from the first one on. Left out: from now on."""


class DisputesListQuery(TypedDict):
    """The query of `disputes.list`."""

    limit: NotRequired[Union[int, None]]
    """Page size, 1 to 100. Default: 20."""
    starting_after: NotRequired[Union[str, None]]
    """Cursor for the next page: the id of the last object of this one."""
    ending_before: NotRequired[Union[str, None]]
    """Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."""
    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""
    sort: NotRequired[Union[Literal["-created", "created", "-amount", "amount"], None]]
    """`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it."""
    wait: NotRequired[Union[int, None]]
    """Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."""
    status: NotRequired[Union[Literal["needs_response", "under_review", "won", "lost", "closed"], None]]
    """Disputes in this state."""
    trade_no: NotRequired[Union[str, None]]
    """Disputes of this order: its `trade_no`, or your own `out_trade_no`."""


class DisputesCsvQuery(TypedDict):
    """The query of `disputes.list` as a file."""

    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""
    sort: NotRequired[Union[Literal["-created", "created", "-amount", "amount"], None]]
    """`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it."""
    wait: NotRequired[Union[int, None]]
    """Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."""
    status: NotRequired[Union[Literal["needs_response", "under_review", "won", "lost", "closed"], None]]
    """Disputes in this state."""
    trade_no: NotRequired[Union[str, None]]
    """Disputes of this order: its `trade_no`, or your own `out_trade_no`."""


class DisputesFollowQuery(TypedDict):
    """The query of `disputes.list` that is followed."""

    sort: NotRequired[Union[Literal["-created", "created", "-amount", "amount"], None]]
    """`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as `created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. A CSV file ignores it."""
    status: NotRequired[Union[Literal["needs_response", "under_review", "won", "lost", "closed"], None]]
    """Disputes in this state."""
    trade_no: NotRequired[Union[str, None]]
    """Disputes of this order: its `trade_no`, or your own `out_trade_no`."""
    after: NotRequired[Union[str, None]]
    """The id of the newest that you have handled. None: from the first one on. Left out: from now on."""


class PaymentLinksListQuery(TypedDict):
    """The query of `paymentLinks.list`."""

    limit: NotRequired[Union[int, None]]
    """Page size, 1 to 100. Default: 20."""
    starting_after: NotRequired[Union[str, None]]
    """Cursor for the next page: the id of the last object of this one."""
    ending_before: NotRequired[Union[str, None]]
    """Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."""
    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""
    wait: NotRequired[Union[int, None]]
    """Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."""


class PaymentLinksFollowQuery(TypedDict):
    """The query of `paymentLinks.list` that is followed."""

    after: NotRequired[Union[str, None]]
    """The id of the newest that you have handled. None: from the first one on. Left out: from now on."""


class BalanceGetQuery(TypedDict):
    """The query of `balance.get`."""

    currency: NotRequired[Union[Literal["USD", "HKD", "CNY"], None]]
    """Which wallet. Default: `USD`."""


class LedgerListQuery(TypedDict):
    """The query of `ledger.list`."""

    limit: NotRequired[Union[int, None]]
    """Page size, 1 to 100. Default: 20."""
    starting_after: NotRequired[Union[str, None]]
    """Cursor for the next page: the id of the last object of this one."""
    ending_before: NotRequired[Union[str, None]]
    """Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."""
    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""
    type: NotRequired[Union[Literal["payment_credit", "fee_debit", "refund_freeze", "refund_debit", "refund_unfreeze", "dispute_freeze", "dispute_unfreeze", "dispute_debit", "dispute_fee", "payout_freeze", "payout_unfreeze", "payout_success", "payout_fee"], None]]
    """Movements of this type."""
    reference_id: NotRequired[Union[str, None]]
    """Movements that this order, refund, dispute or payout caused: our number, or your own."""
    currency: NotRequired[Union[Literal["USD", "HKD", "CNY"], None]]
    """Movements of this currency's wallet."""


class LedgerCsvQuery(TypedDict):
    """The query of `ledger.list` as a file."""

    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""
    type: NotRequired[Union[Literal["payment_credit", "fee_debit", "refund_freeze", "refund_debit", "refund_unfreeze", "dispute_freeze", "dispute_unfreeze", "dispute_debit", "dispute_fee", "payout_freeze", "payout_unfreeze", "payout_success", "payout_fee"], None]]
    """Movements of this type."""
    reference_id: NotRequired[Union[str, None]]
    """Movements that this order, refund, dispute or payout caused: our number, or your own."""
    currency: NotRequired[Union[Literal["USD", "HKD", "CNY"], None]]
    """Movements of this currency's wallet."""


class LedgerChainQuery(TypedDict):
    """The query of `ledger.chain`."""

    limit: NotRequired[Union[int, None]]
    """Page size, 1 to 100. Default: 20."""
    starting_after: NotRequired[Union[str, None]]
    """Cursor for the next page: the id of the last object of this one."""
    ending_before: NotRequired[Union[str, None]]
    """Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."""
    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""


class ReportsListQuery(TypedDict):
    """The query of `reports.list`."""

    limit: NotRequired[Union[int, None]]
    """Page size, 1 to 100. Default: 20."""
    starting_after: NotRequired[Union[str, None]]
    """Cursor for the next page: the id of the last object of this one."""
    ending_before: NotRequired[Union[str, None]]
    """Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."""
    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""


ReportsStatementQuery = TypedDict(
    "ReportsStatementQuery",
    {
        # The first day, as `YYYY-MM-DD`.
        "from": 'str',
        # The last day, inclusive. Default: the first.
        "to": NotRequired['Union[str, None]'],
        # Only the wallet of this currency. Default: all wallets.
        "currency": NotRequired['Union[Literal["USD", "HKD", "CNY"], None]'],
        # Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC.
        "time_zone": NotRequired['Union[str, None]'],
        # `day` closes a statement each day, `month` each month, `range` only at the end. Default: `day`.
        "interval": NotRequired['Union[Literal["day", "month", "range"], None]'],
    },
)
"""The query of `reports.statement`."""


ReportsFeesQuery = TypedDict(
    "ReportsFeesQuery",
    {
        # The first day, as `YYYY-MM-DD`.
        "from": 'str',
        # The last day, inclusive. Default: the first.
        "to": NotRequired['Union[str, None]'],
        # Only the wallet of this currency. Default: all wallets.
        "currency": NotRequired['Union[Literal["USD", "HKD", "CNY"], None]'],
        # Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC.
        "time_zone": NotRequired['Union[str, None]'],
    },
)
"""The query of `reports.fees`."""


class ReportsPayoutQuery(TypedDict):
    """The query of `reports.payout`."""

    payout_no: str
    """Number of the payout. For `payout`, and for `transactions` instead of days."""
    time_zone: NotRequired[Union[str, None]]
    """Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC."""


class ReportsFrozenQuery(TypedDict):
    """The query of `reports.frozen`."""

    at: NotRequired[Union[str, None]]
    """The moment, as ISO 8601 or Unix time in seconds. Default: now. For `frozen`."""
    currency: NotRequired[Union[Literal["USD", "HKD", "CNY"], None]]
    """Only the wallet of this currency. Default: all wallets."""
    time_zone: NotRequired[Union[str, None]]
    """Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC."""


class EventsListQuery(TypedDict):
    """The query of `events.list`."""

    limit: NotRequired[Union[int, None]]
    """Page size, 1 to 100. Default: 20."""
    starting_after: NotRequired[Union[str, None]]
    """Cursor for the next page: the id of the last object of this one."""
    ending_before: NotRequired[Union[str, None]]
    """Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."""
    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""
    wait: NotRequired[Union[int, None]]
    """Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."""
    type: NotRequired[Union[Union[Literal["payment.succeeded", "payment.failed", "payment.expired", "payment.duplicate_refunded", "payment.authorized", "payment.captured", "payment.canceled", "payment.authorization_expired", "refund.succeeded", "refund.failed", "dispute.created", "dispute.updated", "dispute.won", "dispute.lost", "dispute.closed"], Sequence[Literal["payment.succeeded", "payment.failed", "payment.expired", "payment.duplicate_refunded", "payment.authorized", "payment.captured", "payment.canceled", "payment.authorization_expired", "refund.succeeded", "refund.failed", "dispute.created", "dispute.updated", "dispute.won", "dispute.lost", "dispute.closed"]]], None]]
    """Events of this type; repeat it for several types."""
    object_id: NotRequired[Union[str, None]]
    """Events of this order, refund or dispute: our number, or any other that its path accepts."""


class EventsFollowQuery(TypedDict):
    """The query of `events.list` that is followed."""

    type: NotRequired[Union[Union[Literal["payment.succeeded", "payment.failed", "payment.expired", "payment.duplicate_refunded", "payment.authorized", "payment.captured", "payment.canceled", "payment.authorization_expired", "refund.succeeded", "refund.failed", "dispute.created", "dispute.updated", "dispute.won", "dispute.lost", "dispute.closed"], Sequence[Literal["payment.succeeded", "payment.failed", "payment.expired", "payment.duplicate_refunded", "payment.authorized", "payment.captured", "payment.canceled", "payment.authorization_expired", "refund.succeeded", "refund.failed", "dispute.created", "dispute.updated", "dispute.won", "dispute.lost", "dispute.closed"]]], None]]
    """Events of this type; repeat it for several types."""
    object_id: NotRequired[Union[str, None]]
    """Events of this order, refund or dispute: our number, or any other that its path accepts."""
    after: NotRequired[Union[str, None]]
    """The id of the newest that you have handled. None: from the first one on. Left out: from now on."""


class ApiLogsListQuery(TypedDict):
    """The query of `apiLogs.list`."""

    limit: NotRequired[Union[int, None]]
    """Page size, 1 to 100. Default: 20."""
    starting_after: NotRequired[Union[str, None]]
    """Cursor for the next page: the id of the last object of this one."""
    ending_before: NotRequired[Union[str, None]]
    """Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."""
    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""
    wait: NotRequired[Union[int, None]]
    """Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."""
    request_id: NotRequired[Union[str, None]]
    """The call with exactly this number."""
    status: NotRequired[Union[str, None]]
    """An exact status, or a class such as `4xx`."""
    path: NotRequired[Union[str, None]]
    """Calls of exactly this path: `/v1/orders`."""
    error_code: NotRequired[Union[str, None]]
    """Calls that were refused with this `error`."""
    source: NotRequired[Union[Literal["api", "console"], None]]
    """Calls of your own servers (`api`), or changes that people made in the console (`console`)."""


class ApiLogsFollowQuery(TypedDict):
    """The query of `apiLogs.list` that is followed."""

    request_id: NotRequired[Union[str, None]]
    """The call with exactly this number."""
    status: NotRequired[Union[str, None]]
    """An exact status, or a class such as `4xx`."""
    path: NotRequired[Union[str, None]]
    """Calls of exactly this path: `/v1/orders`."""
    error_code: NotRequired[Union[str, None]]
    """Calls that were refused with this `error`."""
    source: NotRequired[Union[Literal["api", "console"], None]]
    """Calls of your own servers (`api`), or changes that people made in the console (`console`)."""
    after: NotRequired[Union[str, None]]
    """The id of the newest that you have handled. None: from the first one on. Left out: from now on."""


class ErasuresCreate(TypedDict):
    """Erase a buyer."""

    email: NotRequired[Union[str, None]]
    """The buyer's address, in any spelling: erases all orders that have it, and only the address itself where other orders contain it."""
    trade_no: NotRequired[Union[str, None]]
    """The one order that is erased, whatever address it has."""
    dry_run: NotRequired[Union[bool, None]]
    """`true` returns how many rows of each kind would change, and changes nothing."""


class ErasuresListQuery(TypedDict):
    """The query of `erasures.list`."""

    limit: NotRequired[Union[int, None]]
    """Page size, 1 to 100. Default: 20."""
    starting_after: NotRequired[Union[str, None]]
    """Cursor for the next page: the id of the last object of this one."""
    ending_before: NotRequired[Union[str, None]]
    """Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."""
    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""


class ExportsBuyer(TypedDict):
    """Export everything stored about a buyer."""

    email: str
    """The buyer's address."""


class WebhookEndpointsListQuery(TypedDict):
    """The query of `webhookEndpoints.list`."""

    limit: NotRequired[Union[int, None]]
    """Page size, 1 to 100. Default: 20."""
    starting_after: NotRequired[Union[str, None]]
    """Cursor for the next page: the id of the last object of this one."""
    ending_before: NotRequired[Union[str, None]]
    """Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."""
    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""


class WebhookDeliveriesListQuery(TypedDict):
    """The query of `webhookDeliveries.list`."""

    limit: NotRequired[Union[int, None]]
    """Page size, 1 to 100. Default: 20."""
    starting_after: NotRequired[Union[str, None]]
    """Cursor for the next page: the id of the last object of this one."""
    ending_before: NotRequired[Union[str, None]]
    """Cursor for the page just newer, also with the newest first: the id of the first object of this one. `has_more` says whether still newer ones follow. Not together with `starting_after`."""
    created: NotRequired[Union[MomentRange, None]]
    """Created between these moments, both included; one of them is enough."""
    event_id: NotRequired[Union[str, None]]
    """Deliveries of this event."""
    endpoint_id: NotRequired[Union[str, None]]
    """Deliveries to this endpoint."""
    status: NotRequired[Union[Literal["pending", "succeeded", "failed", "skipped"], None]]
    """`pending`: another attempt follows. `failed`: all attempts failed. `skipped`: its endpoint was disabled or deleted."""
    wait: NotRequired[Union[int, None]]
    """Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this long, and is then an empty page. These calls have their own quota. Not with `starting_after`."""


class WebhookDeliveriesFollowQuery(TypedDict):
    """The query of `webhookDeliveries.list` that is followed."""

    event_id: NotRequired[Union[str, None]]
    """Deliveries of this event."""
    endpoint_id: NotRequired[Union[str, None]]
    """Deliveries to this endpoint."""
    status: NotRequired[Union[Literal["pending", "succeeded", "failed", "skipped"], None]]
    """`pending`: another attempt follows. `failed`: all attempts failed. `skipped`: its endpoint was disabled or deleted."""
    after: NotRequired[Union[str, None]]
    """The id of the newest that you have handled. None: from the first one on. Left out: from now on."""


class TestHelpersOrdersPay(TypedDict):
    """Pay an order as its buyer would."""

    payment_method: NotRequired[Union[Literal["card", "alipay", "wechat_pay", "apple_pay", "google_pay"], None]]
    """One that you offer. Default: `card`, or the first that you offer if you do not offer cards."""
    outcome: NotRequired[Union[Literal["succeed", "decline", "cancel", "fail", "redirect", "succeed_unreported"], None]]
    """Default: `succeed`. `decline`: the attempt fails, the order stays pending. `fail`: the channel reports a final failure. `redirect`: the buyer is paying at the channel and cannot be stopped. `succeed_unreported`: the channel has the money and has not reported it yet."""
    amount: NotRequired[Union[int, None]]
    """Minor units that reach the channel; an amount other than the order's is parked, not credited."""


class TestHelpersOrdersAuthorize(TypedDict):
    """Authorize an order as its buyer would."""

    payment_method: NotRequired[Union[Literal["card", "alipay", "wechat_pay", "apple_pay", "google_pay"], None]]
    """One that you offer and that can hold an amount. Default: `card`, or the first of them."""


class TestHelpersOrdersCapture(TypedDict):
    """Let the bank capture or release what it holds."""

    outcome: NotRequired[Union[Literal["succeed", "succeed_unreported", "refuse", "late", "release"], None]]
    """Default: `succeed`. `succeed_unreported`: the bank captures and does not report it. `release`: it gives the hold up. `refuse`: it refuses each capture that you ask for. `late`: it captures 5 seconds after you ask."""
    amount: NotRequired[Union[int, None]]
    """Minor units that the bank captures. Default: all that it holds."""


class TestHelpersOrdersDispute(TypedDict):
    """Let the buyer dispute the payment."""

    amount: NotRequired[Union[int, None]]
    """The amount that the buyer wants back, in minor units. Default: the whole amount."""
    reason: NotRequired[Union[str, None]]
    """The reason, one line. Default: `fraudulent`."""
    evidence_due_by: NotRequired[Union[str, None]]
    """The deadline for evidence. Default: in 7 days; null for none. It may be in the past."""


class TestHelpersDisputesResolve(TypedDict):
    """Let the bank decide a dispute."""

    outcome: Literal["won", "lost", "closed"]
    """`won` may also follow `lost`, as an appeal. `closed`: the buyer's bank withdraws."""


class TestHelpersClockAdvance(TypedDict):
    """Move the clock of your sandbox forward."""

    by: NotRequired[Union[int, str, None]]
    """By how much: a number of seconds, or a number with a unit, s, m, h or d. Either `by` or `to`."""
    to: NotRequired[Union[str, None]]
    """The time to which to advance, later than the clock's current time. Either `by` or `to`."""


Event = Union[PaymentSucceededEvent, PaymentFailedEvent, PaymentExpiredEvent, PaymentDuplicateRefundedEvent, PaymentAuthorizedEvent, PaymentCapturedEvent, PaymentCanceledEvent, PaymentAuthorizationExpiredEvent, RefundSucceededEvent, RefundFailedEvent, DisputeCreatedEvent, DisputeUpdatedEvent, DisputeWonEvent, DisputeLostEvent, DisputeClosedEvent]
"""The event, byte for byte as it is delivered. `type` says what `data.object` is."""
