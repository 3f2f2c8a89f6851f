/** A merchant with accounts at two channels: the toy channel twice, under two names. */
import { Context, Effect, Layer } from "effect"
import { ChannelName, MerchantId, type TradeNo } from "@coffer/model/Ids"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order } from "@coffer/rules/order/Order"
import { Merchants } from "../../src/access/merchants/Merchants.ts"
import { Orders } from "../../src/money/orders/Orders.ts"
import { Routing } from "../../src/money/orders/Routing.ts"
import type { AccountSet } from "../../src/shared/channel/ChannelAccount.ts"
import { merchantOf, said } from "../kit/Merchant.ts"
import { start, withNewMerchant } from "../kit/Service.ts"
import { memoryAcquirer } from "../kit/stories/memoryAcquirer.ts"
import { memoryChannel } from "../kit/stories/memoryChannel.ts"

export const names = { first: "memory_first", second: "memory_second" } as const
type Named = keyof typeof names

export const worlds = Effect.gen(function* () {
  const acquirers = { first: memoryAcquirer(), second: memoryAcquirer() }
  const channels = Layer.merge(
    memoryChannel({ name: names.first, rank: 50, acquirer: acquirers.first }),
    memoryChannel({ name: names.second, rank: 60, acquirer: acquirers.second })
  )
  return { acquirers, running: yield* start({ clock: "test", channels }) }
})
export type World = Effect.Success<typeof worlds>

export const deskOf = Effect.fnUntraced(function* ({ acquirers, running: shared }: World) {
  const running = yield* withNewMerchant(shared)
  const { context, merchant } = running
  const shop = merchantOf(running)
  const orders = Context.get(context, Orders)
  const routing = Context.get(context, Routing)
  const account = { merchantId: MerchantId.make(merchant.merchantId), mode: "sandbox" as const }
  const sets = (at: Named, change: Partial<AccountSet>) =>
    Context.get(context, Merchants).setChannelAccount(account, ChannelName.make(names[at]), {
      isActive: true,
      setAt: "2026-01-01T00:00:00.000Z",
      own: {},
      ...change
    })
  for (const each of Object.values(acquirers)) each.troubles.splice(0)
  const sessions = ({ tradeNo }: Order) =>
    (["first", "second"] as const).flatMap((at) =>
      acquirers[at].sessionsOf(tradeNo).map((session) => ({ at, session, acquirer: acquirers[at] }))
    )
  /** Where the buyer can pay. */
  const open = (order: Order) =>
    sessions(order)
      .filter(({ session }) => session.state === "open" || session.state === "away")
      .map(({ at }) => at)
  return {
    acquirers,
    shop,
    sets,
    open,
    sessions,
    merchantId: merchant.merchantId,
    fresh: ({ tradeNo }: Order) => orders.byTradeNo(tradeNo),
    order: Effect.flatMap(said(shop.post("/v1/orders", { amount: 2_000 })), ({ trade_no }) =>
      orders.byTradeNo(trade_no as TradeNo)
    ),
    begin: (order: Order, method: PaymentMethod = "card") => routing.begin(order, method, "en"),
    offered: (order: Order, methods: ReadonlyArray<PaymentMethod>) => routing.offered(order, methods),
    pays: (order: Order, at: Named) => {
      const { acquirer, session } = sessions(order).findLast((each) => each.at === at && each.session.state === "open")!
      const { amount, currency, merchantId, method, tradeNo } = session
      return acquirer.pays({ merchantId, tradeNo, method, amount, currency, state: "succeeded" }, { session })
    },
    fails: (at: Named, kind: "lost before" | "lost after" | "crowded", call: "begin" | "lookUp" | "cancel" = "begin") =>
      void acquirers[at].troubles.push({ call, kind, merchantId: merchant.merchantId, times: 1 })
  }
})
export type Desk = Effect.Success<ReturnType<typeof deskOf>>
