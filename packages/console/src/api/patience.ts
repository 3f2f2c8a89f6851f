/**
 * Work of many calls: acts on many rows, exports, walks. Where the quota of a minute is used up it waits as the service
 * says and goes on, and where the service is busy or away it waits a few times. It ends at once when it is stopped.
 */
import type { Outcome } from "./acts.ts"
import { secondsToWait } from "./connection.ts"

export interface Patience {
  readonly signal: AbortSignal
  /** The seconds of a wait that begins; undefined when it is over. */
  readonly onWait: (seconds: number | undefined) => void
}

/** A longer wait is for a person to decide. */
const secondsMax = 120
/** Waits for a service that does not answer. */
const lostMax = 5

/** Calls until the answer is one to show. `call` sends the same each time, so that nothing is done twice. */
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
