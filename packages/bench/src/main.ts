/**
 * `npm run bench`: starts a real Postgres, Coffer, the baselines and the ceiling, puts one load on each in turn, and
 * prints what came of it. docs/performance.md says what the figures mean.
 */
import { open } from "./Bench.ts"
import { newEvents } from "./deliveries/newEvent.ts"
import { raceDeliveries } from "./deliveries/race.ts"
import { say } from "./say.ts"
import { halfLoad, memory, startUp } from "./extras.ts"
import { readOptions } from "./options.ts"
import { describe } from "./report/machine.ts"
import { publish } from "./report/page.ts"
import { growthOf, type Results, textOf } from "./report/results.ts"
import { lineOf } from "./report/table.ts"
import { scenarios } from "./scenarios.ts"
import { weigh } from "./weight.ts"

const options = readOptions(process.argv.slice(2))
const isWanted = (key: string) =>
  options.only.length === 0 || options.only.some((name) => key === name || key.startsWith(`${name}-`))

const began = performance.now()
const bench = await open(options)
// A run that is ended early leaves no Postgres behind.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void bench.close().finally(() => process.exit(1)))
}
const results: Results = { machine: describe(bench.postgres.version, options), runs: [] }
try {
  const wanted = scenarios.filter(({ key }) => isWanted(key))
  for (const pair of Map.groupBy(wanted, ({ key, pair }) => pair ?? key).values()) {
    say(pair.map(({ title }) => title).join("; "))
    const runs = await bench.run(pair)
    results.runs.push(...runs)
    const creates = runs.find(([{ key }]) => key === "create")
    const most = creates && lineOf(creates[1], "service")?.perSecond
    if (most !== undefined) {
      say("create at half of that rate")
      results.halfLoad = await halfLoad(bench, options, most)
    }
  }
  results.growth = growthOf(results.runs)
  if (isWanted("start-up")) {
    say("start-up")
    results.startUp = await startUp(bench, options)
  }
  if (isWanted("memory")) {
    say("memory under payments")
    results.memory = await memory(bench, options, options.many >= 1_000_000 ? 100_000 : 2_000)
  }
  if (isWanted("weight")) {
    say("what an order and its payment weigh in Postgres")
    results.weights = await weigh(bench, options)
  }
  if (isWanted("deliveries")) {
    say("deliveries")
    results.deliveries = await raceDeliveries(bench.postgres, options)
  }
  if (isWanted("deliveries-new")) {
    say("new events")
    results.newEvents = await newEvents(bench.postgres)
  }
} finally {
  // The results until something broke are worth seeing.
  console.log(textOf(results))
  say(`Stopping, after ${Math.round((performance.now() - began) / 1_000)} s`)
  await bench.close()
}
if (options.write) await publish(results)
