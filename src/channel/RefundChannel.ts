/**
 * The acquirer's desk for refunds. Only front doors and workers call it, never an owner (docs/architecture.md, section
 * 3). Every call carries our own number of the refund as its key: repeated, the acquirer pays back once, and its
 * second answer is that of the first.
 */
import type { ChannelName, PaymentId, RefundNo } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { Currency, Minor } from "@coffer/model/Money"
import { Context, type Effect } from "effect"
import type { ChannelUnreachable } from "./Channel.ts"

export interface RefundRequest extends Account {
  readonly refundNo: RefundNo
  readonly channel: ChannelName
  readonly paymentId: PaymentId
  readonly amount: Minor
  readonly currency: Currency
}

export type RefundAnswer =
  | { readonly _tag: "Succeeded" }
  /** It will settle later; ask again. */
  | { readonly _tag: "Pending" }
  | { readonly _tag: "Refused"; readonly reason: string }

export class RefundChannel extends Context.Service<
  RefundChannel,
  {
    /** Unreachable: this call certainly did nothing. Without an answer it is not known what the call did. */
    readonly refund: (request: RefundRequest) => Effect.Effect<RefundAnswer, ChannelUnreachable>
  }
>()("@coffer/channel/RefundChannel") {}
