/** Why the room of refunds refuses a request (spec: Errors). What an order or a wallet refuses is theirs to say. */
import { InvalidField } from "@coffer/rules/InvalidField"
import { type Order, RefundRefused } from "@coffer/rules/order/Order"
import { Effect, Schema } from "effect"

export class RefundNotFound extends Schema.TaggedError<RefundNotFound>()("RefundNotFound", { ref: Schema.String }) {}

/** The same out_refund_no was used for a refund of another order or amount (silences: R4). */
export class RefundNumberTaken extends Schema.TaggedError<RefundNumberTaken>()("RefundNumberTaken", {
  outRefundNo: Schema.String,
  differs: Schema.Literals(["trade_no", "amount"])
}) {}

/** Another runner is asking the channel for the first request with this out_refund_no, for `lasts` at most. */
export class RefundRunning extends Schema.TaggedError<RefundRunning>()("RefundRunning", { lasts: Schema.Duration }) {}

/** The channel said no at once: nothing was changed (silences: R7). */
export class ChannelRefused extends Schema.TaggedError<ChannelRefused>()("ChannelRefused", { reason: Schema.String }) {}

export const notPaid = ({ tradeNo }: Order) =>
  Effect.fail(new RefundRefused({ tradeNo, reason: "not_paid", remaining: 0 }))

export const numberRequired = Effect.fail(
  new InvalidField({ param: "out_refund_no", problem: "is required in the live environment" })
)
