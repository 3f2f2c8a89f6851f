/**
 * Questions to a channel about disputes, and its answers. Every call names the dispute. A repeated call takes effect
 * once, and gets the answer of the first.
 */
import type { Account } from "@coffer/model/Account"
import type { Evidence } from "@coffer/model/Evidence"
import type { ChannelName, DisputeNo, TradeNo } from "@coffer/model/Ids"
import type { Currency, Minor } from "@coffer/model/Money"
import type { Stage } from "@coffer/rules/dispute/Dispute"
import type { DateTime, Effect } from "effect"
import type { ChannelUnreachable } from "./payments.ts"

/** How the bank decides. */
export type DisputeOutcome = "won" | "lost" | "closed"

export interface DisputeName extends Account {
  readonly disputeNo: DisputeNo
  readonly channel: ChannelName
  readonly processorDisputeId: string
  /** The status that we know. An answer to an inquiry is not sent to the chargeback that it has become. */
  readonly stage: Stage
  /** The payment's. */
  readonly currency: Currency
}

/** The answer that the bank expects, or has. */
export interface Standing {
  readonly stage: Stage
  readonly isAnswered: boolean
  /** Null where the channel names another currency than the payment's: the dispute keeps the amount that it has. */
  readonly amount: Minor | null
  readonly evidenceDueBy: DateTime.Utc | null
}

/** The status of a dispute at the bank. */
export interface DisputeWord {
  /** In the channel's own words. */
  readonly status: string
  /** Undefined while the bank has not decided. */
  readonly outcome: DisputeOutcome | undefined
  /** Undefined if we do not know the channel's status. */
  readonly standing?: Standing | undefined
}

/** A report of the channel on a dispute, sent once or many times. The first one opens the dispute. */
export interface DisputeReport extends DisputeWord, Account {
  readonly tradeNo: TradeNo
  readonly channel: ChannelName
  readonly processorDisputeId: string
  readonly amount: Minor
  readonly reason: string
  readonly evidenceDueBy: DateTime.Utc | null
  readonly openedAt: DateTime.Utc
}

export type StepAnswer =
  | { readonly _tag: "Taken"; readonly word: DisputeWord }
  /** Too late, or decided meanwhile, or not accepted by the channel. `reason`: its own words. */
  | { readonly _tag: "Refused"; readonly word: DisputeWord; readonly reason?: string }
  /** The outcome of the call is unknown: the channel is asked again later. */
  | { readonly _tag: "Unknown" }

/** Unreachable: this call certainly did nothing. Without an answer, its outcome is unknown. */
export interface DisputeDesk {
  /** `answer`: its id, by which a repeat is recognized. */
  readonly submit: (
    dispute: DisputeName,
    evidence: Evidence,
    answer: string
  ) => Effect.Effect<StepAnswer, ChannelUnreachable>
  /** Whether it is a test dispute, whose evidence text decides the outcome. */
  readonly isTest: (dispute: DisputeName) => boolean
  readonly accept: (dispute: DisputeName) => Effect.Effect<StepAnswer, ChannelUnreachable>
  readonly status: (dispute: DisputeName) => Effect.Effect<DisputeWord, ChannelUnreachable>
}
