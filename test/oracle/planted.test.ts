/**
 * An oracle that finds no difference might compare nothing: faults that the service once had are planted outside the
 * code, and a campaign has to find each. docs/oracle.md says after how many steps all of them were found.
 */
import { assert, describe, it } from "@effect/vitest"
import { oracle } from "../kit/program/simulate.ts"

/** The operation in which each shows. */
const findings = [
  ["a path in another spelling is taken", "no operation answer"],
  ["an operator's misspelt field is passed over", "operator."]
] as const

describe("a fault that is planted", () => {
  for (const [fault, operation] of findings) {
    it(`is found: ${fault}`, async () => {
      const { code, output } = await oracle("--planted", fault, ..."--program 42 --steps 1 --shrink 0".split(" "))
      assert.strictEqual(code, 1, output)
      assert.include(output, ` in ${operation}`)
    })
  }

  it("is refused with a list of those that exist, if its name is unknown", async () => {
    const { code, output } = await oracle("--planted", "a typing error")
    assert.strictEqual(code, 1)
    assert.include(output, "a path in another spelling is taken")
  })
})
