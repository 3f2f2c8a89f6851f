/**
 * The one table from domain errors to wire errors. A domain error missing here does not compile in the handler that
 * can raise it.
 */
import * as Wire from "@coffer/contract/Errors"
import type { OrderConflict } from "@coffer/rules/order/Order"
import type { ChannelUnreachable } from "../channel/Channel.ts"
import type { EventNotFound } from "../events/EventLists.ts"
import type { ActorUnavailable } from "../ground/ask.ts"
import type { NotCommitted } from "../ground/Change.ts"
import type { OtherContent, StillRunning } from "../idempotency/IdempotencyKeys.ts"
import type { MerchantNotFound } from "../merchants/Merchants.ts"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { OrderNotFound } from "../orders/OrderEntity.ts"
import type { OrderNumberTaken } from "../orders/Orders.ts"
import { refuseField, refuseWith } from "./replies.ts"

const conflictMessage = {
  just_paid: "The buyer has paid; the order is now paid.",
  buyer_busy: "The buyer is completing the payment; retry later.",
  not_pending: "The order is no longer pending.",
  too_many_keys: "Another update came first, and together they exceed the metadata limit; read the order and retry."
} satisfies Record<OrderConflict["reason"], string>

export const refusals = {
  InvalidField: ({ param, problem }: InvalidField) => refuseField(param, problem),
  OrderNotFound: ({ ref }: OrderNotFound) =>
    refuseWith((request_id) => new Wire.OrderNotFound({ message: `No order ${ref}.`, request_id })),
  EventNotFound: ({ id }: EventNotFound) =>
    refuseWith((request_id) => new Wire.EventNotFound({ message: `No event ${id}.`, request_id })),
  OrderConflict: ({ reason }: OrderConflict) =>
    refuseWith((request_id) => new Wire.Conflict({ message: conflictMessage[reason], request_id })),
  OrderNumberTaken: ({ differs, outTradeNo }: OrderNumberTaken) =>
    refuseWith(
      (request_id) =>
        new Wire.Conflict({
          message: `Order number ${outTradeNo} exists with another ${differs}.`,
          param: differs,
          request_id
        })
    ),
  OtherContent: (_: OtherContent) =>
    refuseWith(
      (request_id) =>
        new Wire.IdempotencyError({ message: "This Idempotency-Key was used with another body.", request_id })
    ),
  StillRunning: (_: StillRunning) =>
    refuseWith(
      (request_id) =>
        new Wire.IdempotencyInProgress({ message: "The first request with this key is still running.", request_id })
    ),
  ChannelUnreachable: (_: ChannelUnreachable) =>
    refuseWith(
      (request_id) =>
        new Wire.ProcessorError({ message: "The channel did not answer; nothing was changed.", request_id })
    ),
  MerchantNotFound: ({ merchantId }: MerchantNotFound) =>
    refuseWith((request_id) => new Wire.MerchantNotFound({ message: `No merchant ${merchantId}.`, request_id }))
}

/** Nothing is known to be wrong with the request: it may be sent again. Every write can end so. */
export const unavailable = {
  NotCommitted: (_: NotCommitted) => busy(),
  ActorUnavailable: (_: ActorUnavailable) => busy()
}

const busy = () => refuseWith((request_id) => new Wire.Unavailable({ message: "Busy; retry in a moment.", request_id }))
