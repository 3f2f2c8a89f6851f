/**
 * When the channel is asked about a dispute again, unless it reports before (docs/architecture.md, section 5). After
 * the first check the store delays the next ones with a growing backoff. Pure.
 */
import { DateTime } from "effect"
import type { Dispute } from "./Dispute.ts"
import { isPast } from "./decide.ts"

export const nextCheckOf = (dispute: Dispute, now: DateTime.Utc): DateTime.Utc | null => {
  switch (dispute.status) {
    case "needs_response":
      if (dispute.response !== null) {
        return DateTime.addDuration(now, dispute.response.taken ? lossPause : whoAskedIsGone)
      }
      if (dispute.evidenceDueBy === null) return DateTime.addDuration(now, channelIsQuiet)
      if (isPast(dispute.evidenceDueBy, now)) return DateTime.addDuration(now, lossPause)
      // The first moment at which it is too late.
      return DateTime.add(dispute.evidenceDueBy, { milliseconds: 1 })
    case "under_review":
      return DateTime.addDuration(now, channelIsQuiet)
    case "won":
    case "lost":
    case "closed":
      return null
  }
}

/** Longer than the front door waits for the channel. */
const whoAskedIsGone = "30 seconds"
/** The sandbox's bank takes this long to write a dispute off. */
const lossPause = "5 seconds"
/** The bank reports on its own; this check finds lost reports. */
const channelIsQuiet = "1 day"
