/**
 * Pushes events to merchants' servers (spec: Events, Delivery): finds the lines that have deliveries due, leases as
 * many as there are places for, and begins them (`beginDeliveries.ts`). Places for posts are shared by mode, merchant,
 * host and address, so that a server that hangs delays no other address (docs/decisions/0016). Leases and results go in
 * batches (docs/decisions/0016). Runs without an owner, on every runner.
 */
import type { Mode } from "@coffer/model/Ids"
import { allot, allotBoth, type Allotted, type DueLine, lineKey } from "@coffer/rules/delivery/places"
import { DateTime, Duration, Effect, Layer, Option } from "effect"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { type SandboxWork, Workers } from "../../platform/jobs/Workers.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { elapsedMillis } from "../../platform/runtime/realTime.ts"
import { lineOf, makeBegin, makePlacesInUse, makeWaiting, type Started } from "./beginDeliveries.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import {
  DeliveryStore,
  destinationsMax,
  type DueAt,
  dueMerchantsMax,
  merchantsMax,
  oldestMax,
  type WalkRow
} from "./DeliveryStore.ts"
import { EndpointHealth } from "./EndpointHealth.ts"
import { makePost } from "./postDelivery.ts"

/** Live first, so that live deliveries do not wait for a walk through the sandbox's backlog. */
const modes = ["live", "sandbox"] as const
/** The row of a dead runner is due again after this: longer than two attempts. */
const lease = Duration.seconds(30)
/** The pause before the next look after deliveries were begun, while more are known to be due. */
const soon = Duration.millis(50)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const wakeups = yield* Wakeups
    const store = yield* DeliveryStore
    const dueLines = makeDueLines(store)
    const places = makePlacesInUse()
    const failing = DeliveryMetrics.makeFailingDestinations()
    const metrics = yield* DeliveryMetrics.make(failing.count)
    const waiting = makeWaiting<Started>()
    const { begin, isBehind, nextLeaseEnd } = yield* makeBegin({
      post: yield* makePost,
      places,
      waiting,
      failing,
      metrics,
      unwell: (yield* EndpointHealth).unwell
    })

    /** This runner has committed deliveries since the last round. It may have no place for them. */
    let isNew = false
    yield* wakeups.onRaise("deliveries", (isOwn) => void (isNew ||= isOwn))

    const giveBack = makeGiveBack(store)
    // If this fails, the waiting deliveries are due again when their leases end.
    yield* Effect.addFinalizer(() => Effect.ignoreCause(giveBack(waiting.takeOverdue())))

    yield* workers.supervise((worker) => {
      let lastLook = DateTime.makeUnsafe(0)
      let hasBegun = false

      /** Leases as many as there are places for, with a backlog also as many as may wait, and begins them. */
      const startDue = (time: DueAt): Take =>
        Effect.fnUntraced(function* (due, isBacklog) {
          const lines = isBacklog ? allotBoth(due, places, waiting.room(places)) : allot(due, places)
          if (lines.length === 0) return []
          const leaseUntil = DateTime.addDuration(time.unmoved, lease)
          const leased = yield* store.lease({ ...time, leaseUntil, lines })
          const byLine = new Map<string, number>()
          for (const delivery of leased) {
            const line = lineOf(delivery)
            worker.hold()
            waiting.add({ delivery, leaseUntil, worker, line }, places)
            byLine.set(lineKey(line), (byLine.get(lineKey(line)) ?? 0) + 1)
          }
          modes.forEach(begin)
          yield* metrics.underWay(places.posts())
          return lines.map((line) => ({ ...line, leased: byLine.get(lineKey(line)) ?? 0 }))
        })

      // Waiting deliveries have had their turn: no waiting delivery may take a place that is still free.
      const mayLease = (mode: Mode) => places.hasFreePlace(mode) || (waiting.hasFew(mode) && dueLines.isBacklog())

      return {
        name: "deliveries",
        callsOutside: true,
        wakeup: "deliveries",
        passesOn: false,
        ofSandbox: makeSandboxWork({ store, places, isBehind, startDue }),
        backlog: store.backlog,
        // A delivery that was due at the last look waits for a place: the post that frees it wakes this worker.
        next: Effect.gen(function* () {
          if (isNew && (dueLines.hasLeft() || !modes.every(places.hasFreePlace))) wakeups.pass("deliveries")
          isNew = false
          const overdue = waiting.nextOverdue()
          if (hasBegun && dueLines.isKnown()) {
            hasBegun = false
            return Option.some(DateTime.addDuration(yield* currentTime, soon))
          }
          const next = yield* store.nextDue(lastLook)
          return earlier(earlier(next, nextLeaseEnd(lastLook)), overdue)
        }),
        run: Effect.gen(function* () {
          lastLook = yield* currentTime
          yield* giveBack(waiting.takeOverdue(lastLook))
          modes.forEach(begin)
          const open = modes.filter(mayLease)
          if (open.length === 0 || isBehind()) return 0
          const leased = yield* dueLines.offer(open, lastLook, startDue({ now: lastLook, unmoved: lastLook }))
          hasBegun ||= leased > 0
          return leased
        })
      }
    })
    yield* workers.supervise(() => metrics.work)
  })
)

const earlier = (a: Option.Option<DateTime.Utc>, b: Option.Option<DateTime.Utc>): Option.Option<DateTime.Utc> =>
  Option.isSome(a) && Option.isSome(b) ? Option.some(DateTime.min(a.value, b.value)) : Option.orElse(a, () => b)

const makeGiveBack = (store: DeliveryStore["Service"]) => (overdue: ReadonlyArray<Started>) =>
  overdue.length === 0
    ? Effect.void
    : Effect.ensuring(
        store.giveBack(overdue),
        Effect.sync(() => overdue.forEach(({ worker }) => worker.release()))
      )

interface SandboxSurroundings {
  readonly store: DeliveryStore["Service"]
  readonly places: ReturnType<typeof makePlacesInUse>
  readonly isBehind: () => boolean
  readonly startDue: (time: DueAt) => Take
}

/**
 * Deliveries of one sandbox whose clock was moved: begun when they are due by that clock, on the same lines and places
 * as all others (docs/decisions/0005, 0016). It waits for no post. A row that is leased stays due until its attempt is
 * recorded, so the clock does not go on before.
 */
const makeSandboxWork = ({ isBehind, places, startDue, store }: SandboxSurroundings): SandboxWork => {
  /** Begins deliveries of one merchant's lines, until some were begun or the last line was read. */
  const run = Effect.fnUntraced(function* (merchantId: string) {
    let after = ""
    while (places.hasFreePlace("sandbox") && !isBehind()) {
      const time: DueAt = { now: yield* currentTime, unmoved: yield* unmovedTime }
      const lines = yield* store.linesOf(merchantId, { ...time, after })
      const due = lines.filter(({ due }) => due > 0)
      const begun = leasedIn(yield* startDue(time)(due, false))
      if (begun > 0 || lines.length < destinationsMax) return begun
      after = lines.at(-1)!.destination
    }
    return 0
  })
  return { run, nextOf: store.nextDueOf, isPosting: true }
}

// The lines that have deliveries due (docs/decisions/0016). A few deliveries are simply read, oldest first. With a
// backlog, a walk goes through the merchants one after another, so that a large backlog hides no other merchant. Each
// step continues where the one before ended, and reads a bounded number of rows. The result of a look is used for a
// moment: otherwise each place that becomes free would cost a look (docs/decisions/0016).

/** Merchants whose last destination is kept. Beyond it all merchants are read from their first destination again. */
const partlyReadMax = 1_024

interface Walk {
  readonly mode: Mode
  merchantId: string
  readonly destinations: Map<string, string>
}

/** A line with the places that it was allotted, and how many of its deliveries were leased. */
interface Taken extends Allotted {
  readonly leased: number
}
/** `isBacklog`: there is more than can be read at once. */
type Take = (due: ReadonlyArray<DueLine>, isBacklog: boolean) => Effect.Effect<ReadonlyArray<Taken>>

const leasedIn = (taken: ReadonlyArray<Taken>) => {
  let sum = 0
  for (const { leased } of taken) sum += leased
  return sum
}

/** Milliseconds for which the lines that a look has found are offered again, without another look. */
const knownMillis = 50

export const makeDueLines = (store: DeliveryStore["Service"]) => {
  const walks: Readonly<Record<Mode, Walk>> = {
    live: { mode: "live", merchantId: "", destinations: new Map() },
    sandbox: { mode: "sandbox", merchantId: "", destinations: new Map() }
  }
  /** The lines of the last look that are not taken yet. */
  let known: ReadonlyArray<DueLine> = []
  let lookedAt = -Infinity
  let isBacklog = false
  const isKnown = () => known.length > 0 && elapsedMillis() - lookedAt < knownMillis

  const offerSome = Effect.fnUntraced(function* (due: ReadonlyArray<DueLine>, take: Take) {
    const taken = yield* take(due, isBacklog)
    known = [...known, ...leftOf(due, taken)]
    return leasedIn(taken)
  })

  const walk = Effect.fnUntraced(function* (mode: Mode, now: DateTime.Utc, take: Take) {
    // When a walk that began anywhere has reached the end twice, it has seen every merchant.
    for (let ends = isAtBegin(walks[mode]) ? 1 : 0; ends < 2;) {
      const step = yield* store.walk(now, walks[mode])
      if (advance(walks[mode], step)) ends++
      const taken = yield* offerSome(dueOf(mode, step), take)
      if (taken > 0) return taken
    }
    return 0
  })

  const look = Effect.fnUntraced(function* (modes: ReadonlyArray<Mode>, now: DateTime.Utc, take: Take) {
    lookedAt = elapsedMillis()
    const oldest = yield* store.oldest(now)
    let due = 0
    for (const line of oldest) due += line.due
    isBacklog = due >= oldestMax
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
  const byLine = new Map<string, Taken>()
  for (const line of taken) byLine.set(lineKey(line), line)
  const all: Array<DueLine> = []
  for (const line of due) {
    const mine = byLine.get(lineKey(line))
    const left = mine === undefined ? line.due : mine.leased < mine.places ? 0 : line.due - mine.leased
    if (left !== 0) all.push({ ...line, due: left })
  }
  return all
}

const isAtBegin = ({ destinations, merchantId }: Walk) => merchantId === "" && destinations.size === 0

/**
 * Moves the position of the walk past the lines of a step. True at the end: the next step begins with the first
 * merchant.
 */
const advance = (walk: Walk, step: ReadonlyArray<WalkRow>): boolean => {
  const merchants = Map.groupBy(step, ({ merchant_id }) => merchant_id)
  for (const [merchantId, lines] of merchants) {
    const { destination } = lines.at(-1)!
    if (walk.destinations.size >= partlyReadMax) walk.destinations.clear()
    if (destination !== null && lines.length === destinationsMax) walk.destinations.set(merchantId, destination)
    else walk.destinations.delete(merchantId)
  }
  const due = [...merchants.values()].filter(([line]) => line!.is_due).length
  const isEnd = merchants.size < merchantsMax && due < dueMerchantsMax
  walk.merchantId = isEnd ? "" : step.at(-1)!.merchant_id
  return isEnd
}

const dueOf = (mode: Mode, step: ReadonlyArray<WalkRow>): ReadonlyArray<DueLine> =>
  step.flatMap(({ destination, due, merchant_id }) =>
    destination === null || due === null || due === 0 ? [] : [{ mode, merchantId: merchant_id, destination, due }]
  )
