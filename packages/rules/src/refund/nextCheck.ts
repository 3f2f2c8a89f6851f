/**
 * When the channel is asked about an unsettled refund: every 10 seconds for 5 minutes, the interval documented for
 * merchants (spec: Refunds), then with backoff, at least once an hour. Pure.
 */
import { DateTime } from "effect"
import type { Refund } from "./Refund.ts"

/** How long the runner that reserved a refund has it exclusively; longer than the channel may take to answer. */
const reservedFor = "30 seconds"

export const nextCheck = {
  soonSeconds: 10,
  lateSeconds: 3_600,
  /** How many checks come at the short interval. */
  often: 30,
  reservedUntil: ({ updatedAt }: Pick<Refund, "updatedAt">) => DateTime.addDuration(updatedAt, reservedFor),
  /** The first check of a refund in its current state; null if there is nothing to ask. */
  after: (refund: Refund): DateTime.Utc | null => {
    switch (refund.status) {
      case "reserved":
        return nextCheck.reservedUntil(refund)
      case "pending":
        return DateTime.add(refund.updatedAt, { seconds: nextCheck.soonSeconds })
      case "succeeded":
      case "failed":
      case "void":
        return null
    }
  }
}
