/** Times as texts (spec: its conventions, ISO 8601 with milliseconds). */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { isoText } from "@coffer/model/isoText"

/** The first and the last moment that a Date has. */
const lastMillis = 8_640_000_000_000_000

describe("a time as a text", () => {
  it.prop(
    "is what ISO 8601 says of any moment that there is",
    [Schema.Int.check(Schema.isBetween({ minimum: -lastMillis, maximum: lastMillis }))],
    ([millis]) => {
      assert.strictEqual(isoText(DateTime.makeUnsafe(millis)), new Date(millis).toISOString())
    }
  )

  it("is right on both sides of a minute, a year and 1970, and again when it is remembered", () => {
    const moments = [-1, 0, 59_999, 60_000, Date.UTC(2026, 11, 31, 23, 59, 59, 999), Date.UTC(2027, 0, 1)]
    for (const millis of [...moments, ...moments]) {
      assert.strictEqual(isoText(DateTime.makeUnsafe(millis)), new Date(millis).toISOString())
    }
  })
})
