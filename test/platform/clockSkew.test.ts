/**
 * How far this machine's clock is from Postgres'; what that does to `/readyz` is in test/http/edge/operating.test.ts.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { inject } from "vitest"
import * as ClockSkew from "../../src/platform/postgres/ClockSkew.ts"
import * as NewIds from "../../src/platform/runtime/NewIds.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"

it.live("a clock more than 30 seconds from Postgres' is an error line, one until it is right again", () =>
  Effect.gen(function* () {
    let wrongBy = 0
    const lines: Array<string> = []
    const beneath = Layer.mergeAll(
      Postgres.layer({ url: Redacted.make(inject("postgresUrl")), connections: 1, name: "test" }),
      Layer.succeed(
        ClockSkew.MachineTime,
        Effect.sync(() => Date.now() + wrongBy * 1_000)
      ),
      Logger.layer([Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))])
    )
    yield* Effect.gen(function* () {
      const { isTooLarge, measure } = yield* ClockSkew.ClockSkew
      const said: Array<number> = []
      for (wrongBy of [0, 25, 40, 45, -45, 0, -40]) {
        yield* measure
        said.push(lines.length)
        assert.isFalse(isTooLarge())
      }
      assert.deepStrictEqual(said, [0, 0, 1, 1, 1, 1, 2])
      for (const line of lines) assert.match(line, /^Error This machine's clock and Postgres' are -?\d\d s apart/)
    }).pipe(Effect.provide(ClockSkew.layer.pipe(Layer.provide(NewIds.layer), Layer.provideMerge(beneath))))
  })
)
