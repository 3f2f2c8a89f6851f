/**
 * When a request has to be answered. A request waits for several things one after the other: its key, its claim, its
 * rows, the owner of an object. Each has a limit of its own (`patience.ts`), and all of them together have this one
 * (silences: G29). Work that is not for a request, such as a worker's statement or an export, has no deadline.
 */
import { Clock, Context, Duration, Effect, type Exit, Fiber, FiberHandle } from "effect"
import { elapsedMillis } from "./realTime.ts"

/** How long all waits of one request may take together. */
export const requestMillis = 9_000
/** A request is answered this long after its time at the latest, even if work without a limit still runs. */
export const graceMillis = 500

/** Monotonic time. A test provides its own, which it moves. */
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
  private isProlonged = false
  /** The runner that carried out the request's last command, `host:port`, if it is another one (`owner.ts`). */
  doneBy: string | undefined

  constructor(millis: number, time: Time) {
    this.time = time
    this.end = time.millis() + millis
  }

  /** Milliseconds; negative when it is over. */
  left(): number {
    return this.kept ?? this.end - this.time.millis()
  }

  /** Extends the request's time once. */
  prolong(millis: number): void {
    if (this.isProlonged) return
    this.isProlonged = true
    this.end += millis
    if (this.kept !== undefined) this.kept += millis
  }

  pause(): void {
    this.kept ??= this.left()
  }

  resume(): void {
    if (this.kept === undefined) return
    this.end = this.time.millis() + this.kept
    this.kept = undefined
  }

  /** The request is answered: remaining work has only its own limits. */
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

/** For work that continues after its request. */
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

// Bounds -------------------------------------------------------------------------
// They limit an effect in real time. `Effect.timeout` does not fit here for two reasons. It waits until the interrupted
// effect has ended, but a statement on a dead connection never ends. And it follows a test's clock, which sockets do
// not.

/** After `millis` the caller fails with `late` at once. The effect is interrupted, and ends when it can. */
export const bounded = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  millis: number,
  late: () => E,
  hooks: BoundHooks<A, E, R> = {}
): Effect.Effect<A, E, R> =>
  Effect.withFiber<A, E, R>((parent) =>
    boundedIn(parent.context as Context.Context<R>, effect, {
      left: millis,
      orElse: () => Effect.fail(late()),
      time: realTime,
      ...hooks
    })
  )

/** `orElse` in place of the effect after `own` milliseconds, or what is left of the request's time if that is less. */
export const within = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  own: number,
  orElse: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber<A, E, R>((fiber) =>
    boundedIn(fiber.context as Context.Context<R>, effect, {
      left: Math.max(0, leftIn(fiber, own)),
      orElse,
      time: fiber.getRef(CurrentDeadline).time
    })
  )

/**
 * Runs `effect`, and `orElse` instead when the request's time is over. `grace`: milliseconds that this waits beyond
 * other checks of the same deadline, also after a pause of this process.
 */
export const inTime = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  orElse: () => Effect.Effect<A, E, R>,
  grace = 0
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const context = fiber.context as Context.Context<R>
    const hasEnd = Number.isFinite(Context.get(context, CurrentDeadline).left())
    return hasEnd ? inTimeWith(context, { effect, orElse, grace }) : effect
  })

interface Timed<A, E, R> {
  readonly effect: Effect.Effect<A, E, R>
  readonly orElse: () => Effect.Effect<A, E, R>
  readonly grace: number
}

/** The same for an effect that runs with this context, which has the deadline. */
export const inTimeWith = <A, E, R>(
  context: Context.Context<R>,
  { effect, grace, orElse }: Timed<A, E, R>
): Effect.Effect<A, E, R> => {
  const deadline = Context.get(context, CurrentDeadline)
  let more = grace
  const left = () => {
    const millis = deadline.left()
    if (millis > 0) return millis
    const last = more
    more = 0
    return last
  }
  return boundedIn(context, effect, { left, orElse, time: deadline.time })
}

/** Instead of wrapping the effect in further steps, whose cost each statement would pay. */
interface Hooks<A, E> {
  /** While the caller waits, a function is in here that makes it fail now, as if the time were over. */
  readonly endings?: Set<() => void> | undefined
  /** Called when the effect has ended, possibly after the caller was answered. */
  readonly onEnd?: ((exit: Exit.Exit<A, E>) => void) | undefined
}

interface BoundHooks<A, E, R> extends Hooks<A, E> {
  /** What the caller gets in place of this end, while it waits; it has a limit of its own. */
  readonly instead?: ((exit: Exit.Exit<A, E>) => Effect.Effect<A, E, R> | undefined) | undefined
}

interface Bound<A, E, R> extends BoundHooks<A, E, R> {
  /** Milliseconds. A function is asked again when they are over: there may be more. */
  readonly left: number | (() => number)
  readonly orElse: () => Effect.Effect<A, E, R>
  readonly time: Time
}

const boundedIn = <A, E, R>(
  context: Context.Context<R>,
  effect: Effect.Effect<A, E, R>,
  { endings, instead, left, onEnd, orElse, time }: Bound<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.callback<A, E, R>((resume) => {
    const fiber = Effect.runForkWith(context)(effect)
    const done: Exit.Exit<A, E> | undefined = fiber.pollUnsafe()
    if (done !== undefined) {
      onEnd?.(done)
      return resume(instead?.(done) ?? done)
    }
    let running = true
    const end = () => {
      running = false
      disarm()
      endings?.delete(end)
      resume(orElse())
      fiber.interruptUnsafe()
    }
    const giveUp = () => {
      if (!running) return
      const more = typeof left === "number" ? 0 : left()
      if (more > 0) arm(more)
      else end()
    }
    // After a long pause of this process, an answer that has arrived in the socket comes first.
    const arm = (millis: number) => {
      disarm = time.after(millis, () => setImmediate(() => setImmediate(giveUp)))
    }
    let disarm = () => {}
    arm(typeof left === "number" ? left : left())
    endings?.add(end)
    fiber.addObserver((exit) => {
      disarm()
      endings?.delete(end)
      onEnd?.(exit)
      if (running) resume(instead?.(exit) ?? exit)
      running = false
    })
    return Effect.suspend(() => Fiber.interrupt(fiber))
  })

// Bounds of callbacks ------------------------------------------------------------
// They limit what is done in callbacks to one length of time on Effect's clock. `Effect.timeoutOrElse` starts two
// fibers and a timer for each effect. This keeps one timer for all, since they end in the order in which they began.

interface Entry {
  /** Milliseconds of the clock. */
  readonly at: number
  readonly fire: () => void
}

export const makeDeadlines = Effect.fnUntraced(function* (limit: Duration.Input) {
  const clock = yield* Clock.Clock
  const run = yield* FiberHandle.makeRuntime<never>()
  const millis = Duration.toMillis(Duration.fromInputUnsafe(limit))
  const entries = new Set<Entry>()

  const watch = Effect.gen(function* () {
    for (let [first] = entries; first !== undefined; [first] = entries) {
      const left = first.at - clock.currentTimeMillisUnsafe()
      if (left <= 0) first.fire()
      else yield* clock.sleep(Duration.millis(left))
    }
  })

  /** Calls `late` when the limit is over, unless what it returns is called before. */
  const after = (late: () => void): (() => boolean) => {
    const entry: Entry = {
      at: clock.currentTimeMillisUnsafe() + millis,
      fire: () => {
        entries.delete(entry)
        late()
      }
    }
    entries.add(entry)
    run(watch, { onlyIfMissing: true })
    return () => entries.delete(entry)
  }

  return { after }
})
