/**
 * Which lines have deliveries due (docs/decisions/0016). Few deliveries are read as they are, oldest first. When there
 * is a backlog, merchants are walked through one after another, so that the largest backlog hides nobody: each step
 * goes on where the one before ended, and what one step reads is bounded.
 */
import type { Mode } from "@coffer/model/Ids"
import type { DueLine } from "@coffer/rules/delivery/places"
import { type DateTime, Effect } from "effect"
import {
  type DeliveryStore,
  destinationsMax,
  dueMerchantsMax,
  type LookedAt,
  merchantsMax,
  oldestMax
} from "./DeliveryStore.ts"

/** Merchants of which it is kept how far their destinations were read; beyond it all are read from the first. */
const begunMax = 1_024

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
    // The first time the end is reached, the walk may have begun anywhere; the second time, everybody was seen.
    for (let ends = 0; ends < 2;) {
      const seen = yield* store.walk(now, walks[mode])
      if (advance(walks[mode], seen)) ends++
      const taken = yield* take(dueOf(mode, seen))
      if (taken > 0) return taken
    }
    return 0
  })

  return {
    /** Shows what is due, until `take` takes something or there is no more in these modes. How much was taken. */
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

/** Goes on behind what was seen. True at the end: the next step begins with the first merchant. */
const advance = (walk: Walk, seen: ReadonlyArray<LookedAt>): boolean => {
  const merchants = Map.groupBy(seen, ({ merchant_id }) => merchant_id)
  for (const [merchantId, lines] of merchants) {
    const { destination } = lines.at(-1)!
    if (walk.destinations.size >= begunMax) walk.destinations.clear()
    if (destination !== null && lines.length === destinationsMax) walk.destinations.set(merchantId, destination)
    else walk.destinations.delete(merchantId)
  }
  const due = [...merchants.values()].filter(([line]) => line!.is_due).length
  const isEnd = merchants.size < merchantsMax && due < dueMerchantsMax
  walk.merchantId = isEnd ? "" : seen.at(-1)!.merchant_id
  return isEnd
}

const dueOf = (mode: Mode, seen: ReadonlyArray<LookedAt>): ReadonlyArray<DueLine> =>
  seen.flatMap(({ destination, due, merchant_id }) =>
    destination === null || due === null || due === 0 ? [] : [{ mode, merchantId: merchant_id, destination, due }]
  )
