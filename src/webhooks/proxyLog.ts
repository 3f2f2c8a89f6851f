/** Says in the log when the operator's proxy begins to fail and when it works again, and not every time between. */
import { Effect } from "effect"
import type { Outcome } from "./Outbound.ts"

export const makeProxyLog = () => {
  let failing = false
  return (outcome: Outcome): Effect.Effect<void> => {
    const fails = outcome._tag === "NotDelivered" && outcome.reason === "proxy"
    // An outcome for which the proxy was not asked says nothing about the proxy.
    const asked = outcome._tag === "Answered" || !["dns", "refused_address"].includes(outcome.reason)
    if (fails === failing || !asked) return Effect.void
    failing = fails
    return fails
      ? Effect.logError(`the webhook proxy fails (${outcome.detail}); deliveries wait for it and none is counted`)
      : Effect.logInfo("the webhook proxy works again")
  }
}
