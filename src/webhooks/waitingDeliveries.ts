/**
 * Deliveries that this runner has leased and that wait for a place (docs/decisions/0041). Merchants have their turns,
 * and within a merchant its lines. None waits for long: what has not begun in time is given back.
 */
import {
  type Keys,
  keysOf,
  type Line,
  lineKey,
  mayTake,
  merchantKey,
  type Places,
  roomKey,
  standingOf,
  standings,
  sumOf,
  waitingOf
} from "@coffer/rules/delivery/places"
import type { Mode } from "@coffer/model/Ids"
import { DateTime, Duration, Option } from "effect"
import type { Lease } from "./DeliveryStore.ts"
import { makeCounts } from "./placesInUse.ts"

/** When fewer wait, more are leased, so that no place stays free. */
const few = sumOf(waitingOf) / 4
/** How long before the end of its lease one is given back. It has waited five seconds then. */
const reserve = Duration.seconds(25)

interface Waiting extends Lease {
  readonly line: Line
}
/** Where one that waits is counted: in the room in which its line was when it came. */
interface Counted<One> {
  readonly one: One
  readonly keys: Keys
}
/** In the order of their turns: lines by their keys, and what waits of each, oldest first. */
type Lines<One> = Map<string, Array<Counted<One>>>
/** One for which there is a place, and the counts in which its post is counted. */
interface Next<One> {
  readonly one: One
  readonly keys: Keys
}

export const makeWaiting = <One extends Waiting>() => {
  const { count, taken } = makeCounts()
  const modes: Readonly<Record<Mode, Map<string, Lines<One>>>> = { live: new Map(), sandbox: new Map() }

  const all = function* () {
    for (const merchants of Object.values(modes)) {
      for (const lines of merchants.values()) for (const line of lines.values()) yield* line
    }
  }

  const remove = ({ keys, one }: Counted<One>): One => {
    const [merchant, key] = [merchantKey(one.line), lineKey(one.line)]
    const merchants = modes[one.delivery.mode]
    const lines = merchants.get(merchant)!
    const left = lines.get(key)!.filter((other) => other.one !== one)
    // The line and the merchant have had their turn.
    lines.delete(key)
    merchants.delete(merchant)
    if (left.length > 0) lines.set(key, left)
    if (lines.size > 0) merchants.set(merchant, lines)
    count(keys, -1)
    return one
  }
  const waitingIn = (mode: Mode) =>
    standings.reduce((sum, standing) => sum + (taken.get(roomKey(mode, standing)) ?? 0), 0)

  return {
    /** How many more may wait. */
    room: ({ limits, taken: begun }: Places): Places => ({ limits, taken, begun, rooms: waitingOf }),
    hasFew: (mode: Mode): boolean => waitingIn(mode) < few,
    add: (one: One, { limits }: Pick<Places, "limits">) => {
      const [merchant, key] = [merchantKey(one.line), lineKey(one.line)]
      const merchants = modes[one.delivery.mode]
      const lines: Lines<One> = merchants.get(merchant) ?? new Map()
      if (lines.size === 0) merchants.set(merchant, lines)
      const line = lines.get(key) ?? []
      const keys = keysOf(one.line, standingOf(limits.get(key)))
      if (line.push({ one, keys }) === 1) lines.set(key, line)
      count(keys, 1)
    },
    /** The next one for which there is a place. */
    next: (mode: Mode, places: Places): Next<One> | undefined => {
      for (const lines of modes[mode].values()) {
        for (const [first] of lines.values()) {
          const keys = mayTake(first!.one.line, places)
          if (keys !== undefined) return { one: remove(first!), keys }
        }
      }
      return undefined
    },
    /** Those that have waited too long, or all. */
    takeOverdue: (now?: DateTime.Utc): ReadonlyArray<One> =>
      [...all()]
        .filter(
          ({ one: { leaseUntil } }) =>
            now === undefined || DateTime.isGreaterThanOrEqualTo(now, givenBackAt(leaseUntil))
        )
        .map(remove),
    /** When the first has waited too long. */
    nextOverdue: (): Option.Option<DateTime.Utc> =>
      Option.fromNullishOr([...all()].map(({ one }) => givenBackAt(one.leaseUntil)).toSorted(DateTime.Order)[0])
  }
}

const givenBackAt = (leaseUntil: DateTime.Utc) => DateTime.subtractDuration(leaseUntil, reserve)
