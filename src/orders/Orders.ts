/**
 * Front door to orders: what the edge, the checkout page and the workers may ask of them. It talks to the outside
 * world (the channel), so that an owner never has to.
 */
import type { CreateOrder, UpdateOrder } from "@coffer/contract/Orders"
import { type PaymentId, prefixes, type TradeNo } from "@coffer/model/Ids"
import { patchProblem } from "@coffer/model/Metadata"
import { InvalidField } from "@coffer/rules/InvalidField"
import {
  type ChannelDispute,
  type Order,
  OrderCommand,
  type OrderConflict,
  type RefundRefused
} from "@coffer/rules/order/Order"
import { hasReceipt } from "@coffer/rules/order/receipt"
import { Context, Effect, Layer, type Option } from "effect"
import type { EntryFailure, WriteFailure } from "../aggregate/WriteLoop.ts"
import type { ChannelReport, ChannelUnreachable } from "../channel/payments.ts"
import type { ChangeSet, NotCommitted } from "../platform/commit/Change.ts"
import type { Account } from "@coffer/model/Account"
import { currentTime } from "../platform/runtime/clock.ts"
import { Faults } from "../platform/runtime/Faults.ts"
import { span } from "../platform/runtime/span.ts"
import type { Entry } from "../wallets/Wallets.ts"
import { closeEarly, reachDeadline } from "./closeOrder.ts"
import { createOrder, type OrderNumberTaken } from "./createOrder.ts"
import type { OrderNotFound } from "./OrderCommands.ts"
import { type OrderName, orderServices, type OrderServices } from "./OrderServices.ts"
import {
  closeParked,
  closeParkedOfSandbox,
  type Returned,
  note,
  noteDispute,
  report,
  reportFailedReturn,
  reportReturned,
  returnUnappliedPayments
} from "./reportPayment.ts"

export class Orders extends Context.Service<
  Orders,
  {
    readonly create: (
      account: Account,
      terms: CreateOrder
    ) => Effect.Effect<
      { readonly order: Order; readonly created: boolean },
      InvalidField | OrderNumberTaken | WriteFailure
    >
    readonly find: (account: Account, ref: string) => Effect.Effect<Order, OrderNotFound>
    /** By platform number, of any merchant: for pages and workers, never for an API caller. */
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
     * The channel's word about an order; it may come many times. The `entry` is what the channel writes down itself,
     * with the change or not at all.
     */
    readonly report: (
      order: OrderName,
      report: ChannelReport,
      entry?: Entry
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | WriteFailure>
    /** An attempt of which the channel reports nothing yet: `changes` are written, with the answer to the request. */
    readonly note: (order: Order, changes: ChangeSet) => Effect.Effect<Order, NotCommitted>
    /** `expires_at` has passed: ask the channel to close, and expire. */
    readonly reachDeadline: (
      tradeNo: TradeNo
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | ChannelUnreachable | WriteFailure>
    /** The order's half of a refund or a dispute; `entry` is the other, and both are committed or neither is. */
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
    /** A payment that the order did not take was given back at the channel: the rest of it. */
    readonly reportReturned: (
      order: OrderName,
      returned: Returned
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | WriteFailure>
    /** How a dispute about a payment that the order did not take stands. None when the payment is not known here. */
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
      closeEarly: closeEarly(services),
      report: report(services),
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
    // A value that no order could take is wrong whether or not there is one (silences: G10).
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
    // An order without a receipt is refused as such, whatever address there is.
    if (address === null && hasReceipt(order)) {
      return yield* new InvalidField({ param: "email", problem: "is required: the order has no receipt_email" })
    }
    const mailId = yield* ids.next(prefixes.mail)
    const at = yield* currentTime
    const request = { at, mailId, address: address ?? "", save: newAddress !== undefined }
    return yield* performRequest(order, OrderCommand.cases.RequestReceipt.make(request))
  })

/** The merge happens against what the order has by then, so two updates at once both count. */
const annotation = ({ metadata, receipt_email }: UpdateOrder) =>
  OrderCommand.cases.Annotate.make({
    ...(metadata === undefined ? {} : { metadata }),
    ...(receipt_email === undefined ? {} : { receiptEmail: receipt_email })
  })
