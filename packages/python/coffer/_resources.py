"""The methods of the merchant API. Written by `npm run sdk` from the contract: do not edit."""
from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Literal, Unpack, cast

from ._calls import CallOptions, FollowOptions, Request, Upload, WriteOptions, path
from ._pages import AsyncList, List
from ._transport import AsyncTransport, Transport
from .types import (
    ApiLog,
    ApiLogsFollowQuery,
    ApiLogsListQuery,
    Balance,
    BalanceGetQuery,
    BalanceTransaction,
    CaptureOrder,
    CreateOrder,
    CreatePaymentLink,
    CreateRefund,
    CreateReport,
    CreateWebhookEndpoint,
    DeletedWebhookEndpoint,
    Dispute,
    DisputeEvidence,
    DisputesCsvQuery,
    DisputesFollowQuery,
    DisputesListQuery,
    Erasure,
    ErasuresCreate,
    ErasuresListQuery,
    Event,
    EventsFollowQuery,
    EventsListQuery,
    ExportsBuyer,
    FeesReport,
    FrozenReport,
    LedgerChainQuery,
    LedgerCsvQuery,
    LedgerLink,
    LedgerListQuery,
    Order,
    OrdersCsvQuery,
    OrdersFollowQuery,
    OrdersListQuery,
    PaymentLink,
    PaymentLinksFollowQuery,
    PaymentLinksListQuery,
    PayoutReport,
    Refund,
    RefundsCsvQuery,
    RefundsFollowQuery,
    RefundsListQuery,
    Report,
    ReportsFeesQuery,
    ReportsFrozenQuery,
    ReportsListQuery,
    ReportsPayoutQuery,
    ReportsStatementQuery,
    SandboxChannel,
    SandboxClock,
    SendReceipt,
    SettleRefund,
    StatementReport,
    SubmitEvidence,
    TestHelpersClockAdvance,
    TestHelpersDisputesResolve,
    TestHelpersOrdersAuthorize,
    TestHelpersOrdersCapture,
    TestHelpersOrdersDispute,
    TestHelpersOrdersPay,
    Timeline,
    UpdateOrder,
    UpdatePaymentLink,
    UpdateRefund,
    UpdateWebhookEndpoint,
    UploadedFile,
    WebhookDeliveriesFollowQuery,
    WebhookDeliveriesListQuery,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEndpointWithSecret,
    WebhookEndpointsListQuery,
    WebhookSigningSecret,
    WebhookSigningSecretRotation,
)


class OrdersApi:
    """The methods of `coffer.orders`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: CreateOrder, **options: Unpack[WriteOptions]) -> Order:
        """Create an order. Returns 201 with the new order; send the buyer to its `checkout_url`. If the `out_trade_no` exists already, returns 200 with that order if amount, currency, subject and notify_url are the same, and 409 if they are not."""
        return cast("Order", self._transport.call(Request("POST", path("/orders"), body=body, is_keyed=True), options))

    def follow(self, query: OrdersFollowQuery = {}, **options: Unpack[FollowOptions]) -> Iterator[Order]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/orders"), "trade_no", query, options)

    def list(self, query: OrdersListQuery = {}, **options: Unpack[CallOptions]) -> List[Order]:
        """List orders, newest first, or export them. All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and the cursors."""
        return List(self._transport, path("/orders"), "trade_no", query, options)

    def csv(self, query: OrdersCsvQuery = {}, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file of at most 10,000 rows."""
        return cast("str", self._transport.call(Request("GET", path("/orders"), query={**query, "format": "csv"}, form="text"), options))

    def update(self, ref: str, body: UpdateOrder = {}, **options: Unpack[WriteOptions]) -> Order:
        """Update metadata or receipt_email. Merges: omitted keys are unchanged. Nothing else of an order can be changed."""
        return cast("Order", self._transport.call(Request("POST", path("/orders/{}", ref), body=body, is_keyed=True), options))

    def get(self, ref: str, **options: Unpack[CallOptions]) -> Order:
        """Retrieve an order. By our number or by yours. Its `checkout_url` is signed again each time."""
        return cast("Order", self._transport.call(Request("GET", path("/orders/{}", ref)), options))

    def expire(self, ref: str, **options: Unpack[WriteOptions]) -> Order:
        """Close a pending order now. For when the buyer has left. An expired order is returned unchanged. An authorized order is canceled: its hold is released. If the channel takes longer, it is returned as `authorized`, and `payment.canceled` follows. `Coffer-Reason` says why it is 409: `just_paid`, the order was paid just now; `buyer_busy`, the buyer is in the middle of paying, and the order stays pending; `other_payment`, a payment of another amount was set aside, and the order stays pending; `not_pending`, it had already ended, paid or not: `paid_at` tells; `capturing`, its hold is being captured. 502 if the channel cannot be reached: the order is unchanged, and the same request may be retried."""
        return cast("Order", self._transport.call(Request("POST", path("/orders/{}/expire", ref), is_keyed=True), options))

    def capture(self, ref: str, body: CaptureOrder = {}, **options: Unpack[WriteOptions]) -> Order:
        """Charge an authorized order. Once, for an order with `capture: "manual"`: it is paid with the amount that you name, and the rest of the hold is released. The same amount again returns the order unchanged. If the channel takes longer, the order is returned as `authorized` with its `capturing_amount`, and `payment.captured` follows. `Coffer-Reason` says why it is 409: `not_authorized`, the buyer has not agreed, or the order was created without it; `capturing`, another amount is being captured; `captured`, another amount was; `canceling`, the hold is being released; `authorization_expired`, the bank holds nothing any more, and the order has expired. 502 if the channel refuses or cannot be reached: the order stays authorized."""
        return cast("Order", self._transport.call(Request("POST", path("/orders/{}/capture", ref), body=body, is_keyed=True), options))

    def timeline(self, ref: str, **options: Unpack[CallOptions]) -> Timeline:
        """Read an order's complete timeline. Your requests, changes of the order, failed payment attempts (the newest 50), unmatched payments, its refunds and disputes, each ledger row with its balances, each event, each delivery with every attempt, and receipts. It is compiled from the stored objects, so it agrees with them. Requests are included for as long as logs are kept. A key with scopes gets the kinds that its scopes let it read."""
        return cast("Timeline", self._transport.call(Request("GET", path("/orders/{}/timeline", ref)), options))

    def send_receipt(self, ref: str, body: SendReceipt = {}, **options: Unpack[WriteOptions]) -> Order:
        """Send the receipt by mail. Returns 200 with the order when the mail is queued; `receipt_sent_at` is set when the mail server has accepted it, and `receipt_failure_reason` if it cannot be sent. 409 while the order is not paid. At most five per hour for one order; further requests are 429. The receipt that is sent automatically after payment does not count."""
        return cast("Order", self._transport.call(Request("POST", path("/orders/{}/send_receipt", ref), body=body, is_keyed=True), options))


class RefundsApi:
    """The methods of `coffer.refunds`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: CreateRefund, **options: Unpack[WriteOptions]) -> Refund:
        """Refund an order, in whole or in part. 201 if the channel refunded immediately, 202 if it settles later: poll every 10 seconds for 5 minutes, then less often, or wait for the event. If the `out_refund_no` exists already, returns 200 with that refund. Fees are not returned, so a full refund takes more from the wallet than the payment added. 502: no money has moved here, and `Coffer-Reason` says whether a retry can help."""
        return cast("Refund", self._transport.call(Request("POST", path("/refunds"), body=body, is_keyed=True), options))

    def follow(self, query: RefundsFollowQuery = {}, **options: Unpack[FollowOptions]) -> Iterator[Refund]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/refunds"), "refund_no", query, options)

    def list(self, query: RefundsListQuery = {}, **options: Unpack[CallOptions]) -> List[Refund]:
        """List refunds, newest first, or export them. All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and the cursors."""
        return List(self._transport, path("/refunds"), "refund_no", query, options)

    def csv(self, query: RefundsCsvQuery = {}, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file of at most 10,000 rows."""
        return cast("str", self._transport.call(Request("GET", path("/refunds"), query={**query, "format": "csv"}, form="text"), options))

    def update(self, ref: str, body: UpdateRefund = {}, **options: Unpack[WriteOptions]) -> Refund:
        """Update a refund's metadata. Merges: omitted keys are unchanged. Nothing else of a refund can be changed."""
        return cast("Refund", self._transport.call(Request("POST", path("/refunds/{}", ref), body=body, is_keyed=True), options))

    def get(self, ref: str, **options: Unpack[CallOptions]) -> Refund:
        """Retrieve a refund. By our number or by yours."""
        return cast("Refund", self._transport.call(Request("GET", path("/refunds/{}", ref)), options))


class DisputesApi:
    """The methods of `coffer.disputes`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def submit_evidence(self, ref: str, body: SubmitEvidence, **options: Unpack[WriteOptions]) -> Dispute:
        """Save evidence as a draft, or submit it. Each call replaces all of the evidence; send a draft's contents again. Once submitted, the dispute is `under_review` and accepts no more evidence. 502: the channel could not be reached, and the dispute is unchanged. If the channel does not answer in time, the dispute is returned unchanged and updated automatically later. 409 after the deadline, and for a dispute that you accepted or that is decided."""
        return cast("Dispute", self._transport.call(Request("POST", path("/disputes/{}/evidence", ref), body=body, is_keyed=True), options))

    def get_evidence(self, ref: str, **options: Unpack[CallOptions]) -> DisputeEvidence:
        """Read the evidence back. The draft, or what was submitted; empty before the first draft."""
        return cast("DisputeEvidence", self._transport.call(Request("GET", path("/disputes/{}/evidence", ref)), options))

    def accept(self, ref: str, **options: Unpack[WriteOptions]) -> Dispute:
        """Accept the loss. The dispute is `lost` once the channel confirms it, which takes a moment; until then its status is unchanged, and a second call has no effect. 502: the channel could not be reached, and the dispute is unchanged."""
        return cast("Dispute", self._transport.call(Request("POST", path("/disputes/{}/accept", ref), is_keyed=True), options))

    def follow(self, query: DisputesFollowQuery = {}, **options: Unpack[FollowOptions]) -> Iterator[Dispute]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/disputes"), "dispute_no", query, options)

    def list(self, query: DisputesListQuery = {}, **options: Unpack[CallOptions]) -> List[Dispute]:
        """List disputes, newest first, or export them. All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and the cursors."""
        return List(self._transport, path("/disputes"), "dispute_no", query, options)

    def csv(self, query: DisputesCsvQuery = {}, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file of at most 10,000 rows."""
        return cast("str", self._transport.call(Request("GET", path("/disputes"), query={**query, "format": "csv"}, form="text"), options))

    def get(self, ref: str, **options: Unpack[CallOptions]) -> Dispute:
        """Retrieve a dispute. By our number or by the channel's."""
        return cast("Dispute", self._transport.call(Request("GET", path("/disputes/{}", ref)), options))


class FilesApi:
    """The methods of `coffer.files`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upload(self, file: Upload, **options: Unpack[CallOptions]) -> UploadedFile:
        """Upload a file for evidence. `multipart/form-data` with one part named `file`: a PDF, PNG or JPEG of at most 10 MB. Its `url` can be used as evidence only in this environment. Uploading the same file twice gives two URLs; an `Idempotency-Key` has no effect."""
        return cast("UploadedFile", self._transport.call(Request("POST", path("/files"), upload=file), options))


class PaymentLinksApi:
    """The methods of `coffer.payment_links`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: CreatePaymentLink, **options: Unpack[WriteOptions]) -> PaymentLink:
        """Create a payment link. Give its `url` to as many buyers as you like: each visit creates a separate order."""
        return cast("PaymentLink", self._transport.call(Request("POST", path("/payment_links"), body=body, is_keyed=True), options))

    def follow(self, query: PaymentLinksFollowQuery = {}, **options: Unpack[FollowOptions]) -> Iterator[PaymentLink]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/payment_links"), "link_id", query, options)

    def list(self, query: PaymentLinksListQuery = {}, **options: Unpack[CallOptions]) -> List[PaymentLink]:
        """List payment links, newest first. In pages."""
        return List(self._transport, path("/payment_links"), "link_id", query, options)

    def update(self, link_id: str, body: UpdatePaymentLink = {}, **options: Unpack[WriteOptions]) -> PaymentLink:
        """Change a payment link, close it or open it. Omitted fields are unchanged. Amount and currency cannot be changed: create another link."""
        return cast("PaymentLink", self._transport.call(Request("POST", path("/payment_links/{}", link_id), body=body, is_keyed=True), options))

    def get(self, link_id: str, **options: Unpack[CallOptions]) -> PaymentLink:
        """Retrieve a payment link, or its QR code. `format=svg` returns an image to print or display; a phone's camera opens the link."""
        return cast("PaymentLink", self._transport.call(Request("GET", path("/payment_links/{}", link_id)), options))

    def qr_code(self, link_id: str, **options: Unpack[CallOptions]) -> str:
        """A QR code of the same, as an SVG picture."""
        return cast("str", self._transport.call(Request("GET", path("/payment_links/{}", link_id), query={"format": "svg"}, form="text"), options))


class BalanceApi:
    """The methods of `coffer.balance`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, query: BalanceGetQuery = {}, **options: Unpack[CallOptions]) -> Balance:
        """Read the wallet of one currency. Each currency has its own wallet in each environment, and nothing is converted. A wallet that was never used is all zeros, and so is that of a live currency that is not enabled for you."""
        return cast("Balance", self._transport.call(Request("GET", path("/balance"), query=query), options))


class LedgerApi:
    """The methods of `coffer.ledger`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, query: LedgerListQuery = {}, **options: Unpack[CallOptions]) -> List[BalanceTransaction]:
        """List the ledger, newest first, or export it. Every movement of the wallets; rows are never changed or removed. A payment is two rows: the whole amount in, the fee out. `format=csv` returns a file of at most 10,000 rows."""
        return List(self._transport, path("/balance_transactions"), "id", query, options)

    def csv(self, query: LedgerCsvQuery = {}, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file of at most 10,000 rows."""
        return cast("str", self._transport.call(Request("GET", path("/balance_transactions"), query={**query, "format": "csv"}, form="text"), options))

    def chain(self, currency: Literal["USD", "HKD", "CNY"], query: LedgerChainQuery = {}, **options: Unpack[CallOptions]) -> List[LedgerLink]:
        """List the hashes of a wallet's ledger, newest first. Proves that no movement was changed, removed or inserted later: each `hash` is the hash of its `text`, and each `previous_hash` is the `hash` of the row before it. Store the newest one and compare it later."""
        return List(self._transport, path("/ledger/{}/chain", currency), "id", query, options)


class ReportsApi:
    """The methods of `coffer.reports`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: CreateReport, **options: Unpack[WriteOptions]) -> Report:
        """Create a report as a file. For reports of any length. The file is written after the answer: poll the report until its `status` is `succeeded`, then read its file. It has no limit of rows. 409: too many are being written or kept."""
        return cast("Report", self._transport.call(Request("POST", path("/reports"), body=body, is_keyed=True), options))

    def list(self, query: ReportsListQuery = {}, **options: Unpack[CallOptions]) -> List[Report]:
        """List reports written to files, newest first. Those that are being written, and those of the last seven days, for which they are kept."""
        return List(self._transport, path("/reports"), "report_no", query, options)

    def statement(self, query: ReportsStatementQuery, **options: Unpack[CallOptions]) -> StatementReport:
        """Read the statement of a day or of up to 31 days. For each wallet and day: the opening balance, the total of the movements of each type, and the closing balance, with the head of the wallet's chain at that moment. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV."""
        return cast("StatementReport", self._transport.call(Request("GET", path("/reports/statement"), query=query), options))

    def statement_csv(self, query: ReportsStatementQuery, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file."""
        return cast("str", self._transport.call(Request("GET", path("/reports/statement"), query={**query, "format": "csv"}, form="text"), options))

    def fees(self, query: ReportsFeesQuery, **options: Unpack[CallOptions]) -> FeesReport:
        """Read the fees by payment method. The fees of payments, lost disputes and payouts in these days. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV."""
        return cast("FeesReport", self._transport.call(Request("GET", path("/reports/fees"), query=query), options))

    def fees_csv(self, query: ReportsFeesQuery, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file."""
        return cast("str", self._transport.call(Request("GET", path("/reports/fees"), query={**query, "format": "csv"}, form="text"), options))

    def payout(self, query: ReportsPayoutQuery, **options: Unpack[CallOptions]) -> PayoutReport:
        """Read what makes up a payout. The statement of its wallet from the previous payout to this one: what was left then, the movements since, the payout, and what it left. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV."""
        return cast("PayoutReport", self._transport.call(Request("GET", path("/reports/payout"), query=query), options))

    def payout_csv(self, query: ReportsPayoutQuery, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file."""
        return cast("str", self._transport.call(Request("GET", path("/reports/payout"), query={**query, "format": "csv"}, form="text"), options))

    def frozen(self, query: ReportsFrozenQuery = {}, **options: Unpack[CallOptions]) -> FrozenReport:
        """Read open disputes and frozen money at a moment. Everything that held money, other open disputes, and the frozen balance. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV."""
        return cast("FrozenReport", self._transport.call(Request("GET", path("/reports/frozen"), query=query), options))

    def frozen_csv(self, query: ReportsFrozenQuery = {}, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file."""
        return cast("str", self._transport.call(Request("GET", path("/reports/frozen"), query={**query, "format": "csv"}, form="text"), options))

    def get(self, report_no: str, **options: Unpack[CallOptions]) -> Report:
        """Retrieve a report. With the progress of its file. A report and its file are deleted seven days after it was created."""
        return cast("Report", self._transport.call(Request("GET", path("/reports/{}", report_no)), options))

    def file(self, report_no: str, **options: Unpack[CallOptions]) -> str:
        """Read the file of a report. CSV, one JSON object per line (`application/x-ndjson`), or a journal (`text/plain`). Resume an interrupted download with `Range: bytes=N-`, which returns 206. 409: the file is not complete. 416: the range is beyond its end."""
        return cast("str", self._transport.call(Request("GET", path("/reports/{}/file", report_no), form="text"), options))


class EventsApi:
    """The methods of `coffer.events`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def follow(self, query: EventsFollowQuery = {}, **options: Unpack[FollowOptions]) -> Iterator[Event]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/events"), "id", query, options)

    def list(self, query: EventsListQuery = {}, **options: Unpack[CallOptions]) -> List[Event]:
        """List events, newest first. Everything that has happened, including events that no webhook received: catch up here on what you missed. With `wait` and the id of the newest event that you have, new events are returned as they happen."""
        return List(self._transport, path("/events"), "id", query, options)

    def get(self, event_id: str, **options: Unpack[CallOptions]) -> Event:
        """Retrieve an event. The event as it was delivered; it never changes."""
        return cast("Event", self._transport.call(Request("GET", path("/events/{}", event_id)), options))


class ApiLogsApi:
    """The methods of `coffer.api_logs`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def follow(self, query: ApiLogsFollowQuery = {}, **options: Unpack[FollowOptions]) -> Iterator[ApiLog]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/logs"), "request_id", query, options)

    def list(self, query: ApiLogsListQuery = {}, **options: Unpack[CallOptions]) -> List[ApiLog]:
        """List your own API calls, newest first. For finding out what your server sent and received. Written asynchronously, so a call may occasionally be missing."""
        return List(self._transport, path("/logs"), "request_id", query, options)


class ErasuresApi:
    """The methods of `coffer.erasures`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: ErasuresCreate, **options: Unpack[CallOptions]) -> Erasure:
        """Erase a buyer. Metadata, addresses, subjects, evidence and its files, mails, events, receivers' answers, stored answers and API logs then say `[erased]`; numbers, amounts and the ledger stay. 202: it has started, and `GET` returns its progress. 200: a dry run. It erases only your own rows in this environment. While it runs, the same request returns the same erasure. 409: 10 of your erasures are running."""
        return cast("Erasure", self._transport.call(Request("POST", path("/erasures"), body=body, is_keyed=True), options))

    def list(self, query: ErasuresListQuery = {}, **options: Unpack[CallOptions]) -> List[Erasure]:
        """List your erasures, newest first. Those of this environment that your programs and your team requested."""
        return List(self._transport, path("/erasures"), "erasure_no", query, options)

    def get(self, erasure_no: str, **options: Unpack[CallOptions]) -> Erasure:
        """Retrieve an erasure. The record is kept as proof that the erasure was done."""
        return cast("Erasure", self._transport.call(Request("GET", path("/erasures/{}", erasure_no)), options))


class ExportsApi:
    """The methods of `coffer.exports`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def buyer(self, body: ExportsBuyer, **options: Unpack[CallOptions]) -> bytes:
        """Export everything stored about a buyer. A tar archive of files with one JSON object per line, at most 250 lines each, in a folder for each kind, and of uploaded files in `files`. The last file, `manifest.json`, lists the path, SHA-256 and number of lines of each of the others, and any uploads missing from storage; an archive without it is incomplete. The buyer's orders in this environment, with refunds, disputes, evidence and its files, events, mails, deliveries and API logs, and what names the address elsewhere, without others' words. It counts against the quota of CSV exports, and stores nothing."""
        return cast("bytes", self._transport.call(Request("POST", path("/exports"), body=body, is_keyed=True, form="bytes"), options))


class WebhookEndpointsApi:
    """The methods of `coffer.webhook_endpoints`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: CreateWebhookEndpoint, **options: Unpack[WriteOptions]) -> WebhookEndpointWithSecret:
        """Create a webhook endpoint. The signing secret is shown only in this answer. A merchant has at most 16 endpoints in each environment: one more is 409 `conflict`."""
        return cast("WebhookEndpointWithSecret", self._transport.call(Request("POST", path("/webhook_endpoints"), body=body, is_keyed=True), options))

    def list(self, query: WebhookEndpointsListQuery = {}, **options: Unpack[CallOptions]) -> List[WebhookEndpoint]:
        """List webhook endpoints, newest first. Including the account's default URL, if there is one."""
        return List(self._transport, path("/webhook_endpoints"), "id", query, options)

    def update(self, endpoint_id: str, body: UpdateWebhookEndpoint = {}, **options: Unpack[WriteOptions]) -> WebhookEndpoint:
        """Change a webhook endpoint, pause or disable it. Omitted fields are unchanged. Deliveries that fall due while it is disabled are skipped, later ones are kept. Those that fall due while it is paused wait until it is enabled. The account's default URL is set elsewhere: 409 `conflict`."""
        return cast("WebhookEndpoint", self._transport.call(Request("POST", path("/webhook_endpoints/{}", endpoint_id), body=body, is_keyed=True), options))

    def delete(self, endpoint_id: str, **options: Unpack[WriteOptions]) -> DeletedWebhookEndpoint:
        """Delete a webhook endpoint. Pending deliveries are skipped."""
        return cast("DeletedWebhookEndpoint", self._transport.call(Request("DELETE", path("/webhook_endpoints/{}", endpoint_id), is_keyed=True), options))

    def get(self, endpoint_id: str, **options: Unpack[CallOptions]) -> WebhookEndpoint:
        """Retrieve a webhook endpoint. Without its secret."""
        return cast("WebhookEndpoint", self._transport.call(Request("GET", path("/webhook_endpoints/{}", endpoint_id)), options))

    def rotate_secret(self, endpoint_id: str, **options: Unpack[WriteOptions]) -> WebhookEndpointWithSecret:
        """Rotate an endpoint's signing secret. The new secret is shown only in this answer. For 24 hours the old one signs as well: both signatures are in one header, and either of them is enough."""
        return cast("WebhookEndpointWithSecret", self._transport.call(Request("POST", path("/webhook_endpoints/{}/rotate_secret", endpoint_id), is_keyed=True), options))

    def end_previous_secrets(self, endpoint_id: str, **options: Unpack[WriteOptions]) -> WebhookEndpoint:
        """End an endpoint's previous signing secrets. Only the present secret signs from now on. Without a previous one nothing changes."""
        return cast("WebhookEndpoint", self._transport.call(Request("POST", path("/webhook_endpoints/{}/end_previous_secrets", endpoint_id), is_keyed=True), options))


class WebhookSigningSecretApi:
    """The methods of `coffer.webhook_signing_secret`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def rotate(self, **options: Unpack[WriteOptions]) -> WebhookSigningSecret:
        """Rotate the account's signing secret. It signs deliveries to an order's `notify_url` and to the account's default URL. For 24 hours the old one signs as well."""
        return cast("WebhookSigningSecret", self._transport.call(Request("POST", path("/webhook_signing_secret/rotate"), is_keyed=True), options))

    def end_previous(self, **options: Unpack[WriteOptions]) -> WebhookSigningSecretRotation:
        """End the account's previous signing secrets. Only the present secret signs from now on. Without a previous one nothing changes."""
        return cast("WebhookSigningSecretRotation", self._transport.call(Request("POST", path("/webhook_signing_secret/end_previous"), is_keyed=True), options))

    def get(self, **options: Unpack[CallOptions]) -> WebhookSigningSecret:
        """Read the account's signing secret. It signs deliveries to an order's `notify_url` and to the account's default URL."""
        return cast("WebhookSigningSecret", self._transport.call(Request("GET", path("/webhook_signing_secret")), options))


class WebhookDeliveriesApi:
    """The methods of `coffer.webhook_deliveries`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def resend(self, delivery_id: str, **options: Unpack[WriteOptions]) -> WebhookDelivery:
        """Send a delivery again. Creates a new delivery of the same event: one immediate attempt with the same event id, also while automatic attempts go on. It is marked `manual` and not retried automatically. 409: its endpoint is disabled or deleted, or an attempt is under way at this moment."""
        return cast("WebhookDelivery", self._transport.call(Request("POST", path("/webhook_deliveries/{}/resend", delivery_id), is_keyed=True), options))

    def follow(self, query: WebhookDeliveriesFollowQuery = {}, **options: Unpack[FollowOptions]) -> Iterator[WebhookDelivery]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/webhook_deliveries"), "id", query, options)

    def list(self, query: WebhookDeliveriesListQuery = {}, **options: Unpack[CallOptions]) -> List[WebhookDelivery]:
        """List deliveries, newest first. The delivery of each event to each URL, with every attempt and the receiver's answer."""
        return List(self._transport, path("/webhook_deliveries"), "id", query, options)

    def get(self, delivery_id: str, **options: Unpack[CallOptions]) -> WebhookDelivery:
        """Retrieve a delivery. With all of its attempts."""
        return cast("WebhookDelivery", self._transport.call(Request("GET", path("/webhook_deliveries/{}", delivery_id)), options))


class TestHelpersOrdersApi:
    """The methods of `coffer.test_helpers.orders`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def pay(self, ref: str, body: TestHelpersOrdersPay = {}, **options: Unpack[WriteOptions]) -> Order:
        """Pay an order as its buyer would. Works on a closed order, too: this is a late payment, which is returned to the buyer. After ten declined attempts within ten minutes the next is 429 until that time is over, and the order stays pending."""
        return cast("Order", self._transport.call(Request("POST", path("/test_helpers/orders/{}/pay", ref), body=body, is_keyed=True), options))

    def authorize(self, ref: str, body: TestHelpersOrdersAuthorize = {}, **options: Unpack[WriteOptions]) -> Order:
        """Authorize an order as its buyer would. For an order with `capture: "manual"`: the bank holds its amount. The same as `pay` there."""
        return cast("Order", self._transport.call(Request("POST", path("/test_helpers/orders/{}/authorize", ref), body=body, is_keyed=True), options))

    def capture(self, ref: str, body: TestHelpersOrdersCapture = {}, **options: Unpack[WriteOptions]) -> Order:
        """Let the bank capture or release what it holds. By itself, as by hand at an acquirer, and it reports it; or says how it will answer your own capture. To capture as your program does, use `POST /v1/orders/{ref}/capture`. An order without a hold is unchanged."""
        return cast("Order", self._transport.call(Request("POST", path("/test_helpers/orders/{}/capture", ref), body=body, is_keyed=True), options))

    def dispute(self, ref: str, body: TestHelpersOrdersDispute = {}, **options: Unpack[WriteOptions]) -> Dispute:
        """Let the buyer dispute the payment. Creates a chargeback. Only cards, including Apple Pay and Google Pay, have them."""
        return cast("Dispute", self._transport.call(Request("POST", path("/test_helpers/orders/{}/dispute", ref), body=body, is_keyed=True), options))


class TestHelpersRefundsApi:
    """The methods of `coffer.test_helpers.refunds`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def settle(self, ref: str, body: SettleRefund, **options: Unpack[WriteOptions]) -> Refund:
        """Let the bank confirm or reject a refund. Alipay and WeChat Pay settle later: by this call, or automatically after a minute."""
        return cast("Refund", self._transport.call(Request("POST", path("/test_helpers/refunds/{}/settle", ref), body=body, is_keyed=True), options))


class TestHelpersDisputesApi:
    """The methods of `coffer.test_helpers.disputes`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def resolve(self, ref: str, body: TestHelpersDisputesResolve, **options: Unpack[WriteOptions]) -> Dispute:
        """Let the bank decide a dispute. A decision that is not possible now, such as a loss after a win, changes only the dispute's `processor_status`."""
        return cast("Dispute", self._transport.call(Request("POST", path("/test_helpers/disputes/{}/resolve", ref), body=body, is_keyed=True), options))


class TestHelpersChannelApi:
    """The methods of `coffer.test_helpers.channel`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def set(self, body: SandboxChannel, **options: Unpack[WriteOptions]) -> SandboxChannel:
        """Take your sandbox channel down, or up again. While it is down, requests that need the channel are answered 502. Other merchants are not affected."""
        return cast("SandboxChannel", self._transport.call(Request("POST", path("/test_helpers/channel"), body=body, is_keyed=True), options))


class TestHelpersClockApi:
    """The methods of `coffer.test_helpers.clock`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, **options: Unpack[CallOptions]) -> SandboxClock:
        """Read the clock of your sandbox. All dates and time limits of your sandbox follow this clock. Live mode uses real time."""
        return cast("SandboxClock", self._transport.call(Request("GET", path("/test_helpers/clock")), options))

    def advance(self, body: TestHelpersClockAdvance, **options: Unpack[WriteOptions]) -> SandboxClock:
        """Move the clock of your sandbox forward. It stops at each moment at which something is due and processes it: orders expire, webhooks are retried, refunds settle. Returns when the target is reached, or after 5 seconds as 202 with the status `advancing`; it then continues in the background, and reading the clock shows its progress. It may be at most five years ahead in all, and never moves back."""
        return cast("SandboxClock", self._transport.call(Request("POST", path("/test_helpers/clock/advance"), body=body, is_keyed=True), options))


class TestHelpersApi:
    """The methods of `coffer.test_helpers`."""

    def __init__(self, transport: Transport) -> None:
        self.orders = TestHelpersOrdersApi(transport)
        self.refunds = TestHelpersRefundsApi(transport)
        self.disputes = TestHelpersDisputesApi(transport)
        self.channel = TestHelpersChannelApi(transport)
        self.clock = TestHelpersClockApi(transport)


class Resources:
    """The merchant API: one attribute for each kind of object."""

    def __init__(self, transport: Transport) -> None:
        self.orders = OrdersApi(transport)
        self.refunds = RefundsApi(transport)
        self.disputes = DisputesApi(transport)
        self.files = FilesApi(transport)
        self.payment_links = PaymentLinksApi(transport)
        self.balance = BalanceApi(transport)
        self.ledger = LedgerApi(transport)
        self.reports = ReportsApi(transport)
        self.events = EventsApi(transport)
        self.api_logs = ApiLogsApi(transport)
        self.erasures = ErasuresApi(transport)
        self.exports = ExportsApi(transport)
        self.webhook_endpoints = WebhookEndpointsApi(transport)
        self.webhook_signing_secret = WebhookSigningSecretApi(transport)
        self.webhook_deliveries = WebhookDeliveriesApi(transport)
        self.test_helpers = TestHelpersApi(transport)


class AsyncOrdersApi:
    """The methods of `coffer.orders`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, body: CreateOrder, **options: Unpack[WriteOptions]) -> Order:
        """Create an order. Returns 201 with the new order; send the buyer to its `checkout_url`. If the `out_trade_no` exists already, returns 200 with that order if amount, currency, subject and notify_url are the same, and 409 if they are not."""
        return cast("Order", await self._transport.call(Request("POST", path("/orders"), body=body, is_keyed=True), options))

    def follow(self, query: OrdersFollowQuery = {}, **options: Unpack[FollowOptions]) -> AsyncIterator[Order]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/orders"), "trade_no", query, options)

    def list(self, query: OrdersListQuery = {}, **options: Unpack[CallOptions]) -> AsyncList[Order]:
        """List orders, newest first, or export them. All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and the cursors."""
        return AsyncList(self._transport, path("/orders"), "trade_no", query, options)

    async def csv(self, query: OrdersCsvQuery = {}, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file of at most 10,000 rows."""
        return cast("str", await self._transport.call(Request("GET", path("/orders"), query={**query, "format": "csv"}, form="text"), options))

    async def update(self, ref: str, body: UpdateOrder = {}, **options: Unpack[WriteOptions]) -> Order:
        """Update metadata or receipt_email. Merges: omitted keys are unchanged. Nothing else of an order can be changed."""
        return cast("Order", await self._transport.call(Request("POST", path("/orders/{}", ref), body=body, is_keyed=True), options))

    async def get(self, ref: str, **options: Unpack[CallOptions]) -> Order:
        """Retrieve an order. By our number or by yours. Its `checkout_url` is signed again each time."""
        return cast("Order", await self._transport.call(Request("GET", path("/orders/{}", ref)), options))

    async def expire(self, ref: str, **options: Unpack[WriteOptions]) -> Order:
        """Close a pending order now. For when the buyer has left. An expired order is returned unchanged. An authorized order is canceled: its hold is released. If the channel takes longer, it is returned as `authorized`, and `payment.canceled` follows. `Coffer-Reason` says why it is 409: `just_paid`, the order was paid just now; `buyer_busy`, the buyer is in the middle of paying, and the order stays pending; `other_payment`, a payment of another amount was set aside, and the order stays pending; `not_pending`, it had already ended, paid or not: `paid_at` tells; `capturing`, its hold is being captured. 502 if the channel cannot be reached: the order is unchanged, and the same request may be retried."""
        return cast("Order", await self._transport.call(Request("POST", path("/orders/{}/expire", ref), is_keyed=True), options))

    async def capture(self, ref: str, body: CaptureOrder = {}, **options: Unpack[WriteOptions]) -> Order:
        """Charge an authorized order. Once, for an order with `capture: "manual"`: it is paid with the amount that you name, and the rest of the hold is released. The same amount again returns the order unchanged. If the channel takes longer, the order is returned as `authorized` with its `capturing_amount`, and `payment.captured` follows. `Coffer-Reason` says why it is 409: `not_authorized`, the buyer has not agreed, or the order was created without it; `capturing`, another amount is being captured; `captured`, another amount was; `canceling`, the hold is being released; `authorization_expired`, the bank holds nothing any more, and the order has expired. 502 if the channel refuses or cannot be reached: the order stays authorized."""
        return cast("Order", await self._transport.call(Request("POST", path("/orders/{}/capture", ref), body=body, is_keyed=True), options))

    async def timeline(self, ref: str, **options: Unpack[CallOptions]) -> Timeline:
        """Read an order's complete timeline. Your requests, changes of the order, failed payment attempts (the newest 50), unmatched payments, its refunds and disputes, each ledger row with its balances, each event, each delivery with every attempt, and receipts. It is compiled from the stored objects, so it agrees with them. Requests are included for as long as logs are kept. A key with scopes gets the kinds that its scopes let it read."""
        return cast("Timeline", await self._transport.call(Request("GET", path("/orders/{}/timeline", ref)), options))

    async def send_receipt(self, ref: str, body: SendReceipt = {}, **options: Unpack[WriteOptions]) -> Order:
        """Send the receipt by mail. Returns 200 with the order when the mail is queued; `receipt_sent_at` is set when the mail server has accepted it, and `receipt_failure_reason` if it cannot be sent. 409 while the order is not paid. At most five per hour for one order; further requests are 429. The receipt that is sent automatically after payment does not count."""
        return cast("Order", await self._transport.call(Request("POST", path("/orders/{}/send_receipt", ref), body=body, is_keyed=True), options))


class AsyncRefundsApi:
    """The methods of `coffer.refunds`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, body: CreateRefund, **options: Unpack[WriteOptions]) -> Refund:
        """Refund an order, in whole or in part. 201 if the channel refunded immediately, 202 if it settles later: poll every 10 seconds for 5 minutes, then less often, or wait for the event. If the `out_refund_no` exists already, returns 200 with that refund. Fees are not returned, so a full refund takes more from the wallet than the payment added. 502: no money has moved here, and `Coffer-Reason` says whether a retry can help."""
        return cast("Refund", await self._transport.call(Request("POST", path("/refunds"), body=body, is_keyed=True), options))

    def follow(self, query: RefundsFollowQuery = {}, **options: Unpack[FollowOptions]) -> AsyncIterator[Refund]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/refunds"), "refund_no", query, options)

    def list(self, query: RefundsListQuery = {}, **options: Unpack[CallOptions]) -> AsyncList[Refund]:
        """List refunds, newest first, or export them. All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and the cursors."""
        return AsyncList(self._transport, path("/refunds"), "refund_no", query, options)

    async def csv(self, query: RefundsCsvQuery = {}, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file of at most 10,000 rows."""
        return cast("str", await self._transport.call(Request("GET", path("/refunds"), query={**query, "format": "csv"}, form="text"), options))

    async def update(self, ref: str, body: UpdateRefund = {}, **options: Unpack[WriteOptions]) -> Refund:
        """Update a refund's metadata. Merges: omitted keys are unchanged. Nothing else of a refund can be changed."""
        return cast("Refund", await self._transport.call(Request("POST", path("/refunds/{}", ref), body=body, is_keyed=True), options))

    async def get(self, ref: str, **options: Unpack[CallOptions]) -> Refund:
        """Retrieve a refund. By our number or by yours."""
        return cast("Refund", await self._transport.call(Request("GET", path("/refunds/{}", ref)), options))


class AsyncDisputesApi:
    """The methods of `coffer.disputes`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def submit_evidence(self, ref: str, body: SubmitEvidence, **options: Unpack[WriteOptions]) -> Dispute:
        """Save evidence as a draft, or submit it. Each call replaces all of the evidence; send a draft's contents again. Once submitted, the dispute is `under_review` and accepts no more evidence. 502: the channel could not be reached, and the dispute is unchanged. If the channel does not answer in time, the dispute is returned unchanged and updated automatically later. 409 after the deadline, and for a dispute that you accepted or that is decided."""
        return cast("Dispute", await self._transport.call(Request("POST", path("/disputes/{}/evidence", ref), body=body, is_keyed=True), options))

    async def get_evidence(self, ref: str, **options: Unpack[CallOptions]) -> DisputeEvidence:
        """Read the evidence back. The draft, or what was submitted; empty before the first draft."""
        return cast("DisputeEvidence", await self._transport.call(Request("GET", path("/disputes/{}/evidence", ref)), options))

    async def accept(self, ref: str, **options: Unpack[WriteOptions]) -> Dispute:
        """Accept the loss. The dispute is `lost` once the channel confirms it, which takes a moment; until then its status is unchanged, and a second call has no effect. 502: the channel could not be reached, and the dispute is unchanged."""
        return cast("Dispute", await self._transport.call(Request("POST", path("/disputes/{}/accept", ref), is_keyed=True), options))

    def follow(self, query: DisputesFollowQuery = {}, **options: Unpack[FollowOptions]) -> AsyncIterator[Dispute]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/disputes"), "dispute_no", query, options)

    def list(self, query: DisputesListQuery = {}, **options: Unpack[CallOptions]) -> AsyncList[Dispute]:
        """List disputes, newest first, or export them. All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and the cursors."""
        return AsyncList(self._transport, path("/disputes"), "dispute_no", query, options)

    async def csv(self, query: DisputesCsvQuery = {}, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file of at most 10,000 rows."""
        return cast("str", await self._transport.call(Request("GET", path("/disputes"), query={**query, "format": "csv"}, form="text"), options))

    async def get(self, ref: str, **options: Unpack[CallOptions]) -> Dispute:
        """Retrieve a dispute. By our number or by the channel's."""
        return cast("Dispute", await self._transport.call(Request("GET", path("/disputes/{}", ref)), options))


class AsyncFilesApi:
    """The methods of `coffer.files`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def upload(self, file: Upload, **options: Unpack[CallOptions]) -> UploadedFile:
        """Upload a file for evidence. `multipart/form-data` with one part named `file`: a PDF, PNG or JPEG of at most 10 MB. Its `url` can be used as evidence only in this environment. Uploading the same file twice gives two URLs; an `Idempotency-Key` has no effect."""
        return cast("UploadedFile", await self._transport.call(Request("POST", path("/files"), upload=file), options))


class AsyncPaymentLinksApi:
    """The methods of `coffer.payment_links`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, body: CreatePaymentLink, **options: Unpack[WriteOptions]) -> PaymentLink:
        """Create a payment link. Give its `url` to as many buyers as you like: each visit creates a separate order."""
        return cast("PaymentLink", await self._transport.call(Request("POST", path("/payment_links"), body=body, is_keyed=True), options))

    def follow(self, query: PaymentLinksFollowQuery = {}, **options: Unpack[FollowOptions]) -> AsyncIterator[PaymentLink]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/payment_links"), "link_id", query, options)

    def list(self, query: PaymentLinksListQuery = {}, **options: Unpack[CallOptions]) -> AsyncList[PaymentLink]:
        """List payment links, newest first. In pages."""
        return AsyncList(self._transport, path("/payment_links"), "link_id", query, options)

    async def update(self, link_id: str, body: UpdatePaymentLink = {}, **options: Unpack[WriteOptions]) -> PaymentLink:
        """Change a payment link, close it or open it. Omitted fields are unchanged. Amount and currency cannot be changed: create another link."""
        return cast("PaymentLink", await self._transport.call(Request("POST", path("/payment_links/{}", link_id), body=body, is_keyed=True), options))

    async def get(self, link_id: str, **options: Unpack[CallOptions]) -> PaymentLink:
        """Retrieve a payment link, or its QR code. `format=svg` returns an image to print or display; a phone's camera opens the link."""
        return cast("PaymentLink", await self._transport.call(Request("GET", path("/payment_links/{}", link_id)), options))

    async def qr_code(self, link_id: str, **options: Unpack[CallOptions]) -> str:
        """A QR code of the same, as an SVG picture."""
        return cast("str", await self._transport.call(Request("GET", path("/payment_links/{}", link_id), query={"format": "svg"}, form="text"), options))


class AsyncBalanceApi:
    """The methods of `coffer.balance`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, query: BalanceGetQuery = {}, **options: Unpack[CallOptions]) -> Balance:
        """Read the wallet of one currency. Each currency has its own wallet in each environment, and nothing is converted. A wallet that was never used is all zeros, and so is that of a live currency that is not enabled for you."""
        return cast("Balance", await self._transport.call(Request("GET", path("/balance"), query=query), options))


class AsyncLedgerApi:
    """The methods of `coffer.ledger`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, query: LedgerListQuery = {}, **options: Unpack[CallOptions]) -> AsyncList[BalanceTransaction]:
        """List the ledger, newest first, or export it. Every movement of the wallets; rows are never changed or removed. A payment is two rows: the whole amount in, the fee out. `format=csv` returns a file of at most 10,000 rows."""
        return AsyncList(self._transport, path("/balance_transactions"), "id", query, options)

    async def csv(self, query: LedgerCsvQuery = {}, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file of at most 10,000 rows."""
        return cast("str", await self._transport.call(Request("GET", path("/balance_transactions"), query={**query, "format": "csv"}, form="text"), options))

    def chain(self, currency: Literal["USD", "HKD", "CNY"], query: LedgerChainQuery = {}, **options: Unpack[CallOptions]) -> AsyncList[LedgerLink]:
        """List the hashes of a wallet's ledger, newest first. Proves that no movement was changed, removed or inserted later: each `hash` is the hash of its `text`, and each `previous_hash` is the `hash` of the row before it. Store the newest one and compare it later."""
        return AsyncList(self._transport, path("/ledger/{}/chain", currency), "id", query, options)


class AsyncReportsApi:
    """The methods of `coffer.reports`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, body: CreateReport, **options: Unpack[WriteOptions]) -> Report:
        """Create a report as a file. For reports of any length. The file is written after the answer: poll the report until its `status` is `succeeded`, then read its file. It has no limit of rows. 409: too many are being written or kept."""
        return cast("Report", await self._transport.call(Request("POST", path("/reports"), body=body, is_keyed=True), options))

    def list(self, query: ReportsListQuery = {}, **options: Unpack[CallOptions]) -> AsyncList[Report]:
        """List reports written to files, newest first. Those that are being written, and those of the last seven days, for which they are kept."""
        return AsyncList(self._transport, path("/reports"), "report_no", query, options)

    async def statement(self, query: ReportsStatementQuery, **options: Unpack[CallOptions]) -> StatementReport:
        """Read the statement of a day or of up to 31 days. For each wallet and day: the opening balance, the total of the movements of each type, and the closing balance, with the head of the wallet's chain at that moment. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV."""
        return cast("StatementReport", await self._transport.call(Request("GET", path("/reports/statement"), query=query), options))

    async def statement_csv(self, query: ReportsStatementQuery, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file."""
        return cast("str", await self._transport.call(Request("GET", path("/reports/statement"), query={**query, "format": "csv"}, form="text"), options))

    async def fees(self, query: ReportsFeesQuery, **options: Unpack[CallOptions]) -> FeesReport:
        """Read the fees by payment method. The fees of payments, lost disputes and payouts in these days. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV."""
        return cast("FeesReport", await self._transport.call(Request("GET", path("/reports/fees"), query=query), options))

    async def fees_csv(self, query: ReportsFeesQuery, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file."""
        return cast("str", await self._transport.call(Request("GET", path("/reports/fees"), query={**query, "format": "csv"}, form="text"), options))

    async def payout(self, query: ReportsPayoutQuery, **options: Unpack[CallOptions]) -> PayoutReport:
        """Read what makes up a payout. The statement of its wallet from the previous payout to this one: what was left then, the movements since, the payout, and what it left. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV."""
        return cast("PayoutReport", await self._transport.call(Request("GET", path("/reports/payout"), query=query), options))

    async def payout_csv(self, query: ReportsPayoutQuery, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file."""
        return cast("str", await self._transport.call(Request("GET", path("/reports/payout"), query={**query, "format": "csv"}, form="text"), options))

    async def frozen(self, query: ReportsFrozenQuery = {}, **options: Unpack[CallOptions]) -> FrozenReport:
        """Read open disputes and frozen money at a moment. Everything that held money, other open disputes, and the frozen balance. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV."""
        return cast("FrozenReport", await self._transport.call(Request("GET", path("/reports/frozen"), query=query), options))

    async def frozen_csv(self, query: ReportsFrozenQuery = {}, **options: Unpack[CallOptions]) -> str:
        """The same as a CSV file."""
        return cast("str", await self._transport.call(Request("GET", path("/reports/frozen"), query={**query, "format": "csv"}, form="text"), options))

    async def get(self, report_no: str, **options: Unpack[CallOptions]) -> Report:
        """Retrieve a report. With the progress of its file. A report and its file are deleted seven days after it was created."""
        return cast("Report", await self._transport.call(Request("GET", path("/reports/{}", report_no)), options))

    async def file(self, report_no: str, **options: Unpack[CallOptions]) -> str:
        """Read the file of a report. CSV, one JSON object per line (`application/x-ndjson`), or a journal (`text/plain`). Resume an interrupted download with `Range: bytes=N-`, which returns 206. 409: the file is not complete. 416: the range is beyond its end."""
        return cast("str", await self._transport.call(Request("GET", path("/reports/{}/file", report_no), form="text"), options))


class AsyncEventsApi:
    """The methods of `coffer.events`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def follow(self, query: EventsFollowQuery = {}, **options: Unpack[FollowOptions]) -> AsyncIterator[Event]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/events"), "id", query, options)

    def list(self, query: EventsListQuery = {}, **options: Unpack[CallOptions]) -> AsyncList[Event]:
        """List events, newest first. Everything that has happened, including events that no webhook received: catch up here on what you missed. With `wait` and the id of the newest event that you have, new events are returned as they happen."""
        return AsyncList(self._transport, path("/events"), "id", query, options)

    async def get(self, event_id: str, **options: Unpack[CallOptions]) -> Event:
        """Retrieve an event. The event as it was delivered; it never changes."""
        return cast("Event", await self._transport.call(Request("GET", path("/events/{}", event_id)), options))


class AsyncApiLogsApi:
    """The methods of `coffer.api_logs`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def follow(self, query: ApiLogsFollowQuery = {}, **options: Unpack[FollowOptions]) -> AsyncIterator[ApiLog]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/logs"), "request_id", query, options)

    def list(self, query: ApiLogsListQuery = {}, **options: Unpack[CallOptions]) -> AsyncList[ApiLog]:
        """List your own API calls, newest first. For finding out what your server sent and received. Written asynchronously, so a call may occasionally be missing."""
        return AsyncList(self._transport, path("/logs"), "request_id", query, options)


class AsyncErasuresApi:
    """The methods of `coffer.erasures`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, body: ErasuresCreate, **options: Unpack[CallOptions]) -> Erasure:
        """Erase a buyer. Metadata, addresses, subjects, evidence and its files, mails, events, receivers' answers, stored answers and API logs then say `[erased]`; numbers, amounts and the ledger stay. 202: it has started, and `GET` returns its progress. 200: a dry run. It erases only your own rows in this environment. While it runs, the same request returns the same erasure. 409: 10 of your erasures are running."""
        return cast("Erasure", await self._transport.call(Request("POST", path("/erasures"), body=body, is_keyed=True), options))

    def list(self, query: ErasuresListQuery = {}, **options: Unpack[CallOptions]) -> AsyncList[Erasure]:
        """List your erasures, newest first. Those of this environment that your programs and your team requested."""
        return AsyncList(self._transport, path("/erasures"), "erasure_no", query, options)

    async def get(self, erasure_no: str, **options: Unpack[CallOptions]) -> Erasure:
        """Retrieve an erasure. The record is kept as proof that the erasure was done."""
        return cast("Erasure", await self._transport.call(Request("GET", path("/erasures/{}", erasure_no)), options))


class AsyncExportsApi:
    """The methods of `coffer.exports`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def buyer(self, body: ExportsBuyer, **options: Unpack[CallOptions]) -> bytes:
        """Export everything stored about a buyer. A tar archive of files with one JSON object per line, at most 250 lines each, in a folder for each kind, and of uploaded files in `files`. The last file, `manifest.json`, lists the path, SHA-256 and number of lines of each of the others, and any uploads missing from storage; an archive without it is incomplete. The buyer's orders in this environment, with refunds, disputes, evidence and its files, events, mails, deliveries and API logs, and what names the address elsewhere, without others' words. It counts against the quota of CSV exports, and stores nothing."""
        return cast("bytes", await self._transport.call(Request("POST", path("/exports"), body=body, is_keyed=True, form="bytes"), options))


class AsyncWebhookEndpointsApi:
    """The methods of `coffer.webhook_endpoints`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, body: CreateWebhookEndpoint, **options: Unpack[WriteOptions]) -> WebhookEndpointWithSecret:
        """Create a webhook endpoint. The signing secret is shown only in this answer. A merchant has at most 16 endpoints in each environment: one more is 409 `conflict`."""
        return cast("WebhookEndpointWithSecret", await self._transport.call(Request("POST", path("/webhook_endpoints"), body=body, is_keyed=True), options))

    def list(self, query: WebhookEndpointsListQuery = {}, **options: Unpack[CallOptions]) -> AsyncList[WebhookEndpoint]:
        """List webhook endpoints, newest first. Including the account's default URL, if there is one."""
        return AsyncList(self._transport, path("/webhook_endpoints"), "id", query, options)

    async def update(self, endpoint_id: str, body: UpdateWebhookEndpoint = {}, **options: Unpack[WriteOptions]) -> WebhookEndpoint:
        """Change a webhook endpoint, pause or disable it. Omitted fields are unchanged. Deliveries that fall due while it is disabled are skipped, later ones are kept. Those that fall due while it is paused wait until it is enabled. The account's default URL is set elsewhere: 409 `conflict`."""
        return cast("WebhookEndpoint", await self._transport.call(Request("POST", path("/webhook_endpoints/{}", endpoint_id), body=body, is_keyed=True), options))

    async def delete(self, endpoint_id: str, **options: Unpack[WriteOptions]) -> DeletedWebhookEndpoint:
        """Delete a webhook endpoint. Pending deliveries are skipped."""
        return cast("DeletedWebhookEndpoint", await self._transport.call(Request("DELETE", path("/webhook_endpoints/{}", endpoint_id), is_keyed=True), options))

    async def get(self, endpoint_id: str, **options: Unpack[CallOptions]) -> WebhookEndpoint:
        """Retrieve a webhook endpoint. Without its secret."""
        return cast("WebhookEndpoint", await self._transport.call(Request("GET", path("/webhook_endpoints/{}", endpoint_id)), options))

    async def rotate_secret(self, endpoint_id: str, **options: Unpack[WriteOptions]) -> WebhookEndpointWithSecret:
        """Rotate an endpoint's signing secret. The new secret is shown only in this answer. For 24 hours the old one signs as well: both signatures are in one header, and either of them is enough."""
        return cast("WebhookEndpointWithSecret", await self._transport.call(Request("POST", path("/webhook_endpoints/{}/rotate_secret", endpoint_id), is_keyed=True), options))

    async def end_previous_secrets(self, endpoint_id: str, **options: Unpack[WriteOptions]) -> WebhookEndpoint:
        """End an endpoint's previous signing secrets. Only the present secret signs from now on. Without a previous one nothing changes."""
        return cast("WebhookEndpoint", await self._transport.call(Request("POST", path("/webhook_endpoints/{}/end_previous_secrets", endpoint_id), is_keyed=True), options))


class AsyncWebhookSigningSecretApi:
    """The methods of `coffer.webhook_signing_secret`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def rotate(self, **options: Unpack[WriteOptions]) -> WebhookSigningSecret:
        """Rotate the account's signing secret. It signs deliveries to an order's `notify_url` and to the account's default URL. For 24 hours the old one signs as well."""
        return cast("WebhookSigningSecret", await self._transport.call(Request("POST", path("/webhook_signing_secret/rotate"), is_keyed=True), options))

    async def end_previous(self, **options: Unpack[WriteOptions]) -> WebhookSigningSecretRotation:
        """End the account's previous signing secrets. Only the present secret signs from now on. Without a previous one nothing changes."""
        return cast("WebhookSigningSecretRotation", await self._transport.call(Request("POST", path("/webhook_signing_secret/end_previous"), is_keyed=True), options))

    async def get(self, **options: Unpack[CallOptions]) -> WebhookSigningSecret:
        """Read the account's signing secret. It signs deliveries to an order's `notify_url` and to the account's default URL."""
        return cast("WebhookSigningSecret", await self._transport.call(Request("GET", path("/webhook_signing_secret")), options))


class AsyncWebhookDeliveriesApi:
    """The methods of `coffer.webhook_deliveries`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def resend(self, delivery_id: str, **options: Unpack[WriteOptions]) -> WebhookDelivery:
        """Send a delivery again. Creates a new delivery of the same event: one immediate attempt with the same event id, also while automatic attempts go on. It is marked `manual` and not retried automatically. 409: its endpoint is disabled or deleted, or an attempt is under way at this moment."""
        return cast("WebhookDelivery", await self._transport.call(Request("POST", path("/webhook_deliveries/{}/resend", delivery_id), is_keyed=True), options))

    def follow(self, query: WebhookDeliveriesFollowQuery = {}, **options: Unpack[FollowOptions]) -> AsyncIterator[WebhookDelivery]:
        """Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection."""
        return self._transport.follow(path("/webhook_deliveries"), "id", query, options)

    def list(self, query: WebhookDeliveriesListQuery = {}, **options: Unpack[CallOptions]) -> AsyncList[WebhookDelivery]:
        """List deliveries, newest first. The delivery of each event to each URL, with every attempt and the receiver's answer."""
        return AsyncList(self._transport, path("/webhook_deliveries"), "id", query, options)

    async def get(self, delivery_id: str, **options: Unpack[CallOptions]) -> WebhookDelivery:
        """Retrieve a delivery. With all of its attempts."""
        return cast("WebhookDelivery", await self._transport.call(Request("GET", path("/webhook_deliveries/{}", delivery_id)), options))


class AsyncTestHelpersOrdersApi:
    """The methods of `coffer.test_helpers.orders`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def pay(self, ref: str, body: TestHelpersOrdersPay = {}, **options: Unpack[WriteOptions]) -> Order:
        """Pay an order as its buyer would. Works on a closed order, too: this is a late payment, which is returned to the buyer. After ten declined attempts within ten minutes the next is 429 until that time is over, and the order stays pending."""
        return cast("Order", await self._transport.call(Request("POST", path("/test_helpers/orders/{}/pay", ref), body=body, is_keyed=True), options))

    async def authorize(self, ref: str, body: TestHelpersOrdersAuthorize = {}, **options: Unpack[WriteOptions]) -> Order:
        """Authorize an order as its buyer would. For an order with `capture: "manual"`: the bank holds its amount. The same as `pay` there."""
        return cast("Order", await self._transport.call(Request("POST", path("/test_helpers/orders/{}/authorize", ref), body=body, is_keyed=True), options))

    async def capture(self, ref: str, body: TestHelpersOrdersCapture = {}, **options: Unpack[WriteOptions]) -> Order:
        """Let the bank capture or release what it holds. By itself, as by hand at an acquirer, and it reports it; or says how it will answer your own capture. To capture as your program does, use `POST /v1/orders/{ref}/capture`. An order without a hold is unchanged."""
        return cast("Order", await self._transport.call(Request("POST", path("/test_helpers/orders/{}/capture", ref), body=body, is_keyed=True), options))

    async def dispute(self, ref: str, body: TestHelpersOrdersDispute = {}, **options: Unpack[WriteOptions]) -> Dispute:
        """Let the buyer dispute the payment. Creates a chargeback. Only cards, including Apple Pay and Google Pay, have them."""
        return cast("Dispute", await self._transport.call(Request("POST", path("/test_helpers/orders/{}/dispute", ref), body=body, is_keyed=True), options))


class AsyncTestHelpersRefundsApi:
    """The methods of `coffer.test_helpers.refunds`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def settle(self, ref: str, body: SettleRefund, **options: Unpack[WriteOptions]) -> Refund:
        """Let the bank confirm or reject a refund. Alipay and WeChat Pay settle later: by this call, or automatically after a minute."""
        return cast("Refund", await self._transport.call(Request("POST", path("/test_helpers/refunds/{}/settle", ref), body=body, is_keyed=True), options))


class AsyncTestHelpersDisputesApi:
    """The methods of `coffer.test_helpers.disputes`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def resolve(self, ref: str, body: TestHelpersDisputesResolve, **options: Unpack[WriteOptions]) -> Dispute:
        """Let the bank decide a dispute. A decision that is not possible now, such as a loss after a win, changes only the dispute's `processor_status`."""
        return cast("Dispute", await self._transport.call(Request("POST", path("/test_helpers/disputes/{}/resolve", ref), body=body, is_keyed=True), options))


class AsyncTestHelpersChannelApi:
    """The methods of `coffer.test_helpers.channel`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def set(self, body: SandboxChannel, **options: Unpack[WriteOptions]) -> SandboxChannel:
        """Take your sandbox channel down, or up again. While it is down, requests that need the channel are answered 502. Other merchants are not affected."""
        return cast("SandboxChannel", await self._transport.call(Request("POST", path("/test_helpers/channel"), body=body, is_keyed=True), options))


class AsyncTestHelpersClockApi:
    """The methods of `coffer.test_helpers.clock`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, **options: Unpack[CallOptions]) -> SandboxClock:
        """Read the clock of your sandbox. All dates and time limits of your sandbox follow this clock. Live mode uses real time."""
        return cast("SandboxClock", await self._transport.call(Request("GET", path("/test_helpers/clock")), options))

    async def advance(self, body: TestHelpersClockAdvance, **options: Unpack[WriteOptions]) -> SandboxClock:
        """Move the clock of your sandbox forward. It stops at each moment at which something is due and processes it: orders expire, webhooks are retried, refunds settle. Returns when the target is reached, or after 5 seconds as 202 with the status `advancing`; it then continues in the background, and reading the clock shows its progress. It may be at most five years ahead in all, and never moves back."""
        return cast("SandboxClock", await self._transport.call(Request("POST", path("/test_helpers/clock/advance"), body=body, is_keyed=True), options))


class AsyncTestHelpersApi:
    """The methods of `coffer.test_helpers`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self.orders = AsyncTestHelpersOrdersApi(transport)
        self.refunds = AsyncTestHelpersRefundsApi(transport)
        self.disputes = AsyncTestHelpersDisputesApi(transport)
        self.channel = AsyncTestHelpersChannelApi(transport)
        self.clock = AsyncTestHelpersClockApi(transport)


class AsyncResources:
    """The merchant API: one attribute for each kind of object."""

    def __init__(self, transport: AsyncTransport) -> None:
        self.orders = AsyncOrdersApi(transport)
        self.refunds = AsyncRefundsApi(transport)
        self.disputes = AsyncDisputesApi(transport)
        self.files = AsyncFilesApi(transport)
        self.payment_links = AsyncPaymentLinksApi(transport)
        self.balance = AsyncBalanceApi(transport)
        self.ledger = AsyncLedgerApi(transport)
        self.reports = AsyncReportsApi(transport)
        self.events = AsyncEventsApi(transport)
        self.api_logs = AsyncApiLogsApi(transport)
        self.erasures = AsyncErasuresApi(transport)
        self.exports = AsyncExportsApi(transport)
        self.webhook_endpoints = AsyncWebhookEndpointsApi(transport)
        self.webhook_signing_secret = AsyncWebhookSigningSecretApi(transport)
        self.webhook_deliveries = AsyncWebhookDeliveriesApi(transport)
        self.test_helpers = AsyncTestHelpersApi(transport)
