/** Pages of large objects do not hold the event loop: what is done of them between two of its turns. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import type { HttpServerResponse } from "effect/http"
import { each } from "../../src/reads/erasures/buyerWords.ts"
import { replyCsv } from "../../src/shared/http/csv.ts"
import { CurrentRecord } from "../../src/shared/http/CurrentRequest.ts"
import { replyList } from "../../src/shared/http/replies.ts"
import { inSlices, SliceClock, sliceMillis, stepItems } from "../../src/platform/runtime/slices.ts"

/** The work, when each step takes so long; and what was worked on in each turn of the event loop. */
const turnsOf = <A>(
  stepMillis: number,
  work: (note: (bytes: number) => void) => Effect.Effect<A>
): Effect.Effect<{ readonly made: A; readonly turns: ReadonlyArray<number> }> =>
  Effect.gen(function* () {
    let now = 0
    const turns = [0]
    const turn = () => {
      turns.push(0)
      next = setImmediate(turn)
    }
    let next = setImmediate(turn)
    const note = (bytes: number) => void (turns[turns.length - 1]! += bytes)
    // Looked at once when a slice begins, and after each step.
    const clock = () => (now += stepMillis)
    const made = yield* Effect.provideService(work(note), SliceClock, clock)
    clearImmediate(next)
    return { made, turns: turns.filter((worked) => worked > 0) }
  })

const items = Array.from({ length: 100 }, (_, index) => index)

describe("work in slices", () => {
  it.live("looks for a buyer in one row after the other, and lets others have a turn after each that takes long", () =>
    Effect.gen(function* () {
      const { made, turns } = yield* turnsOf(sliceMillis, (note) =>
        each(items, (item) => {
          note(1)
          return item % 2 === 0 ? [item] : []
        })
      )
      assert.deepStrictEqual(
        turns,
        items.map(() => 1)
      )
      assert.deepStrictEqual(
        made,
        items.filter((item) => item % 2 === 0)
      )
    })
  )

  it.live("lets others have a turn after the step in which its time is over", () =>
    Effect.gen(function* () {
      const count = (stepMillis: number) =>
        turnsOf(stepMillis, (note) =>
          inSlices(items, (some) => {
            note(some.length)
            return some
          })
        )
      const long = yield* count(sliceMillis)
      assert.isAtMost(Math.max(...long.turns), stepItems)
      assert.deepStrictEqual(long.made.flat(), items)
      const short = yield* count(sliceMillis / 2)
      assert.isAtMost(Math.max(...short.turns), 2 * stepItems)
      assert.isAbove(Math.max(...short.turns), stepItems)
    })
  )

  it("does not wait while its items are of usual size", () => {
    const made = Effect.runSync(
      Effect.provideService(
        inSlices(items, (some) => some),
        SliceClock,
        () => 0
      )
    )
    assert.deepStrictEqual(made.flat(), items)
    assert.deepStrictEqual(Effect.runSync(inSlices([], (some) => some)), [])
  })
})

/** As much as an order's largest metadata. */
const large = "\u{1F600}".repeat(25_000)
const view = (id: number) => ({ id: `${id}`, metadata: { large } })
const resource = { fields: { object: Schema.String, id: Schema.String, metadata: Schema.Unknown } }
const largest = JSON.stringify(view(0)).length

/** The id where there is no request. */
const { requestId: request_id } = Effect.runSync(Effect.flatMap(CurrentRecord, Effect.succeed))

const textOf = ({ body }: HttpServerResponse.HttpServerResponse) =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : assert.fail(body._tag)

describe("a page of a hundred large objects", () => {
  it.live("is written in slices, and reads as if it were not", () =>
    Effect.gen(function* () {
      const { made, turns } = yield* turnsOf(sliceMillis, (note) =>
        replyList("order", "/v1/orders", { data: items, hasMore: true }, (id) => {
          note(largest)
          return view(id)
        })
      )
      assert.isAtMost(Math.max(...turns), stepItems * largest)
      assert.deepStrictEqual(JSON.parse(textOf(made)), {
        code: 200,
        message: "ok",
        request_id,
        data: { object: "list", resource: "order", has_more: true, url: "/v1/orders", data: items.map(view) }
      })
    })
  )

  it.live("is sent as a file in pieces, with a turn of the event loop before each", () =>
    Effect.gen(function* () {
      const file = { truncated: false, chunks: Stream.make(items, items) }
      const { body } = yield* replyCsv("orders", resource, file, view)
      const stream = body._tag === "Stream" ? body.stream : assert.fail(body._tag)
      const { made, turns } = yield* turnsOf(sliceMillis, (note) =>
        Stream.runFold(
          Stream.orDie(stream),
          () => 0,
          (rows, bytes) => {
            note(bytes.length)
            return rows + new TextDecoder().decode(bytes).split("\r\n").length - 1
          }
        )
      )
      assert.strictEqual(made, 1 + 2 * items.length)
      assert.isAtMost(Math.max(...turns), (stepItems + 1) * 2 * largest)
    })
  )
})

describe("a page", () => {
  for (const count of [0, 1, 20]) {
    it(`of ${count} usual objects is the same text as if it were written at once`, () => {
      const data = items.slice(0, count)
      const reply = Effect.runSync(replyList("order", "/v1/orders", { data, hasMore: false }, (id) => ({ id })))
      const list = { object: "list", resource: "order", has_more: false, url: "/v1/orders" }
      assert.strictEqual(
        textOf(reply),
        JSON.stringify({
          code: 200,
          message: "ok",
          request_id,
          data: { ...list, data: data.map((id) => ({ id })) }
        })
      )
    })
  }
})
