/**
 * Retries for long work: bulk actions, exports, walks. When the rate limit is reached it waits as long as the service
 * says; while the service is busy or away it retries a few times. A stop ends it at once.
 */
import type { Outcome } from "./acts.ts"
import { secondsToWait } from "./connection.ts"

export interface Patience {
  readonly signal: AbortSignal
  /** Called with the seconds of a wait when it starts, and with undefined when it ends. */
  readonly onWait: (seconds: number | undefined) => void
}

/** Longer waits are left to the person. */
const secondsMax = 120
/** Backoff for a service that does not answer. */
const lostMax = 5

/** Retries until the answer can be shown. `call` repeats the same request, so that nothing is done twice. */
export const patiently = async <A>(
  call: () => Promise<Outcome<A>>,
  { onWait, signal }: Patience
): Promise<Outcome<A>> => {
  for (let lost = 0; ;) {
    const outcome = await call()
    if (signal.aborted || !("problem" in outcome)) return outcome
    const { problem } = outcome
    const isFull = problem.kind === "refused" && problem.code === "rate_limited"
    if (problem.kind === "away") lost += 1
    const seconds = secondsToWait()
    if ((!isFull && problem.kind !== "away") || lost > lostMax || seconds > secondsMax) return outcome
    onWait(seconds)
    await pause(seconds * 1_000, signal)
    onWait(undefined)
  }
}

const pause = (millis: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, millis)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })
