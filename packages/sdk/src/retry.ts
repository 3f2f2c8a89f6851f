/**
 * Which failures are tried again, and after how long: back-off with full jitter, on top of what the service asks for,
 * so that clients that were refused together do not come back together.
 */
import { ApiError, type CofferError, ConnectionError, TimeoutError } from "./errors.ts"

const baseMs = 500
const capMs = 8_000

const isPassing = (error: CofferError): boolean =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  (error instanceof ApiError &&
    (error.status >= 500 || error.status === 429 || error.code === "idempotency_in_progress"))

/** Nothing was done: the call was refused before it was processed. */
const isRefusedUnread = (error: CofferError): boolean => error instanceof ApiError && error.status === 429

/**
 * Milliseconds until the next try; undefined when another try would end the same, or might do twice what the call does.
 * `attempt`: how many were made. `isRepeatable`: the same call twice does the same as once.
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
