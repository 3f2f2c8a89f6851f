/**
 * The messages to the owner of an order. One runner owns an order, wherever a command for it arrives; the row's version
 * is the fence when two runners believe they own it. It is the owner of the order's wallet, so that a payment is sent
 * on once at most (docs/decisions/0048). `OrderCommands` carries a command out.
 */
import { TradeNo } from "@coffer/model/Ids"
import { Order, OrderCommand, OrderConflict, RefundRefused } from "@coffer/rules/order/Order"
import { InsufficientBalance } from "@coffer/rules/wallet/post"
import { walletIdOf, WalletName } from "@coffer/rules/wallet/Wallet"
import { Effect, Schema } from "effect"
import { Answering } from "../idempotency/Answering.ts"
import { OwnerUnavailable } from "../platform/cluster/ask.ts"
import { ownerOf } from "../platform/cluster/owner.ts"
import { CommitError } from "../platform/commit/Change.ts"
import { EntryMessage, readEntry } from "../wallets/Instructions.ts"
import { OrderCommands, OrderNotFound } from "./OrderCommands.ts"

export const {
  ask: askOrder,
  layer,
  messages
} = ownerOf({
  name: "Orders",
  /**
   * The answer to the request, and whatever else is in the entry, is committed with the change or none of it is. With
   * an entry the order may refuse the whole, the wallet may not cover it, and a row of it may be stale.
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
