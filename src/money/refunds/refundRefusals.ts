/** Errors of refunds as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import type { Effect } from "effect"
import type { RefundRefused } from "@coffer/rules/order/Order"
import type { RefundConflict } from "@coffer/rules/refund/Refund"
import { notFoundMessage } from "../../shared/http/numberHint.ts"
import { refuseAs, refuseTemporarilyAs } from "../../shared/http/refusals.ts"
import { refuseField } from "../../shared/http/replies.ts"
import { takenMessage } from "../orders/orderRefusals.ts"
import type { ChannelRefused, RefundNotFound, RefundNumberTaken, RefundRunning } from "./Refunds.ts"

const refusedMessage = {
  not_paid: "Nothing was paid, so nothing is refunded; expire the order instead.",
  nothing_left:
    "Nothing is left to refund: it was refunded, is being refunded, or was lost to a dispute. See GET /v1/refunds.",
  disputed: "The order has an open dispute. Answer or accept it: GET /v1/disputes.",
  remaining_changed: "Another refund of the order was made first. Read the order, and decide again.",
  not_promised: "The refund was already settled."
} satisfies Partial<Record<RefundRefused["reason"], string>>

const conflictMessage = {
  already_failed: "The refund has failed.",
  already_void: "The refund was not accepted.",
  too_many_keys: "A concurrent update exceeded the metadata limit; read the refund and retry."
} satisfies Record<RefundConflict["reason"], string>

/** The order may have been paid since it was refused: then its state would contradict. */
const stateSentence = (state: string | undefined, reason: string) =>
  state === undefined || (reason === "not_paid" && !state.endsWith("not paid")) ? "" : `${state}. `

const windowExpired = refuseAs(Wire.RefundWindowExpired, (_: RefundRefused) => ({
  message:
    "The payment method's refund period has passed; refundable_until was its end. Pay the buyer back another way."
}))

const conflict = refuseAs(Wire.Conflict, ({ message }: { readonly message: string; readonly reason: string }) => ({
  message
}))

type Refused = Wire.Conflict | Wire.InvalidRequest | Wire.RefundWindowExpired

export const refundRefusals = {
  RefundNotFound: refuseAs(Wire.RefundNotFound, ({ ref }: RefundNotFound) => ({
    message: notFoundMessage("a refund", ref, "/v1/refunds")
  })),
  RefundNumberTaken: refuseAs(Wire.Conflict, ({ differs, outRefundNo }: RefundNumberTaken) => ({
    message: takenMessage(`Refund number ${outRefundNo}`, differs),
    param: differs
  })),
  RefundRunning: refuseTemporarilyAs(Wire.IdempotencyInProgress, (_: RefundRunning) => ({
    message: "The first request with this out_refund_no is still being processed."
  })),
  RefundConflict: refuseAs(Wire.Conflict, ({ reason }: RefundConflict) => ({ message: conflictMessage[reason] })),
  /** `state`: of the order, if it is known. */
  RefundRefused: (refused: RefundRefused, state?: string): Effect.Effect<never, Refused> => {
    switch (refused.reason) {
      case "exceeds_remaining":
        return refuseField(
          "amount",
          refused.remaining === 0
            ? "exceeds what is left: pending refunds take all of it. See how they end: GET /v1/refunds"
            : `exceeds the ${refused.remaining} minor units that can still be refunded. Refund them, or less`
        )
      case "window_expired":
        return windowExpired(refused)
      case "not_promised":
      case "not_paid":
      case "nothing_left":
      case "disputed":
      case "remaining_changed":
        return conflict({
          message: `${stateSentence(state, refused.reason)}${refusedMessage[refused.reason]}`,
          reason: refused.reason
        })
    }
  },
  ChannelRefused: refuseAs(Wire.ProcessorError, ({ words }: ChannelRefused) => ({
    message: `The channel refused: ${words}; nothing was changed.`
  }))
}
