/** The methods of the merchant API. Written by `npm run sdk` from the contract: do not edit. */
import type { Call } from "../Call.ts"
import { path } from "../encode.ts"
import type { FollowOptions } from "../follow.ts"
import type { List } from "../List.ts"
import type { CallOptions, Upload, WriteOptions } from "../options.ts"
import type { Transport } from "../Transport.ts"
import type {
  ApiLog,
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
  DisputesListQuery,
  Erasure,
  ErasuresCreate,
  ErasuresListQuery,
  Event,
  EventsListQuery,
  ExportsBuyer,
  FeesReport,
  FrozenReport,
  LedgerChainQuery,
  LedgerLink,
  LedgerListQuery,
  Order,
  OrdersListQuery,
  PaymentLink,
  PaymentLinksListQuery,
  PayoutReport,
  Refund,
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
  WebhookDeliveriesListQuery,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookEndpointsListQuery,
  WebhookSigningSecret,
  WebhookSigningSecretRotation
} from "./types.ts"

/** The methods of `coffer.orders`. */
export class OrdersApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Create an order. Returns 201 with the new order; send the buyer to its `checkout_url`. If the `out_trade_no` exists already, returns 200 with that order if amount, currency, subject and notify_url are the same, and 409 if they are not. */
  create(body: CreateOrder, options: WriteOptions = {}): Call<Order> {
    return this.#transport.call({ method: "POST", path: path`/orders`, body, isKeyed: true }, options)
  }

  /** Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection. */
  follow(query: Omit<OrdersListQuery, "limit" | "starting_after" | "ending_before" | "created" | "wait"> & { readonly after?: string | null | undefined } = {}, options: FollowOptions = {}): AsyncGenerator<Order, void, undefined> {
    return this.#transport.follow(path`/orders`, "trade_no", query, options)
  }

  /** List orders, newest first, or export them. All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and the cursors. */
  list(query: OrdersListQuery = {}, options: CallOptions = {}): List<Order> {
    return this.#transport.list(path`/orders`, "trade_no", query, options)
  }

  /** The same as a CSV file of at most 10,000 rows. */
  csv(query: Omit<OrdersListQuery, "limit" | "starting_after" | "ending_before"> = {}, options: CallOptions = {}): Call<string> {
    return this.#transport.text(path`/orders`, { ...query, format: "csv" }, options)
  }

  /** Update metadata or receipt_email. Merges: omitted keys are unchanged. Nothing else of an order can be changed. */
  update(ref: string, body: UpdateOrder = {}, options: WriteOptions = {}): Call<Order> {
    return this.#transport.call({ method: "POST", path: path`/orders/${ref}`, body, isKeyed: true }, options)
  }

  /** Retrieve an order. By our number or by yours. Its `checkout_url` is signed again each time. */
  get(ref: string, options: CallOptions = {}): Call<Order> {
    return this.#transport.call({ method: "GET", path: path`/orders/${ref}` }, options)
  }

  /** Close a pending order now. For when the buyer has left. An expired order is returned unchanged. An authorized order is canceled: its hold is released. If the channel takes longer, it is returned as `authorized`, and `payment.canceled` follows. `Coffer-Reason` says why it is 409: `just_paid`, the order was paid just now; `buyer_busy`, the buyer is in the middle of paying, and the order stays pending; `other_payment`, a payment of another amount was set aside, and the order stays pending; `not_pending`, it had already ended, paid or not: `paid_at` tells; `capturing`, its hold is being captured. 502 if the channel cannot be reached: the order is unchanged, and the same request may be retried. */
  expire(ref: string, options: WriteOptions = {}): Call<Order> {
    return this.#transport.call({ method: "POST", path: path`/orders/${ref}/expire`, isKeyed: true }, options)
  }

  /** Charge an authorized order. Once, for an order with `capture: "manual"`: it is paid with the amount that you name, and the rest of the hold is released. The same amount again returns the order unchanged. If the channel takes longer, the order is returned as `authorized` with its `capturing_amount`, and `payment.captured` follows. `Coffer-Reason` says why it is 409: `not_authorized`, the buyer has not agreed, or the order was created without it; `capturing`, another amount is being captured; `captured`, another amount was; `canceling`, the hold is being released; `authorization_expired`, the bank holds nothing any more, and the order has expired. 502 if the channel refuses or cannot be reached: the order stays authorized. */
  capture(ref: string, body: CaptureOrder = {}, options: WriteOptions = {}): Call<Order> {
    return this.#transport.call({ method: "POST", path: path`/orders/${ref}/capture`, body, isKeyed: true }, options)
  }

  /** Read an order's complete timeline. Your requests, changes of the order, failed payment attempts (the newest 50), unmatched payments, its refunds and disputes, each ledger row with its balances, each event, each delivery with every attempt, and receipts. It is compiled from the stored objects, so it agrees with them. Requests are included for as long as logs are kept. A key with scopes gets the kinds that its scopes let it read. */
  timeline(ref: string, options: CallOptions = {}): Call<Timeline> {
    return this.#transport.call({ method: "GET", path: path`/orders/${ref}/timeline` }, options)
  }

  /** Send the receipt by mail. Returns 200 with the order when the mail is queued; `receipt_sent_at` is set when the mail server has accepted it, and `receipt_failure_reason` if it cannot be sent. 409 while the order is not paid. At most five per hour for one order; further requests are 429. The receipt that is sent automatically after payment does not count. */
  sendReceipt(ref: string, body: SendReceipt = {}, options: WriteOptions = {}): Call<Order> {
    return this.#transport.call({ method: "POST", path: path`/orders/${ref}/send_receipt`, body, isKeyed: true }, options)
  }
}

/** The methods of `coffer.refunds`. */
export class RefundsApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Refund an order, in whole or in part. 201 if the channel refunded immediately, 202 if it settles later: poll every 10 seconds for 5 minutes, then less often, or wait for the event. If the `out_refund_no` exists already, returns 200 with that refund. Fees are not returned, so a full refund takes more from the wallet than the payment added. 502: no money has moved here, and `Coffer-Reason` says whether a retry can help. */
  create(body: CreateRefund, options: WriteOptions = {}): Call<Refund> {
    return this.#transport.call({ method: "POST", path: path`/refunds`, body, isKeyed: true }, options)
  }

  /** Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection. */
  follow(query: Omit<RefundsListQuery, "limit" | "starting_after" | "ending_before" | "created" | "wait"> & { readonly after?: string | null | undefined } = {}, options: FollowOptions = {}): AsyncGenerator<Refund, void, undefined> {
    return this.#transport.follow(path`/refunds`, "refund_no", query, options)
  }

  /** List refunds, newest first, or export them. All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and the cursors. */
  list(query: RefundsListQuery = {}, options: CallOptions = {}): List<Refund> {
    return this.#transport.list(path`/refunds`, "refund_no", query, options)
  }

  /** The same as a CSV file of at most 10,000 rows. */
  csv(query: Omit<RefundsListQuery, "limit" | "starting_after" | "ending_before"> = {}, options: CallOptions = {}): Call<string> {
    return this.#transport.text(path`/refunds`, { ...query, format: "csv" }, options)
  }

  /** Update a refund's metadata. Merges: omitted keys are unchanged. Nothing else of a refund can be changed. */
  update(ref: string, body: UpdateRefund = {}, options: WriteOptions = {}): Call<Refund> {
    return this.#transport.call({ method: "POST", path: path`/refunds/${ref}`, body, isKeyed: true }, options)
  }

  /** Retrieve a refund. By our number or by yours. */
  get(ref: string, options: CallOptions = {}): Call<Refund> {
    return this.#transport.call({ method: "GET", path: path`/refunds/${ref}` }, options)
  }
}

/** The methods of `coffer.disputes`. */
export class DisputesApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Save evidence as a draft, or submit it. Each call replaces all of the evidence; send a draft's contents again. Once submitted, the dispute is `under_review` and accepts no more evidence. 502: the channel could not be reached, and the dispute is unchanged. If the channel does not answer in time, the dispute is returned unchanged and updated automatically later. 409 after the deadline, and for a dispute that you accepted or that is decided. */
  submitEvidence(ref: string, body: SubmitEvidence, options: WriteOptions = {}): Call<Dispute> {
    return this.#transport.call({ method: "POST", path: path`/disputes/${ref}/evidence`, body, isKeyed: true }, options)
  }

  /** Read the evidence back. The draft, or what was submitted; empty before the first draft. */
  getEvidence(ref: string, options: CallOptions = {}): Call<DisputeEvidence> {
    return this.#transport.call({ method: "GET", path: path`/disputes/${ref}/evidence` }, options)
  }

  /** Accept the loss. The dispute is `lost` once the channel confirms it, which takes a moment; until then its status is unchanged, and a second call has no effect. 502: the channel could not be reached, and the dispute is unchanged. */
  accept(ref: string, options: WriteOptions = {}): Call<Dispute> {
    return this.#transport.call({ method: "POST", path: path`/disputes/${ref}/accept`, isKeyed: true }, options)
  }

  /** Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection. */
  follow(query: Omit<DisputesListQuery, "limit" | "starting_after" | "ending_before" | "created" | "wait"> & { readonly after?: string | null | undefined } = {}, options: FollowOptions = {}): AsyncGenerator<Dispute, void, undefined> {
    return this.#transport.follow(path`/disputes`, "dispute_no", query, options)
  }

  /** List disputes, newest first, or export them. All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and the cursors. */
  list(query: DisputesListQuery = {}, options: CallOptions = {}): List<Dispute> {
    return this.#transport.list(path`/disputes`, "dispute_no", query, options)
  }

  /** The same as a CSV file of at most 10,000 rows. */
  csv(query: Omit<DisputesListQuery, "limit" | "starting_after" | "ending_before"> = {}, options: CallOptions = {}): Call<string> {
    return this.#transport.text(path`/disputes`, { ...query, format: "csv" }, options)
  }

  /** Retrieve a dispute. By our number or by the channel's. */
  get(ref: string, options: CallOptions = {}): Call<Dispute> {
    return this.#transport.call({ method: "GET", path: path`/disputes/${ref}` }, options)
  }
}

/** The methods of `coffer.files`. */
export class FilesApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Upload a file for evidence. `multipart/form-data` with one part named `file`: a PDF, PNG or JPEG of at most 10 MB. Its `url` can be used as evidence only in this environment. Uploading the same file twice gives two URLs; an `Idempotency-Key` has no effect. */
  upload(file: Upload, options: CallOptions = {}): Call<UploadedFile> {
    return this.#transport.call({ method: "POST", path: path`/files`, upload: file }, options)
  }
}

/** The methods of `coffer.paymentLinks`. */
export class PaymentLinksApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Create a payment link. Give its `url` to as many buyers as you like: each visit creates a separate order. */
  create(body: CreatePaymentLink, options: WriteOptions = {}): Call<PaymentLink> {
    return this.#transport.call({ method: "POST", path: path`/payment_links`, body, isKeyed: true }, options)
  }

  /** Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection. */
  follow(query: Omit<PaymentLinksListQuery, "limit" | "starting_after" | "ending_before" | "created" | "wait"> & { readonly after?: string | null | undefined } = {}, options: FollowOptions = {}): AsyncGenerator<PaymentLink, void, undefined> {
    return this.#transport.follow(path`/payment_links`, "link_id", query, options)
  }

  /** List payment links, newest first. In pages. */
  list(query: PaymentLinksListQuery = {}, options: CallOptions = {}): List<PaymentLink> {
    return this.#transport.list(path`/payment_links`, "link_id", query, options)
  }

  /** Change a payment link, close it or open it. Omitted fields are unchanged. Amount and currency cannot be changed: create another link. */
  update(linkId: string, body: UpdatePaymentLink = {}, options: WriteOptions = {}): Call<PaymentLink> {
    return this.#transport.call({ method: "POST", path: path`/payment_links/${linkId}`, body, isKeyed: true }, options)
  }

  /** Retrieve a payment link, or its QR code. `format=svg` returns an image to print or display; a phone's camera opens the link. */
  get(linkId: string, options: CallOptions = {}): Call<PaymentLink> {
    return this.#transport.call({ method: "GET", path: path`/payment_links/${linkId}` }, options)
  }

  /** A QR code of the same, as an SVG picture. */
  qrCode(linkId: string, options: CallOptions = {}): Call<string> {
    return this.#transport.text(path`/payment_links/${linkId}`, { format: "svg" }, options)
  }
}

/** The methods of `coffer.balance`. */
export class BalanceApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Read the wallet of one currency. Each currency has its own wallet in each environment, and nothing is converted. A wallet that was never used is all zeros, and so is that of a live currency that is not enabled for you. */
  get(query: BalanceGetQuery = {}, options: CallOptions = {}): Call<Balance> {
    return this.#transport.call({ method: "GET", path: path`/balance`, query }, options)
  }
}

/** The methods of `coffer.ledger`. */
export class LedgerApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** List the ledger, newest first, or export it. Every movement of the wallets; rows are never changed or removed. A payment is two rows: the whole amount in, the fee out. `format=csv` returns a file of at most 10,000 rows. */
  list(query: LedgerListQuery = {}, options: CallOptions = {}): List<BalanceTransaction> {
    return this.#transport.list(path`/balance_transactions`, "id", query, options)
  }

  /** The same as a CSV file of at most 10,000 rows. */
  csv(query: Omit<LedgerListQuery, "limit" | "starting_after" | "ending_before"> = {}, options: CallOptions = {}): Call<string> {
    return this.#transport.text(path`/balance_transactions`, { ...query, format: "csv" }, options)
  }

  /** List the hashes of a wallet's ledger, newest first. Proves that no movement was changed, removed or inserted later: each `hash` is the hash of its `text`, and each `previous_hash` is the `hash` of the row before it. Store the newest one and compare it later. */
  chain(currency: "USD" | "HKD" | "CNY", query: LedgerChainQuery = {}, options: CallOptions = {}): List<LedgerLink> {
    return this.#transport.list(path`/ledger/${currency}/chain`, "id", query, options)
  }
}

/** The methods of `coffer.reports`. */
export class ReportsApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Create a report as a file. For reports of any length. The file is written after the answer: poll the report until its `status` is `succeeded`, then read its file. It has no limit of rows. 409: too many are being written or kept. */
  create(body: CreateReport, options: WriteOptions = {}): Call<Report> {
    return this.#transport.call({ method: "POST", path: path`/reports`, body, isKeyed: true }, options)
  }

  /** List reports written to files, newest first. Those that are being written, and those of the last seven days, for which they are kept. */
  list(query: ReportsListQuery = {}, options: CallOptions = {}): List<Report> {
    return this.#transport.list(path`/reports`, "report_no", query, options)
  }

  /** Read the statement of a day or of up to 31 days. For each wallet and day: the opening balance, the total of the movements of each type, and the closing balance, with the head of the wallet's chain at that moment. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV. */
  statement(query: ReportsStatementQuery, options: CallOptions = {}): Call<StatementReport> {
    return this.#transport.call({ method: "GET", path: path`/reports/statement`, query }, options)
  }

  /** The same as a CSV file. */
  statementCsv(query: ReportsStatementQuery, options: CallOptions = {}): Call<string> {
    return this.#transport.text(path`/reports/statement`, { ...query, format: "csv" }, options)
  }

  /** Read the fees by payment method. The fees of payments, lost disputes and payouts in these days. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV. */
  fees(query: ReportsFeesQuery, options: CallOptions = {}): Call<FeesReport> {
    return this.#transport.call({ method: "GET", path: path`/reports/fees`, query }, options)
  }

  /** The same as a CSV file. */
  feesCsv(query: ReportsFeesQuery, options: CallOptions = {}): Call<string> {
    return this.#transport.text(path`/reports/fees`, { ...query, format: "csv" }, options)
  }

  /** Read what makes up a payout. The statement of its wallet from the previous payout to this one: what was left then, the movements since, the payout, and what it left. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV. */
  payout(query: ReportsPayoutQuery, options: CallOptions = {}): Call<PayoutReport> {
    return this.#transport.call({ method: "GET", path: path`/reports/payout`, query }, options)
  }

  /** The same as a CSV file. */
  payoutCsv(query: ReportsPayoutQuery, options: CallOptions = {}): Call<string> {
    return this.#transport.text(path`/reports/payout`, { ...query, format: "csv" }, options)
  }

  /** Read open disputes and frozen money at a moment. Everything that held money, other open disputes, and the frozen balance. At most 5000 movements; for more, create a file with POST /v1/reports. `format=csv` answers CSV. */
  frozen(query: ReportsFrozenQuery = {}, options: CallOptions = {}): Call<FrozenReport> {
    return this.#transport.call({ method: "GET", path: path`/reports/frozen`, query }, options)
  }

  /** The same as a CSV file. */
  frozenCsv(query: ReportsFrozenQuery = {}, options: CallOptions = {}): Call<string> {
    return this.#transport.text(path`/reports/frozen`, { ...query, format: "csv" }, options)
  }

  /** Retrieve a report. With the progress of its file. A report and its file are deleted seven days after it was created. */
  get(reportNo: string, options: CallOptions = {}): Call<Report> {
    return this.#transport.call({ method: "GET", path: path`/reports/${reportNo}` }, options)
  }

  /** Read the file of a report. CSV, one JSON object per line (`application/x-ndjson`), or a journal (`text/plain`). Resume an interrupted download with `Range: bytes=N-`, which returns 206. 409: the file is not complete. 416: the range is beyond its end. */
  file(reportNo: string, options: CallOptions = {}): Call<string> {
    return this.#transport.text(path`/reports/${reportNo}/file`, {}, options)
  }
}

/** The methods of `coffer.events`. */
export class EventsApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection. */
  follow(query: Omit<EventsListQuery, "limit" | "starting_after" | "ending_before" | "created" | "wait"> & { readonly after?: string | null | undefined } = {}, options: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    return this.#transport.follow(path`/events`, "id", query, options)
  }

  /** List events, newest first. Everything that has happened, including events that no webhook received: catch up here on what you missed. With `wait` and the id of the newest event that you have, new events are returned as they happen. */
  list(query: EventsListQuery = {}, options: CallOptions = {}): List<Event> {
    return this.#transport.list(path`/events`, "id", query, options)
  }

  /** Retrieve an event. The event as it was delivered; it never changes. */
  get(eventId: string, options: CallOptions = {}): Call<Event> {
    return this.#transport.call({ method: "GET", path: path`/events/${eventId}` }, options)
  }
}

/** The methods of `coffer.apiLogs`. */
export class ApiLogsApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection. */
  follow(query: Omit<ApiLogsListQuery, "limit" | "starting_after" | "ending_before" | "created" | "wait"> & { readonly after?: string | null | undefined } = {}, options: FollowOptions = {}): AsyncGenerator<ApiLog, void, undefined> {
    return this.#transport.follow(path`/logs`, "request_id", query, options)
  }

  /** List your own API calls, newest first. For finding out what your server sent and received. Written asynchronously, so a call may occasionally be missing. */
  list(query: ApiLogsListQuery = {}, options: CallOptions = {}): List<ApiLog> {
    return this.#transport.list(path`/logs`, "request_id", query, options)
  }
}

/** The methods of `coffer.erasures`. */
export class ErasuresApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Erase a buyer. Metadata, addresses, subjects, evidence and its files, mails, events, receivers' answers, stored answers and API logs then say `[erased]`; numbers, amounts and the ledger stay. 202: it has started, and `GET` returns its progress. 200: a dry run. It erases only your own rows in this environment. While it runs, the same request returns the same erasure. 409: 10 of your erasures are running. */
  create(body: ErasuresCreate, options: CallOptions = {}): Call<Erasure> {
    return this.#transport.call({ method: "POST", path: path`/erasures`, body, isKeyed: true }, options)
  }

  /** List your erasures, newest first. Those of this environment that your programs and your team requested. */
  list(query: ErasuresListQuery = {}, options: CallOptions = {}): List<Erasure> {
    return this.#transport.list(path`/erasures`, "erasure_no", query, options)
  }

  /** Retrieve an erasure. The record is kept as proof that the erasure was done. */
  get(erasureNo: string, options: CallOptions = {}): Call<Erasure> {
    return this.#transport.call({ method: "GET", path: path`/erasures/${erasureNo}` }, options)
  }
}

/** The methods of `coffer.exports`. */
export class ExportsApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Export everything stored about a buyer. A tar archive of files with one JSON object per line, at most 250 lines each, in a folder for each kind, and of uploaded files in `files`. The last file, `manifest.json`, lists the path, SHA-256 and number of lines of each of the others, and any uploads missing from storage; an archive without it is incomplete. The buyer's orders in this environment, with refunds, disputes, evidence and its files, events, mails, deliveries and API logs, and what names the address elsewhere, without others' words. It counts against the quota of CSV exports, and stores nothing. */
  buyer(body: ExportsBuyer, options: CallOptions = {}): Call<Uint8Array> {
    return this.#transport.call({ method: "POST", path: path`/exports`, body, isKeyed: true, isBinary: true }, options)
  }
}

/** The methods of `coffer.webhookEndpoints`. */
export class WebhookEndpointsApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Create a webhook endpoint. The signing secret is shown only in this answer. A merchant has at most 16 endpoints in each environment: one more is 409 `conflict`. */
  create(body: CreateWebhookEndpoint, options: WriteOptions = {}): Call<WebhookEndpointWithSecret> {
    return this.#transport.call({ method: "POST", path: path`/webhook_endpoints`, body, isKeyed: true }, options)
  }

  /** List webhook endpoints, newest first. Including the account's default URL, if there is one. */
  list(query: WebhookEndpointsListQuery = {}, options: CallOptions = {}): List<WebhookEndpoint> {
    return this.#transport.list(path`/webhook_endpoints`, "id", query, options)
  }

  /** Change a webhook endpoint, pause or disable it. Omitted fields are unchanged. Deliveries that fall due while it is disabled are skipped, later ones are kept. Those that fall due while it is paused wait until it is enabled. The account's default URL is set elsewhere: 409 `conflict`. */
  update(endpointId: string, body: UpdateWebhookEndpoint = {}, options: WriteOptions = {}): Call<WebhookEndpoint> {
    return this.#transport.call({ method: "POST", path: path`/webhook_endpoints/${endpointId}`, body, isKeyed: true }, options)
  }

  /** Delete a webhook endpoint. Pending deliveries are skipped. */
  delete(endpointId: string, options: WriteOptions = {}): Call<DeletedWebhookEndpoint> {
    return this.#transport.call({ method: "DELETE", path: path`/webhook_endpoints/${endpointId}`, isKeyed: true }, options)
  }

  /** Retrieve a webhook endpoint. Without its secret. */
  get(endpointId: string, options: CallOptions = {}): Call<WebhookEndpoint> {
    return this.#transport.call({ method: "GET", path: path`/webhook_endpoints/${endpointId}` }, options)
  }

  /** Rotate an endpoint's signing secret. The new secret is shown only in this answer. For 24 hours the old one signs as well: both signatures are in one header, and either of them is enough. */
  rotateSecret(endpointId: string, options: WriteOptions = {}): Call<WebhookEndpointWithSecret> {
    return this.#transport.call({ method: "POST", path: path`/webhook_endpoints/${endpointId}/rotate_secret`, isKeyed: true }, options)
  }

  /** End an endpoint's previous signing secrets. Only the present secret signs from now on. Without a previous one nothing changes. */
  endPreviousSecrets(endpointId: string, options: WriteOptions = {}): Call<WebhookEndpoint> {
    return this.#transport.call({ method: "POST", path: path`/webhook_endpoints/${endpointId}/end_previous_secrets`, isKeyed: true }, options)
  }
}

/** The methods of `coffer.webhookSigningSecret`. */
export class WebhookSigningSecretApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Rotate the account's signing secret. It signs deliveries to an order's `notify_url` and to the account's default URL. For 24 hours the old one signs as well. */
  rotate(options: WriteOptions = {}): Call<WebhookSigningSecret> {
    return this.#transport.call({ method: "POST", path: path`/webhook_signing_secret/rotate`, isKeyed: true }, options)
  }

  /** End the account's previous signing secrets. Only the present secret signs from now on. Without a previous one nothing changes. */
  endPrevious(options: WriteOptions = {}): Call<WebhookSigningSecretRotation> {
    return this.#transport.call({ method: "POST", path: path`/webhook_signing_secret/end_previous`, isKeyed: true }, options)
  }

  /** Read the account's signing secret. It signs deliveries to an order's `notify_url` and to the account's default URL. */
  get(options: CallOptions = {}): Call<WebhookSigningSecret> {
    return this.#transport.call({ method: "GET", path: path`/webhook_signing_secret` }, options)
  }
}

/** The methods of `coffer.webhookDeliveries`. */
export class WebhookDeliveriesApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Send a delivery again. Creates a new delivery of the same event: one immediate attempt with the same event id, also while automatic attempts go on. It is marked `manual` and not retried automatically. 409: its endpoint is disabled or deleted, or an attempt is under way at this moment. */
  resend(deliveryId: string, options: WriteOptions = {}): Call<WebhookDelivery> {
    return this.#transport.call({ method: "POST", path: path`/webhook_deliveries/${deliveryId}/resend`, isKeyed: true }, options)
  }

  /** Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the id of the newest that you have handled; with the first where that is null, else with what happens from now on. It goes on after a lost connection. */
  follow(query: Omit<WebhookDeliveriesListQuery, "limit" | "starting_after" | "ending_before" | "created" | "wait"> & { readonly after?: string | null | undefined } = {}, options: FollowOptions = {}): AsyncGenerator<WebhookDelivery, void, undefined> {
    return this.#transport.follow(path`/webhook_deliveries`, "id", query, options)
  }

  /** List deliveries, newest first. The delivery of each event to each URL, with every attempt and the receiver's answer. */
  list(query: WebhookDeliveriesListQuery = {}, options: CallOptions = {}): List<WebhookDelivery> {
    return this.#transport.list(path`/webhook_deliveries`, "id", query, options)
  }

  /** Retrieve a delivery. With all of its attempts. */
  get(deliveryId: string, options: CallOptions = {}): Call<WebhookDelivery> {
    return this.#transport.call({ method: "GET", path: path`/webhook_deliveries/${deliveryId}` }, options)
  }
}

/** The methods of `coffer.testHelpers.orders`. */
export class TestHelpersOrdersApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Pay an order as its buyer would. Works on a closed order, too: this is a late payment, which is returned to the buyer. After ten declined attempts within ten minutes the next is 429 until that time is over, and the order stays pending. */
  pay(ref: string, body: TestHelpersOrdersPay = {}, options: WriteOptions = {}): Call<Order> {
    return this.#transport.call({ method: "POST", path: path`/test_helpers/orders/${ref}/pay`, body, isKeyed: true }, options)
  }

  /** Authorize an order as its buyer would. For an order with `capture: "manual"`: the bank holds its amount. The same as `pay` there. */
  authorize(ref: string, body: TestHelpersOrdersAuthorize = {}, options: WriteOptions = {}): Call<Order> {
    return this.#transport.call({ method: "POST", path: path`/test_helpers/orders/${ref}/authorize`, body, isKeyed: true }, options)
  }

  /** Let the bank capture or release what it holds. By itself, as by hand at an acquirer, and it reports it; or says how it will answer your own capture. To capture as your program does, use `POST /v1/orders/{ref}/capture`. An order without a hold is unchanged. */
  capture(ref: string, body: TestHelpersOrdersCapture = {}, options: WriteOptions = {}): Call<Order> {
    return this.#transport.call({ method: "POST", path: path`/test_helpers/orders/${ref}/capture`, body, isKeyed: true }, options)
  }

  /** Let the buyer dispute the payment. Creates a chargeback. Only cards, including Apple Pay and Google Pay, have them. */
  dispute(ref: string, body: TestHelpersOrdersDispute = {}, options: WriteOptions = {}): Call<Dispute> {
    return this.#transport.call({ method: "POST", path: path`/test_helpers/orders/${ref}/dispute`, body, isKeyed: true }, options)
  }
}

/** The methods of `coffer.testHelpers.refunds`. */
export class TestHelpersRefundsApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Let the bank confirm or reject a refund. Alipay and WeChat Pay settle later: by this call, or automatically after a minute. */
  settle(ref: string, body: SettleRefund, options: WriteOptions = {}): Call<Refund> {
    return this.#transport.call({ method: "POST", path: path`/test_helpers/refunds/${ref}/settle`, body, isKeyed: true }, options)
  }
}

/** The methods of `coffer.testHelpers.disputes`. */
export class TestHelpersDisputesApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Let the bank decide a dispute. A decision that is not possible now, such as a loss after a win, changes only the dispute's `processor_status`. */
  resolve(ref: string, body: TestHelpersDisputesResolve, options: WriteOptions = {}): Call<Dispute> {
    return this.#transport.call({ method: "POST", path: path`/test_helpers/disputes/${ref}/resolve`, body, isKeyed: true }, options)
  }
}

/** The methods of `coffer.testHelpers.channel`. */
export class TestHelpersChannelApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Take your sandbox channel down, or up again. While it is down, requests that need the channel are answered 502. Other merchants are not affected. */
  set(body: SandboxChannel, options: WriteOptions = {}): Call<SandboxChannel> {
    return this.#transport.call({ method: "POST", path: path`/test_helpers/channel`, body, isKeyed: true }, options)
  }
}

/** The methods of `coffer.testHelpers.clock`. */
export class TestHelpersClockApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Read the clock of your sandbox. All dates and time limits of your sandbox follow this clock. Live mode uses real time. */
  get(options: CallOptions = {}): Call<SandboxClock> {
    return this.#transport.call({ method: "GET", path: path`/test_helpers/clock` }, options)
  }

  /** Move the clock of your sandbox forward. It stops at each moment at which something is due and processes it: orders expire, webhooks are retried, refunds settle. Returns when the target is reached, or after 5 seconds as 202 with the status `advancing`; it then continues in the background, and reading the clock shows its progress. It may be at most five years ahead in all, and never moves back. */
  advance(body: TestHelpersClockAdvance, options: WriteOptions = {}): Call<SandboxClock> {
    return this.#transport.call({ method: "POST", path: path`/test_helpers/clock/advance`, body, isKeyed: true }, options)
  }
}

/** The methods of `coffer.testHelpers`. */
export class TestHelpersApi {
  readonly orders: TestHelpersOrdersApi
  readonly refunds: TestHelpersRefundsApi
  readonly disputes: TestHelpersDisputesApi
  readonly channel: TestHelpersChannelApi
  readonly clock: TestHelpersClockApi

  constructor(transport: Transport) {
    this.orders = new TestHelpersOrdersApi(transport)
    this.refunds = new TestHelpersRefundsApi(transport)
    this.disputes = new TestHelpersDisputesApi(transport)
    this.channel = new TestHelpersChannelApi(transport)
    this.clock = new TestHelpersClockApi(transport)
  }
}

/** The merchant API: one property for each kind of object. */
export class Resources {
  readonly orders: OrdersApi
  readonly refunds: RefundsApi
  readonly disputes: DisputesApi
  readonly files: FilesApi
  readonly paymentLinks: PaymentLinksApi
  readonly balance: BalanceApi
  readonly ledger: LedgerApi
  readonly reports: ReportsApi
  readonly events: EventsApi
  readonly apiLogs: ApiLogsApi
  readonly erasures: ErasuresApi
  readonly exports: ExportsApi
  readonly webhookEndpoints: WebhookEndpointsApi
  readonly webhookSigningSecret: WebhookSigningSecretApi
  readonly webhookDeliveries: WebhookDeliveriesApi
  readonly testHelpers: TestHelpersApi

  constructor(transport: Transport) {
    this.orders = new OrdersApi(transport)
    this.refunds = new RefundsApi(transport)
    this.disputes = new DisputesApi(transport)
    this.files = new FilesApi(transport)
    this.paymentLinks = new PaymentLinksApi(transport)
    this.balance = new BalanceApi(transport)
    this.ledger = new LedgerApi(transport)
    this.reports = new ReportsApi(transport)
    this.events = new EventsApi(transport)
    this.apiLogs = new ApiLogsApi(transport)
    this.erasures = new ErasuresApi(transport)
    this.exports = new ExportsApi(transport)
    this.webhookEndpoints = new WebhookEndpointsApi(transport)
    this.webhookSigningSecret = new WebhookSigningSecretApi(transport)
    this.webhookDeliveries = new WebhookDeliveriesApi(transport)
    this.testHelpers = new TestHelpersApi(transport)
  }
}
