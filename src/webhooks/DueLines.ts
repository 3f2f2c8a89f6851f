/**
 * Finds the lines that have deliveries due (docs/decisions/0016). A few deliveries are simply read, oldest first. With
 * a backlog, this walks through the merchants one after another, so that a large backlog hides nobody. Each step
 * continues where the one before ended, and reads a bounded number of rows.
 */
import type { Mode } from "@coffer/model/Ids"
import type { DueLine } from "@coffer/rules/delivery/places"
import { type DateTime, Effect } from "effect"
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

export const make = (store: DeliveryStore["Service"]) => {
  const walks: Readonly<Record<Mode, Walk>> = {
    live: { mode: "live", merchantId: "", destinations: new Map() },
    sandbox: { mode: "sandbox", merchantId: "", destinations: new Map() }
  }

  const walk = Effect.fnUntraced(function* (
    mode: Mode,
    now: DateTime.Utc,
    take: (due: ReadonlyArray<DueLine>) => Effect.Effect<number>
  ) {
    // The walk may begin anywhere. When it has reached the end twice, it has seen every merchant.
    for (let ends = 0; ends < 2;) {
      const seen = yield* store.walk(now, walks[mode])
      if (advance(walks[mode], seen)) ends++
      const taken = yield* take(dueOf(mode, seen))
      if (taken > 0) return taken
    }
    return 0
  })

  return {
    /** Offers due lines to `take` until it takes some, or no more are due in these modes. How many were taken. */
    offer: Effect.fnUntraced(function* (
      modes: ReadonlyArray<Mode>,
      now: DateTime.Utc,
      take: (due: ReadonlyArray<DueLine>) => Effect.Effect<number>
    ) {
      const oldest = yield* store.oldest(now)
      if (oldest.length === 0) return 0
      if (oldest.reduce((sum, { due }) => sum + due, 0) < oldestMax) return yield* take(oldest)
      let taken = 0
      for (const mode of modes) taken += yield* walk(mode, now, take)
      return taken
    })
  }
}

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
