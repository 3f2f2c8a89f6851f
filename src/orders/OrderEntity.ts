/**
 * One actor per order, addressed by trade number. The mailbox is the lock: two commands for one order never overlap on
 * one runner; the row's version is the fence when two runners believe they own it. What a command does is
 * `OrderCommands`' business.
 */
import { TradeNo } from "@coffer/model/Ids"
import { Order, OrderCommand, OrderConflict, RefundRefused } from "@coffer/rules/order/Order"
import { InsufficientBalance } from "@coffer/rules/wallet/post"
import { Effect, Layer, Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Answering } from "../idempotency/Answering.ts"
import { ActorUnavailable } from "../platform/cluster/ask.ts"
import { entityLayer } from "../platform/cluster/entityLayer.ts"
import { localPayload } from "../platform/cluster/localPayload.ts"
import { CommitError } from "../platform/commit/Change.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { Entry } from "../wallets/Wallets.ts"
import { OrderCommands, OrderNotFound } from "./OrderCommands.ts"

export const OrderEntity = Entity.make("Order", [
  Rpc.make("Perform", {
    /**
     * The answer to the request, and whatever else is in the entry, is committed with the change or none of it is.
     * With an entry the order may refuse the whole, the wallet may not cover it, and a row of it may be stale.
     */
    payload: localPayload({
      command: OrderCommand,
      answer: Schema.optional(Answering),
      entry: Schema.optional(Entry)
    }),
    success: Order,
    error: Schema.Union([
      OrderConflict,
      RefundRefused,
      OrderNotFound,
      InsufficientBalance,
      ActorUnavailable,
      ...CommitError.members
    ])
  })
])

const prepare = Effect.map(OrderCommands, ({ perform }) =>
  Effect.map(Entity.CurrentAddress, ({ entityId }) =>
    OrderEntity.of({ Perform: ({ payload }) => perform(TradeNo.make(entityId), payload.command, payload) })
  )
)

export const layer = Layer.unwrap(
  Effect.map(Settings, ({ orderIdle }) =>
    entityLayer(OrderEntity, prepare, { mailboxCapacity: 1_024, maxIdleTime: orderIdle, disableFatalDefects: true })
  )
)
