/** `coffer clock`: its output, how it waits for an advancing clock, and its errors. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { wayLine } from "@coffer/cli/clock"
import { envOf, type, watch } from "../kit/callers/cli.ts"
import { forsake, hold } from "../kit/stories/clockHolder.ts"
import { eventually } from "../kit/Process.ts"
import { start } from "../kit/Service.ts"

const day = 86_400_000

describe("coffer clock", () => {
  it.live("shows the clock, moves it by a span, by seconds or to a moment, and tells what happened on the way", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const env = envOf(running)
      const json = (...words: ReadonlyArray<string>) =>
        Effect.map(type(["clock", ...words, "--json"], env), ({ code, stderr, stdout }) => {
          assert.deepStrictEqual([code, stderr], [0, ""])
          return JSON.parse(stdout)
        })
      assert.deepInclude(yield* json(), { status: "ready", ahead_ms: 0, target: null })
      yield* running.api.post("/v1/orders", running.merchant.sandboxKey, { amount: 100 })
      const after = yield* json("advance", "90d")
      assert.deepInclude(after, { status: "ready", ahead_ms: 90 * day, happened: { "payment.expired": 1 } })
      assert.strictEqual((yield* json("advance", "60")).ahead_ms, 90 * day + 60_000)
      const to = new Date(Date.parse(after.now) + 60_000 + 10 * day).toISOString()
      assert.strictEqual((yield* json("advance", "--to", to)).now, to)
      const shown = yield* type(["clock"], env)
      assert.match(shown.stdout, /^1970-04-11 00:01:00Z {2}100\.0 d ahead of real time\n/)
    })
  )

  it.live("waits for a clock that takes longer, and a second caller that moves it meanwhile gets its target", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const env = envOf(running)
      yield* hold(running.sql, running.merchant.merchantId)
      const first = yield* watch(["clock", "advance", "24h", "--json"], env)
      const clock = Effect.map(
        running.api.get("/v1/test_helpers/clock", running.merchant.sandboxKey),
        ({ body }) => body.data
      )
      yield* eventually(
        "the clock to be on its way",
        Effect.map(clock, ({ status }) => status === "advancing")
      )
      const { target } = yield* clock
      const second = yield* type(["clock", "advance", "1h"], env)
      assert.strictEqual(second.code, 1)
      assert.include(second.stderr, `The test clock is advancing to ${target}`)
      assert.match((yield* type(["clock"], env)).stdout, /real time, advancing to 20\d\d-/)
      yield* forsake(running.sql, running.merchant.merchantId)
      yield* first.says('"ready"')
      assert.isAtLeast(Date.parse(JSON.parse(first.said.stdout).now), Date.parse(target))
    })
  )

  it.live("says what cannot be: neither or both ways to say how far, no span, no sandbox", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const env = envOf(running)
      const to = "2099-01-01T00:00:00Z"
      for (const [words, code, said] of [
        [["advance"], 2, "How far, or to what time?"],
        [["advance", "24h", "--to", to], 2, "How far, or to what time?"],
        [["advance", "soon"], 1, "by"],
        [["advance", "2000d"], 1, "five years"],
        [["advance", "--to", "2001-01-01T00:00:00Z"], 1, "must be later"]
      ] as const) {
        const done = yield* type(["clock", ...words], env)
        assert.strictEqual(done.code, code, done.stderr)
        assert.include(done.stderr, said)
        assert.include(done.stderr, "Next:")
      }
      const live = yield* type(["clock"], { ...env, COFFER_KEY: running.merchant.liveKey })
      assert.strictEqual(live.code, 1)
    })
  )

  it("says how far it has come", () => {
    assert.strictEqual(wayLine(3 * day, undefined, 4_000), "the clock advanced 3.0 d in 4.0 s")
  })
})
