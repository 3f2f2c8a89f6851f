/**
 * The one table from domain errors to wire errors. A domain error missing here does not compile in the handler that
 * can raise it.
 */
import * as Wire from "@coffer/contract/Errors"
import type { DisputeConflict } from "@coffer/rules/dispute/Dispute"
import type { OrderConflict, RefundRefused } from "@coffer/rules/order/Order"
import type { ChannelUnreachable } from "../channel/Channel.ts"
import type { EventNotFound } from "../events/EventLists.ts"
import type { NoChargeback } from "../sandbox/SandboxIssuer.ts"
import type { NotSettled } from "../sandbox/SandboxRefunds.ts"
import type { ActorUnavailable } from "../platform/cluster/ask.ts"
import type { NotCommitted } from "../platform/commit/Change.ts"
import type { OtherContent, StillRunning } from "../idempotency/IdempotencyKeys.ts"
import type { MerchantNotFound } from "../merchants/Merchants.ts"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { RefundConflict } from "@coffer/rules/refund/Refund"
import type { PayoutConflict } from "@coffer/rules/payout/Payout"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import type { DisputeNotFound } from "../disputes/Disputes.ts"
import type { OrderNotFound } from "../orders/OrderEntity.ts"
import type { OrderNumberTaken } from "../orders/Orders.ts"
import type { ChannelRefused, RefundNotFound, RefundNumberTaken, RefundRunning } from "../refunds/refundErrors.ts"
import type { PayoutNotFound, PayoutReferenceTaken } from "../payouts/Payouts.ts"
import { refuseField, refuseMeanwhile, refuseWith } from "./replies.ts"

const conflictMessage = {
  just_paid: "The buyer has paid; the order is now paid.",
  other_payment: "A payment of another amount or currency has arrived and is set aside; the order is still pending.",
  buyer_busy: "The buyer is completing the payment; retry later.",
  not_pending: "The order is no longer pending.",
  too_many_keys: "Another update came first, and together they exceed the metadata limit; read the order and retry."
} satisfies Record<OrderConflict["reason"], string>

const payoutConflictMessage = {
  not_approved: "The payout was not approved yet.",
  already_approved: "The payout is approved already.",
  already_succeeded: "The payout has succeeded already.",
  already_rejected: "The payout was rejected.",
  already_failed: "The payout has failed."
} satisfies Record<PayoutConflict["reason"], string>

const disputeMessage = {
  being_submitted: "Evidence for this dispute is on its way to the bank.",
  accepted: "The dispute was accepted; the bank will confirm the loss.",
  past_deadline: "The deadline for evidence has passed.",
  under_review: "Evidence was submitted; the dispute is under review.",
  decided: "The dispute is decided.",
  not_taken: "The bank does not take it any more."
} satisfies Record<DisputeConflict["reason"], string>

const chargebackMessage = {
  not_paid: "The order is not paid: there is nothing to dispute.",
  not_a_card: "The payment method has no chargebacks; cards, apple_pay and google_pay do."
} satisfies Record<NoChargeback["reason"], string>

const refundMessage = {
  not_paid: "The order is not paid.",
  nothing_left: "Nothing of the order is left to refund.",
  disputed: "The order has a dispute that is not decided.",
  remaining_changed: "Other refunds of the order came first; retry.",
  not_promised: "It was settled already."
} satisfies Partial<Record<RefundRefused["reason"], string>>

const refundConflictMessage = {
  already_failed: "The refund has failed.",
  already_void: "The refund was not accepted.",
  too_many_keys: "Another update came first, and together they exceed the metadata limit; read the refund and retry."
} satisfies Record<RefundConflict["reason"], string>

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
  StillRunning: ({ lasts }: StillRunning) =>
    refuseMeanwhile(
      lasts,
      (request_id) =>
        new Wire.IdempotencyInProgress({ message: "The first request with this key is still running.", request_id })
    ),
  ChannelUnreachable: (_: ChannelUnreachable) =>
    refuseWith(
      (request_id) =>
        new Wire.ProcessorError({ message: "The channel did not answer; nothing was changed.", request_id })
    ),
  MerchantNotFound: ({ merchantId }: MerchantNotFound) =>
    refuseWith((request_id) => new Wire.MerchantNotFound({ message: `No merchant ${merchantId}.`, request_id })),
  InsufficientBalance: ({ usable }: InsufficientBalance) =>
    refuseWith(
      (request_id) =>
        new Wire.InsufficientBalance({
          message:
            `The available balance does not cover it: ${usable} minor units may be spent. (A refund can take more ` +
            "than its payment brought, since acquiring fees are not given back.)",
          param: "amount",
          request_id
        })
    ),
  ChannelRefused: ({ reason }: ChannelRefused) =>
    refuseWith(
      (request_id) =>
        new Wire.ProcessorError({ message: `The channel refused: ${reason}; nothing was changed.`, request_id })
    ),
  NotSettled: ({ state }: NotSettled) =>
    refuseWith(
      (request_id) =>
        new Wire.Conflict({ message: `To the bank this refund is ${state}; it cannot be settled so.`, request_id })
    ),
  DisputeNotFound: ({ ref }: DisputeNotFound) =>
    refuseWith((request_id) => new Wire.DisputeNotFound({ message: `No dispute ${ref}.`, request_id })),
  DisputeConflict: ({ reason }: DisputeConflict) =>
    refuseWith((request_id) => new Wire.Conflict({ message: disputeMessage[reason], request_id })),
  NoChargeback: ({ reason }: NoChargeback) =>
    refuseWith((request_id) => new Wire.Conflict({ message: chargebackMessage[reason], request_id })),
  RefundNotFound: ({ ref }: RefundNotFound) =>
    refuseWith((request_id) => new Wire.RefundNotFound({ message: `No refund ${ref}.`, request_id })),
  RefundNumberTaken: ({ differs, outRefundNo }: RefundNumberTaken) =>
    refuseWith(
      (request_id) =>
        new Wire.Conflict({
          message: `Refund number ${outRefundNo} exists with another ${differs}.`,
          param: differs,
          request_id
        })
    ),
  RefundRunning: ({ lasts }: RefundRunning) =>
    refuseMeanwhile(
      lasts,
      (request_id) =>
        new Wire.IdempotencyInProgress({
          message: "The first request with this out_refund_no is still running.",
          request_id
        })
    ),
  RefundConflict: ({ reason }: RefundConflict) =>
    refuseWith((request_id) => new Wire.Conflict({ message: refundConflictMessage[reason], request_id })),
  RefundRefused: ({ reason, remaining }: RefundRefused) => {
    switch (reason) {
      case "exceeds_remaining":
        return refuseField("amount", `more than the ${remaining} minor units that can still be refunded`)
      case "window_expired":
        return refuseWith(
          (request_id) =>
            new Wire.RefundWindowExpired({ message: "The payment method's refund period has passed.", request_id })
        )
      case "not_promised":
      case "not_paid":
      case "nothing_left":
      case "disputed":
      case "remaining_changed":
        return refuseWith((request_id) => new Wire.Conflict({ message: refundMessage[reason], request_id }))
    }
  },
  PayoutNotFound: ({ payoutNo }: PayoutNotFound) =>
    refuseWith((request_id) => new Wire.PayoutNotFound({ message: `No payout ${payoutNo}.`, request_id })),
  PayoutConflict: ({ reason }: PayoutConflict) =>
    refuseWith((request_id) => new Wire.Conflict({ message: payoutConflictMessage[reason], request_id })),
  PayoutReferenceTaken: ({ differs, reference }: PayoutReferenceTaken) =>
    refuseWith(
      (request_id) =>
        new Wire.Conflict({
          message: `The reference ${reference} belongs to a payout of another ${differs}.`,
          param: differs,
          request_id
        })
    )
}

/** Nothing is known to be wrong with the request: it may be sent again. Every write can end so. */
export const unavailable = {
  NotCommitted: (_: NotCommitted) => busy(),
  ActorUnavailable: (_: ActorUnavailable) => busy()
}

const busy = () => refuseWith((request_id) => new Wire.Unavailable({ message: "Busy; retry in a moment.", request_id }))
