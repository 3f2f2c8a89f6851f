/**
 * Plays worlds in a process of their own, one after the other: `node --import ./preload.ts worker.ts`.
 * `main.ts` starts it, a fresh one for some worlds, since what a service leaves in a process would fill it.
 */
import { appendFileSync, writeFileSync } from "node:fs"
import { startCensus } from "./census.ts"
import type { Cluster } from "./cluster.ts"
import { tableOf } from "./crashes/crashes.ts"
import { workflows } from "./crashes/workflows.ts"
import { Client } from "./gate/Client.ts"
import { machine } from "./machine.ts"
import { type Options, parse, planOf, seedsOf } from "./options.ts"
import type { Place } from "./play/inWorld.ts"
import { play, type Played, watchProcess } from "./play/play.ts"
import { patchScheduler } from "./play/scheduler.ts"
import { shrink, storyOf } from "./play/shrink.ts"

/** A played world, as a line of the results file. */
export interface Result {
  readonly seed: number
  readonly digest: string
  readonly broken: ReadonlyArray<string>
  readonly events: ReadonlyArray<string>
  readonly marks: ReadonlyArray<readonly [string, number]>
  readonly statements: number
  readonly steps: number
  readonly virtualMillis: number
  readonly runners: number
}

const resultOf = (played: Played, broken: ReadonlyArray<string>): Result => ({
  seed: played.plan.seed,
  digest: played.digest,
  broken,
  events: played.events.map(({ about, kind, no }) => `${no} ${kind}: ${about}`),
  marks: [...played.marks],
  statements: played.statements,
  steps: played.steps,
  virtualMillis: Math.round(played.virtualMillis),
  runners: played.plan.runners
})

/** The position at which two plays of one seed differ. */
const differenceOf = (first: Played, second: Played): ReadonlyArray<string> => {
  const place = first.trace.findIndex((line, at) => line !== second.trace[at])
  if (place < 0 && first.trace.length === second.trace.length) return []
  return [`two plays differ at line ${place}: ${first.trace[place]} / ${second.trace[place]}`]
}

const lineOf = ({ broken, digest, events, ...result }: Result) =>
  [
    `seed ${result.seed}: ${result.runners} runners, ${result.statements} statements, ${result.steps} steps, ` +
      `${result.virtualMillis} ms, ${digest}`,
    // Late commits are frequent and harmless on their own.
    ...events.filter((event) => !/^\d+ late/.test(event)).map((event) => `    ${event}`),
    ...broken.map((each) => `  BROKEN: ${each}`)
  ].join("\n")

const run = async (options: Options, place: Place) => {
  const strangers = options.census ? startCensus() : () => []
  const [first, last] = seedsOf(options)
  for (let seed = first; seed <= last; seed++) {
    const plan = planOf(options, seed)
    const played = await play(place, plan)
    if (options.trace !== undefined) writeFileSync(options.trace, `${played.trace.join("\n")}\n`)
    const again = options.twice ? await play(place, plan) : undefined
    const different = again === undefined ? [] : differenceOf(played, again)
    const result = resultOf(played, [...played.broken, ...different, ...strangers()])
    appendFileSync(options.result!, `${JSON.stringify(result)}\n`)
    if (!options.quiet || result.broken.length > 0) console.log(lineOf(result))
    if (options.shrink && played.broken.length > 0) console.log(storyOf(await shrink(place, played)))
    if (options.first && result.broken.length > 0) return
  }
}

const options = parse()
watchProcess()
patchScheduler()
const cluster = await new Promise<Cluster>((resolve) => {
  process.once("disconnect", () => process.exit(1)).once("message", (made: Cluster) => resolve(made))
})
process.removeAllListeners("disconnect").disconnect?.()
const admin = await Client.open(cluster.socket, new URL(cluster.url).username, "postgres")
const place: Place = { ...cluster, admin }
if (options.workflow === undefined) await run(options, place)
else {
  const workflow = workflows.find(({ name }) => name === options.workflow)
  appendFileSync(options.result!, `${JSON.stringify(await tableOf(place, workflow!))}\n`)
}
admin.end()
if (machine.world === undefined) process.exit(0)
