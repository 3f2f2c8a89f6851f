/** The order in which workers take files of tests. */
import { assert, it } from "@effect/vitest"
import { spread } from "../kit/run/spreadDear.ts"

const isDear = (file: string) => file.startsWith("dear")

it("files that start processes are all taken before half of the others, evenly and in their order", () => {
  const others = ["a", "b", "c", "d", "e", "f", "g", "h"]
  const taken = spread([...others, "dear 1", "dear 2"], isDear)
  assert.deepStrictEqual(taken, ["dear 1", "a", "b", "dear 2", "c", "d", "e", "f", "g", "h"])
})

it("files of one kind alone keep their order", () => {
  assert.deepStrictEqual(spread(["b", "a"], isDear), ["b", "a"])
  assert.deepStrictEqual(spread(["dear 2", "dear 1"], isDear), ["dear 2", "dear 1"])
})
