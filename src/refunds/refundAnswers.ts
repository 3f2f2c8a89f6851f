/** How the creation of a refund may end: what the request is answered, and which failures are the last word. */
import type { RefundRefused } from "@coffer/rules/order/Order"
import type { Refund } from "@coffer/rules/refund/Refund"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import type { ChannelUnreachable } from "../channel/Channel.ts"
import type { OrderNotFound } from "../orders/OrderEntity.ts"
import type { WriteFailure } from "../orders/Orders.ts"
import type { AlreadyExists } from "../platform/commit/Change.ts"
import type { ChannelRefused } from "./refundErrors.ts"

/** The refund, and how its request is answered: 201 and 202 for a new one, 200 for one that was there. */
export interface Answered {
  readonly refund: Refund
  readonly code: 200 | 201 | 202
}

export type DriveFailure =
  | ChannelUnreachable
  | ChannelRefused
  | RefundRefused
  | InsufficientBalance
  | AlreadyExists
  | OrderNotFound
  | WriteFailure

export const answered = (refund: Refund): Answered => ({ refund, code: refund.status === "pending" ? 202 : 201 })

export type Refusal = RefundRefused | InsufficientBalance

/** Another with this number came first, whose row was not there to be seen; or other refunds changed what remains. */
export const isPassing = (failure: DriveFailure): failure is AlreadyExists | RefundRefused =>
  failure._tag === "AlreadyExists" || (failure._tag === "RefundRefused" && failure.reason === "remaining_changed")

export const isRefusal = (failure: DriveFailure): failure is Refusal =>
  (failure._tag === "RefundRefused" && !isPassing(failure)) || failure._tag === "InsufficientBalance"

/** The answer to a repeat; undefined when the refund came to nothing. */
export const repeated = (refund: Refund): Answered | undefined =>
  refund.status === "void" ? undefined : { refund, code: 200 }
