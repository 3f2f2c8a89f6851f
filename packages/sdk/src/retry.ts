/**
 * Which failures are retried, and when: backoff with full jitter, on top of the service's `Retry-After`, so that
 * clients that were refused together do not return together.
 */
import { ApiError, type CofferError, ConnectionError, TimeoutError } from "./errors.ts"

const baseMs = 500
const capMs = 8_000

const isPassing = (error: CofferError): boolean =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  (error instanceof ApiError &&
    (error.status >= 500 || error.status === 429 || error.code === "idempotency_in_progress"))

/** Codes for calls that were refused before they were processed. */
const isRefusedUnread = (error: CofferError): boolean => error instanceof ApiError && error.status === 429

/**
 * Milliseconds until the next attempt; undefined if a retry would fail the same way, or might repeat the call's effect.
 * `attempt`: the attempts so far. `isRepeatable`: whether the call is idempotent.
 */
export const retryDelay = (
  error: CofferError,
  attempt: number,
  random: () => number,
  isRepeatable: boolean
): number | undefined => {
  if (!(isRepeatable ? isPassing(error) : isRefusedUnread(error))) return undefined
  const retryAfter = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
  return retryAfter + random() * Math.min(capMs, baseMs * 2 ** (attempt - 1))
}
