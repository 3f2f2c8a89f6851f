/** Removes steps from a failing program as long as it fails in the same way. */
import { noMarks } from "./marks.ts"
import type { Place } from "./place.ts"
import { type Failure, play } from "./play.ts"
import type { Step } from "./programs.ts"

export const shrink = async (
  place: Place,
  program: ReadonlyArray<Step>,
  failure: Failure,
  triesMax: number
): Promise<Failure> => {
  let steps = program.slice(0, failure.step + 1)
  if (triesMax === 0) return failure
  // Books read after each step show which one it was, unless the difference needs steps in quick succession.
  const sharp = await play(place, steps, noMarks(), true)
  let smallest = sharp ?? failure
  steps = steps.slice(0, smallest.step + 1)
  let tries = 0
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < steps.length - 1 && tries < triesMax;) {
      const fewer = [...steps.slice(0, from), ...steps.slice(from + size)]
      tries += 1
      const again = await play(place, fewer, noMarks(), sharp !== undefined)
      if (again?.kind === smallest.kind) {
        steps = fewer.slice(0, again.step + 1)
        smallest = again
      } else from += size
    }
  }
  return smallest
}
