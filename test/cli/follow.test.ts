/** How a list is followed: nothing is missed or repeated, whatever is committed late and whatever is lost. */
import { assert, describe, it } from "@effect/vitest"
import { CliFailure } from "@coffer/cli/CliFailure"
import { follow, type Position } from "@coffer/cli/follow"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

interface Item {
  readonly id: string
}

const away = new CliFailure({ code: "connection_lost", message: "", next: "", exitCode: 1, isPassing: true })
const refused = new CliFailure({ code: "invalid_api_key", message: "", next: "", exitCode: 1, isPassing: false })

/** A list that the test controls. */
const aList = (ids: ReadonlyArray<string>) => {
  const state = {
    ids: new Set(ids),
    failure: undefined as CliFailure | undefined,
    asked: [] as Array<string | undefined>
  }
  const taken: Array<string> = []
  const outages: Array<string> = []
  const kept: Array<Position> = []
  const run = (start: Position) =>
    follow<Item>(
      {
        idOf: ({ id }) => id,
        newerThan: (from, take) =>
          Effect.suspend(() => {
            state.asked.push(from)
            if (state.failure !== undefined) return Effect.fail(state.failure)
            const newer = [...state.ids].filter((id) => from === undefined || id > from).toSorted()
            return take(newer.map((id) => ({ id })))
          })
      },
      start,
      {
        take: ({ id }) => Effect.sync(() => void taken.push(id)),
        keep: (position) => Effect.sync(() => void kept.push(position)),
        lost: () => Effect.sync(() => void outages.push("lost")),
        found: Effect.sync(() => void outages.push("found"))
      }
    )
  return { state, taken, outages, kept, run }
}

const fresh: Position = undefined

describe("following a list", () => {
  it.effect("reads what is newer than the newest object that it has taken, and nothing once more", () =>
    Effect.gen(function* () {
      const { kept, run, state, taken } = aList(["a", "b"])
      yield* Effect.forkChild(run("a"))
      yield* TestClock.adjust("1 second")
      state.ids.add("c").add("d")
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(taken, ["b", "c", "d"])
      assert.deepStrictEqual(state.asked, ["a", "b", "b", "d", "d"])
      assert.deepStrictEqual(kept, ["b", "c", "d"])
    })
  )

  it.effect("continues from a saved position, without repeating events", () =>
    Effect.gen(function* () {
      const first = aList(["a", "b"])
      const fiber = yield* Effect.forkChild(first.run(fresh))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      const second = aList(["a", "b", "c"])
      yield* Effect.forkChild(second.run(first.kept.at(-1)!))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(second.taken, ["c"])
    })
  )

  it.effect("continues when the service is back, reports both once, and then reads what it may have missed", () =>
    Effect.gen(function* () {
      const { outages, run, state, taken } = aList(["a"])
      yield* Effect.forkChild(run(fresh))
      yield* TestClock.adjust("1 second")
      state.failure = away
      yield* TestClock.adjust("2 minutes")
      state.ids.add("b")
      state.failure = undefined
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(
        [taken, outages],
        [
          ["a", "b"],
          ["lost", "found"]
        ]
      )
    })
  )

  it.effect("ends when the key is no longer good", () =>
    Effect.gen(function* () {
      const { run, state } = aList([])
      state.failure = refused
      assert.strictEqual(yield* Effect.flip(run(fresh)), refused)
    })
  )
})
