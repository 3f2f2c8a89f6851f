/**
 * The payment provider of Medusa: a payment session is an order at Coffer, which the buyer pays at the checkout page.
 * What it answers follows from the order as it is at Coffer, so events may come twice, late and in any order. A session
 * is deleted only when nobody can pay its order any more.
 */
import type {
  AuthorizePaymentInput,
  AuthorizePaymentOutput,
  BigNumberInput,
  CancelPaymentInput,
  CancelPaymentOutput,
  CapturePaymentInput,
  CapturePaymentOutput,
  DeletePaymentInput,
  DeletePaymentOutput,
  GetPaymentStatusInput,
  GetPaymentStatusOutput,
  InitiatePaymentInput,
  InitiatePaymentOutput,
  Logger,
  ProviderWebhookPayload,
  RefundPaymentInput,
  RefundPaymentOutput,
  RetrievePaymentInput,
  RetrievePaymentOutput,
  UpdatePaymentInput,
  UpdatePaymentOutput,
  WebhookActionResult
} from "@medusajs/framework/types"
import { AbstractPaymentProvider, BigNumber, PaymentActions, PaymentSessionStatus } from "@medusajs/framework/utils"
import { type Event, type Order, WebhookVerificationError } from "@coffer/sdk"
import { Account, type AccountOptions, notPaid, paidOf, ShopError, standingOf } from "../../shops/src/Account.ts"

export type CofferOptions = AccountOptions

/** What a session and a payment keep at Medusa. Storefronts see it. */
interface Data {
  readonly session_id: string
  readonly trade_no: string
  readonly checkout_url: string
  /** In minor units. */
  readonly amount: number
  readonly currency: string
  /** How many orders the session has had. */
  readonly orders: number
  /** How many refunds Medusa's books have. */
  readonly refunds: number
  /** Set by a capture, which is made once: an event of a partial one may come twice. */
  readonly captured?: true
}

/** All currencies of Coffer have two decimals. */
const minorOf = (amount: BigNumberInput): number => Math.round(Number((new BigNumber(amount).numeric * 100).toFixed(4)))
export const majorOf = (amount: number): number => amount / 100

const statuses = {
  open: PaymentSessionStatus.REQUIRES_MORE,
  authorized: PaymentSessionStatus.AUTHORIZED,
  paid: PaymentSessionStatus.CAPTURED,
  closed: PaymentSessionStatus.CANCELED
} as const

const actions = {
  open: PaymentActions.NOT_SUPPORTED,
  authorized: PaymentActions.AUTHORIZED,
  paid: PaymentActions.SUCCESSFUL,
  closed: PaymentActions.CANCELED
} as const

/** What the shop's log says, since Medusa has no place for it. */
const words: { readonly [type in Event["type"]]?: string } = {
  "payment.duplicate_refunded": "the buyer paid late or twice, and got that money back",
  "refund.failed": "the bank did not carry out a refund: pay the buyer in another way",
  "payment.authorization_expired": "the reserved money was not captured in time, and is released",
  "dispute.created": "the buyer disputes the payment: answer at Coffer",
  "dispute.won": "the dispute was won",
  "dispute.lost": "the dispute was lost"
}

export class CofferProvider extends AbstractPaymentProvider<CofferOptions> {
  static override identifier = "coffer"
  /** Those of this process, for the job that asks for missed events. */
  static readonly started: Set<CofferProvider> = new Set()

  readonly account: Account
  /** By order: a refund that exists at Coffer and is being entered into Medusa's books. */
  readonly entering: Map<string, string> = new Map()
  readonly #logger: Logger

  constructor(container: { readonly logger: Logger }, options: CofferOptions) {
    super(container as never, options)
    this.#logger = container.logger
    this.account = new Account(options)
    CofferProvider.started.add(this)
  }

  /** Throws a `TypeError` that names the option that is wrong. */
  static override validateOptions(options: CofferOptions): void {
    void new Account(options)
  }

  async initiatePayment({
    amount,
    context,
    currency_code,
    data
  }: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    const session_id = String(data?.["session_id"] ?? context?.idempotency_key)
    const opened = await this.#open(session_id, 1, minorOf(amount), currency_code, context?.customer?.email)
    return { id: opened.trade_no, data: { ...opened }, status: PaymentSessionStatus.PENDING }
  }

  /** Another amount is another order. The first one is closed, or is paid and stays. */
  async updatePayment({ amount, context, currency_code, data }: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    const known = dataOf(data)
    const minor = minorOf(amount)
    if (known.amount === minor && known.currency === currency_code.toUpperCase()) return { data: { ...known } }
    await this.#close(known)
    const { orders, session_id } = known
    const opened = await this.#open(session_id, orders + 1, minor, currency_code, context?.customer?.email)
    return { data: { ...opened } }
  }

  /** Medusa keeps a session whose deletion fails: the buyer has paid it, or is about to. */
  async deletePayment({ data }: DeletePaymentInput): Promise<DeletePaymentOutput> {
    if (data?.["trade_no"] !== undefined) await this.#close(dataOf(data))
    return {}
  }

  async authorizePayment({ data }: AuthorizePaymentInput): Promise<AuthorizePaymentOutput> {
    const known = dataOf(data)
    const order = await this.account.read(known.trade_no)
    // Medusa enters all of a payment that is `captured`, and asks for the amount of one that is `authorized`.
    const isPart = order.paid_at !== null && paidOf(order) < order.amount
    return { status: statuses[isPart ? "authorized" : standingOf(order)], data: { ...known } }
  }

  async getPaymentStatus(input: GetPaymentStatusInput): Promise<GetPaymentStatusOutput> {
    return this.authorizePayment(input)
  }

  async retrievePayment({ data }: RetrievePaymentInput): Promise<RetrievePaymentOutput> {
    return { data: { ...(await this.account.read(dataOf(data).trade_no)) } }
  }

  /** Medusa does not tell a provider about amounts of captures: all that is reserved is captured. */
  async capturePayment({ data }: CapturePaymentInput): Promise<CapturePaymentOutput> {
    const known = dataOf(data)
    if (known.captured === true) throw new ShopError("The payment is captured already.")
    const order = await this.account.capture(known.trade_no)
    if (standingOf(order) !== "paid") throw new ShopError(notPaid(order))
    return { data: { ...known, captured: true } }
  }

  async cancelPayment({ data }: CancelPaymentInput): Promise<CancelPaymentOutput> {
    const known = dataOf(data)
    await this.#close(known)
    return { data: { ...known } }
  }

  async refundPayment({ amount, context, data }: RefundPaymentInput): Promise<RefundPaymentOutput> {
    const known = dataOf(data)
    const entered = this.entering.get(known.trade_no)
    const row = context?.idempotency_key
    const { refunds: booked, trade_no: tradeNo } = known
    if (entered === undefined) {
      const refund = await this.account.refund({ tradeNo, booked, amount: minorOf(amount), row })
      if (refund.status === "failed") throw new ShopError(`The bank refused the refund: ${refund.failure_reason}`)
    } else await this.account.coffer.refunds.update(entered, { metadata: { shop_refund: row ?? null } })
    return { data: { ...known, refunds: known.refunds + 1 } }
  }

  /** A forged post is logged, and changes nothing: Medusa has answered it already. */
  async getWebhookActionAndData(post: ProviderWebhookPayload["payload"]): Promise<WebhookActionResult> {
    try {
      const event = await this.account.verify(post.rawData, post.headers as Record<string, string>)
      const { trade_no } = event.data.object
      const word = words[event.type]
      if (word !== undefined) this.#logger.warn(`Coffer ${trade_no}: ${word}`)
      return this.actionOf(await this.account.read(trade_no))
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      this.#logger.warn(`A post that is not Coffer's was ignored: ${error.message}`)
      return { action: PaymentActions.NOT_SUPPORTED }
    }
  }

  /** What Medusa is to do about an order as it is. */
  actionOf(order: Order): WebhookActionResult {
    const session_id = sessionOf(order)
    if (session_id === undefined) return { action: PaymentActions.NOT_SUPPORTED }
    return { action: actions[standingOf(order)], data: { session_id, amount: majorOf(paidOf(order)) } }
  }

  async #open(session_id: string, orders: number, amount: number, currency: string, email?: string): Promise<Data> {
    const number = orders === 1 ? session_id : `${session_id}.${orders}`
    const { returnUrl } = this.account.options
    const metadata = { medusa_session: session_id }
    const order = await this.account.open({ number, amount, currency, email, returnUrl, metadata })
    const { checkout_url, trade_no } = order
    return { session_id, trade_no, checkout_url, amount, currency: order.currency, orders, refunds: 0 }
  }

  async #close({ trade_no }: Data): Promise<void> {
    if (standingOf(await this.account.close(trade_no)) !== "closed")
      throw new ShopError("The buyer has paid. Refund the payment instead.")
  }
}

const dataOf = (data: Record<string, unknown> | undefined): Data => {
  if (typeof data?.["trade_no"] === "string") return data as unknown as Data
  throw new ShopError("This payment has no order at Coffer.")
}

/** Undefined: it is no order of a Medusa shop. */
export const sessionOf = ({ metadata }: Order): string | undefined => metadata["medusa_session"]
