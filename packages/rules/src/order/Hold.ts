/**
 * Money that is authorised now and captured later (silences: O75). An order that asks for it has a hold from its
 * creation on; all others have none. A hold is an addition to a pending order: a program that does not know it reads an
 * order that is not paid (docs/decisions/0274). Decisions are in `decideHold.ts`.
 */
import { ChannelName, PaymentId } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Schema } from "effect"
import { PaymentFacts } from "./Payment.ts"

const Time = Schema.DateTimeUtcFromString

/** How a hold ends without a capture. `canceled`: by the merchant. `expired`: it has run out. */
export const Release = Schema.Literals(["canceled", "expired"])
export type Release = typeof Release.Type

/** What the channel is asked for, written down before it is asked: to capture an amount, or to release the hold. */
export const HoldRequest = Schema.Struct({
  /** Our key at the channel: asked again with it, it captures once. */
  key: Schema.String,
  at: Time,
  capture: Schema.optionalKey(Minor),
  release: Schema.optionalKey(Release),
  /** Others were told that it is under way, so its maker does not withdraw it. */
  isShared: Schema.optionalKey(Schema.Literal(true))
})
export type HoldRequest = typeof HoldRequest.Type

/** The whole amount of the order, which the channel holds at the buyer's bank. */
export const HeldPayment = Schema.Struct({
  channel: ChannelName,
  paymentId: PaymentId,
  method: PaymentMethod,
  authorizedAt: Time,
  /** When the channel releases it by itself. */
  captureBy: Time
})
export type HeldPayment = typeof HeldPayment.Type

export const Hold = Schema.Struct({
  /** Missing until the buyer has agreed. */
  payment: Schema.optionalKey(HeldPayment),
  request: Schema.optionalKey(HoldRequest),
  /** The amount that the buyer has paid. */
  captured: Schema.optionalKey(Minor),
  released: Schema.optionalKey(Release),
  /** Why the channel did not capture it when it was last asked: in its own words, for people. */
  refusal: Schema.optionalKey(Schema.String)
})
export type Hold = typeof Hold.Type

/**
 * A command about a hold. It comes inside of `Annotate`, which a runner of the version before reads as an update of
 * nothing (docs/decisions/0262).
 */
export const HoldStep = Schema.TaggedUnion({
  /** The channel holds an amount for the order. */
  Authorize: { payment: HeldPayment, amount: Minor, currency: Currency },
  AskCapture: { key: Schema.String, amount: Minor, now: Time },
  AskRelease: { key: Schema.String, release: Release, now: Time },
  /** The channel has captured the amount of these facts. */
  Capture: { facts: PaymentFacts },
  /** The channel did not do what this key asked for. */
  Withdraw: { key: Schema.String, refusal: Schema.optionalKey(Schema.String) },
  /** The channel holds nothing any more. */
  Release: { paymentId: PaymentId }
})
export type HoldStep = typeof HoldStep.Type

/** Why a hold is not captured or released. */
export const HoldProblem = Schema.Literals([
  "not_authorized",
  "capturing",
  "canceling",
  "captured",
  "authorization_expired"
])
export type HoldProblem = typeof HoldProblem.Type

interface WithHold {
  readonly status: string
  readonly hold?: Hold | null
}

/** Whether the merchant captures the payment. */
export const isManual = ({ hold }: Pick<WithHold, "hold">): boolean => hold !== null && hold !== undefined

/** What the channel holds for an order that is neither captured nor released. */
export const heldOf = ({ hold, status }: WithHold): HeldPayment | undefined =>
  status === "pending" ? hold?.payment : undefined

/** The status that merchants see: a hold makes a pending order `authorized`, and a canceled one `canceled`. */
export const statusOf = <Status extends string>(order: WithHold & { readonly status: Status }) => {
  const { hold } = order
  if (hold === null || hold === undefined) return order.status
  if (heldOf(order) !== undefined) return "authorized" as const
  return order.status === "expired" && hold.released === "canceled" ? ("canceled" as const) : order.status
}

/** The amount that the buyer of a paid order has paid: all of it, unless only a part was captured. */
export const amountPaid = ({ amount, hold }: { readonly amount: Minor; readonly hold?: Hold | null }): Minor =>
  hold?.captured ?? amount
