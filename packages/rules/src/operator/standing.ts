/**
 * The calls that a suspended or closed merchant may still make, by keys and by people (silences: U14, U30, U41). Pure.
 */
import type { State } from "@coffer/contract/actTypes"
import { closedReads } from "@coffer/model/Limits"
import { DateTime } from "effect"

export interface Standing {
  readonly suspended_at: DateTime.Utc | null
  readonly closed_at: DateTime.Utc | null
}

/** Why a call is refused; undefined if it is not. */
export const standingProblem = (
  { closed_at, suspended_at }: Standing,
  now: DateTime.Utc,
  kind: State
): string | undefined => {
  if (closed_at !== null && DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(closed_at, closedReads))) {
    return `This merchant was closed more than ${closedReads} ago.`
  }
  if (suspended_at !== null && kind !== "protects") return "This merchant is suspended."
  return closed_at !== null && kind === "new"
    ? "This merchant is closed: it can only read, refund and respond to disputes."
    : undefined
}
