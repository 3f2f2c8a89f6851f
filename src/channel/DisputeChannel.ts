/**
 * The acquirer's desk for disputes. Only front doors and workers call it, never an actor (docs/architecture.md, section
 * 3). Every call names the dispute: told twice, the acquirer does it once, and its second answer says how the first
 * went.
 */
import type { Evidence } from "@coffer/model/Evidence"
import type { DisputeNo, TradeNo } from "@coffer/model/Ids"
import type { Owner } from "@coffer/model/Owner"
import type { Minor } from "@coffer/model/Money"
import { Context, type DateTime, type Effect } from "effect"
import type { ChannelUnreachable } from "./Channel.ts"

export interface DisputeName extends Owner {
  readonly disputeNo: DisputeNo
  readonly processorDisputeId: string
}

/** How a dispute stands with the bank. */
export interface DisputeWord {
  /** In the channel's own words. */
  readonly status: string
  /** Undefined while the bank has not decided. */
  readonly outcome: "won" | "lost" | "closed" | undefined
}

/** What the channel tells us of a dispute unasked, once or many times, and the first time is when we hear of it. */
export interface DisputeReport extends DisputeWord, Owner {
  readonly tradeNo: TradeNo
  readonly processorDisputeId: string
  readonly amount: Minor
  readonly reason: string
  readonly evidenceDueBy: DateTime.Utc | null
  readonly openedAt: DateTime.Utc
}

export type StepAnswer =
  | { readonly _tag: "Taken"; readonly status: string }
  /** It is too late, or was decided meanwhile. */
  | { readonly _tag: "Refused"; readonly word: DisputeWord }

/** Unreachable: this very call surely did nothing. No answer at all means that nobody knows. */
export class DisputeChannel extends Context.Service<
  DisputeChannel,
  {
    readonly submit: (dispute: DisputeName, evidence: Evidence) => Effect.Effect<StepAnswer, ChannelUnreachable>
    readonly accept: (dispute: DisputeName) => Effect.Effect<StepAnswer, ChannelUnreachable>
    readonly status: (dispute: DisputeName) => Effect.Effect<DisputeWord, ChannelUnreachable>
  }
>()("@coffer/channel/DisputeChannel") {}
