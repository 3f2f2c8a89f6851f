/**
 * A simulation that finds nothing might look at nothing: mistakes that a programmer could make are planted outside the
 * code, and each has to be found within thirty seeds (docs/simulation.md). The first of them did find it when it was
 * planted; which seed does changes with the program.
 */
import { assert, describe, it } from "@effect/vitest"
import { simulate } from "../kit/program/simulate.ts"

/** Without what costs time and helps to find none of them. */
const quick = "--first --refuse 0 --pause 0 --clock 0 --lock 0 --line 0"

const findings: ReadonlyArray<{
  readonly fault: string
  readonly args: string
}> = [
  { fault: "a lost batch counts as written", args: "--seeds 1..30 --runners 1 --orders 4 --cut 0.05" },
  { fault: "the reply comes before the commit", args: "--seeds 1..30 --runners 1 --orders 4 --cut 0.05 --late 0.2" },
  {
    fault: "no version is compared",
    args: "--seeds 6..36 --runners 2 --orders 6 --kill 1 --stop 0 --slow 0.5 --late 0.4"
  },
  { fault: "an answer is not committed with its change", args: "--seeds 1..30 --orders 6 --cut 0.05 --late 0.2" }
]

describe("a fault that is planted", () => {
  for (const { args, fault } of findings) {
    it(`is found: ${fault}`, async () => {
      const { code, output } = await simulate("--planted", fault, ...`${args} ${quick}`.split(" "))
      assert.strictEqual(code, 1, output)
      assert.match(output, /BROKEN: (?:the auditor: |.*was (?:acknowledged|answered with))/, output)
    })
  }
})
