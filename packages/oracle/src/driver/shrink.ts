/** Removes steps from a failing program as long as it fails in the same way, for a limited time. */
import { noMarks } from "./marks.ts"
import type { Place } from "./place.ts"
import { type Failure, play } from "./play.ts"
import type { Step } from "./programs.ts"

export interface Limit {
  /** 0: the failure stays as it is. */
  readonly millis: number
  /** Told about each smaller program. */
  readonly tell: (line: string) => void
}

/** The smallest that was found in time. */
export const shrink = async (
  place: Place,
  program: ReadonlyArray<Step>,
  failure: Failure,
  { millis, tell }: Limit
): Promise<Failure> => {
  if (millis === 0) return failure
  const end = performance.now() + millis
  /** A try that is under way at the end is cut off. */
  const playInTime = (steps: ReadonlyArray<Step>, isSharp: boolean) => {
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(end - performance.now())))
    return play(place, steps, noMarks(), { isSharp, signal })
  }
  let steps = program.slice(0, failure.step + 1)
  // Books read after each step show which one it was, unless the difference needs steps in quick succession.
  const sharp = await playInTime(steps, true)
  let smallest = sharp ?? failure
  steps = steps.slice(0, smallest.step + 1)
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < steps.length - 1;) {
      if (performance.now() >= end) return smallest
      const fewer = [...steps.slice(0, from), ...steps.slice(from + size)]
      const again = await playInTime(fewer, sharp !== undefined)
      if (again?.kind === smallest.kind) {
        steps = fewer.slice(0, again.step + 1)
        smallest = again
        tell(`${steps.length} steps differ in the same way`)
      } else from += size
    }
  }
  return smallest
}
