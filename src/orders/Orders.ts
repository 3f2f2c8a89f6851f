/**
 * Front door to orders: what the edge, the checkout page and the workers may ask of them. It talks to the outside
 * world (the channel), so that the actors never have to.
 */
import type { CreateOrder, UpdateOrder } from "@coffer/contract/Orders"
import { prefixes, type TradeNo } from "@coffer/model/Ids"
import { patchProblem } from "@coffer/model/Metadata"
import {
  CancelAnswer,
  type Order,
  OrderCommand,
  type OrderConflict,
  type PaymentFacts,
  type RefundRefused
} from "@coffer/rules/order/Order"
import { InvalidField } from "@coffer/rules/InvalidField"
import { formProblem, termsProblem } from "@coffer/rules/order/termsProblem"
import { feeFor } from "@coffer/rules/wallet/feeFor"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import { Context, DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import {
  type CancelReport,
  Channel,
  type ChannelPayment,
  type ChannelReport,
  type ChannelUnreachable
} from "../channel/Channel.ts"
import { CheckoutLinks } from "../signedUrls/CheckoutLinks.ts"
import { type ActorUnavailable, ask } from "../platform/cluster/ask.ts"
import { type AlreadyExists, type ChangeSet, NotCommitted, type StaleVersion } from "../platform/commit/Change.ts"
import { answering, giveClaimBack, takeClaim } from "../idempotency/IdempotencyClaim.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { Faults } from "../platform/runtime/Faults.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import type { Owner } from "../platform/postgres/Pages.ts"
import { Wakeups } from "../platform/commit/Wakeups.ts"
import { Transactor } from "../platform/commit/Transactor.ts"
import { span } from "../platform/runtime/span.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import type { Entry } from "../wallets/Wallets.ts"
import { newOrder } from "./newOrder.ts"
import { type Alongside, OrderEntity, OrderNotFound } from "./OrderEntity.ts"
import { insertion, OrderStore, type StoredOrder } from "./OrderStore.ts"
import { orderView } from "./OrderView.ts"

/** The same out_trade_no was used for an order with other terms (spec: Orders, rule 3). */
export class OrderNumberTaken extends Schema.TaggedError<OrderNumberTaken>()("OrderNumberTaken", {
  outTradeNo: Schema.String,
  differs: Schema.String
}) {}

/** What may refuse one half of a refund or a dispute, and so the whole. */
export type EntryRefused = RefundRefused | InsufficientBalance | StaleVersion | AlreadyExists

/** What can go wrong in any write, whatever it is: it may be sent again. */
export type WriteFailure = NotCommitted | ActorUnavailable

export class Orders extends Context.Service<
  Orders,
  {
    readonly create: (
      owner: Owner,
      terms: CreateOrder
    ) => Effect.Effect<
      { readonly order: Order; readonly created: boolean },
      InvalidField | OrderNumberTaken | WriteFailure
    >
    readonly find: (owner: Owner, ref: string) => Effect.Effect<Order, OrderNotFound>
    readonly findStored: (owner: Owner, ref: string) => Effect.Effect<StoredOrder, OrderNotFound>
    /** By platform number, whoever owns it: for pages and workers, never for an API caller. */
    readonly byTradeNo: (tradeNo: TradeNo) => Effect.Effect<Order, OrderNotFound>
    readonly annotate: (
      owner: Owner,
      ref: string,
      patch: UpdateOrder
    ) => Effect.Effect<Order, InvalidField | OrderNotFound | OrderConflict | WriteFailure>
    /** Close a pending order now (spec: States and transitions, Order). */
    readonly closeEarly: (
      owner: Owner,
      ref: string
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | ChannelUnreachable | WriteFailure>
    /** The channel's word about an order; it may come many times. Where nothing changes, `books` are not written. */
    readonly report: (
      tradeNo: TradeNo,
      said: ChannelReport,
      also?: Alongside
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | WriteFailure>
    /** An attempt of which the channel reports nothing yet: `books` are written, with the answer to the request. */
    readonly note: (tradeNo: TradeNo, books: ChangeSet) => Effect.Effect<Order, OrderNotFound | NotCommitted>
    /** `expires_at` has passed: ask the channel to close, and expire. */
    readonly reachDeadline: (
      tradeNo: TradeNo
    ) => Effect.Effect<Order, OrderConflict | OrderNotFound | ChannelUnreachable | WriteFailure>
    /** The order's half of a refund or a dispute; `entry` is the other, and both are committed or neither is. */
    readonly performWith: (
      tradeNo: TradeNo,
      command: OrderCommand,
      entry: Entry
    ) => Effect.Effect<Order, EntryRefused | OrderConflict | OrderNotFound | WriteFailure>
    /** Send money that must not stay back to the buyer, and tell the merchant once the channel took it. */
    readonly returnStrayPayments: (
      tradeNo: TradeNo
    ) => Effect.Effect<void, OrderConflict | OrderNotFound | ChannelUnreachable | WriteFailure>
  }
>()("@coffer/orders/Orders") {}

export const layer = Layer.effect(
  Orders,
  Effect.gen(function* () {
    const store = yield* OrderStore
    const channel = yield* Channel
    const merchants = yield* Merchants
    const transactor = yield* Transactor
    const ids = yield* NewIds
    const wakeups = yield* Wakeups
    const links = yield* CheckoutLinks
    const client = yield* OrderEntity.client
    const { allowPrivateWebhooks } = yield* Settings
    const faults = yield* Faults

    /** Whoever owns an order or sent a valid key is a merchant. */
    const merchantOf = ({ merchantId }: Pick<Owner, "merchantId">) =>
      Effect.catchTags(merchants.find(merchantId), { MerchantNotFound: Effect.die })

    /** As it is stored. */
    const viewOf = (order: Order) => orderView(order, links.unsignedUrlOf(order.tradeNo, order.expiresAt))

    const perform = (tradeNo: TradeNo, command: OrderCommand) => ask(client(tradeNo).Perform({ command }))

    /** What the request itself asked for: its answer is committed with the change. */
    const performAsked = (tradeNo: TradeNo, command: OrderCommand, also: Alongside = {}) =>
      Effect.flatMap(takeClaim, (claim) =>
        ask(client(tradeNo).Perform({ command, ...also, ...(claim === undefined ? {} : { claim }) }))
      )

    const findStored = Effect.fnUntraced(function* (owner: Owner, ref: string) {
      const stored = yield* store.resolve(owner, ref)
      return Option.isSome(stored) ? stored.value : yield* new OrderNotFound({ ref })
    })
    const find = (owner: Owner, ref: string) => Effect.map(findStored(owner, ref), ({ order }) => order)

    const byTradeNo = Effect.fnUntraced(function* (tradeNo: TradeNo) {
      const stored = yield* store.load(tradeNo)
      return Option.isSome(stored) ? stored.value.order : yield* new OrderNotFound({ ref: tradeNo })
    })

    const create = span("Orders.create")(function* (owner: Owner, terms: CreateOrder) {
      const merchant = yield* merchantOf(owner)
      const order = newOrder(owner, terms, yield* ids.next(prefixes.tradeNo[owner.mode]), yield* currentTime)
      const asked = { ...order, metadata: terms.metadata ?? {} }
      const problem = termsProblem(asked, {
        mode: owner.mode,
        privateAllowed: allowPrivateWebhooks,
        liveCurrencies: merchant.live_currencies,
        hasOtherTarget: merchant.modes[owner.mode].default_notify_url !== null
      })
      if (problem !== undefined) {
        // Settings may have changed since the first request with this number. What the form forbids was never an order.
        if (formProblem(asked, owner) !== undefined) return yield* problem
        return yield* repeated(owner, order, Effect.fail(problem))
      }
      // An order that does not exist has no state to guard: the unique index is the guard, not an actor.
      const claim = yield* takeClaim
      const answer = claim === undefined ? [] : answering(claim, 201, viewOf(order))
      return yield* transactor.commit(`${owner.merchantId}/${order.outTradeNo}`, [insertion(order), ...answer]).pipe(
        Effect.as({ order, created: true }),
        Effect.catchTags({
          AlreadyExists: (taken) => Effect.andThen(giveClaimBack, repeated(owner, order, Effect.die(taken))),
          StaleVersion: () => new NotCommitted({ reason: "overloaded" })
        })
      )
    })

    /** The order that has this number already, which must be the one that is wanted. */
    const repeated = Effect.fnUntraced(function* <E>(owner: Owner, wanted: Order, none: Effect.Effect<never, E>) {
      const stored = yield* store.byOutTradeNo(owner, wanted.outTradeNo)
      if (Option.isNone(stored)) return yield* none
      const { order } = stored.value
      const differs = Struct.keys(comparedTerms).find((term) => order[term] !== wanted[term])
      if (differs === undefined) return { order, created: false }
      return yield* new OrderNumberTaken({ outTradeNo: wanted.outTradeNo, differs: comparedTerms[differs] })
    })

    const annotate = span("Orders.annotate")(function* (owner: Owner, ref: string, patch: UpdateOrder) {
      // What no order could take is wrong whether or not there is one (silences: G10).
      const unfit = patchProblem({}, patch.metadata ?? {})
      if (unfit !== undefined) return yield* new InvalidField(unfit)
      const order = yield* find(owner, ref)
      const problem = patchProblem(order.metadata, patch.metadata ?? {})
      if (problem !== undefined) return yield* new InvalidField(problem)
      if (patch.metadata === undefined && patch.receipt_email === undefined) return order
      return yield* performAsked(order.tradeNo, annotation(patch))
    })

    /** Adds what only we know: the fee of this merchant's schedule. */
    const factsOf = (order: Pick<Order, "merchantId" | "mode">, payment: ChannelPayment) =>
      Effect.map(merchantOf(order), ({ fees }): PaymentFacts => ({
        ...payment,
        fee: feeFor(fees, { ...payment, mode: order.mode })
      }))

    const answerOf = Effect.fnUntraced(function* (order: Order, report: CancelReport) {
      return report._tag === "AlreadyPaid"
        ? { _tag: report._tag, facts: yield* factsOf(order, report.payment) }
        : { _tag: report._tag }
    })

    const closeEarly = span("Orders.closeEarly")(function* (owner: Owner, ref: string) {
      const order = yield* find(owner, ref)
      if (order.status === "expired") return order
      if (order.status !== "pending")
        return yield* perform(order.tradeNo, CloseEarly.make({ answer: Cancelled.make({}) }))
      const answer = yield* answerOf(order, yield* channel.cancel(order))
      return yield* performAsked(order.tradeNo, CloseEarly.make({ answer }))
      // What the channel did must be recorded even when the caller hangs up.
    }, Effect.uninterruptible)

    const report = span("Orders.report")(function* (tradeNo: TradeNo, said: ChannelReport, also?: Alongside) {
      switch (said._tag) {
        case "Succeeded": {
          const facts = yield* factsOf(also?.seen?.order ?? (yield* byTradeNo(tradeNo)), said.payment)
          const order = yield* performAsked(tradeNo, ConfirmPayment.make({ facts }), also)
          if (order.strayPayments.length > 0) wakeups.raise("stray_payments")
          return order
        }
        case "Declined":
          return yield* performAsked(tradeNo, DeclinePayment.make({}), also)
        case "Failed":
          return yield* performAsked(tradeNo, FailPayment.make({}), also)
      }
    }, Effect.uninterruptible)

    const note = span("Orders.note")(
      function* (tradeNo: TradeNo, books: ChangeSet) {
        const order = yield* byTradeNo(tradeNo)
        const answer = answering(yield* takeClaim, 200, viewOf(order))
        yield* transactor.commit(tradeNo, [...books, ...answer])
        return order
      },
      Effect.catchTags({
        AlreadyExists: Effect.die,
        // The request's claim was taken over, and the attempt with it.
        StaleVersion: () => new NotCommitted({ reason: "overloaded" })
      })
    )

    const reachDeadline = span("Orders.reachDeadline")(function* (tradeNo: TradeNo) {
      const order = yield* byTradeNo(tradeNo)
      const now = yield* currentTime
      if (order.status !== "pending" || DateTime.isLessThan(now, order.expiresAt)) return order
      const answer = yield* answerOf(order, yield* channel.cancel(order))
      return yield* perform(tradeNo, ReachDeadline.make({ now, answer }))
    })

    const returnStrayPayments = span("Orders.returnStrayPayments")(function* (tradeNo: TradeNo) {
      const order = yield* byTradeNo(tradeNo)
      for (const payment of order.strayPayments) {
        if (payment.state !== "due") continue
        yield* channel.giveBack(order, payment)
        yield* perform(tradeNo, ConfirmReturn.make({ paymentId: payment.paymentId }))
      }
    })

    return Orders.of({
      create,
      find,
      findStored,
      byTradeNo,
      annotate,
      closeEarly,
      report,
      note,
      reachDeadline,
      performWith: (tradeNo, command, entry) =>
        faults.around("Orders.performWith", ask(client(tradeNo).PerformWith({ command, entry }))),
      returnStrayPayments
    })
  })
)

/** The merge happens against what the actor holds, so two updates at once both count. */
const annotation = ({ metadata, receipt_email }: UpdateOrder) =>
  Annotate.make({
    ...(metadata === undefined ? {} : { metadata }),
    ...(receipt_email === undefined ? {} : { receiptEmail: receipt_email })
  })

const { Annotate, CloseEarly, ConfirmPayment, ConfirmReturn, DeclinePayment, FailPayment, ReachDeadline } =
  OrderCommand.cases

const { Cancelled } = CancelAnswer.cases

/** A repeated out_trade_no must agree in these four and in nothing else (silences: O1). */
const comparedTerms = { amount: "amount", currency: "currency", subject: "subject", notifyUrl: "notify_url" } as const
