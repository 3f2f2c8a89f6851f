/**
 * How far this machine's clock is from Postgres'; what that does to `/readyz` is in test/http/edge/operating.test.ts.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { inject } from "vitest"
import * as ClockSkew from "../../src/platform/postgres/ClockSkew.ts"
import * as NewIds from "../../src/platform/runtime/NewIds.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"

it.live(
  "an answer of Postgres that takes seconds changes no id's time, and a wrong clock is corrected nevertheless",
  () =>
    Effect.gen(function* () {
      let [wrongBy, takes, asked] = [0, 0, 0]
      const machine = Effect.sync(() => Date.now() + (wrongBy + (asked++ % 2 === 0 ? 0 : takes)) * 1_000)
      const beneath = Layer.mergeAll(
        Postgres.layer({ url: Redacted.make(inject("postgresUrl")), connections: 1, name: "test" }),
        Layer.succeed(ClockSkew.MachineTime, machine)
      )
      const ids = NewIds.layer
      yield* Effect.gen(function* () {
        const { measure } = yield* ClockSkew.ClockSkew
        const { corrected } = yield* NewIds.NewIds
        const found: Array<number> = []
        for ([wrongBy, takes] of [
          [0, 4],
          [10, 0],
          [10, 9],
          [0, 0]
        ] as const) {
          yield* measure
          found.push(corrected(60_000))
        }
        assert.deepStrictEqual(found, [60_000, 50_000, 50_000, 60_000])
      }).pipe(Effect.provide(ClockSkew.layer.pipe(Layer.provideMerge(ids), Layer.provideMerge(beneath))))
    })
)

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
