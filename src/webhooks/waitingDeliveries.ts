/**
 * Deliveries that this runner has leased and that wait for a place (docs/decisions/0041). Merchants have their turns,
 * and within a merchant its lines. None waits for long: what has not begun in time is given back.
 */
import { type Keys, mayTake, merchantMayTake, type Places, waitingPerMode } from "@coffer/rules/delivery/places"
import type { Mode } from "@coffer/model/Ids"
import { DateTime, Duration, Option } from "effect"
import type { Lease } from "./DeliveryStore.ts"
import { makeCounts } from "./placesInUse.ts"

/** When fewer wait, more are leased, so that no place stays free. */
const few = waitingPerMode / 4
/** How long before the end of its lease one is given back. It has waited five seconds then. */
const reserve = Duration.seconds(25)

interface Waiting extends Lease {
  readonly keys: Keys
}
/** In the order of their turns: lines by their keys, and what waits of each, oldest first. */
type Lines<One> = Map<string, Array<One>>

export const makeWaiting = <One extends Waiting>() => {
  const { count, taken } = makeCounts()
  const modes: Readonly<Record<Mode, Map<string, Lines<One>>>> = { live: new Map(), sandbox: new Map() }

  const all = function* () {
    for (const merchants of Object.values(modes)) {
      for (const lines of merchants.values()) for (const line of lines.values()) yield* line
    }
  }

  const remove = (one: One): One => {
    const [, merchant, key] = one.keys
    const merchants = modes[one.delivery.mode]
    const lines = merchants.get(merchant)!
    const left = lines.get(key)!.filter((other) => other !== one)
    // The line and the merchant have had their turn.
    lines.delete(key)
    merchants.delete(merchant)
    if (left.length > 0) lines.set(key, left)
    if (lines.size > 0) merchants.set(merchant, lines)
    count(one.keys, -1)
    return one
  }

  return {
    /** How many more may wait. */
    room: ({ limits, taken: begun }: Places): Places => ({ limits, taken, begun, perMode: waitingPerMode }),
    hasFew: (mode: Mode): boolean => (taken.get(mode) ?? 0) < few,
    add: (one: One) => {
      const [, merchant, key] = one.keys
      const merchants = modes[one.delivery.mode]
      const lines = merchants.get(merchant) ?? new Map<string, Array<One>>()
      if (lines.size === 0) merchants.set(merchant, lines)
      const line = lines.get(key) ?? []
      if (line.push(one) === 1) lines.set(key, line)
      count(one.keys, 1)
    },
    /** The next one for which there is a place. */
    next: (mode: Mode, places: Places): One | undefined => {
      for (const [merchant, lines] of modes[mode]) {
        if (!merchantMayTake([mode, merchant], places)) continue
        for (const [first] of lines.values()) if (mayTake(first!.keys, places)) return remove(first!)
      }
      return undefined
    },
    /** Those that have waited too long, or all. */
    takeOverdue: (now?: DateTime.Utc): ReadonlyArray<One> =>
      [...all()]
        .filter(({ leaseUntil }) => now === undefined || DateTime.isGreaterThanOrEqualTo(now, givenBackAt(leaseUntil)))
        .map(remove),
    /** When the first has waited too long. */
    nextOverdue: (): Option.Option<DateTime.Utc> =>
      Option.fromNullishOr([...all()].map(({ leaseUntil }) => givenBackAt(leaseUntil)).toSorted(DateTime.Order)[0])
  }
}

const givenBackAt = (leaseUntil: DateTime.Utc) => DateTime.subtractDuration(leaseUntil, reserve)
