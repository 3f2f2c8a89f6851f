/**
 * When an event is pushed again after a push that failed. Pure; not the worker that pushes, and not for a manual
 * resend, which no redelivery follows (silences: W11).
 *
 * Each delay counts from the failure before it, without jitter: 8 h 42 m 30 s in all (spec: Events; silences: W7).
 */
import { webhookRedeliveryDelays } from "@coffer/model/Limits"
import { DateTime, Duration } from "effect"

/** The first push and its redeliveries. */
export const attemptsMax = 1 + webhookRedeliveryDelays.length

/** When to push next after attempt number `attemptsMade` (the first is 1) failed; undefined after the last one. */
export const nextAttempt = (attemptsMade: number, failedAt: DateTime.Utc): DateTime.Utc | undefined => {
  const delay = webhookRedeliveryDelays[attemptsMade - 1]
  return delay === undefined ? undefined : DateTime.addDuration(failedAt, Duration.fromInputUnsafe(delay))
}
