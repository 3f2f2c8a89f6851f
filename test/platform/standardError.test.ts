/** The program's standard error: JSON lines without secrets (silences: A3). */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Console, Effect, References } from "effect"
import { MovedClock } from "../../src/platform/runtime/MerchantClocks.ts"
import * as standardError from "../../src/platform/runtime/standardError.ts"

const body = "Rk2-8yq_PZ3vB1nT0wXcD4eF5gH6iJ7kL8mN9oQ0rS1"
const token = "TRD_SB_01KARWCVD8QZ4T7XM2N9B5HCJG.1764000000.kWb-3_Qz"
const secrets = [
  ["a card number", "4111 1111 1111 1111"],
  ["an API key", `svc_live_${body}`],
  ["a webhook secret", `whsec_${body}`],
  ["a checkout token", `https://pay.example/checkout/${token}`],
  ["a file's name", `https://pay.example/files/${body}.pdf`]
] as const

/** The lines that `log` writes. */
const linesOf = (log: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const console = { ...(yield* Console.Console), error: (line: string) => void lines.push(line) }
    yield* log.pipe(Effect.provide(standardError.logger), Effect.provideService(Console.Console, console))
    return lines
  })

describe("a line on standard error", () => {
  for (const [what, secret] of secrets) {
    it.effect(`does not show ${what}, in its message, its cause or its annotations`, () =>
      Effect.gen(function* () {
        const [line = ""] = yield* linesOf(
          Effect.logError(`refused: ${secret}.`, { at: [secret] }, Cause.die(new Error(`said: ${secret}`))).pipe(
            Effect.annotateLogs({ said: `${secret} again`, [secret]: "a name" })
          )
        )
        const { annotations, cause, level, message } = JSON.parse(line)
        assert.notInclude(line, secret.slice(-12))
        assert.strictEqual(level, "ERROR")
        assert.include(message, "refused: ")
        assert.include(cause, "said: ")
        assert.match(annotations.said, /\[redacted\] again$/)
      })
    )
  }

  it.effect("has real time, and so have spans, under the clock of a sandbox that was moved", () =>
    Effect.gen(function* () {
      const real = yield* Clock.Clock
      const moved = new MovedClock("mer_1", real)
      moved.offset = 126_144_000_000
      const [line = ""] = yield* linesOf(Effect.provideService(Effect.logInfo("seen"), Clock.Clock, moved))
      assert.strictEqual(Date.parse(JSON.parse(line).timestamp), real.currentTimeMillisUnsafe())
      assert.strictEqual(moved.currentTimeNanosUnsafe(), real.currentTimeNanosUnsafe())
    })
  )

  it.effect("does not show what stands under a secret's name", () =>
    Effect.gen(function* () {
      const log = Effect.annotateLogs(Effect.logInfo("seen"), { password: "hunter2", merchant: "mer_1" })
      const [line = ""] = yield* linesOf(log)
      assert.deepStrictEqual(JSON.parse(line).annotations, { password: "[redacted]", merchant: "mer_1" })
    })
  )

  it.effect("is JSON also where a number looks like a card's, or an object holds itself", () =>
    Effect.gen(function* () {
      const circle: Record<string, unknown> = { card_like: 4111111111111111 }
      circle["itself"] = circle
      const [line = ""] = yield* linesOf(Effect.logInfo("seen", circle))
      assert.strictEqual(JSON.parse(line).message, "seen")
      assert.notInclude(line, "4111111111111111")
    })
  )

  it.effect("is unchanged if there is nothing to redact", () =>
    Effect.gen(function* () {
      const [line = ""] = yield* linesOf(Effect.annotateLogs(Effect.logWarning("odd \u00e9", { n: 1 }), { a: "b" }))
      const { fiberId, timestamp, ...rest } = JSON.parse(line)
      assert.match(timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      assert.match(fiberId, /^#\d+$/)
      assert.deepStrictEqual(rest, {
        message: "odd \u00e9",
        data: { n: 1 },
        pid: process.pid,
        runner: null,
        level: "WARN",
        annotations: { a: "b" },
        spans: {}
      })
    })
  )

  it.effect("has a text as its message, whatever is logged, and says which process wrote it", () =>
    Effect.gen(function* () {
      const told = [
        Effect.logInfo("a"),
        Effect.logInfo("a", 1, [2]),
        Effect.logInfo({ n: 1 }),
        Effect.logInfo("b", "c"),
        Effect.logInfo()
      ]
      const lines = yield* linesOf(Effect.all(told, { discard: true }))
      for (const line of lines) {
        const { message, pid } = JSON.parse(line)
        assert.deepStrictEqual([typeof message, pid], ["string", process.pid])
      }
      const [only, more, object, words] = lines.map((line) => JSON.parse(line))
      assert.notProperty(only, "data")
      // A collector has one type for a field.
      assert.deepStrictEqual(more.data, { more: [1, [2]] })
      assert.deepStrictEqual([object.data, words.data], [{ n: 1 }, { more: ["c"] }])
    })
  )

  it.effect("costs nothing when it is not written", () =>
    Effect.gen(function* () {
      let looked = 0
      const seen = {
        toJSON: () => {
          looked++
          return "seen"
        }
      }
      const log = Effect.andThen(Effect.logDebug("quiet", seen), Effect.logInfo("loud", seen))
      const lines = yield* linesOf(Effect.provideService(log, References.MinimumLogLevel, "Info"))
      assert.strictEqual(lines.length, 1)
      assert.strictEqual(looked, 1)
    })
  )
})
