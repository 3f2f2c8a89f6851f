/**
 * The evidence that is kept beside a dispute, and what a fact does to it. Evidence that is being submitted is kept
 * apart from the draft until the channel has taken it. If the channel does not get it, the draft is unchanged. Pure.
 */
import { type Evidence, noEvidence } from "@coffer/model/Evidence"
import { DateTime } from "effect"
import { InvalidField } from "../InvalidField.ts"
import type { DisputeEvent } from "./Dispute.ts"

export interface Kept {
  /** The draft, or what was submitted. */
  readonly evidence: Evidence
  /** Being sent to the channel. */
  readonly submitting: Evidence | null
  readonly submittedAt: DateTime.Utc | null
  /** When merchants were last able to see a change; null before the first draft. */
  readonly updatedAt: DateTime.Utc | null
}

export const nothingKept: Kept = { evidence: noEvidence, submitting: null, submittedAt: null, updatedAt: null }

/** Identifies the evidence: the time of its change, which is unique. */
export const versionOf = ({ updatedAt }: Kept): string => (updatedAt === null ? "none" : DateTime.formatIso(updatedAt))

/** Later than the previous one, even if the clock stands still. */
export const laterThan = (before: DateTime.Utc | null, now: DateTime.Utc): DateTime.Utc =>
  before === null || DateTime.isGreaterThan(now, before) ? now : DateTime.add(before, { milliseconds: 1 })

/** Undefined when the fact does not concern it. */
export const keptAfter = (event: DisputeEvent): ((kept: Kept) => Kept) | undefined => {
  switch (event._tag) {
    case "DraftSaved":
      return (kept) => ({ ...kept, evidence: event.evidence, updatedAt: laterThan(kept.updatedAt, event.at) })
    case "SubmissionBegun":
      return (kept) => ({ ...kept, submitting: event.evidence })
    case "EvidenceSubmitted":
      return ({ evidence, submitting }) => ({
        evidence: submitting ?? evidence,
        submitting: null,
        submittedAt: event.at,
        updatedAt: event.at
      })
    case "StepWithdrawn":
      return (kept) => (kept.submitting === null ? kept : { ...kept, submitting: null })
    case "StageBegun":
      // The earlier submission is the draft of the next answer.
      return (kept) =>
        event.isAnswered || (kept.submitting === null && kept.submittedAt === null)
          ? kept
          : { ...kept, submitting: null, submittedAt: null, updatedAt: event.at }
    case "AcceptanceBegun":
    case "AskedAgain":
    case "AcceptanceTaken":
    case "DisputeWon":
    case "DisputeLost":
    case "DisputeClosed":
    case "ReviewBegun":
    case "StatusNoted":
      return undefined
  }
}

/** A final submission needs a text or a file: an empty one would be no response (silences: D4). */
export const evidenceProblem = ({ files, text }: Evidence, submit: boolean): InvalidField | undefined =>
  submit && files.length === 0 && Object.values(text).every((each) => each.trim() === "")
    ? new InvalidField({ param: "evidence", problem: "there must be some text or a file to submit" })
    : undefined

/** An acquirer's test evidence is not evidence for a real bank, or our own sandbox's (silences: S29). */
export const testTextProblem = ({ text }: Evidence, isTest: boolean): InvalidField | undefined =>
  text.uncategorized_text !== undefined && !isTest
    ? new InvalidField({ param: "evidence.uncategorized_text", problem: "is an unknown field" })
    : undefined

/** `owned`: for each file in turn, whether its address is one of the merchant's own files. */
export const filesProblem = (owned: ReadonlyArray<boolean>): InvalidField | undefined => {
  const foreign = owned.indexOf(false)
  return foreign < 0
    ? undefined
    : new InvalidField({
        param: `files[${foreign}].url`,
        problem: "must be the address of a file that you uploaded in this environment"
      })
}
