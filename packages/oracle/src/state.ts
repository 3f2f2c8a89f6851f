/** The oracle's state: plain lists of plain objects, oldest first. */
import { type Answer, type Fields, Hole, idOf, Time } from "./values.ts"

export const currencies = ["USD", "HKD", "CNY"] as const
export type Currency = (typeof currencies)[number]
/** Payment methods: whether a card is charged, and the refund period in days, if any. */
export const methods = {
  card: { isCard: true, refundDays: undefined },
  alipay: { isCard: false, refundDays: 90 },
  wechat_pay: { isCard: false, refundDays: 180 },
  apple_pay: { isCard: true, refundDays: undefined },
  google_pay: { isCard: true, refundDays: undefined }
} as const
export type Method = keyof typeof methods
export type Texts = Readonly<Record<string, string>>

/** A payment that the bank has taken for an order. */
export interface Payment {
  readonly id: Hole
  readonly amount: number
  readonly method: Method
  readonly at: number
  /** Whether the service has its report. */
  known: boolean
  /** Whether an erasure came after it, perhaps before its report. */
  cardErased: boolean
}

/** The bank holds the amount of a payment for seven days, and the order is paid with what is captured of it. */
export interface HeldPayment {
  readonly payment: Payment
  readonly until: number
}

export interface Order {
  readonly no: Hole
  readonly ownNo: string | undefined
  readonly amount: number
  readonly currency: Currency
  readonly subject: string | null
  readonly notifyUrl: string | null
  readonly returnUrl: string | null
  readonly locale: string | null
  readonly createdAt: number
  readonly expiresAt: number
  metadata: Texts
  receiptEmail: string | null
  /** Its amount is held first, and charged by the merchant. */
  readonly manual: boolean
  state: "pending" | "authorized" | "paid" | "failed" | "expired" | "canceled"
  held: HeldPayment | undefined
  own: Payment | undefined
  refunded: number
  failureReason: string | null
  /** The bank's side. */
  readonly taken: Array<Payment>
  declines: ReadonlyArray<number>
  redirectedAt: number | undefined
  /** When receipts were asked for. */
  receipts: ReadonlyArray<number>
  /** Its unapplied payments. */
  unapplied: number
  erased: boolean
  /** Every address that its texts ever contained, in lower case. */
  readonly addresses: Set<string>
}

/** All addresses in a text. Case does not matter. */
export const addressesIn = (text: string) => text.toLowerCase().match(/[\w.+-]+@[\w.-]+\w/g) ?? []

/** Records the addresses in an order's texts. */
export const mention = (order: Order, texts: ReadonlyArray<string | null>) => {
  for (const address of texts.flatMap((text) => addressesIn(text ?? ""))) order.addresses.add(address)
}

export interface Refund {
  readonly no: Hole
  readonly ownNo: string | undefined
  readonly order: Order
  readonly amount: number
  readonly requested: number | undefined
  reason: string | null
  readonly createdAt: number
  metadata: Texts
  state: "pending" | "succeeded" | "failed"
  settledAt: Time | null
  updatedAt: Time
}

/** A file for evidence, by its address. */
export interface UploadedFile {
  readonly no: Hole
  readonly uploadedAt: number
  /** When evidence named it last, if only in a draft that was refused. */
  namedAt: number | undefined
  erased: boolean
}

export type DisputeState = "needs_response" | "under_review" | "won" | "lost" | "closed"

export interface Dispute {
  readonly no: Hole
  readonly processorNo: Hole
  readonly order: Order
  readonly amount: number
  readonly reason: string
  readonly openedAt: number
  readonly dueBy: number | null
  state: DisputeState
  /** The bank's own state, which may differ from the service's. */
  word: string
  acceptedAt: number | undefined
  /** The key of the acceptance. */
  acceptedBy: string | undefined
  fee: number | null
  closedAt: Time | null
  evidence: { texts: Texts; files: ReadonlyArray<Fields>; submittedAt: number | null; updatedAt: number | null }
  /** The key of the submission. */
  submittedBy: string | undefined
}

export interface Link {
  readonly no: Hole
  readonly amount: number
  readonly currency: Currency
  readonly notifyUrl: string | null
  readonly returnUrl: string | null
  readonly manual: boolean
  readonly createdAt: number
  subject: string | null
  status: string
  maxUses: number | null
  expiresAt: number | null
  metadata: Texts
  used: number
}

export interface Endpoint {
  readonly no: Hole
  readonly createdAt: number
  url: string
  description: string | null
  types: ReadonlyArray<string>
  status: string
  disableWhenFailing: boolean
  secrets: Secrets
}

/** Those that sign, and until when; the newest has no end. */
export type Secrets = ReadonlyArray<{ readonly secret: Hole; readonly until: number }>

/** Where an event is posted. `isSure`: whatever comes next. */
export interface Receiver {
  readonly url: string
  readonly endpoint: Endpoint | undefined
  isSure: boolean
}

export interface Payout {
  readonly no: Hole
  readonly currency: Currency
  readonly amount: number
  readonly fee: number
  readonly reference: string | null
  readonly createdAt: number
  updatedAt: number
  state: "requested" | "approved" | "rejected" | "succeeded" | "failed"
}

export interface Row {
  readonly no: Hole
  readonly type: string
  readonly currency: Currency
  readonly amount: number
  before: number
  after: number
  readonly of: { readonly no: Hole }
  readonly order: Order | undefined
  readonly at: Time
}

export interface Happening {
  readonly no: Hole
  readonly type: string
  readonly at: Time
  readonly of: { readonly no: Hole }
  readonly order: Order
  /** The object's state at that time. */
  object: Fields
  /** Its states since: a payment goes back after the answer, and the event shows the order as it is by then. */
  later: ReadonlyArray<Fields>
  /** Its states before erasures, which receivers may have got. */
  former: ReadonlyArray<Fields>
  readonly receivers: ReadonlyArray<Receiver>
}

export interface Wallet {
  available: number
  frozen: number
  revenue: number
  fee: number
  payout: number
  refund: number
  updatedAt: Time
}

/** A key with scopes. Those of the sandbox call. */
export interface ScopedKey {
  readonly no: Hole
  readonly mode: "sandbox" | "live"
  /** The newest one; earlier ones have ended. */
  secret: Hole
  readonly name: string
  readonly scopes: ReadonlyArray<string>
  readonly expiresAt: number | null
  readonly allowlist: string
  /** The prefix of the creator's address; null: an operator. */
  readonly by: string | null
  revoked: boolean
}

/** The stored answer of an Idempotency-Key. */
export interface Kept {
  readonly at: number
  readonly body: string
  readonly answer: Answer
}

/** A merchant's sandbox. */
export class Account {
  readonly merchantId: string
  readonly createdAt: number
  /** The network address of its calls. */
  readonly address: string
  /** Where its webhooks arrive. */
  readonly hooks: string
  readonly orders: Array<Order> = []
  readonly refunds: Array<Refund> = []
  readonly disputes: Array<Dispute> = []
  readonly links: Array<Link> = []
  readonly endpoints: Array<Endpoint> = []
  readonly payouts: Array<Payout> = []
  readonly rows: Array<Row> = []
  readonly events: Array<Happening> = []
  readonly wallets = new Map<Currency, Wallet>()
  readonly answers = new Map<string, Kept>()
  readonly keys: Array<ScopedKey> = []
  readonly erasures: Array<{ readonly no: Hole }> = []
  readonly files: Array<UploadedFile> = []
  /** The account's own secrets, of which the newest can be read again (silences: W1, W19). */
  signing: Secrets = [{ secret: newNo.signing(), until: Infinity }]
  rotatedAt: number | null = null
  reachable = true
  /** When its bank went away last: what it was asked then is asked again later. */
  awayAt = -Infinity
  /** The operators' settings. */
  approved = false
  suspended = false
  closedAt: number | undefined = undefined
  allowlist = ""
  note: string | null = null

  constructor(merchantId: string, createdAt: number, { address = "127.0.0.1", hooks = "http://127.0.0.1:9" } = {}) {
    this.merchantId = merchantId
    this.createdAt = createdAt
    this.address = address
    this.hooks = hooks
  }
}

export const newNo = {
  order: () => idOf("TRD_SB_"),
  refund: () => idOf("rfd_"),
  dispute: () => idOf("dsp_"),
  chargeback: () => idOf("dp_"),
  payment: () => idOf("pay_"),
  link: () => idOf("plink_"),
  endpoint: () => idOf("whe_"),
  payout: () => idOf("pyt_"),
  row: () => idOf("LED_"),
  event: () => idOf("evt_"),
  erasure: () => idOf("ers_"),
  key: () => idOf("key_"),
  file: () => new Hole(/^http:\/\/[^/]+\/files\/[\w-]+\.pdf$/),
  signing: () => new Hole(/^whsec_[\w+/=-]{40,}$/),
  secret: (mode: ScopedKey["mode"]) => new Hole(mode === "live" ? /^svc_live_[\w-]{40,}$/ : /^svc_test_[\w-]{40,}$/)
}

/** The object that a path or a filter names: the platform's number first, then the merchant's own. */
type Named = Pick<Order, "no"> & Partial<Pick<Order, "ownNo">>
export const named = <T extends Named>(things: ReadonlyArray<T>, ref: string): T | undefined =>
  things.find(({ no }) => no.value === ref) ?? things.find(({ ownNo }) => ownNo === ref)
