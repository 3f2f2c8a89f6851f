/** Spans of the house (`src/platform/runtime/span.ts`). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, References } from "effect"
import { span } from "../../src/platform/runtime/span.ts"

describe("a function with a span", () => {
  const half = span("half")(
    function* (whole: number) {
      return whole % 2 === 0 ? yield* Effect.succeed(whole / 2) : yield* Effect.fail("odd")
    },
    Effect.catch((problem) => Effect.succeed(problem))
  )

  for (const collected of [true, false]) {
    it.effect(`answers ${collected ? "where spans are collected" : "where no spans are collected"}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual([yield* half(4), yield* half(3)], [2, "odd"])
      }).pipe(Effect.provideService(References.TracerEnabled, collected))
    )
  }

  it("is a generator: another function would answer only where spans are collected", () => {
    // @ts-expect-error -- the type takes no other function
    assert.isFunction(span("half")((whole: number) => Effect.succeed(whole / 2)))
  })
})
