/**
 * `npm run oracle -- --seed 0 --steps 100000`: plays random programs on services of the test kit, until there was no
 * new signature for `--quiet` steps (docs/oracle.md). It ends with its coverage and the stories of differences.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { errorCodes } from "./driver/errorCodes.ts"
import { plant } from "./driver/planted.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "0" },
    steps: { type: "string", default: "1000000" },
    program: { type: "string", default: "300" },
    quiet: { type: "string", default: "50000" },
    shrink: { type: "string", default: "300" },
    planted: { type: "string", multiple: true, default: [] },
    every: { type: "string", default: "9600" },
    failures: { type: "string", default: "1" },
    house: { type: "string", default: "96000" },
    minutes: { type: "string", default: "Infinity" },
    journal: { type: "string" }
  }
})

plant(values.planted)
const { campaign, gapsOf, unmet } = await import("./driver/campaign.ts")
const { startHouse } = await import("./driver/house.ts")
const { placeIn } = await import("./driver/place.ts")

const open = async () => {
  const house = await startHouse(new Date("2026-01-05T08:00:00Z"))
  return { ...placeIn(house), [Symbol.asyncDispose]: () => house[Symbol.asyncDispose]() }
}
const outcome = await campaign(open, {
  seed: Number(values.seed),
  stepsMax: Number(values.steps),
  stepsOfProgram: Number(values.program),
  quietSteps: Number(values.quiet),
  tellEvery: Number(values.every),
  shrinkMillis: Number(values.shrink) * 1_000,
  failuresMax: Number(values.failures),
  stepsOfHouse: Number(values.house),
  millisMax: Number(values.minutes) * 60_000,
  journal: values.journal,
  tell: console.log
})
const { failures, longest, marks, quiet, steps } = outcome
console.log(`${steps} steps equal, ${marks.signatures.size} signatures, the last ${quiet} steps without a new one`)
console.log(`the longest run without a difference: ${longest.steps} steps, seeds ${longest.seeds.join(" to ")}`)
for (const [code, reason] of Object.entries(unmet)) console.log(`  not looked for: ${code}, since ${reason}`)
const gaps = gapsOf(outcome, errorCodes(readFileSync("docs/errors.md", "utf8")))
for (const gap of gaps) console.log(gap)
process.exitCode = failures.length === 0 && gaps.length === 0 ? 0 : 1
