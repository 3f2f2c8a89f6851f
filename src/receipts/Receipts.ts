/** Front door to receipts: what the page shows, and sending one mail (spec: Orders, send_receipt; silences: O20). */
import type { TradeNo } from "@coffer/model/Ids"
import { type Order, OrderCommand, type SettledOrder } from "@coffer/rules/order/Order"
import { Context, Effect, Layer, Schema } from "effect"
import { withoutEntry, type WriteFailure } from "../aggregate/WriteLoop.ts"
import type { Mail } from "../mail/mails.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { shopOf } from "../merchants/shopOf.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import { Orders } from "../orders/Orders.ts"
import type { Shop } from "../pages/shop.ts"
import { type NotCommitted, type StaleVersion } from "../platform/commit/Change.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { MerchantClocks } from "../platform/runtime/MerchantClocks.ts"
import { span } from "../platform/runtime/span.ts"
import { noEntry } from "../wallets/Wallets.ts"
import { makeDeliver } from "./deliverReceipt.ts"
import { ReceiptNumbers } from "./ReceiptNumbers.ts"

/** The order is not paid. */
export class NoReceipt extends Schema.TaggedError<NoReceipt>()("NoReceipt", { tradeNo: Schema.String }) {}

export interface Shown {
  readonly order: SettledOrder
  readonly shop: Shop
}

export type ShowFailure = NoReceipt | OrderNotFound | WriteFailure

export class Receipts extends Context.Service<
  Receipts,
  {
    /** The receipt of an order; its first view gives it a number. */
    readonly show: (tradeNo: TradeNo) => Effect.Effect<Shown, ShowFailure>
    /** Makes one attempt to send a mail that is due, and records how that went. */
    readonly deliver: (mail: Mail) => Effect.Effect<void, ShowFailure | NotCommitted | StaleVersion>
  }
>()("@coffer/receipts/Receipts") {}

export const layer = Layer.effect(
  Receipts,
  Effect.gen(function* () {
    const services = yield* receiptServices
    const open = show(services)
    return Receipts.of({ show: open, deliver: yield* makeDeliver(open) })
  })
)

const receiptServices = Effect.gen(function* () {
  return {
    orders: yield* Orders,
    clocks: yield* MerchantClocks,
    merchants: yield* Merchants,
    numbers: yield* ReceiptNumbers
  }
})

type ReceiptServices = Effect.Success<typeof receiptServices>

const show = ({ clocks, merchants, numbers, orders }: ReceiptServices) =>
  span("Receipts.show")(function* (tradeNo: TradeNo) {
    const order = yield* settled(yield* orders.byTradeNo(tradeNo))
    const shop = shopOf(yield* Effect.catchTags(merchants.find(order.merchantId), { MerchantNotFound: Effect.die }))
    if (order.receipt?.number) return { order, shop }
    const numbered = Effect.gen(function* () {
      const number = yield* numbers.next(order, yield* currentTime)
      return yield* orders
        .perform(order, OrderCommand.cases.NumberReceipt.make({ number }), noEntry)
        .pipe(Effect.catchTags({ ...withoutEntry, RefundRefused: Effect.die, OrderConflict: Effect.die }))
    })
    // The page is opened under no merchant's clock, and the number has the month.
    return { order: yield* settled(yield* clocks.within(order, numbered)), shop }
  })

const settled = (order: Order): Effect.Effect<SettledOrder, NoReceipt> =>
  "paymentId" in order ? Effect.succeed(order) : Effect.fail(new NoReceipt({ tradeNo: order.tradeNo }))
