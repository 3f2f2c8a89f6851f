/** The refusals of a closed merchant (docs/decisions/0115). Pure. */
import { closedReads } from "@coffer/model/Limits"
import { DateTime } from "effect"

/**
 * Why a call is refused; undefined where it is not, or the merchant is not closed. `isKept`: it reads, or does what a
 * closed merchant still owes.
 */
export const closedProblem = (
  closedAt: DateTime.Utc | null,
  now: DateTime.Utc,
  isKept: boolean
): string | undefined => {
  if (closedAt === null) return undefined
  if (DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(closedAt, closedReads))) {
    return `This merchant was closed more than ${closedReads} ago.`
  }
  return isKept ? undefined : "This merchant is closed: it reads, and does what it owes, and nothing new."
}
