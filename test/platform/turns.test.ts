/** Commands for one object on one runner: one after the other, as they came (docs/decisions/0022). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Metric } from "effect"
import { makeTurns, showTurns } from "../../src/platform/cluster/turns.ts"

/** That may wait for one object. */
const waitingMax = 4
const started = { startImmediately: true } as const

/** Work that says when it begins, and ends when the test lets it. */
const held = Effect.fnUntraced(function* (name: string, log: Array<string>) {
  const gate = yield* Deferred.make<void>()
  const work = Effect.gen(function* () {
    log.push(`${name} begins`)
    yield* Deferred.await(gate)
    log.push(`${name} ends`)
    return name
  })
  return { work, release: Deferred.succeed(gate, undefined) }
})

const three = Effect.gen(function* () {
  const turns = makeTurns(waitingMax)
  const log: Array<string> = []
  const works = yield* Effect.forEach(["one", "two", "three"], (name) => held(name, log))
  const fibers = yield* Effect.forEach(works, ({ work }) => Effect.forkChild(turns.inTurn("order", work), started))
  return { turns, log, works, fibers }
})

describe("the metrics of turns", () => {
  it.effect("show how many objects are worked on and how many wait, and nothing when all is done", () =>
    Effect.gen(function* () {
      const { fibers, turns, works } = yield* three
      const other = yield* held("other", [])
      const another = yield* Effect.forkChild(turns.inTurn("another order", other.work), started)
      const shown = Effect.map(Metric.snapshot, (all) =>
        all.map(({ attributes, id, state }) => [id, attributes?.["kind"], (state as { value: number }).value])
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* showTurns("orders", turns)
          assert.sameDeepMembers(yield* shown, [
            ["coffer_objects_busy", "orders", 2],
            ["coffer_commands_waiting", "orders", 2]
          ])
          yield* Fiber.interrupt(fibers[1]!)
          for (const { release } of [...works, other]) yield* release
          yield* Effect.forEach([fibers[0]!, fibers[2]!, another], Fiber.join)
          assert.sameDeepMembers(yield* shown, [
            ["coffer_objects_busy", "orders", 0],
            ["coffer_commands_waiting", "orders", 0]
          ])
        })
      )
      assert.deepStrictEqual(yield* shown, [])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})

describe("work in turn", () => {
  it.effect("count a read as no command, although it has a turn", () =>
    Effect.gen(function* () {
      const turns = makeTurns(waitingMax)
      const begun = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      const held = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end))
      const read = yield* Effect.forkChild(turns.readInTurn("order", held))
      yield* Deferred.await(begun)
      const command = yield* Effect.forkChild(turns.inTurn("order", Effect.void), { startImmediately: true })
      assert.deepStrictEqual([turns.size(), turns.waiting()], [1, 0])
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(read)
      yield* Fiber.join(command)
      assert.deepStrictEqual([turns.size(), turns.waiting()], [0, 0])
    })
  )

  it.effect("runs at once, in the caller's own fiber, when no command works on the object", () =>
    Effect.gen(function* () {
      const caller = yield* Effect.fiberId
      assert.strictEqual(yield* makeTurns(waitingMax).inTurn("order", Effect.fiberId), caller)
    })
  )

  it.effect("never overlaps on one object, and keeps the order in which it was asked for", () =>
    Effect.gen(function* () {
      const { fibers, log, works } = yield* three
      assert.deepStrictEqual(log, ["one begins"])
      for (const { release } of works.toReversed()) yield* release
      yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(log, ["one begins", "one ends", "two begins", "two ends", "three begins", "three ends"])
    })
  )

  it.effect("lets no command overtake waiting ones, also at the moment in which a turn ends", () =>
    Effect.gen(function* () {
      const { fibers, log, turns, works } = yield* three
      yield* works[0]!.release
      yield* Fiber.join(fibers[0]!)
      const last = yield* Effect.forkChild(
        turns.inTurn(
          "order",
          Effect.sync(() => log.push("last"))
        ),
        started
      )
      for (const { release } of works) yield* release
      yield* Fiber.join(last)
      assert.deepStrictEqual(log.slice(-3), ["three begins", "three ends", "last"])
    })
  )

  it.effect("on other objects does not wait", () =>
    Effect.gen(function* () {
      const { turns } = yield* three
      assert.strictEqual(yield* turns.inTurn("another", Effect.succeed("done")), "done")
    })
  )

  it.effect("whose caller leaves while it waits is never begun, and those behind it go on", () =>
    Effect.gen(function* () {
      const { fibers, log, works } = yield* three
      yield* Fiber.interrupt(fibers[1]!)
      for (const { release } of works) yield* release
      assert.strictEqual(yield* Fiber.join(fibers[2]!), "three")
      assert.deepStrictEqual(log, ["one begins", "one ends", "three begins", "three ends"])
    })
  )

  it.effect("whose caller leaves while it runs gives its turn to the next", () =>
    Effect.gen(function* () {
      const { fibers, log, works } = yield* three
      yield* Fiber.interrupt(fibers[0]!)
      for (const { release } of works) yield* release
      yield* Fiber.join(fibers[2]!)
      assert.deepStrictEqual(log, ["one begins", "two begins", "two ends", "three begins", "three ends"])
    })
  )

  it.effect("that fails or dies tells its own caller so, and the next has its turn", () =>
    Effect.gen(function* () {
      const { inTurn } = makeTurns(waitingMax)
      assert.strictEqual(yield* Effect.flip(inTurn("order", Effect.fail("refused"))), "refused")
      assert.isTrue(Exit.hasDies(yield* Effect.exit(inTurn("order", Effect.die("broken")))))
      assert.strictEqual(yield* inTurn("order", Effect.succeed("done")), "done")
    })
  )

  it.effect("is refused when as many wait for the object as may, and taken again when one of them has left", () =>
    Effect.gen(function* () {
      const { inTurn } = makeTurns(waitingMax)
      const { release, work } = yield* held("one", [])
      const fibers = yield* Effect.replicateEffect(Effect.forkChild(inTurn("order", work), started), waitingMax + 1)
      const refused = yield* Effect.flip(inTurn("order", work))
      assert.strictEqual(refused._tag, "OwnerUnavailable")
      assert.strictEqual(yield* inTurn("another", Effect.succeed("done")), "done")

      yield* Fiber.interrupt(fibers.pop()!)
      fibers.push(yield* Effect.forkChild(inTurn("order", work), started))
      yield* release
      for (const fiber of fibers) assert.strictEqual(yield* Fiber.join(fiber), "one")
    })
  )

  it.effect("leaves nothing in memory when it has ended, failed or been given up", () =>
    Effect.gen(function* () {
      const { fibers, turns, works } = yield* three
      assert.strictEqual(turns.size(), 1)
      yield* Fiber.interrupt(fibers[1]!)
      for (const { release } of works) yield* release
      yield* Fiber.join(fibers[2]!)
      yield* Effect.ignore(turns.inTurn("another", Effect.fail("refused")))
      yield* Effect.exit(turns.inTurn("third", Effect.die("broken")))
      assert.strictEqual(turns.size(), 0)
    })
  )
})
