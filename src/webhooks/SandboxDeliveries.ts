/**
 * Deliveries of one sandbox whose clock was moved: begun when they are due by that clock, on the lines and places that
 * all others have (docs/decisions/0043, 0053). It waits for no post. A row that is leased stays due until its attempt
 * is recorded, so the clock does not go on before.
 */
import { allot, type Allotted, type DueLine } from "@coffer/rules/delivery/places"
import { Effect } from "effect"
import type { SandboxWork } from "../platform/jobs/dueWork.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { unmovedTime } from "../platform/runtime/MovedClock.ts"
import type { LeasedDelivery } from "./deliveryAttempts.ts"
import { type DeliveryStore, destinationsMax, type DueAt } from "./DeliveryStore.ts"
import type { makePlacesInUse } from "./placesInUse.ts"

interface Surroundings {
  readonly store: DeliveryStore["Service"]
  readonly places: ReturnType<typeof makePlacesInUse>
  readonly isBehind: () => boolean
  /** Leases deliveries of these lines, and begins them. */
  readonly start: (lines: ReadonlyArray<Allotted>, due: DueAt) => Effect.Effect<ReadonlyArray<LeasedDelivery>>
}

export const make = ({ isBehind, places, start, store }: Surroundings): SandboxWork => {
  /** Begins what it may of one merchant's lines, until some were begun or the last line was seen. */
  const run = Effect.fnUntraced(function* (merchantId: string) {
    let after = ""
    while (places.hasFreePlace("sandbox") && !isBehind()) {
      const due: DueAt = { now: yield* currentTime, unmoved: yield* unmovedTime }
      const seen = yield* store.linesOf(merchantId, { ...due, after })
      const lines = allot(seen.filter(isDue), places)
      const begun = lines.length === 0 ? 0 : (yield* start(lines, due)).length
      if (begun > 0 || seen.length < destinationsMax) return begun
      after = seen.at(-1)!.destination
    }
    return 0
  })
  return { run, nextOf: store.nextDueOf, isPosting: true }
}

const isDue = ({ due }: DueLine) => due > 0
