/**
 * The payments of a Vendure shop that are made at Coffer. A payment is `Pending` while its buyer may pay; what Coffer
 * says of its order moves it on. An event only says which order to read, so events may come twice, late and in any
 * order, and one function serves the hook and the reconciliation.
 */
import { CofferError, type Event, type Order as CofferOrder, type Refund as CofferRefund } from "@coffer/sdk"
import {
  type CancelPaymentErrorResult,
  type CancelPaymentResult,
  type CreatePaymentErrorResult,
  type CreatePaymentResult,
  type CreateRefundResult,
  type HistoryService,
  isGraphQlErrorResult,
  Logger,
  type Order,
  type OrderService,
  Payment,
  type PaymentProcess,
  type PaymentState,
  Refund,
  type RequestContext,
  type RequestContextService,
  type SettlePaymentErrorResult,
  type SettlePaymentResult,
  type TransactionalConnection,
  UserInputError
} from "@vendure/core"
import { type Account, isUnderWay, notPaid, paidOf, ShopError, standingOf } from "../../shops/src/Account.ts"
import { inTurn } from "../../shops/src/inTurn.ts"

declare module "@vendure/core" {
  interface PaymentStates {
    Pending: never
  }
}

/** Vendure's own states have none for a payment whose buyer is at the checkout. */
export const pendingProcess: PaymentProcess<"Pending"> = {
  transitions: {
    Created: { to: ["Pending"], mergeStrategy: "merge" },
    Pending: { to: ["Authorized", "Settled", "Declined", "Error", "Cancelled"] }
  }
}

export const handlerCode = "coffer"
export const loggerCtx = "CofferPlugin"

/** Payments that Coffer's order may still change. */
const isOpen = ({ state }: Payment) => state === "Pending" || state === "Authorized"

export interface Services {
  readonly account: Account
  readonly connection: TransactionalConnection
  readonly orders: OrderService
  readonly history: HistoryService
  readonly contexts: RequestContextService
}

export class CofferPayments {
  readonly #with: Services

  constructor(services: Services) {
    this.#with = services
  }

  /**
   * A new order at Coffer for what is left to pay. An earlier one is closed first, so at most one can be paid.
   * `left`: as Vendure counts, to which a payment that is pending is as good as paid.
   */
  async create(
    ctx: RequestContext,
    order: Order,
    left: number
  ): Promise<CreatePaymentResult | CreatePaymentErrorResult> {
    const { account } = this.#with
    let amount = left
    try {
      const earlier = await this.#paymentsOf(ctx, { order: { id: order.id } })
      for (const payment of earlier.filter(({ state }) => state === "Pending")) {
        await this.#close(ctx, payment)
        amount += payment.amount
      }
      const made = await account.open({
        number: `${order.code}.${earlier.length + 1}`,
        amount,
        currency: order.currencyCode,
        subject: `Order ${order.code}`,
        email: order.customer?.emailAddress,
        returnUrl: account.options.returnUrl?.replaceAll("{ORDER_CODE}", order.code),
        metadata: { vendure_order: order.code }
      })
      const { checkout_url: checkoutUrl, expires_at: expiresAt, trade_no: transactionId } = made
      return { amount, state: "Pending", transactionId, metadata: { public: { checkoutUrl, expiresAt } } }
    } catch (error) {
      return { amount, state: "Error", errorMessage: wordsOf(error) }
    }
  }

  async #close(ctx: RequestContext, payment: Payment): Promise<void> {
    const closed = await this.#with.orders.cancelPayment(ctx, payment.id)
    if (isGraphQlErrorResult(closed)) throw new ShopError(payment.errorMessage ?? "This order is being paid already.")
  }

  /** Settles what is paid, and captures what is authorized. */
  async settle(ctx: RequestContext, payment: Payment): Promise<SettlePaymentResult | SettlePaymentErrorResult> {
    const refuse = (errorMessage: string) => ({ success: false as const, state: stay(payment), errorMessage })
    const twins = await this.#paymentsOf(ctx, { transactionId: payment.transactionId })
    if (twins.some(({ id, state }) => id !== payment.id && state === "Settled"))
      return refuse("Another payment of this order has the same number, and is settled.")
    try {
      const order = await this.#with.account.capture(payment.transactionId)
      if (standingOf(order) !== "paid") return refuse(notPaid(order))
      // Vendure saves the payment with its new state. A part may have been captured at Coffer.
      payment.amount = paidOf(order)
      return { success: true, metadata: paidWith(order) }
    } catch (error) {
      return refuse(wordsOf(error))
    }
  }

  async cancel(payment: Payment): Promise<CancelPaymentResult | CancelPaymentErrorResult> {
    const refuse = (errorMessage: string) => ({ success: false as const, state: stay(payment), errorMessage })
    try {
      const order = await this.#with.account.close(payment.transactionId)
      return standingOf(order) === "closed"
        ? { success: true }
        : refuse("The buyer has paid. Refund the payment instead.")
    } catch (error) {
      return refuse(wordsOf(error))
    }
  }

  async refund(
    ctx: RequestContext,
    payment: Payment,
    amount: number,
    reason?: string | null
  ): Promise<CreateRefundResult> {
    const booked = await this.#refundsOf(ctx, payment)
    const made = await this.#with.account
      .refund({ tradeNo: payment.transactionId, booked: booked.length, amount, reason: reason || undefined })
      .catch((error) => {
        throw new UserInputError(wordsOf(error))
      })
    return { state: refundStates[made.status], transactionId: made.refund_no }
  }

  /** The event, if Coffer has signed these bytes. */
  verify(...post: Parameters<Account["verify"]>): Promise<Event> {
    return this.#with.account.verify(...post)
  }

  /** What an event may have changed. An event of another shop of the account changes nothing. */
  async hear({ data, type }: Event): Promise<void> {
    const { account, connection, contexts } = this.#with
    const { trade_no } = data.object
    await inTurn(trade_no, async () => {
      const ctx = await contexts.create({ apiType: "admin" })
      const known = await this.#paymentsOf(ctx, { transactionId: trade_no })
      if (known.length === 0) return
      // Nothing is asked about what has ended already, of which the task meets much.
      const found = known.some(isOpen) ? await account.read(trade_no) : undefined
      const refund = "refund_no" in data.object ? await this.#readRefund(ctx, data.object) : undefined
      await connection.withTransaction(ctx, async (ctx) => {
        const payment = await this.#lock(ctx, trade_no)
        if (found !== undefined) await this.#follow(ctx, payment, found)
        if (refund !== undefined) await this.#followRefund(ctx, payment, refund)
        const note = notes[type]
        if (note !== undefined) await this.#note(ctx, payment, `${note} (Coffer ${trade_no})`)
      })
    })
  }

  /** Reads what events of the last days may have been missed. Returns how many it has read. */
  async reconcile(since: Date): Promise<number> {
    let read = 0
    for await (const event of this.#with.account.since(since)) {
      read += 1
      await this.hear(event).catch((error) => Logger.error(`${event.id}: ${wordsOf(error)}`, loggerCtx))
    }
    return read
  }

  /** The buyer went back to the cart, or the order was canceled: nobody is to pay for what it was. */
  async abandon(ctx: RequestContext, order: Order): Promise<void> {
    for (const payment of await this.#paymentsOf(ctx, { order: { id: order.id } })) {
      if (payment.state !== "Pending") continue
      // If the buyer was faster, the event of the payment settles it.
      await this.#close(ctx, payment).catch((error) => Logger.warn(`${order.code}: ${wordsOf(error)}`, loggerCtx))
    }
  }

  async #follow(ctx: RequestContext, payment: Payment, found: CofferOrder): Promise<void> {
    const { orders } = this.#with
    const standing = standingOf(found)
    if (!isOpen(payment) || standing === "open") return
    if (standing === "closed") return void (await this.#close(ctx, payment))
    if (standing === "authorized") {
      if (payment.state === "Pending") await this.#arrange(ctx, payment, () => authorize(orders, ctx, payment))
      return
    }
    await this.#arrange(ctx, payment, async () => {
      const settled = await orders.settlePayment(ctx, payment.id)
      if (isGraphQlErrorResult(settled)) throw new ShopError(settled.message)
    })
    if (payment.order.state === "Cancelled")
      await this.#note(
        ctx,
        payment,
        `The buyer paid when this order was canceled. Refund the payment (Coffer ${found.trade_no})`
      )
  }

  /** An order whose buyer went back to the cart has to be in the checkout to be paid. */
  async #arrange(ctx: RequestContext, { order }: Payment, then: () => Promise<void>): Promise<void> {
    if (order.state === "AddingItems") await this.#with.orders.transitionToState(ctx, order.id, "ArrangingPayment")
    await then()
  }

  /** The refund as it is now; undefined if it is in the shop's books as the event says. */
  async #readRefund(ctx: RequestContext, { refund_no, status }: CofferRefund): Promise<CofferRefund | undefined> {
    const row = await this.#refundRow(ctx, refund_no)
    return row?.state === refundStates[status] ? undefined : this.#with.account.coffer.refunds.get(refund_no)
  }

  /** Enters a refund that the shop's books lack, made at Coffer or without an answer, and how a pending one ended. */
  async #followRefund(ctx: RequestContext, payment: Payment, made: CofferRefund): Promise<void> {
    const row = await this.#refundRow(ctx, made.refund_no)
    if (row === null) await this.#book(ctx, payment, made)
    else if (row.state === "Pending" && made.status !== "pending")
      await this.#with.orders.transitionRefundToState(ctx, row.id, refundStates[made.status])
    else if (row.state === "Settled" && made.status === "failed")
      await this.#note(ctx, payment, `The bank sent refund ${made.refund_no} back to you. Pay the buyer in another way`)
  }

  #refundRow(ctx: RequestContext, transactionId: string): Promise<Refund | null> {
    return this.#with.connection.getRepository(ctx, Refund).findOne({ where: { transactionId } })
  }

  async #book(ctx: RequestContext, payment: Payment, made: CofferRefund): Promise<void> {
    if (made.status === "failed" || isUnderWay(made)) return
    const { amount: total, reason, refund_no: transactionId, status } = made
    const sums = { total, items: 0, shipping: 0, adjustment: 0 }
    const row = { ...sums, payment, method: payment.method, reason: reason ?? "", transactionId, metadata: {} }
    await this.#with.connection.getRepository(ctx, Refund).save(new Refund({ ...row, state: refundStates[status] }))
    await this.#note(ctx, payment, `Refund ${transactionId} was made at Coffer, and entered here`)
  }

  /** Once: the same words are not written twice. Only the shop's people see it. */
  async #note(ctx: RequestContext, { order }: Payment, note: string): Promise<void> {
    const { items } = await this.#with.history.getHistoryForOrder(ctx, order.id, false)
    if (items.some(({ data }) => data["note"] === note)) return
    await this.#with.history.createHistoryEntryForOrder(
      { ctx, orderId: order.id, type: noteType, data: { note } },
      false
    )
  }

  /** With the row locked where the database can, since several servers may hear the same event. */
  async #lock(ctx: RequestContext, transactionId: string): Promise<Payment> {
    const repository = this.#with.connection.getRepository(ctx, Payment)
    const where = { transactionId, method: handlerCode }
    const locks = /^(postgres|mysql|mariadb)$/.test(repository.manager.connection.options.type)
    if (locks) await repository.find({ where, lock: { mode: "pessimistic_write" } })
    const twins = await this.#paymentsOf(ctx, where)
    return twins.find(({ state }) => state === "Settled") ?? twins[0]!
  }

  #paymentsOf(ctx: RequestContext, where: object): Promise<Array<Payment>> {
    const relations = { order: true }
    const ours = { ...where, method: handlerCode }
    return this.#with.connection.getRepository(ctx, Payment).find({ where: ours, relations, order: { id: "ASC" } })
  }

  #refundsOf(ctx: RequestContext, { id }: Payment): Promise<Array<Refund>> {
    return this.#with.connection.getRepository(ctx, Refund).find({ where: { payment: { id } } })
  }
}

const authorize = async (orders: OrderService, ctx: RequestContext, { id }: Payment): Promise<void> => {
  const moved = await orders.transitionPaymentToState(ctx, id, "Authorized")
  if (isGraphQlErrorResult(moved)) throw new ShopError(moved.message)
}

/** The state that a refused act leaves as it is. */
const stay = ({ state }: Payment) => state as Exclude<PaymentState, "Settled" | "Cancelled">

const refundStates = { pending: "Pending", succeeded: "Settled", failed: "Failed" } as const

const noteType = "ORDER_NOTE" as Parameters<HistoryService["createHistoryEntryForOrder"]>[0]["type"]

/** What the shop's people read in the order's history. */
const notes: { readonly [type in Event["type"]]?: string } = {
  "payment.duplicate_refunded": "The buyer paid late or twice, and got that money back",
  "payment.authorization_expired": "The reserved money was not captured in time, and is released",
  "dispute.created": "The buyer disputes the payment. Answer at Coffer",
  "dispute.won": "The dispute was won",
  "dispute.lost": "The dispute was lost"
}

const paidWith = ({ paid_card, payment_method }: CofferOrder) => ({
  paymentMethod: payment_method,
  ...(paid_card === null ? {} : { card: `${paid_card.brand} ${paid_card.last4}` })
})

const wordsOf = (error: unknown): string =>
  error instanceof ShopError || error instanceof CofferError ? error.message : String(error)
