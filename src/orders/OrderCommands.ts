/**
 * Carries out a command to an order. `@coffer/rules/order/decide` says whether the command is allowed, `consequences`
 * says what follows from it, and the write loop commits all of it.
 */
import { Mode, prefixes, TradeNo } from "@coffer/model/Ids"
import { consequences, decide, evolve } from "@coffer/rules/order/decide"
import {
  type Order,
  OrderCommand,
  type OrderConflict,
  type OrderEvent,
  OrderNotFound,
  type RefundRefused
} from "@coffer/rules/order/Order"
import { Context, Effect, Layer, Metric, Option } from "effect"
import type { Aggregate } from "../aggregate/Aggregate.ts"
import { makeWriteLoop, type WriteLoop } from "../aggregate/WriteLoop.ts"
import { automaticId, newMail } from "../mail/mails.ts"
import type { ChangeSet } from "../platform/commit/Change.ts"
import { OrderLinks } from "../signedUrls/OrderLinks.ts"
import { performedCommand } from "../wallets/Instructions.ts"
import { Wallets } from "../wallets/Wallets.ts"
import { insertion, OrderStore, replacement } from "./OrderStore.ts"
import { orderView } from "./OrderView.ts"

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
    yield* beginParked

    const load = Effect.fnUntraced(function* (tradeNo: TradeNo) {
      const stored = yield* store.load(tradeNo)
      if (Option.isNone(stored)) return yield* new OrderNotFound({ ref: tradeNo })
      return { state: stored.value.order, version: stored.value.version }
    })

    const aggregate: Aggregate<OrderKind> = {
      idOf: ({ tradeNo }) => tradeNo,
      load,
      decide,
      evolve,
      consequences,
      insertion,
      replacement: ({ state, version }, after, now) => replacement({ order: state, version }, after, now),
      view: (order) => orderView(order, links.unsigned),
      orderOf: (order) => order,
      creates: mailOf,
      instruction: performedCommand("order", TradeNo, OrderCommand),
      alarm: (fact, tradeNo) =>
        fact._tag === "UnappliedPaymentFound" || fact._tag === "UnappliedPaymentParked"
          ? alarmOfParked(tradeNo, fact.payment)
          : undefined,
      attemptsMax: 2,
      owned: { kind: "orders", rememberedMax: 2_048 }
    }
    // The order's caller has the patience for the wallet as well.
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
  description: "Payments that are not what the order asked for, or cannot be given back; somebody has to look",
  incremental: true
})

/** Money that only a person may decide on (silences: O17, O37 to O39). */
const parkedIn = (mode: Mode) => Metric.withAttributes(parked, { mode })
/** So that both are there from the start. */
const beginParked = Effect.forEach(Mode.literals, (mode) => Metric.update(parkedIn(mode), 0), { discard: true })

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
    Effect.andThen(Metric.update(parkedIn(tradeNo.startsWith(prefixes.tradeNo.sandbox) ? "sandbox" : "live"), 1))
  )
}
