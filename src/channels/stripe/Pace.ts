/**
 * The rate limit of calls to Stripe (docs/decisions/0038). Stripe accepts a number of calls of an account in a second.
 * The others wait here, in a queue for each account. All runners count the calls of an account together, where quotas
 * are counted.
 */
import { Mode } from "@coffer/model/Ids"
import { Context, Effect, Fiber, Layer, Metric, Schema } from "effect"
import { QuotaStore } from "../../door/edge/QuotaStore.ts"
import { CurrentDeadline, millisLeft, realTime, type Time } from "../../platform/runtime/Deadline.ts"
import { realMillis } from "../../platform/runtime/realTime.ts"

/** `buyer`: a buyer waits for the call. `money`: it brings money in. `rest`: neither. */
export const urgencies = ["buyer", "money", "rest"] as const
export type Urgency = (typeof urgencies)[number]

export interface Waiting {
  readonly urgency: Urgency
  /** The longest wait of the call. */
  readonly until: number
  /** The call may be made, or its time is over. */
  readonly go: (may: boolean) => void
}

export const newLine = () => {
  const waiting: Readonly<Record<Urgency, Array<Waiting>>> = { buyer: [], money: [], rest: [] }
  const all = () => urgencies.flatMap((urgency) => waiting[urgency])
  const remove = (gone: Waiting) => {
    const place = waiting[gone.urgency].indexOf(gone)
    if (place >= 0) waiting[gone.urgency].splice(place, 1)
  }
  return {
    waiting,
    /** Whether a fiber is serving the queue. */
    isServed: false,
    /** No call of the account is made before this time. */
    closedUntil: 0,
    turn: 0,
    size: () => urgencies.reduce((sum, urgency) => sum + waiting[urgency].length, 0),
    /** When the first of them has waited for too long; undefined for an empty queue. */
    firstEnd: () => {
      const ends = all().map(({ until }) => until)
      return ends.length === 0 ? undefined : Math.min(...ends)
    },
    add: (one: Waiting, isFirst: boolean) => {
      if (isFirst) waiting[one.urgency].unshift(one)
      else waiting[one.urgency].push(one)
    },
    remove,
    dropLate: (now: number) => {
      for (const late of all().filter(({ until }) => until <= now)) {
        remove(late)
        late.go(false)
      }
    }
  }
}
type Line = ReturnType<typeof newLine>

/** One turn in this many is for `money`, and one in this many of those for `rest`, however many buyers wait. */
const turnsPerOther = 8

const orderOf = (turn: number): ReadonlyArray<Urgency> =>
  turn % turnsPerOther ** 2 === 0
    ? ["rest", "money", "buyer"]
    : turn % turnsPerOther === 0
      ? ["money", "rest", "buyer"]
      : urgencies

export const nextIn = (line: Line): Waiting | undefined => {
  line.turn++
  const urgency = orderOf(line.turn).find((each) => line.waiting[each].length > 0)
  return urgency === undefined ? undefined : line.waiting[urgency].shift()
}

/** More calls are queued before it than can be made in its time. */
export const isCrowded = ({ waiting }: Line, urgency: Urgency, perSecond: number, seconds: number): boolean => {
  const before = urgencies.slice(0, urgencies.indexOf(urgency) + 1)
  const ahead = before.reduce((sum, each) => sum + waiting[each].length, 0)
  return ahead >= perSecond * (Math.floor(seconds) + 1)
}

/** The class of a call; default: `rest`. */
export const CallUrgency = Context.Reference<Urgency>("@coffer/stripe/CallUrgency", { defaultValue: () => "rest" })

/** Runs the effect with this class for its calls of Stripe. */
export const urgent = (urgency: Urgency) => Effect.provideService(CallUrgency, urgency)

/** Real time, in milliseconds that are the same on all runners. A test provides its own, which it moves. */
export const PaceTime = Context.Reference<Time>("@coffer/stripe/PaceTime", {
  defaultValue: () => ({ ...realTime, millis: realMillis })
})

/** An account at Stripe, and its calls per second. */
export interface Budget {
  readonly account: string
  readonly mode: Mode
  readonly perSecond: number
}

/** Too many calls of the account are waiting. This one was not made. */
export class Crowded extends Schema.TaggedError<Crowded>()("Crowded", { retryAfterMillis: Schema.Number }) {}

export class Pace extends Context.Service<
  Pace,
  {
    /** Ends when the call may be made, or fails if it could not be made in time. `isAgain`: before all others. */
    readonly enter: (budget: Budget, until: number, isAgain: boolean) => Effect.Effect<void, Crowded>
    /** Stripe reports too many calls: pauses this account's calls for this long. */
    readonly close: (budget: Budget, millis: number) => void
    /** Until when a call of this fiber may wait, by `millis`. A buyer behind a long queue gets more time. */
    readonly until: (budget: Budget) => Effect.Effect<number>
    readonly millis: () => number
    readonly wait: (millis: number) => Effect.Effect<void>
  }
>()("@coffer/stripe/Pace") {}

/** The time that a request keeps for the call itself and for recording its answer. */
const callMillis = 1_200
/** How long a call without a request waits in the queue. Events are leased for ten seconds. */
const patience: Readonly<Record<Urgency, number>> = { buyer: 10_000, money: 8_000, rest: 60_000 }
/** The extra time of a buyer's request if the queue is longer than one second's calls. */
const longLineMillis = 1_500

const second = 1_000
/** The minimum time between two looks at the shared count. */
const pauseMin = 5

const waits = Metric.counter("coffer_stripe_waits_total", {
  description: "Calls to Stripe that waited because of the account's rate limit",
  incremental: true
})
const countWait = (mode: Mode, urgency: Urgency, by: number) =>
  Metric.update(Metric.withAttributes(waits, { mode, urgency }), by)

/** How long a call of this fiber may wait in the queue. `isLong`: the queue has one second's calls. */
const waitMillis = Effect.fnUntraced(function* (isLong: boolean) {
  const urgency = yield* CallUrgency
  if (urgency === "buyer" && isLong) (yield* CurrentDeadline).prolong(longLineMillis)
  return Math.max(0, (yield* millisLeft(patience[urgency] + callMillis)) - callMillis)
})

export const layer = Layer.effect(
  Pace,
  Effect.gen(function* () {
    const counts = yield* QuotaStore
    const time = yield* PaceTime
    const scope = yield* Effect.scope
    // A queue is served for many requests, so it runs without the context of the request that starts it.
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const lines = new Map<string, ReturnType<typeof newLine>>()
    for (const mode of Mode.literals) yield* Effect.forEach(urgencies, (urgency) => countWait(mode, urgency, 0))

    const lineOf = ({ account }: Budget) => {
      const known = lines.get(account)
      if (known !== undefined) return known
      const line = newLine()
      lines.set(account, line)
      return line
    }
    const wait = (millis: number) =>
      Effect.callback<void>((resume) => {
        const cancel = time.after(millis, () => resume(Effect.void))
        return Effect.sync(cancel)
      })

    /** Releases one call after the other, until the queue is empty. */
    const serve = Effect.fnUntraced(function* (budget: Budget, line: ReturnType<typeof newLine>) {
      for (;;) {
        const now = time.millis()
        line.dropLate(now)
        const firstEnd = line.firstEnd()
        if (firstEnd === undefined) break
        const closed = line.closedUntil - now
        const taken =
          closed > 0
            ? { allowed: false, retryAfterMillis: closed }
            : yield* counts.take(`stripe/${budget.account}`, budget.perSecond, second, now)
        if (taken.allowed) nextIn(line)?.go(true)
        else yield* wait(Math.max(pauseMin, Math.min(taken.retryAfterMillis, firstEnd - now)))
      }
      line.isServed = false
      if (line.closedUntil <= time.millis()) lines.delete(budget.account)
    })

    const enter = (budget: Budget, until: number, isAgain: boolean) =>
      Effect.flatMap(CallUrgency, (urgency) => {
        const line = lineOf(budget)
        const retryAfterMillis = Math.max(1, Math.ceil(line.size() / budget.perSecond)) * second
        if (!isAgain && isCrowded(line, urgency, budget.perSecond, (until - time.millis()) / second)) {
          return Effect.fail(new Crowded({ retryAfterMillis }))
        }
        return Effect.callback<void, Crowded>((resume) => {
          const waiting: Waiting = {
            urgency,
            until,
            go: (may) => resume(may ? Effect.void : Effect.fail(new Crowded({ retryAfterMillis })))
          }
          line.add(waiting, isAgain)
          if (!line.isServed) {
            line.isServed = true
            Fiber.runIn(fork(serve(budget, line)), scope)
          }
          return Effect.sync(() => line.remove(waiting))
        })
      })

    return Pace.of({
      enter: (budget, until, isAgain) =>
        Effect.flatMap(CallUrgency, (urgency) => {
          const began = time.millis()
          return Effect.ensuring(
            enter(budget, until, isAgain),
            Effect.suspend(() => (time.millis() - began < pauseMin ? Effect.void : countWait(budget.mode, urgency, 1)))
          )
        }),
      close: (budget, millis) => {
        const line = lineOf(budget)
        line.closedUntil = Math.max(line.closedUntil, time.millis() + millis)
      },
      until: ({ account, perSecond }) =>
        Effect.map(waitMillis((lines.get(account)?.size() ?? 0) >= perSecond), (millis) => time.millis() + millis),
      millis: time.millis,
      wait
    })
  })
)
