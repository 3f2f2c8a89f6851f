/**
 * When a request has to be answered. A request waits for several things one after the other: its key, its claim, its
 * rows, the owner of an object. Each has a limit of its own (`patience.ts`), and all of them together have this one
 * (silences: G29). Work that is not for a request, such as a worker's statement or an export, has no deadline.
 */
import { Context, Effect, type Fiber } from "effect"
import { elapsedMillis } from "./realTime.ts"

/** How long all waits of one request may take together. */
export const requestMillis = 9_000
/** A request is answered this long after its time at the latest, even if work without a limit still goes on. */
export const graceMillis = 500

/** Time that goes by. A test has one of its own, which it moves. */
export interface Time {
  /** Since some moment in the past. */
  readonly millis: () => number
  /** Calls `run` once, unless what it returns is called before. */
  readonly after: (millis: number, run: () => void) => () => void
}

export const realTime: Time = {
  millis: elapsedMillis,
  after: (millis, run) => {
    const timer = setTimeout(run, millis)
    return () => clearTimeout(timer)
  }
}

export const RequestTime = Context.Reference<Time>("@coffer/platform/RequestTime", { defaultValue: () => realTime })

export class Deadline {
  readonly time: Time
  private end: number
  /** Milliseconds that were left when the wait for the client began. */
  private kept: number | undefined

  constructor(millis: number, time: Time) {
    this.time = time
    this.end = time.millis() + millis
  }

  /** Milliseconds; negative when it is over. */
  left(): number {
    return this.kept ?? this.end - this.time.millis()
  }

  pause(): void {
    this.kept ??= this.left()
  }

  resume(): void {
    if (this.kept === undefined) return
    this.end = this.time.millis() + this.kept
    this.kept = undefined
  }

  /** The request is answered: what goes on has its own limits only. */
  lift(): void {
    this.end = Infinity
    this.kept = undefined
  }
}

const none = new Deadline(Infinity, realTime)

export const CurrentDeadline = Context.Reference<Deadline>("@coffer/platform/CurrentDeadline", {
  defaultValue: () => none
})

/** `own`, or what is left of the fiber's request if that is less. */
export const leftIn = (fiber: Fiber.Fiber<unknown, unknown>, own: number): number =>
  Math.min(own, fiber.getRef(CurrentDeadline).left())

export const millisLeft = (own: number): Effect.Effect<number> => Effect.withFiberSucceed((fiber) => leftIn(fiber, own))

/** Time that remains to write down the channel's answer. */
const afterChannelMillis = 2_000

/** How long a request may wait for the channel: `own` at most, and so that its answer can still be written down. */
export const millisForChannel = (own: number): Effect.Effect<number> =>
  Effect.map(millisLeft(own + afterChannelMillis), (left) => Math.max(0, left - afterChannelMillis))

/** For what goes on when its request has ended. */
export const withoutDeadline: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.provideService(CurrentDeadline, none)

/** The time that a client takes to send its request is not the request's. */
export const waitingForClient = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentDeadline, (deadline) => {
    deadline.pause()
    return Effect.ensuring(
      effect,
      Effect.sync(() => deadline.resume())
    )
  })
