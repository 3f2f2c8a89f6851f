/** Makes a broken world smaller: fewer callers, and less that goes wrong, while something is still broken in it. */
import type { Place } from "./inWorld.ts"
import { play, type Plan, type Played } from "./play.ts"

const triesMax = 40

/** The smallest that it has found. */
export const shrink = async (place: Place, broken: Played): Promise<Played> => {
  let best = broken
  let tries = 0
  const isSmaller = async (plan: Plan) => {
    if (++tries > triesMax) return false
    const played = await play(place, plan)
    if (played.broken.length === 0) return false
    best = played
    return true
  }
  // The fewest first: their worlds are the shortest.
  for (let orders = 1; orders < best.plan.orders && !(await isSmaller({ ...best.plan, orders })); orders++);
  // All events first, then halves, then single ones. Removed ones have no number in `events`, and are not tried again.
  for (let size = best.events.length; size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < best.events.length;) {
      const left = best.events.slice(start, start + size).map(({ no }) => no)
      const isGone = await isSmaller({ ...best.plan, without: new Set([...best.plan.without, ...left]) })
      if (!isGone) start += size
    }
  }
  return best
}

/** The calls with their answers, and the faults; the statements are in the trace. */
export const storyOf = ({ broken, events, plan, trace }: Played): string =>
  [
    `--seed ${plan.seed} --orders ${plan.orders} --without ${[...plan.without].join() || "0"}`,
    ...events.map(({ about, kind, no }) => `  ${no} ${kind}: ${about}`),
    ...trace.filter((line) => !/^\S+ s\d+ [<>]/.test(line)).map((line) => `  ${line.slice(0, 200)}`),
    ...broken.map((each) => `  BROKEN: ${each}`)
  ].join("\n")
