/**
 * `npm run oracle -- --seed 1 --steps 100000`: plays random programs on a service of the test kit, until there was no
 * new signature for `--quiet` steps. It ends with its coverage, or with the story of a difference.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { campaign, gapsOf, storyOf, unmet } from "./driver/campaign.ts"
import { errorCodes } from "./driver/errorCodes.ts"
import { startHouse } from "./driver/house.ts"
import { placeIn } from "./driver/place.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    steps: { type: "string", default: "1000000" },
    program: { type: "string", default: "300" },
    quiet: { type: "string", default: "50000" },
    shrink: { type: "string", default: "200" },
    every: { type: "string", default: "3000" }
  }
})

await using house = await startHouse(new Date("2026-01-05T08:00:00Z"))
const outcome = await campaign(placeIn(house), {
  seed: Number(values.seed),
  stepsMax: Number(values.steps),
  stepsOfProgram: Number(values.program),
  quietSteps: Number(values.quiet),
  tellEvery: Number(values.every),
  shrinkTries: Number(values.shrink),
  tell: console.log
})
console.log(
  `${outcome.steps} steps, ${outcome.marks.signatures.size} signatures, the last ${outcome.quiet} without one`
)
for (const [code, reason] of Object.entries(unmet)) console.log(`  not looked for: ${code}, since ${reason}`)
const gaps = gapsOf(outcome, errorCodes(readFileSync("docs/errors.md", "utf8")))
if (outcome.failure !== undefined) console.log(storyOf(outcome.failure))
else if (gaps.length > 0) console.log(gaps.join("\n"))
process.exitCode = outcome.failure === undefined && gaps.length === 0 ? 0 : 1
