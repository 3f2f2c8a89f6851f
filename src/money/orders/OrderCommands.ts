/**
 * Sends a command to the owner of its order: the front door finds the order and sends the command (`orderServices`),
 * and the owner carries it out. `@coffer/rules/order/decide` says whether it is allowed and what follows, and the write
 * loop commits all of it.
 */
import { Mode, prefixes, TradeNo } from "@coffer/model/Ids"
import { consequences, decide, evolve } from "@coffer/rules/order/decide"
import {
  Order,
  OrderCommand,
  OrderConflict,
  type OrderEvent,
  OrderNotFound,
  RefundRefused
} from "@coffer/rules/order/Order"
import { Context, Effect, identity, Layer, Metric, Option, Schema } from "effect"
import type { Aggregate, Stored } from "../aggregate/Aggregate.ts"
import { makeWriteLoop, type PerformOptions, withoutEntry, type WriteLoop } from "../aggregate/WriteLoop.ts"
import { automaticId, newMail } from "../../shared/mail/mails.ts"
import { type ChangeSet, CommitError, NotCommitted } from "../../platform/commit/Change.ts"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { EntryMessage, performedSchema, readEntry } from "../wallets/Instructions.ts"
import { type Entry, Wallets } from "../wallets/Wallets.ts"
import { insertion, OrderStore, replacement } from "./OrderStore.ts"
import { orderView } from "./OrderView.ts"
import { InsufficientBalance } from "@coffer/rules/wallet/post"
import { walletIdOf, WalletName } from "@coffer/rules/wallet/Wallet"
import { Answering, withAnswer } from "../../shared/idempotency/Answering.ts"
import { ask, OwnerUnavailable } from "../../platform/cluster/ask.ts"
import { makeKnownByAll } from "../../platform/cluster/knownByAll.ts"
import { ownerOf } from "../../platform/cluster/owner.ts"
import { Channel } from "../../shared/channel/Channel.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { Transactor } from "../../platform/commit/Transactor.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import type { Account } from "@coffer/model/Account"
import { Faults } from "../../platform/runtime/Faults.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { termsHashOf } from "./erasedTerms.ts"

export { OrderNotFound }

interface OrderKind {
  readonly Id: TradeNo
  readonly State: Order
  readonly Command: OrderCommand
  readonly Fact: OrderEvent
  readonly Refusal: OrderConflict | RefundRefused
  readonly Missing: OrderNotFound
  readonly Related: undefined
}

/** Called on the runner that owns the order. */
export class OrderCommands extends Context.Service<OrderCommands, WriteLoop<OrderKind>>()(
  "@coffer/orders/OrderCommands"
) {}

export const layer = Layer.effect(
  OrderCommands,
  Effect.gen(function* () {
    const store = yield* OrderStore
    const links = yield* OrderLinks
    const wallets = yield* Wallets
    yield* beginCounts

    const load = Effect.fnUntraced(function* (tradeNo: TradeNo) {
      const stored = yield* store.load(tradeNo)
      if (Option.isNone(stored)) return yield* new OrderNotFound({ ref: tradeNo })
      return stored.value
    })

    const aggregate: Aggregate<OrderKind> = {
      idOf: ({ tradeNo }) => tradeNo,
      load,
      decide,
      evolve,
      consequences,
      insertion,
      replacement,
      view: (order) => orderView(order, links.unsigned),
      orderOf: identity,
      creates: mailOf,
      instruction: performedSchema("order", TradeNo, OrderCommand),
      alarm: (fact, tradeNo) => {
        if (fact._tag === "PaymentSucceeded") return Metric.update(paidIn[modeOf(tradeNo)], 1)
        return fact._tag === "UnappliedPaymentFound" || fact._tag === "UnappliedPaymentParked"
          ? alarmOfParked(tradeNo, fact.payment)
          : undefined
      },
      attemptsMax: 2,
      owned: { kind: "orders", rememberedMax: 256 }
    }
    // The caller's deadline covers the wallet as well.
    return yield* makeWriteLoop(aggregate, { post: wallets.postAsOwner })
  })
)

/** A receipt goes out by itself once the order is paid, and whenever the merchant asks (spec: Orders). */
const mailOf = (order: Order, fact: OrderEvent): ChangeSet => {
  const { receiptEmail: recipient, tradeNo } = order
  switch (fact._tag) {
    case "PaymentSucceeded":
      return recipient === null
        ? []
        : [newMail({ id: automaticId(tradeNo), tradeNo, recipient, at: fact.facts.paidAt })]
    case "ReceiptRequested":
      return [newMail({ id: fact.mailId, tradeNo, recipient: fact.address, at: fact.at })]
    default:
      return []
  }
}

const parked = Metric.counter("coffer_payments_parked_total", {
  description: "Payments that do not match their order, or cannot be returned; a person has to look",
  incremental: true
})

/** If they stop, something in front of the service may be broken and may answer buyers in its place. */
const paid = Metric.counter("coffer_payments_total", {
  description: "Payments that paid an order",
  incremental: true
})

const inModes = (metric: Metric.Counter<number>) => ({
  live: Metric.withAttributes(metric, { mode: "live" }),
  sandbox: Metric.withAttributes(metric, { mode: "sandbox" })
})
/** Money about which only a person may decide (silences: O17, O37 to O39). */
const parkedIn = inModes(parked)
const paidIn = inModes(paid)
/** Both modes exist from the start. */
const beginCounts = Effect.forEach(
  Mode.literals,
  (mode) => Effect.andThen(Metric.update(parkedIn[mode], 0), Metric.update(paidIn[mode], 0)),
  { discard: true }
)

const modeOf = (tradeNo: TradeNo): Mode => (tradeNo.startsWith(prefixes.tradeNo.sandbox) ? "sandbox" : "live")

const alarmOfParked = (tradeNo: TradeNo, payment: Order["unappliedPayments"][number]) => {
  const { amount, currency, paymentId, problem, reason, state } = payment
  if (state !== "parked") return undefined
  return Effect.logError("a payment was parked").pipe(
    Effect.annotateLogs({
      trade_no: tradeNo,
      payment_id: paymentId,
      amount,
      currency,
      reason,
      problem: problem ?? null
    }),
    Effect.andThen(Metric.update(parkedIn[modeOf(tradeNo)], 1))
  )
}

// Messages to its owner -----------------------------------------------------------
// One runner owns an order, wherever a command for it arrives; the row's version is the fence when two runners believe
// they own it. It is the owner of the order's wallet, so that a payment is sent on once at most (docs/decisions/0022).

export const {
  ask: askOrder,
  layer: layerSlots,
  messages
} = ownerOf({
  name: "Orders",
  /**
   * The answer to the request and the rest of the entry are committed with the change, or nothing is. With an entry the
   * order may refuse, the wallet may not cover it, and a row of the entry may be stale.
   */
  payload: Schema.Struct({
    tradeNo: TradeNo,
    wallet: WalletName,
    command: OrderCommand,
    answer: Schema.optional(Answering),
    entry: Schema.optional(EntryMessage)
  }),
  success: Order,
  failure: Schema.Union([
    OrderConflict,
    RefundRefused,
    OrderNotFound,
    InsufficientBalance,
    OwnerUnavailable,
    ...CommitError.members
  ]),
  keyOf: ({ wallet }) => walletIdOf(wallet),
  perform: Effect.map(
    OrderCommands,
    ({ perform }) =>
      ({ answer, command, entry, tradeNo }) =>
        perform(tradeNo, command, { answer, entry })
  ),
  received: readEntry
})

// For the front door --------------------------------------------------------------
// The services that the operations of orders share, and the ways to find an order and to give it a command. The
// operations ask the channel; an owner never does.

/** The order and its account: its owner is found by its wallet. */
export type OrderName = Pick<Order, "tradeNo" | "merchantId" | "mode" | "currency">

export const orderServices = Effect.gen(function* () {
  const store = yield* OrderStore
  const merchants = yield* Merchants
  const commands = yield* OrderCommands
  const tell = yield* askOrder
  const secrets = yield* Secrets

  const offerFound = (ref: string, found: Option.Option<Stored<Order>>) => {
    if (Option.isNone(found)) return Effect.fail(new OrderNotFound({ ref }))
    commands.offer(found.value)
    return Effect.succeed(found.value.state)
  }

  const send = (
    { currency, merchantId, mode, tradeNo }: OrderName,
    command: OrderCommand,
    options: PerformOptions = {}
  ) => ask(tell({ tradeNo, wallet: { merchantId, mode, currency }, command, ...options }))

  return {
    store,
    commands,
    channel: yield* Channel,
    transactor: yield* Transactor,
    ids: yield* NewIds,
    wakeups: yield* Wakeups,
    links: yield* OrderLinks,
    faults: yield* Faults,
    knownByAll: yield* makeKnownByAll,
    termsHash: ({ notifyUrl, subject }: Order) => termsHashOf(secrets, { subject, notify_url: notifyUrl }),
    privateAllowed: (yield* Settings).allowPrivateWebhooks,

    find: (account: Account, ref: string) =>
      Effect.flatMap(store.resolve(account, ref), (found) => offerFound(ref, found)),
    byTradeNo: (tradeNo: TradeNo) => Effect.flatMap(store.load(tradeNo), (found) => offerFound(tradeNo, found)),
    /** The merchant exists: it owns an order or has sent a valid key. */
    merchantOf: ({ merchantId }: Pick<Account, "merchantId">) =>
      Effect.catchTags(merchants.find(merchantId), { MerchantNotFound: Effect.die }),

    /** Performs the order's half of a refund or a dispute. `entry` is the other half. */
    performHalf: (order: OrderName, command: OrderCommand, entry: Entry) => send(order, command, { entry }),
    perform: (order: OrderName, command: OrderCommand) =>
      Effect.catchTags(send(order, command), impossibleWithoutEntry),
    /** The command that is the request itself: its answer is committed with the change. */
    performRequest: (order: OrderName, command: OrderCommand) =>
      withAnswer((answer) => Effect.catchTags(send(order, command, { answer }), impossibleWithoutEntry)),
    /** The same with the channel's own rows. If the command was performed before, these rows exist already. */
    performReported: (order: OrderName, command: OrderCommand, entry: Entry | undefined) =>
      withAnswer((answer) => send(order, command, { answer, entry }))
  }
})

/**
 * The migration that brought holds. While a runner lives that does not know it, nothing new is made that waits for a
 * capture: that runner would charge its buyer at once (docs/decisions/0283).
 */
export const holdsSince = 221
export const notYet = Effect.fail(new NotCommitted({ reason: "overloaded" }))

/** For commands without an entry. Only refunds and disputes have these refusals, and they always have an entry. */
export const impossibleWithoutEntry = { ...withoutEntry, RefundRefused: Effect.die } as const

export type OrderServices = Effect.Success<typeof orderServices>
