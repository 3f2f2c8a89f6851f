/**
 * Begins leased deliveries as far as there are places, and follows each attempt to its end: its place becomes free, its
 * result is written, and the next one begins. A failure of one does not affect the others.
 *
 * A place is one post under way on this runner. Each line has a limit (docs/decisions/0016), and leased deliveries may
 * wait for a place (docs/decisions/0016). A rule says which line may take one
 * (`packages/rules/src/delivery/places.ts`). All of this is in memory: after a restart nothing is known of any line.
 */
import { isoText } from "@coffer/model/isoText"
import { webhookAcknowledgement } from "@coffer/model/Limits"
import type { MerchantId, Mode } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import {
  type Keys,
  keysOf,
  limitAfter,
  type Line,
  lineKey,
  mayTake,
  merchantKey,
  type Places,
  placesOf,
  roomKey,
  type Standing,
  standingOf,
  standings,
  sumOf,
  waitingOf
} from "@coffer/rules/delivery/places"
import { hostOf } from "@coffer/rules/delivery/route"
import { DateTime, Duration, Effect, Exit, FiberSet, identity, Option, Result } from "effect"
import type { MerchantNotFound } from "../../access/merchants/Merchants.ts"
import type { Worker } from "../../platform/jobs/Workers.ts"
import { MerchantClocks, unmovedMillis } from "../../platform/runtime/MerchantClocks.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import { type Ended, type LeasedDelivery, logLost, makeResults } from "./deliveryResults.ts"
import { DeliveryStore, type Lease } from "./DeliveryStore.ts"
import type { Unwell } from "./EndpointHealth.ts"
import { attemptOf, healthOf, isDelivered, makeExcerpts, type Posted, type PostResult } from "./postDelivery.ts"

/** The longest time of an attempt. */
const attemptMillis = Duration.toMillis(webhookAcknowledgement)

interface Surroundings {
  readonly post: (delivery: LeasedDelivery, latest: number) => Effect.Effect<PostResult, MerchantNotFound>
  readonly places: ReturnType<typeof makePlacesInUse>
  readonly waiting: ReturnType<typeof makeWaiting<Started>>
  readonly failing: ReturnType<typeof DeliveryMetrics.makeFailingDestinations>
  readonly metrics: Effect.Success<ReturnType<typeof DeliveryMetrics.make>>
  readonly unwell: Unwell
}

/** A leased delivery. The worker is not at rest until its result is written. */
export interface Started extends Lease {
  readonly line: Line
  readonly worker: Worker
}

interface Made extends Ended {
  readonly outcome: Posted["outcome"]
  readonly worker: Worker
}

/** Begins what waits, each attempt in a fiber of its own, which holds a place until the post has ended. */
export const makeBegin = Effect.fnUntraced(function* (surroundings: Surroundings) {
  const { failing, metrics, places, post, unwell, waiting } = surroundings
  const store = yield* DeliveryStore
  const clocks = yield* MerchantClocks
  const unrecorded = makeUnrecorded()
  const keepsExcerpt = makeExcerpts()

  const results = yield* makeResults((batch) => store.record(batch), makeWritten({ metrics, places, clocks }))
  const run = yield* FiberSet.makeRuntime<never>()

  /** The result of an attempt that has to be written; undefined where there is none. */
  const conclude = Effect.fnUntraced(function* (started: Started, posted: PostResult) {
    const { delivery, leaseUntil, line, worker } = started
    if (posted === "skipped") return yield* store.skip(delivery)
    if (posted === "paused") {
      // If the endpoint is resumed before the lease ends, the delivery is due again when the lease ends.
      unrecorded.add(leaseUntil)
      return yield* store.hold(delivery)
    }
    if (posted === "late" || posted === "proxy") {
      unrecorded.add(leaseUntil)
      if (posted === "proxy") yield* DeliveryMetrics.countProxyFailure
      return
    }
    // Operators count in real time.
    const now = yield* unmovedMillis
    const attempt = attemptOf(delivery, posted)
    const snippet = attempt.snippet && (keepsExcerpt(delivery, now) ? attempt.snippet : null)
    const health = unwell.known(delivery.endpoint_id, healthOf(delivery, posted, DateTime.makeUnsafe(now)))
    const made: Made = { delivery, attempt: { ...attempt, snippet }, outcome: posted.outcome, health, worker }
    places.learn(line, { isAnswered: made.attempt.statusCode !== null, millis: made.attempt.durationMillis })
    const warning = judge(failing, made, now)
    if (warning !== undefined) yield* Effect.logWarning(warning)
    return made
  })

  const start = (started: Started, keys: Keys) => {
    const { delivery, leaseUntil, worker } = started
    const { mode } = delivery
    places.take(keys)
    run(
      // An attempt that begins later may outlive its lease, and another runner would post the same event meanwhile.
      clocks.working(ownerOf(delivery), post(delivery, DateTime.toEpochMillis(leaseUntil) - attemptMillis)).pipe(
        Effect.flatMap((posted) => conclude(started, posted)),
        Effect.catchCause((cause) => {
          unrecorded.add(leaseUntil)
          return Effect.as(logLost(delivery, cause), undefined)
        }),
        Effect.onExit((exit) =>
          Effect.sync(() => {
            places.free(keys)
            // The worker begins what could not be begun here, or logs why it cannot.
            const isBegun = Result.isSuccess(tryBegin(mode))
            if (!isBegun || waiting.hasFew(mode) || places.hasFreePlace(mode)) worker.wake()
            if (Exit.isSuccess(exit) && exit.value !== undefined) results.add(exit.value)
            else worker.release()
          })
        )
      )
    )
  }

  const beginAll = (mode: Mode) => {
    while (places.hasFreePlace(mode) && !results.isBehind()) {
      const next = waiting.next(mode, places)
      if (next === undefined) return
      start(next.one, next.keys)
    }
  }

  // An attempt may end while it is begun.
  const tryBegin = oneAtATime(beginAll)
  return {
    begin: (mode: Mode) => Result.getOrThrowWith(tryBegin(mode), identity),
    isBehind: results.isBehind,
    nextLeaseEnd: unrecorded.next
  }
})

/** Calls while it runs are ignored. An error is a value, so that it cannot prevent the next run. */
const oneAtATime = <Argument>(run: (argument: Argument) => void) => {
  let isRunning = false
  return (argument: Argument): Result.Result<void, unknown> => {
    if (isRunning) return Result.void
    isRunning = true
    const outcome = Result.try(() => run(argument))
    isRunning = false
    return outcome
  }
}

interface AfterWriting extends Pick<Surroundings, "metrics" | "places"> {
  readonly clocks: MerchantClocks["Service"]
}

/** Runs when results were written, or could not be. */
const makeWritten =
  ({ clocks, metrics, places }: AfterWriting) =>
  (batch: ReadonlyArray<Made>, wasBehind: boolean) =>
    Effect.ensuring(
      Effect.andThen(metrics.count(batch.map(({ outcome }) => outcome)), metrics.underWay(places.posts())),
      Effect.suspend(() => {
        for (const { attempt, worker } of batch) {
          // The worker may have looked for the next row that is due before this one's time was written.
          if (wasBehind || attempt.status === "pending") worker.wake()
          worker.release()
        }
        // A sandbox whose clock was moved has a place for the next one, or a new time at which one is due.
        return Effect.forEach(batch, ({ delivery }) => clocks.within(ownerOf(delivery), Effect.void), { discard: true })
      })
    )

/** The ends of leases without a result in the database: their deliveries are due again then. */
const makeUnrecorded = () => {
  let ends: ReadonlyArray<DateTime.Utc> = []
  return {
    add: (end: DateTime.Utc) => void (ends = [...ends, end]),
    next: (now: DateTime.Utc): Option.Option<DateTime.Utc> => {
      ends = ends.filter((end) => DateTime.isGreaterThan(end, now))
      return Option.fromNullishOr(ends.toSorted(DateTime.Order)[0])
    }
  }
}

/** The operator's line in the log, where one is due. A delivery that cannot be signed is our own failure. */
const judge = (failing: Surroundings["failing"], { attempt, delivery, outcome }: Made, endedAt: number) => {
  const line = lineOf(delivery)
  if (outcome._tag === "Unsigned") return undefined
  if (isDelivered(outcome)) return failing.succeeded(line)
  const since = failing.failed(line, endedAt)
  if (since === undefined) return undefined
  const why = attempt.failure ?? `it answers ${attempt.statusCode}`
  const from = isoText(DateTime.makeUnsafe(since))
  const whose = `${line.merchantId} (${line.mode}${delivery.endpoint_id === null ? "" : `, ${delivery.endpoint_id}`})`
  return `webhooks of ${whose} to ${hostOf(line.destination)} have failed since ${from}: ${why}`
}

const ownerOf = ({ merchant_id, mode }: LeasedDelivery): Account => ({ merchantId: merchant_id as MerchantId, mode })

export const lineOf = ({ destination, merchant_id, mode }: LeasedDelivery): Line => ({
  mode,
  merchantId: merchant_id,
  destination
})

/** Lines whose limit is kept. Beyond it the least recently used one is forgotten. */
const limitsMax = 4_096

const modes: ReadonlyArray<Mode> = ["live", "sandbox"]

/** Counts by {@link Keys}. */
const makeCounts = () => {
  const taken = new Map<string, number>()
  const count = (keys: Keys, by: 1 | -1) => {
    for (const key of keys) {
      const posts = (taken.get(key) ?? 0) + by
      if (posts === 0) taken.delete(key)
      else taken.set(key, posts)
    }
  }
  return { taken, count }
}

export const makePlacesInUse = () => {
  const { count, taken } = makeCounts()
  const limits = new Map<string, number>()
  const held = (mode: Mode, standing: Standing): number => taken.get(roomKey(mode, standing)) ?? 0

  return {
    taken,
    limits,
    hasFreePlace: (mode: Mode): boolean => {
      for (const standing of standings) if (held(mode, standing) < placesOf[standing]) return true
      return false
    },
    /** All that are under way. */
    posts: (): number => {
      let posts = 0
      for (const mode of modes) for (const standing of standings) posts += held(mode, standing)
      return posts
    },
    take: (keys: Keys) => count(keys, 1),
    free: (keys: Keys) => count(keys, -1),
    /** Adapts the line's limit to how a post has ended. */
    learn: (line: Line, ended: Parameters<typeof limitAfter>[1]) => {
      const key = lineKey(line)
      const limit = limitAfter(limits.get(key), ended)
      limits.delete(key)
      if (limits.size >= limitsMax) limits.delete(limits.keys().next().value!)
      limits.set(key, limit)
    }
  }
}

/** Below this many waiting deliveries more are leased, so that no place stays free. */
const few = sumOf(waitingOf) / 4
/** How long before the end of its lease a delivery is given back. It has waited five seconds then. */
const reserve = Duration.seconds(25)

interface Waiting extends Lease {
  readonly line: Line
}
/** A delivery that waits, and the keys of the counts that it was added to: its line may have other keys by now. */
interface Counted<One> {
  readonly one: One
  readonly keys: Keys
}
/** In the order of their turns: lines by their keys, and what waits of each, oldest first. */
type Lines<One> = Map<string, Array<Counted<One>>>
/** A delivery that gets a place, and the counts to which its post is added. */
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
    /** The next delivery for which there is a place. */
    next: (mode: Mode, places: Places): Next<One> | undefined => {
      for (const lines of modes[mode].values()) {
        for (const [first] of lines.values()) {
          const keys = mayTake(first!.one.line, places)
          if (keys !== undefined) return { one: remove(first!), keys }
        }
      }
      return undefined
    },
    /** The deliveries that have waited too long, or all. */
    takeOverdue: (now?: DateTime.Utc): ReadonlyArray<One> =>
      [...all()]
        .filter(
          ({ one: { leaseUntil } }) => now === undefined || DateTime.isGreaterThanOrEqualTo(now, releasedAt(leaseUntil))
        )
        .map(remove),
    /** When the first has waited too long. */
    nextOverdue: (): Option.Option<DateTime.Utc> =>
      Option.fromNullishOr([...all()].map(({ one }) => releasedAt(one.leaseUntil)).toSorted(DateTime.Order)[0])
  }
}

const releasedAt = (leaseUntil: DateTime.Utc) => DateTime.subtractDuration(leaseUntil, reserve)
