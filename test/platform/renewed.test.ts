/** Maps and Sets of what comes and goes with each request (docs/decisions/0210). */
import { assert, describe, it } from "@effect/vitest"
import { RenewedMap, RenewedSet } from "../../src/platform/runtime/renewed.ts"
import { oldBytesMax, oldBytesOf, someObject } from "../kit/run/heap.ts"

/** Adds one object and takes out the one that came 20 before it. */
const passThrough = (add: (object: object) => void, remove: (object: object) => void) => {
  const inside: Array<object> = []
  return () => {
    const object = someObject()
    inside.push(object)
    add(object)
    if (inside.length > 20) remove(inside.shift()!)
  }
}

describe("a renewed Map and Set", () => {
  it("make nothing old of what has passed through them, as a plain Map and Set do", async () => {
    const map = new RenewedMap<object, number>()
    const ofMap = passThrough(
      (object) => map.set(object, 1),
      (object) => map.delete(object)
    )
    const set = new RenewedSet<object>()
    const ofSet = passThrough(
      (object) => set.add(object),
      (object) => set.delete(object)
    )
    const plain = new Map<object, number>()
    const ofPlain = passThrough(
      (object) => plain.set(object, 1),
      (object) => plain.delete(object)
    )
    assert.isBelow(await oldBytesOf(ofMap), oldBytesMax)
    assert.isBelow(await oldBytesOf(ofSet), oldBytesMax)
    // Without this the rule above could hold by accident, and these classes would not be needed.
    assert.isAbove(await oldBytesOf(ofPlain), oldBytesMax)
  })

  it("hold what a Map and a Set would hold, in the same order", () => {
    const [map, plain] = [new RenewedMap<number, number>(), new Map<number, number>()]
    const [set, plainSet] = [new RenewedSet<number>(), new Set<number>()]
    let state = 7
    for (let step = 0; step < 5_000; step++) {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      const key = (state >> 8) % 40
      if ((state >> 4) % 5 < 2) {
        assert.strictEqual(map.delete(key), plain.delete(key))
        assert.strictEqual(set.delete(key), plainSet.delete(key))
      } else {
        map.set(key, step)
        plain.set(key, step)
        set.add(key)
        plainSet.add(key)
      }
      assert.strictEqual(map.size, plain.size)
      assert.strictEqual(map.get(key), plain.get(key))
      assert.strictEqual(set.has(key), plainSet.has(key))
    }
    assert.deepStrictEqual([...map], [...plain])
    assert.deepStrictEqual([...map.keys()], [...plain.keys()])
    assert.deepStrictEqual([...map.values()], [...plain.values()])
    assert.deepStrictEqual([...set], [...plainSet])
    assert.strictEqual(set.size, plainSet.size)
  })

  it("lose nothing that a loop over them has not seen yet, while others leave and come", () => {
    const set = new RenewedSet<number>()
    for (let value = 0; value < 100; value++) set.add(value)
    const seen: Array<number> = []
    for (const value of set) {
      seen.push(value)
      set.delete(value)
      set.add(value + 1_000)
      if (seen.length === 100) break
    }
    assert.deepStrictEqual(
      seen,
      Array.from({ length: 100 }, (_, index) => index)
    )
    assert.strictEqual(set.size, 100)
  })
})
