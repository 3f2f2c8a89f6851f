/** Time travel where any of two runners answers, and any of them owns what is changed (docs/decisions/0005). */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { clockStory } from "../kit/stories/clockStory.ts"
import { twoRunners } from "../kit/runners/TwoRunners.ts"

describe("the clock of a sandbox over two runners", () => {
  it.live("takes one merchant through the same story, each call to the other runner", () =>
    Effect.gen(function* () {
      const { a, b, sql } = yield* twoRunners
      const merchant = yield* a.api.newMerchant()
      const other = yield* b.api.newMerchant()
      yield* clockStory({ apis: [a.api, b.api], merchant, other, sql, late: 60_000 })
    })
  )
})
