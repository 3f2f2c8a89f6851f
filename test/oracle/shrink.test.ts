/** A program that differs is reduced to the steps that it needs, in limited time. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startHouse } from "../../packages/oracle/src/driver/house.ts"
import { noMarks } from "../../packages/oracle/src/driver/marks.ts"
import { type Place, placeIn } from "../../packages/oracle/src/driver/place.ts"
import { play } from "../../packages/oracle/src/driver/play.ts"
import { programOf } from "../../packages/oracle/src/driver/programs.ts"
import { shrink } from "../../packages/oracle/src/driver/shrink.ts"

/** A service that expires an order and says something else. */
const planted = (place: Place): Place => ({
  ...place,
  send: async (call) => {
    const reply = await place.send(call)
    const data = reply.body.data
    if (!call.path.endsWith("/expire") || reply.status !== 200 || typeof data !== "object") return reply
    return { ...reply, body: { ...reply.body, data: { ...data, status: "gone" } } }
  }
})

const aMinute = 60_000

describe("a difference", () => {
  it.live("is shrunk to the few steps that it needs, and is told as it is when the time is over", () =>
    Effect.gen(function* () {
      const house = yield* Effect.acquireRelease(
        Effect.promise(() => startHouse(new Date("2026-01-05T08:00:00Z"))),
        (made) => Effect.promise(() => made[Symbol.asyncDispose]())
      )
      const place = planted(placeIn(house))
      const program = programOf(7, 70, 2)
      const failure = yield* Effect.promise(() => play(place, program, noMarks()))
      assert.strictEqual(failure?.kind, "orders.expire data.status")
      const told: Array<string> = []
      const tell = (line: string) => void told.push(line)
      const shrunk = yield* Effect.promise(() => shrink(place, program, failure!, { millis: aMinute, tell }))
      assert.strictEqual(shrunk.kind, failure!.kind)
      assert.isAtMost(shrunk.story.length, 4, shrunk.story.join("\n"))
      assert.isNotEmpty(told)
      const cut = yield* Effect.promise(() => shrink(place, program, failure!, { millis: 1, tell }))
      assert.deepStrictEqual(cut, failure)
    })
  )
})
