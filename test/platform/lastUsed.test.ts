/** Entries of which those that were used last are kept (src/platform/runtime/lastUsed.ts). */
import { assert, describe, it } from "@effect/vitest"
import { LastUsed } from "../../src/platform/runtime/lastUsed.ts"

const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`)

describe("what was last used", () => {
  it("is so much at most, and at least the half of it that was used last", () => {
    const last = new LastUsed<number>(10)
    for (const [index, key] of keys.entries()) {
      last.set(key, index)
      const known = keys.filter((each) => last.get(each) !== undefined)
      assert.isAtMost(known.length, 10)
      for (const recent of keys.slice(Math.max(0, index - 4), index + 1)) assert.include(known, recent)
    }
  })

  it("is kept by a use, and not by a look", () => {
    const after = (touch: (last: LastUsed<string>) => void) => {
      const last = new LastUsed<string>(10)
      last.set("one", "kept")
      for (const key of keys) {
        touch(last)
        last.set(key, "other")
      }
      return last.get("one")
    }
    assert.deepStrictEqual(
      [after((last) => last.use("one")), after((last) => last.set("one", "again")), after((last) => last.get("one"))],
      ["kept", "again", undefined]
    )
  })

  it("is gone when it is deleted or taken, also where an older value was replaced", () => {
    const last = new LastUsed<number>(4)
    for (const [index, key] of ["a", "b", "c", "a", "b"].entries()) last.set(key, index)
    assert.deepStrictEqual([last.take("a"), last.take("a")], [3, undefined])
    last.delete("b")
    assert.deepStrictEqual(
      ["a", "b", "c"].map((key) => last.get(key)),
      [undefined, undefined, 2]
    )
  })

  it("is nothing where nothing may be remembered", () => {
    const last = new LastUsed<number>(0)
    last.set("a", 1)
    assert.isUndefined(last.get("a"))
  })
})
