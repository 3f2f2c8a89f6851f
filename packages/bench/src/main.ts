/**
 * `npm run bench`: starts a real Postgres, Coffer, the baselines and the ceiling, puts one load on each in turn, and
 * prints what came of it. docs/performance.md says what the figures mean.
 */
import { open, say } from "./Bench.ts"
import { readOptions } from "./options.ts"
import type { Round, Scenario } from "./Scenario.ts"
import { scenarios } from "./scenarios.ts"
import { tableOf } from "./report/table.ts"

const options = readOptions(process.argv.slice(2))
const wanted = scenarios.filter(
  ({ key }) => options.only.length === 0 || options.only.some((part) => key.includes(part))
)

const bench = await open(options)
const results: Array<readonly [Scenario, ReadonlyArray<Round>]> = []
try {
  for (const scenario of wanted) {
    say(scenario.title)
    results.push([scenario, await bench.run(scenario)])
  }
} finally {
  say("Stopping")
  await bench.close()
}
console.log(tableOf(results))
