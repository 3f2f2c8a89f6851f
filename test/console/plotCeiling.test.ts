/** The axis of a plot. */
import { assert, describe, it } from "@effect/vitest"
import { ceilingOf } from "../../packages/console/src/parts/plotCeiling.ts"

describe("the axis of a plot", () => {
  it("ends at a round number above the highest value", () => {
    for (const [value, top] of [
      [0, 2],
      [1, 2],
      [570, 600],
      [1_000, 1_000],
      [8_100, 10_000]
    ] as const) {
      assert.deepStrictEqual(ceilingOf([value, 0]), { top, cut: [] }, String(value))
    }
  })

  it("cuts off a value that is more than five times the next one, so that the others can be seen", () => {
    assert.deepStrictEqual(ceilingOf([300, 90_000, 500, 410]), { top: 600, cut: [90_000] })
    assert.deepStrictEqual(ceilingOf([300, 2_500, 500, 410]).cut, [])
  })

  it("cuts off two at most, and none where too few values say what is usual", () => {
    assert.deepStrictEqual(ceilingOf([900_000, 90_000, 1, 2, 3]).cut, [900_000, 90_000])
    assert.deepStrictEqual(ceilingOf([900_000, 1, 2]).cut, [])
  })
})
