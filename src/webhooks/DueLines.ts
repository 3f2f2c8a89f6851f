/**
 * Finds the lines that have deliveries due (docs/decisions/0053). A few deliveries are simply read, oldest first. With
 * a backlog, this walks through the merchants one after another, so that a large backlog hides nobody. Each step
 * continues where the one before ended, and reads a bounded number of rows. The result of a look is used for a moment:
 * otherwise each place that becomes free would cost a look (docs/decisions/0023).
 */
import type { Mode } from "@coffer/model/Ids"
import { type Allotted, type DueLine, lineKey } from "@coffer/rules/delivery/places"
import { type DateTime, Effect } from "effect"
import { elapsedMillis } from "../platform/runtime/realTime.ts"
import {
  type DeliveryStore,
  destinationsMax,
  dueMerchantsMax,
  merchantsMax,
  oldestMax,
  type WalkRow
} from "./DeliveryStore.ts"

/** Merchants whose last destination is kept. Beyond it all merchants are read from their first destination again. */
const partlyReadMax = 1_024

interface Walk {
  readonly mode: Mode
  merchantId: string
  readonly destinations: Map<string, string>
}

/** What was taken of a line: deliveries of so many places. */
export interface Taken extends Allotted {
  readonly leased: number
}
/** `isBacklog`: there is more than can be read at once. */
type Take = (due: ReadonlyArray<DueLine>, isBacklog: boolean) => Effect.Effect<ReadonlyArray<Taken>>

/** What a look has found is offered again for so long, without another look. */
const knownMillis = 50

export const make = (store: DeliveryStore["Service"]) => {
  const walks: Readonly<Record<Mode, Walk>> = {
    live: { mode: "live", merchantId: "", destinations: new Map() },
    sandbox: { mode: "sandbox", merchantId: "", destinations: new Map() }
  }
  /** What the last look has found and nobody has taken. */
  let known: ReadonlyArray<DueLine> = []
  let lookedAt = -Infinity
  let isBacklog = false
  const isKnown = () => known.length > 0 && elapsedMillis() - lookedAt < knownMillis

  const offerSome = Effect.fnUntraced(function* (due: ReadonlyArray<DueLine>, take: Take) {
    const taken = yield* take(due, isBacklog)
    known = [...known, ...leftOf(due, taken)]
    return taken.reduce((sum, { leased }) => sum + leased, 0)
  })

  const walk = Effect.fnUntraced(function* (mode: Mode, now: DateTime.Utc, take: Take) {
    // When a walk that began anywhere has reached the end twice, it has seen every merchant.
    for (let ends = isAtBegin(walks[mode]) ? 1 : 0; ends < 2;) {
      const seen = yield* store.walk(now, walks[mode])
      if (advance(walks[mode], seen)) ends++
      const taken = yield* offerSome(dueOf(mode, seen), take)
      if (taken > 0) return taken
    }
    return 0
  })

  const look = Effect.fnUntraced(function* (modes: ReadonlyArray<Mode>, now: DateTime.Utc, take: Take) {
    lookedAt = elapsedMillis()
    const oldest = yield* store.oldest(now)
    isBacklog = oldest.reduce((sum, { due }) => sum + due, 0) >= oldestMax
    if (oldest.length === 0) return 0
    if (!isBacklog) return yield* offerSome(oldest, take)
    let taken = 0
    for (const mode of modes) taken += yield* walk(mode, now, take)
    return taken
  })

  return {
    isKnown,
    /** Whether the last look has found more than it could read at once. */
    isBacklog: () => isBacklog,
    /** Whether the last look has found more than was taken. */
    hasLeft: () => known.length > 0,
    /** Offers due lines to `take` until it takes some, or no more are due in these modes. How many were taken. */
    offer: Effect.fnUntraced(function* (modes: ReadonlyArray<Mode>, now: DateTime.Utc, take: Take) {
      const before = isKnown() ? known : []
      known = []
      const taken = before.length === 0 ? 0 : yield* offerSome(before, take)
      if (taken > 0) return taken
      known = []
      return yield* look(modes, now, take)
    })
  }
}

/** A line that gave less than it was asked for has no more: another runner took the rest. */
const leftOf = (due: ReadonlyArray<DueLine>, taken: ReadonlyArray<Taken>): ReadonlyArray<DueLine> => {
  const byLine = new Map(taken.map((line) => [lineKey(line), line]))
  return due.flatMap((line) => {
    const mine = byLine.get(lineKey(line))
    if (mine === undefined) return [line]
    const left = mine.leased < mine.places ? 0 : line.due - mine.leased
    return left === 0 ? [] : [{ ...line, due: left }]
  })
}

const isAtBegin = ({ destinations, merchantId }: Walk) => merchantId === "" && destinations.size === 0

/** Moves the walk behind what was seen. True at the end: the next step begins with the first merchant. */
const advance = (walk: Walk, seen: ReadonlyArray<WalkRow>): boolean => {
  const merchants = Map.groupBy(seen, ({ merchant_id }) => merchant_id)
  for (const [merchantId, lines] of merchants) {
    const { destination } = lines.at(-1)!
    if (walk.destinations.size >= partlyReadMax) walk.destinations.clear()
    if (destination !== null && lines.length === destinationsMax) walk.destinations.set(merchantId, destination)
    else walk.destinations.delete(merchantId)
  }
  const due = [...merchants.values()].filter(([line]) => line!.is_due).length
  const isEnd = merchants.size < merchantsMax && due < dueMerchantsMax
  walk.merchantId = isEnd ? "" : seen.at(-1)!.merchant_id
  return isEnd
}

const dueOf = (mode: Mode, seen: ReadonlyArray<WalkRow>): ReadonlyArray<DueLine> =>
  seen.flatMap(({ destination, due, merchant_id }) =>
    destination === null || due === null || due === 0 ? [] : [{ mode, merchantId: merchant_id, destination, due }]
  )
