/** The services that the operations of orders share, and the ways to find an order and to give it a command. */
import type { TradeNo } from "@coffer/model/Ids"
import type { Order, OrderCommand } from "@coffer/rules/order/Order"
import { Effect, Option } from "effect"
import { type PerformOptions, withoutEntry } from "../aggregate/WriteLoop.ts"
import { Channel } from "../channel/Channel.ts"
import { answering } from "../idempotency/Answering.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { ask } from "../platform/cluster/ask.ts"
import { Transactor } from "../platform/commit/Transactor.ts"
import { Wakeups } from "../platform/commit/Wakeups.ts"
import type { Account } from "@coffer/model/Account"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { OrderLinks } from "../signedUrls/OrderLinks.ts"
import type { Entry } from "../wallets/Wallets.ts"
import { OrderCommands, OrderNotFound } from "./OrderCommands.ts"
import { askOrder } from "./OrderEntity.ts"
import { OrderStore, type StoredOrder } from "./OrderStore.ts"

/** Which order it is, and whose: its owner is found by its wallet (`OrderEntity.ts`). */
export type OrderName = Pick<Order, "tradeNo" | "merchantId" | "mode" | "currency">

export const orderServices = Effect.gen(function* () {
  const store = yield* OrderStore
  const merchants = yield* Merchants
  const commands = yield* OrderCommands
  const tell = yield* askOrder

  const offerFound = (ref: string, found: Option.Option<StoredOrder>) => {
    if (Option.isNone(found)) return Effect.fail(new OrderNotFound({ ref }))
    const { order, version } = found.value
    commands.offer({ state: order, version })
    return Effect.succeed(order)
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
    /** The command that the request itself is: its answer is committed with the change. */
    performRequest: (order: OrderName, command: OrderCommand) =>
      answering((answer) => Effect.catchTags(send(order, command, { answer }), impossibleWithoutEntry)),
    /** The same with the channel's own rows. If the command was performed before, these rows exist already. */
    performReported: (order: OrderName, command: OrderCommand, entry: Entry | undefined) =>
      answering((answer) => send(order, command, { answer, entry }))
  }
})

/** For commands without an entry. Only refunds and disputes can be refused so, and they always have an entry. */
export const impossibleWithoutEntry = { ...withoutEntry, RefundRefused: Effect.die } as const

export type OrderServices = Effect.Success<typeof orderServices>
