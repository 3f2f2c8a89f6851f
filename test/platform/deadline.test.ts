/** The rest of a request's time, and the work that keeps to it (silences: G29). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { ask } from "../../src/platform/cluster/ask.ts"
import {
  bounded,
  CurrentDeadline,
  Deadline,
  inTime,
  millisForChannel,
  millisLeft,
  waitingForClient,
  withoutDeadline
} from "../../src/platform/runtime/Deadline.ts"
import { requestTime } from "../kit/program/requestTime.ts"

/** Runs it as a request that has ten seconds. */
const inRequest = <A, E>(test: (clock: ReturnType<typeof requestTime>, deadline: Deadline) => Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const clock = requestTime()
    const deadline = new Deadline(10_000, clock.time)
    return Effect.provideService(test(clock, deadline), CurrentDeadline, deadline)
  })

/** Work that a timer has begun is done by then. */
const later = Effect.callback<void>((resume) => {
  const next = (left: number) => (left === 0 ? resume(Effect.void) : void setImmediate(next, left - 1))
  next(5)
})

describe("of a request's time", () => {
  it.effect("each wait gets its own limit, or what is left if that is less", () =>
    inRequest((clock) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* millisLeft(4_000), 4_000)
        clock.move(7_000)
        assert.strictEqual(yield* millisLeft(4_000), 3_000)
        assert.strictEqual(yield* millisForChannel(15_000), 1_000)
        assert.strictEqual(yield* withoutDeadline(millisLeft(4_000)), 4_000)
      })
    )
  )

  it.effect("a call to an owner gets no more than is left", () =>
    inRequest((clock) =>
      Effect.gen(function* () {
        clock.move(8_000)
        const call = yield* Effect.forkChild(Effect.exit(ask(Effect.never)), { startImmediately: true })
        clock.move(1_999)
        yield* later
        assert.isUndefined(call.pollUnsafe())
        clock.move(1)
        yield* later
        const told = call.pollUnsafe()
        assert.isTrue(told !== undefined && Exit.isSuccess(told) && Exit.isFailure(told.value))
      })
    )
  )

  it.effect("the wait for the client is no part", () =>
    inRequest((clock) =>
      Effect.gen(function* () {
        yield* waitingForClient(Effect.sync(() => clock.move(60_000)))
        assert.strictEqual(yield* millisLeft(60_000), 10_000)
      })
    )
  )

  it.live("what has no limit ends when it is over, and the answer does not wait for what is broken off", () =>
    inRequest((clock) =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const stuck = Effect.uninterruptible(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        const answer = yield* Effect.forkChild(inTime(stuck, () => Effect.succeed("late"), 500))
        yield* Deferred.await(begun)
        clock.move(10_000)
        yield* later
        assert.isUndefined(answer.pollUnsafe())
        clock.move(500)
        assert.strictEqual(yield* Fiber.join(answer), "late")
      })
    )
  )

  it.live("waiting for the client extends it, also for a caller that checks at the end", () =>
    inRequest((clock, deadline) =>
      Effect.gen(function* () {
        const body = yield* Deferred.make<string>()
        const reading = yield* Deferred.make<void>()
        const read = waitingForClient(Effect.andThen(Deferred.succeed(reading, undefined), Deferred.await(body)))
        const answer = yield* Effect.forkChild(inTime(read, () => Effect.succeed("late")))
        yield* Deferred.await(reading)
        clock.move(60_000)
        yield* Deferred.succeed(body, "read")
        assert.deepStrictEqual(yield* Fiber.await(answer), Exit.succeed("read"))
        assert.strictEqual(deadline.left(), 10_000)
      })
    )
  )
})

describe("a limit", () => {
  it.live("is whole again each time its effect runs", () =>
    Effect.gen(function* () {
      let answer = Deferred.makeUnsafe<string>()
      const limited = bounded(
        Effect.suspend(() => Deferred.await(answer)),
        60_000,
        () => "late"
      )
      for (const each of ["first", "second"]) {
        answer = Deferred.makeUnsafe<string>()
        const asked = yield* Effect.forkChild(limited, { startImmediately: true })
        // A timer of no time has rung by then.
        yield* Effect.callback<void>((resume) => void setTimeout(() => resume(Effect.void), 2))
        yield* later
        yield* Deferred.succeed(answer, each)
        assert.deepStrictEqual(yield* Fiber.await(asked), Exit.succeed(each))
      }
    })
  )

  it.live("fails at once when it is ended before its time, and is not known any more when its effect has ended", () =>
    Effect.gen(function* () {
      const endings = new Set<() => void>()
      const ended: Array<Exit.Exit<string, string>> = []
      const watch = { endings, onEnd: (exit: Exit.Exit<string, string>) => void ended.push(exit) }
      const answer = Deferred.makeUnsafe<string>()
      const limited = (effect: Effect.Effect<string, string>) => bounded(effect, 60_000, () => "late", watch)

      const told = yield* Effect.forkChild(limited(Effect.never), { startImmediately: true })
      for (const end of endings) end()
      assert.deepStrictEqual(yield* Fiber.await(told), Exit.fail("late"))
      assert.isTrue(Exit.hasInterrupts(ended[0]!), "what it waited for was interrupted")

      const answered = yield* Effect.forkChild(limited(Deferred.await(answer)), { startImmediately: true })
      yield* Deferred.succeed(answer, "in time")
      assert.deepStrictEqual(yield* Fiber.await(answered), Exit.succeed("in time"))
      assert.strictEqual(yield* limited(Effect.succeed("at once")), "at once")
      assert.deepStrictEqual(ended.slice(1), [Exit.succeed("in time"), Exit.succeed("at once")])
      assert.strictEqual(endings.size, 0)
    })
  )
})
