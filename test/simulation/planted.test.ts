/**
 * A simulation that finds nothing might look at nothing: mistakes that a programmer could make are planted outside the
 * code, and each has to be found within thirty seeds (docs/simulation.md, with those that take longer). The first or
 * second found it when it was planted; which seed does changes with the program. The last of two equal options counts.
 */
import { assert, describe, it } from "@effect/vitest"
import { simulate } from "../kit/program/simulate.ts"

/** Without what costs time and helps to find none of them. */
const quick = "--first --refuse 0 --pause 0 --clock 0 --lock 0 --line 0 --aim 0 --deaf 0"
const calm = `${quick} --runners 1 --orders 1 --cut 0 --slow 0 --late 0 --kill 0 --stop 0`

const lostChange = /BROKEN: (?:the auditor: |.*was (?:acknowledged|answered with))/

/** The quickest of each kind of law. */
const findings: ReadonlyArray<{
  readonly fault: string
  readonly args: string
  readonly found: RegExp
}> = [
  {
    fault: "a lost batch counts as written",
    args: `--seeds 1..30 --runners 1 --orders 4 --cut 0.05 --acts paying,renaming ${quick}`,
    found: lostChange
  },
  {
    fault: "the reply comes before the commit",
    args: `--seeds 2..30 --runners 1 --orders 4 --cut 0.05 --late 0.2 --acts paying,renaming ${quick}`,
    found: lostChange
  },
  {
    fault: "no version is compared",
    args: `--seeds 1..30 --acts spending ${calm} --late 0.6`,
    found: /BROKEN: .* was annotated by one,two,three,four, and has /
  },
  {
    fault: "an answer is not committed with its change",
    args: `--seeds 1..30 --orders 6 --cut 0.05 --late 0.2 --acts paying,renaming ${quick}`,
    found: lostChange
  },
  {
    fault: "an order expires without asking the bank",
    args: `--seeds 1..30 --acts lapsing ${calm}`,
    found: /BROKEN: pay of .* was acknowledged: it is expired/
  },
  {
    fault: "a form that arrives twice makes two orders",
    args: `--seeds 1..30 --acts pressing ${calm}`,
    found: /BROKEN: one press of link .* led to/
  },
  {
    fault: "a payment that is reported twice is a second one",
    args: `--seeds 1..30 --runners 1 --orders 4 --acts closing --cut 0.03 --late 0.4 --kill 0 --stop 0 --slow 0 ${quick}`,
    found: /BROKEN: the bank's payment.* paid, 2/
  },
  {
    fault: "a list does not wait for batches",
    args: `--seeds 20..40 --acts following,ordering ${calm} --runners 2 --orders 4 --late 0.8`,
    found: /BROKEN: order .* was passed by who follows the list/
  },
  {
    fault: "a cache trusts what it cannot hear",
    args: `--seeds 6..30 --acts revoking ${calm} --runners 2 --orders 2 --deaf 1`,
    found: /BROKEN: key .* was revoked, and opens the balance/
  }
]

describe("a fault that is planted", () => {
  for (const { args, fault, found } of findings) {
    it(`is found: ${fault}`, async () => {
      const { code, output } = await simulate("--planted", fault, ...args.split(" "))
      assert.strictEqual(code, 1, output)
      assert.match(output, found, output)
    })
  }
})
