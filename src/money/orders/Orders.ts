/**
 * Front door to orders: what the edge, the checkout page and the workers may ask of them. It talks to the outside
 * world (the channel), so that an owner never has to.
 */
import type { CreateOrder, UpdateOrder } from "@coffer/contract/Orders"
import { createdAtOf, OutTradeNo, type PaymentId, prefixes, TradeNo } from "@coffer/model/Ids"
import { merge, patchProblem } from "@coffer/model/Metadata"
import { InvalidField } from "@coffer/rules/InvalidField"
import {
  type ChannelDispute,
  type Order,
  OrderCommand,
  type OrderConflict,
  type RefundRefused
} from "@coffer/rules/order/Order"
import { hasReceipt } from "@coffer/rules/order/receipt"
import { Context, DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import type { EntryFailure, WriteFailure } from "../aggregate/WriteLoop.ts"
import type { ChannelReport, ChannelUnreachable } from "../../shared/channel/payments.ts"
import { type ChangeSet, type NotCommitted, retryOvertaken } from "../../platform/commit/Change.ts"
import type { Account } from "@coffer/model/Account"
import type { Minor } from "@coffer/model/Money"
import { offeredIn } from "../../access/merchants/shopOf.ts"
import type { Channel } from "../../shared/channel/Channel.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { span } from "../../platform/runtime/span.ts"
import type { Entry } from "../wallets/Wallets.ts"
import { type OrderName, type OrderNotFound, orderServices, type OrderServices } from "./OrderCommands.ts"
import {
  closeParked,
  closeParkedOfSandbox,
  note,
  noteDispute,
  report,
  reportFailedReturn,
  reportReturned,
  type Returned,
  returnUnappliedPayments
} from "./reportPayment.ts"
import { checkoutValidity } from "@coffer/model/Limits"
import { titleOf } from "@coffer/model/Text"
import { nothing } from "@coffer/rules/Consequence"
import { takes } from "@coffer/rules/delivery/route"
import { isManual } from "@coffer/rules/order/Hold"
import { formProblem, termsProblem } from "@coffer/rules/order/termsProblem"
import { withAnswer } from "../../shared/idempotency/Answering.ts"
import type { Merchant } from "../../access/merchants/Merchants.ts"
import { closeEarly, reachDeadline } from "./endOrder.ts"
import { capture, type CaptureRefused, checkHold } from "./orderHolds.ts"
import { settableOf } from "./OrderView.ts"

/** The same out_trade_no was used for an order with other terms (spec: Orders, rule 3). */
export class OrderNumberTaken extends Schema.TaggedError<OrderNumberTaken>()("OrderNumberTaken", {
  outTradeNo: Schema.String,
  differs: Schema.String
}) {}

export class Orders extends Context.Service<
  Orders,
  {
    readonly create: (
      account: Account,
      terms: CreateOrder
    ) => Effect.Effect<
      { readonly order: Order; readonly created: boolean; readonly notTaken?: ReadonlyArray<string> },
      InvalidField | OrderNumberTaken | WriteFailure
    >
    readonly find: (account: Account, ref: string) => Effect.Effect<Order, OrderNotFound>
    /** By platform number, for any merchant: for pages and workers, never for an API caller. */
    readonly byTradeNo: (tradeNo: TradeNo) => Effect.Effect<Order, OrderNotFound>
    readonly annotate: (
      account: Account,
      ref: string,
      patch: UpdateOrder
    ) => Effect.Effect<Order, InvalidField | OrderNotFound | OrderConflict | WriteFailure>
    /** Close a pending order now (spec: States and transitions, Order). */
    readonly closeEarly: (
      account: Account,
      ref: string
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | ChannelUnreachable | WriteFailure>
    /**
     * The channel's report about an order; the same report may come many times. The `entry` has the channel's own rows,
     * committed with the change or not at all.
     */
    readonly report: (
      order: OrderName,
      report: ChannelReport,
      entry?: Entry
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | WriteFailure>
    /** An attempt before the channel reports anything: `changes` are written, with the answer to the request. */
    readonly note: (order: Order, changes: ChangeSet) => Effect.Effect<Order, NotCommitted>
    /** Charge what the channel holds: the order's amount, or a part of it, and the rest is released. */
    readonly capture: (
      account: Account,
      ref: string,
      amount?: Minor
    ) => Effect.Effect<
      Order,
      CaptureRefused | InvalidField | OrderConflict | OrderNotFound | ChannelUnreachable | WriteFailure
    >
    /** A hold has run out, or the channel owes an answer about it. */
    readonly checkHold: (
      tradeNo: TradeNo
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | ChannelUnreachable | WriteFailure>
    /** `expires_at` has passed: ask the channel to close, and expire. */
    readonly reachDeadline: (
      tradeNo: TradeNo
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | ChannelUnreachable | WriteFailure>
    /** The order's half of a refund or a dispute; `entry` is the other half. Both are committed, or neither. */
    readonly perform: (
      order: OrderName,
      command: OrderCommand,
      entry: Entry
    ) => Effect.Effect<Order, EntryFailure | RefundRefused | OrderConflict | OrderNotFound | WriteFailure>
    /** Send the receipt to `address`, or to the order's own; a given one becomes the order's. */
    readonly requestReceipt: (
      account: Account,
      ref: string,
      address: string | undefined
    ) => Effect.Effect<Order, InvalidField | OrderNotFound | OrderConflict | WriteFailure>
    /** The buyer of an unpaid order says where the receipt goes; an address that the merchant gave stays. */
    readonly takeBuyersAddress: (
      order: OrderName,
      address: string
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | WriteFailure>
    /** Send money that must not stay back to the buyer, and tell the merchant once the channel took it. */
    readonly returnUnappliedPayments: (
      tradeNo: TradeNo
    ) => Effect.Effect<void, OrderConflict | OrderNotFound | ChannelUnreachable | WriteFailure>
    /** A return did not reach the buyer, and the channel has the money again. The payment is parked with the reason. */
    readonly reportFailedReturn: (
      order: OrderName,
      paymentId: PaymentId,
      problem: string
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | WriteFailure>
    /** An operator has dealt with a parked payment. */
    readonly closeParked: (
      ref: string,
      paymentId: string,
      note: string
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | WriteFailure>
    /** Closes what is parked at an order of a sandbox. */
    readonly closeParkedOfSandbox: (
      tradeNo: TradeNo
    ) => Effect.Effect<void, OrderConflict | OrderNotFound | WriteFailure>
    /** An unapplied payment was refunded at the channel: what is left of it. */
    readonly reportReturned: (
      order: OrderName,
      returned: Returned
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | WriteFailure>
    /** The status of a dispute about an unapplied payment. None if the payment is unknown here. */
    readonly noteDispute: (
      tradeNo: TradeNo,
      paymentId: PaymentId,
      dispute: ChannelDispute
    ) => Effect.Effect<Option.Option<Order>, OrderConflict | OrderNotFound | WriteFailure>
  }
>()("@coffer/orders/Orders") {}

export const layer = Layer.effect(
  Orders,
  Effect.gen(function* () {
    const services = yield* orderServices
    const faults = yield* Faults
    return Orders.of({
      create: createOrder(services),
      find: services.find,
      byTradeNo: services.byTradeNo,
      annotate: annotate(services),
      requestReceipt: requestReceipt(services),
      takeBuyersAddress: (order, address) =>
        services.perform(order, OrderCommand.cases.TakeBuyersAddress.make({ address })),
      closeEarly: closeEarly(services),
      report: report(services),
      capture: capture(services),
      checkHold: checkHold(services),
      note: note(services),
      reachDeadline: reachDeadline(services),
      perform: (order, command, entry) => faults.around("Orders.perform", services.performHalf(order, command, entry)),
      returnUnappliedPayments: returnUnappliedPayments(services),
      reportFailedReturn: reportFailedReturn(services),
      closeParked: closeParked(services),
      closeParkedOfSandbox: closeParkedOfSandbox(services),
      reportReturned: reportReturned(services),
      noteDispute: noteDispute(services)
    })
  })
)

const annotate = ({ find, performRequest }: OrderServices) =>
  span("Orders.annotate")(function* (account: Account, ref: string, patch: UpdateOrder) {
    // A value that no order could have is refused also for an unknown order (silences: G10).
    const unfit = patchProblem({}, patch.metadata ?? {})
    if (unfit !== undefined) return yield* new InvalidField(unfit)
    const order = yield* find(account, ref)
    const problem = patchProblem(order.metadata, patch.metadata ?? {})
    if (problem !== undefined) return yield* new InvalidField(problem)
    if (patch.metadata === undefined && patch.receipt_email === undefined) return order
    return yield* performRequest(order, annotation(patch))
  })

const requestReceipt = ({ find, ids, performRequest }: OrderServices) =>
  span("Orders.requestReceipt")(function* (account: Account, ref: string, newAddress: string | undefined) {
    const order = yield* find(account, ref)
    const address = newAddress ?? order.receiptEmail
    // An order without a receipt is refused for that, whatever the address.
    if (address === null && hasReceipt(order)) {
      return yield* new InvalidField({ param: "email", problem: "is required: the order has no receipt_email" })
    }
    const mailId = yield* ids.next(prefixes.mail)
    const at = yield* currentTime
    const request = { at, mailId, address: address ?? "", save: newAddress !== undefined }
    return yield* performRequest(order, OrderCommand.cases.RequestReceipt.make(request))
  })

/** The merge uses the order's metadata at that time, so two concurrent updates both count. */
const annotation = ({ metadata, receipt_email }: UpdateOrder) =>
  OrderCommand.cases.Annotate.make({
    ...(metadata === undefined ? {} : { metadata }),
    ...(receipt_email === undefined ? {} : { receiptEmail: receipt_email })
  })

// A new order --------------------------------------------------------------------
// (spec: Orders, rules 3 to 5.) An order that does not exist has no state to guard: the unique index on the merchant's
// number is the guard, not an owner.

const createOrder = (services: OrderServices) => {
  const { commands, ids, merchantOf } = services
  return span("Orders.create")(function* (account: Account, terms: CreateOrder) {
    const merchant = yield* merchantOf(account)
    const order = newOrder(account, terms, yield* ids.next(prefixes.tradeNo[account.mode]))
    const withMetadata = { ...order, metadata: terms.metadata ?? {} }
    const problem =
      termsProblem(withMetadata, allowanceOf(services, merchant, account)) ??
      (isManual(order) ? yield* captureProblem(services.channel, account, merchant) : undefined)
    if (problem !== undefined) {
      // Rules of form do not change, so the first request with this number was refused by them, too. Settings may have
      // changed since, so the order may exist.
      if (formProblem(withMetadata, account) !== undefined) return yield* problem
      return yield* answerRepeat(services, account, order, Effect.fail(problem))
    }
    // The same number may come under two keys at the same moment. A generated number is unique.
    const lane = terms.out_trade_no === undefined ? {} : { lane: `${account.merchantId}/${order.outTradeNo}` }
    return yield* withAnswer((answer) => commands.create(order, nothing, { answer, ...lane })).pipe(
      Effect.as({ order, created: true }),
      Effect.catchTags({
        AlreadyExists: (taken) => answerRepeat(services, account, order, Effect.die(taken)),
        InsufficientBalance: Effect.die
      })
    )
  }, retryOvertaken)
}

/** The new order of a create. Pure. */
export const newOrder = (account: Account, terms: CreateOrder, number: string): Order => ({
  ...settableOf(terms),
  status: "pending",
  tradeNo: TradeNo.make(number),
  // Without a merchant's number it is the platform's own (silences: O5).
  outTradeNo: terms.out_trade_no ?? OutTradeNo.make(number),
  merchantId: account.merchantId,
  mode: account.mode,
  amount: terms.amount,
  currency: terms.currency ?? "USD",
  subject: titleOf(terms.subject),
  metadata: merge({}, terms.metadata ?? {}),
  receipt: null,
  createdAt: createdAtOf(number),
  expiresAt: DateTime.addDuration(createdAtOf(number), checkoutValidity),
  declines: 0,
  attempts: null,
  unappliedPayments: [],
  hold: terms.capture === "manual" ? {} : null
})

const allowanceOf = ({ channel, privateAllowed }: OrderServices, merchant: Merchant, { mode }: Account) => ({
  mode,
  privateAllowed,
  liveCurrencies: merchant.live_currencies,
  amountBounds: channel.boundsOf(merchant.modes[mode].channel_accounts),
  otherTarget: "enabled or paused endpoint for payment.succeeded and no default address",
  hasOtherTarget: hasTarget(merchant.modes[mode])
})

/** No buyer could pay the order (silences: O75). Also for links. */
export const captureProblem = Effect.fnUntraced(function* (
  channel: Channel["Service"],
  account: Account,
  { modes }: Merchant
) {
  const methods = yield* channel.holdable(account, offeredIn(modes[account.mode]))
  if (methods.length > 0) return undefined
  const problem = "must be automatic: no payment method that you offer here can hold an amount"
  return new InvalidField({ param: "capture", problem })
})

/** Whether any endpoint would be notified of a payment, if only after a pause (spec: Orders, rule 1; silences: W24). */
const hasTarget = ({ default_notify_url, webhooks }: Merchant["modes"]["live"]) =>
  default_notify_url !== null || webhooks.endpoints.some((endpoint) => takes(endpoint, "payment.succeeded"))

/** The answer for a number that is taken: the existing order must have the terms of this request. */
const answerRepeat = Effect.fnUntraced(function* <E>(
  { store, termsHash }: OrderServices,
  account: Account,
  wanted: Order,
  none: Effect.Effect<never, E>
) {
  const stored = yield* store.byNumber(account, wanted.outTradeNo)
  if (Option.isNone(stored)) return yield* none
  const { state: order } = stored.value
  const differs = yield* refuseDiffering(store, order, wanted, termsHash)
  if (differs === undefined) return { order, created: false, notTaken: notTakenOf(order, wanted) }
  const name = differs === "capture" ? differs : comparedTerms[differs]
  return yield* new OrderNumberTaken({ outTradeNo: wanted.outTradeNo, differs: name })
})

/** The first term that differs. The texts of an erased order are gone, and their hash is compared. */
const refuseDiffering = Effect.fnUntraced(function* (
  store: OrderServices["store"],
  order: Order,
  wanted: Order,
  termsHash: OrderServices["termsHash"]
) {
  const differs = Struct.keys(comparedTerms).find((term) => order[term] !== wanted[term])
  if (differs === "subject" || differs === "notifyUrl") {
    const erased = yield* store.erasedTerms(order.tradeNo)
    if (Option.isNone(erased) || erased.value !== termsHash(wanted)) return differs
  } else if (differs !== undefined) return differs
  return isManual(order) === isManual(wanted) ? undefined : "capture"
})

/** A repeated out_trade_no must agree in these four and in nothing else (silences: O1). */
const comparedTerms = { amount: "amount", currency: "currency", subject: "subject", notifyUrl: "notify_url" } as const

/** The fields of a repeated create that differ from the order; they change nothing. */
const notTakenOf = (order: Order, wanted: Order): ReadonlyArray<string> => {
  const fields = Struct.keys(keptTerms).filter((term) => wanted[term] !== null && wanted[term] !== order[term])
  const isOther = Object.entries(wanted.metadata).some(([key, value]) => order.metadata[key] !== value)
  return [...fields.map((term) => keptTerms[term]), ...(isOther ? ["metadata"] : [])]
}
const keptTerms = { returnUrl: "return_url", receiptEmail: "receipt_email", locale: "locale" } as const
