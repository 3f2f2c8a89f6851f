/** The checker of histories itself: what it lets pass, and what it finds. */
import { assert, describe, it } from "@effect/vitest"
import { linearize, type Operation } from "../kit/stories/linearizable.ts"

const add = (calledAt: number, answeredAt: number): Operation<number> => ({
  name: "adds",
  calledAt,
  answeredAt,
  step: (state) => state + 1
})
const sees = (value: number, calledAt: number, answeredAt: number): Operation<number> => ({
  name: `sees ${value}`,
  calledAt,
  answeredAt,
  step: (state) => (state === value ? state : undefined)
})

describe("a history", () => {
  it("passes if operations that overlap fit in some order", () => {
    assert.deepStrictEqual(linearize(0, [add(0, 10), sees(1, 1, 2), sees(0, 1, 9)]), ["sees 0", "adds", "sees 1"])
  })

  it("fails if a reader sees an older state after another has seen a newer one", () => {
    assert.isUndefined(linearize(0, [add(0, 10), sees(1, 1, 2), sees(0, 3, 4)]))
  })

  it("fails if an answered write is not seen", () => {
    assert.isUndefined(linearize(0, [add(0, 1), sees(0, 2, 3)]))
  })

  it("fails if a write is seen twice", () => {
    assert.isUndefined(linearize(0, [add(0, 1), sees(2, 2, 3)]))
  })

  it("passes if a write without an answer happened late, or never", () => {
    assert.deepStrictEqual(linearize(0, [add(0, Infinity), sees(0, 5, 6), sees(1, 7, 8)]), ["sees 0", "adds", "sees 1"])
    assert.deepStrictEqual(linearize(0, [add(0, Infinity), sees(0, 5, 6)]), ["sees 0"])
  })
})
