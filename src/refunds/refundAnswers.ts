/** How the creation of a refund may end: what the request is answered, and which failures are the last word. */
import type { RefundRefused } from "@coffer/rules/order/Order"
import type { Refund } from "@coffer/rules/refund/Refund"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import type { ChannelUnreachable } from "../channel/Channel.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import type { WriteFailure } from "../aggregate/WriteLoop.ts"
import { type AlreadyExists, isOvertaken, type NotCommitted } from "../platform/commit/Change.ts"
import type { ChannelRefused } from "./refundErrors.ts"

/** The refund, and whether the request that is answered has made it. */
export interface Answered {
  readonly refund: Refund
  readonly created: boolean
}

export type DriveFailure =
  | ChannelUnreachable
  | ChannelRefused
  | RefundRefused
  | InsufficientBalance
  | AlreadyExists
  | OrderNotFound
  | WriteFailure

export const fresh = (refund: Refund): Answered => ({ refund, created: true })

export type Refusal = RefundRefused | InsufficientBalance

/** A retry may succeed: a refund with this number was just created, or other refunds changed the remaining amount. */
export const isPassing = (failure: DriveFailure): failure is AlreadyExists | RefundRefused | NotCommitted =>
  failure._tag === "AlreadyExists" ||
  isOvertaken(failure) ||
  (failure._tag === "RefundRefused" && failure.reason === "remaining_changed")

export const isRefusal = (failure: DriveFailure): failure is Refusal =>
  (failure._tag === "RefundRefused" && !isPassing(failure)) || failure._tag === "InsufficientBalance"

/** The answer to a repeat; undefined when the refund came to nothing. */
export const repeated = (refund: Refund): Answered | undefined =>
  refund.status === "void" ? undefined : { refund, created: false }
