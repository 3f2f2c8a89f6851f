/** Automatic work: due jobs, in order of time, and webhooks. */
import { Deferred, Effect, FiberSet, Latch, Semaphore } from "effect"
import { perform } from "./acts/perform.ts"
import type { World } from "./state/World.ts"
import type { Deliveries } from "./webhooks/Deliveries.ts"

export interface Engine {
  /** Moves the clock forward, and runs everything that comes due, each at its time. */
  readonly moveTo: (millis: number) => Effect.Effect<void>
  /** Ends when nothing is due and no webhook is in transit. */
  readonly rest: Effect.Effect<void>
  /** Waits until the clock has reached this time. */
  readonly waitUntil: (millis: number) => Effect.Effect<void>
}

export const makeEngine = Effect.fnUntraced(function* (
  world: World,
  deliveries: Deliveries,
  /** Called after each change. */
  keep: () => void
) {
  const onTheWay = yield* FiberSet.make<void>()
  const send = yield* FiberSet.runtime(onTheWay)()
  const bell = yield* Latch.make()
  /** The worker and a test that moves the clock do not run concurrently. */
  const turn = yield* Semaphore.make(1)
  let waiting: Array<{ readonly at: number; readonly come: Deferred.Deferred<void> }> = []
  world.wake = () => void bell.openUnsafe()

  /** Runs due jobs, and starts sending webhooks. */
  const doDue = Effect.sync(() => {
    const now = world.clock.millis()
    for (let due = world.takeDue(now); due !== undefined; due = world.takeDue(now)) {
      const { book, job } = due
      if (job.task.do === "deliver") {
        send(Effect.andThen(deliveries.deliver({ book, delivery: job.task }), Effect.sync(keep)))
      } else perform(world, book, job.task)
      keep()
    }
    const come = waiting.filter(({ at }) => at <= now)
    waiting = waiting.filter(({ at }) => at > now)
    for (const each of come) Deferred.doneUnsafe(each.come, Effect.void)
  })

  const untilRest: Effect.Effect<void> = Effect.gen(function* () {
    do {
      yield* doDue
      yield* FiberSet.awaitEmpty(onTheWay)
      // A receiver may have made a call that caused more events.
    } while ((world.nextDue() ?? Infinity) <= world.clock.millis())
  })

  const nextStop = () => Math.min(world.nextDue() ?? Infinity, ...waiting.map(({ at }) => at))

  const moveTo = (millis: number) =>
    Effect.gen(function* () {
      yield* untilRest
      for (let next = nextStop(); next <= millis; next = nextStop()) {
        world.clock.moveTo(next)
        yield* untilRest
      }
      world.clock.moveTo(millis)
      yield* untilRest
      keep()
    }).pipe(turn.withPermits(1))

  const untilDue = Effect.suspend(() => {
    const next = nextStop()
    if (world.clock.isStanding() || next === Infinity) return bell.await
    const pause = Math.max(0, Math.min(next - world.clock.millis(), pauseMax))
    return Effect.raceFirst(bell.await, Effect.sleep(pause))
  })

  yield* Effect.gen(function* () {
    bell.closeUnsafe()
    yield* turn.withPermits(1)(doDue)
    yield* untilDue
  }).pipe(Effect.forever, Effect.forkScoped)

  return {
    moveTo,
    rest: turn.withPermits(1)(untilRest),
    waitUntil: (at) =>
      Effect.suspend(() => {
        if (at <= world.clock.millis()) return Effect.void
        const come = Deferred.makeUnsafe<void>()
        waiting.push({ at, come })
        bell.openUnsafe()
        return Deferred.await(come)
      })
  } satisfies Engine
})

/** The worker checks the clock once an hour even if nothing is due. */
const pauseMax = 3_600_000
