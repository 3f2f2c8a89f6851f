/** How places for posts are shared out (docs/decisions/0016). */
import {
  allot,
  type DueLine,
  keysOf,
  limitAfter,
  type Line,
  lineKey,
  placesOfNew,
  placesPerLine,
  placesPerMode
} from "@coffer/rules/delivery/places"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const due = (merchantId: string, destination: string, count = 1_000, mode: Line["mode"] = "sandbox"): DueLine => ({
  mode,
  merchantId,
  destination,
  due: count
})
const hosts = (merchantId: string, count: number, each = 1_000) =>
  Array.from({ length: count }, (_, index) => due(merchantId, `${merchantId}-${index}.example`, each))

const taken = (...lines: ReadonlyArray<readonly [line: Line, posts: number]>) => {
  const counts = new Map<string, number>()
  for (const [line, posts] of lines) for (const key of keysOf(line)) counts.set(key, (counts.get(key) ?? 0) + posts)
  return counts
}
const none = { taken: taken(), limits: new Map<string, number>() }
const limited = (limit: number, ...lines: ReadonlyArray<Line>) => new Map(lines.map((line) => [lineKey(line), limit]))
const hung = (...lines: ReadonlyArray<Line>) => limited(1, ...lines)
/** Lines that answered quickly. */
const known = (...lines: ReadonlyArray<Line>) => limited(placesPerLine, ...lines)

const byMerchant = (allotted: ReturnType<typeof allot>) => {
  const sums: Record<string, number> = {}
  for (const { merchantId, places } of allotted) sums[merchantId] = (sums[merchantId] ?? 0) + places
  return sums
}

describe("places", () => {
  it("no line gets more than its due deliveries, nor more than its places", () => {
    const lines = [due("a", "x", 3), due("a", "y")]
    assert.deepStrictEqual(
      allot(lines, { ...none, limits: known(...lines) }).map(({ places }) => places),
      [3, placesPerLine]
    )
  })

  it("a line of which nothing is known gets one, and all its places after a post that did not hang", () => {
    const line = due("a", "x")
    assert.deepStrictEqual(allot([line], none)[0]?.places, placesOfNew)
    assert.deepStrictEqual(allot([line], { ...none, taken: taken([line, placesOfNew]) }), [])
    assert.deepStrictEqual(
      [limitAfter(undefined, 5), limitAfter(undefined, 4_999), limitAfter(undefined, 5_000)],
      [placesPerLine, placesPerLine, 1]
    )
  })

  it("thirty new lines that hang leave places for their merchant's others", () => {
    const lines = hosts("a", 30)
    const held = taken(...lines.map((line) => [line, placesOfNew] as const))
    assert.deepStrictEqual(byMerchant(allot([...lines, due("a", "alive")], { ...none, taken: held })), { a: 1 })
    const alive = due("a", "alive")
    assert.deepStrictEqual(byMerchant(allot([...lines, alive], { limits: known(alive), taken: held })), { a: 2 })
  })

  it("one merchant alone gets half of them, however many destinations it has", () => {
    assert.deepStrictEqual(byMerchant(allot(hosts("a", 1_000), none)), { a: placesPerMode / 2 })
  })

  it("two merchants get as many as each other, and a third of all is left", () => {
    assert.deepStrictEqual(byMerchant(allot([...hosts("a", 1_000), ...hosts("b", 40)], none)), { a: 22, b: 21 })
  })

  it("who holds none gets one, also where another merchant could take all that is free", () => {
    const held = taken([due("a", "x"), 8], [due("b", "x"), placesPerMode - 9])
    const allotted = allot([...hosts("a", 100), due("c", "x")], { ...none, taken: held })
    assert.deepStrictEqual(byMerchant(allotted), { c: 1 })
  })

  it("live and sandbox have places of their own", () => {
    const held = taken([due("a", "x"), placesPerMode])
    const allotted = allot([due("b", "x"), due("a", "x", 2, "live")], { ...none, taken: held })
    assert.deepStrictEqual(
      allotted.map(({ merchantId, mode, places }) => [mode, merchantId, places]),
      [["live", "a", 1]]
    )
  })

  it("a line that hung gets no more than its limit, and what is under way counts", () => {
    const line = due("a", "x")
    assert.deepStrictEqual(allot([line], { ...none, limits: hung(line) })[0]?.places, 1)
    assert.deepStrictEqual(allot([line], { limits: hung(line), taken: taken([line, 1]) }), [])
  })

  it("lines that hung leave their merchant's others most of its places", () => {
    const dead = hosts("a", 1_000)
    const limits = hung(...dead)
    assert.deepStrictEqual(byMerchant(allot(dead, { ...none, limits })), { a: 13 })
    const alive = due("a", "alive")
    const heard = new Map([...limits, ...known(alive)])
    const allotted = allot([...dead, alive], { limits: heard, taken: taken([due("a", "other"), 13]) })
    assert.deepStrictEqual(
      allotted.map(({ destination, places }) => [destination, places]),
      [["alive", placesPerLine]]
    )
  })

  it("halves a line's places after a post that hung, down to one, and doubles them after a quick one", () => {
    const after = (...posts: ReadonlyArray<number>) => posts.reduce<number>(limitAfter, placesPerLine)
    assert.deepStrictEqual(
      [after(10_000), after(10_000, 10_000), after(5_000, 5_000, 5_000), after(...Array(9).fill(10_000))],
      [4, 2, 1, 1]
    )
    assert.deepStrictEqual([after(4_999), after(1_000)], [placesPerLine, placesPerLine])
    assert.deepStrictEqual([limitAfter(1, 999), limitAfter(1, 1_000), limitAfter(8, 5)], [2, 1, 8])
  })

  const line = fc.record<DueLine>({
    mode: fc.constantFrom("live", "sandbox"),
    merchantId: fc.constantFrom("a", "b", "c", "d"),
    destination: fc.constantFrom("x", "y", "z"),
    due: fc.integer({ min: 1, max: 50 })
  })
  const lines = fc.uniqueArray(line, { selector: lineKey })

  it("never hands out more than there are, and whoever holds none and has something due gets one", () => {
    fc.assert(
      fc.property(lines, lines, fc.array(line), (asking, holding, dead) => {
        const held = taken(...holding.map((one) => [one, one.due % 9] as const))
        const allotted = allot(asking, { taken: held, limits: hung(...dead) })
        const after = new Map(held)
        for (const { places, ...one } of allotted) {
          for (const key of keysOf(one)) after.set(key, (after.get(key) ?? 0) + places)
        }
        for (const mode of ["live", "sandbox"] as const) {
          const before = held.get(mode) ?? 0
          assert.isAtMost(after.get(mode) ?? 0, Math.max(before, placesPerMode))
          if (before > placesPerMode - 12) continue
          for (const one of asking.filter((asked) => asked.mode === mode)) {
            const [, merchant] = keysOf(one)
            if (!held.has(merchant!)) assert.isAtLeast(after.get(merchant!) ?? 0, 1)
          }
        }
      })
    )
  })
})
