/**
 * `npm run simulate -- --seed 42`: the whole service under a seed. `--seeds 1..200` plays a campaign, and ends with the
 * reached states and the broken worlds (docs/simulation.md).
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { Effect } from "effect"
import * as cluster from "./cluster.ts"
import type { Table } from "./crashes/crashes.ts"
import { pageOf } from "./crashes/page.ts"
import { workflows } from "./crashes/workflows.ts"
import { expectedMarks, worldsMin } from "./marks.ts"
import { type Options, parse, seedsOf } from "./options.ts"
import type { Result } from "./worker.ts"

/** Each service leaks some megabytes in its process. */
const worldsOfWorker = 40

const work = (options: Options, { folder, url }: cluster.Cluster, result: string, ...args: ReadonlyArray<string>) =>
  new Promise<number>((resolve) => {
    const [program, preload] = ["worker.ts", "preload.ts"].map((name) => path.join(import.meta.dirname, name))
    const own = ["--postgres", url, "--folder", folder, "--result", result, ...args]
    const worker = spawn(process.execPath, ["--import", preload!, program!, ...process.argv.slice(2), ...own], {
      stdio: "inherit",
      env: { ...process.env, PLANTED_FAULT: options.planted }
    })
    worker.on("error", () => resolve(1)).on("exit", (code) => resolve(code ?? 1))
  })

const resultsOf = <A = Result>(file: string): ReadonlyArray<A> =>
  (existsSync(file) ? readFileSync(file, "utf8").split("\n") : [])
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as A)

/** States that this many worlds should have reached, and have not. */
const missedBy = (results: ReadonlyArray<Result>): ReadonlyArray<string> => {
  if (results.length < worldsMin) return []
  const reached = new Set(results.flatMap(({ marks }) => marks.map(([mark]) => mark)))
  return expectedMarks.filter((mark) => !reached.has(mark)).map((mark) => `no world has reached: ${mark}`)
}

/** How often each state was reached, the rarest last. */
const coverageOf = (results: ReadonlyArray<Result>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { marks } of results) {
    for (const [mark] of marks) counts.set(mark, (counts.get(mark) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([mark, count]) => `  ${String(count).padStart(5)}  ${mark}`)
}

const campaign = async (options: Options, place: cluster.Cluster, folder: string) => {
  const [first, last] = seedsOf(options)
  const file = options.result ?? path.join(folder, "results")
  const began = performance.now()
  let results: ReadonlyArray<Result> = []
  let endings: ReadonlyArray<string> = []
  for (let seed = first; seed <= last && endings.length === 0; seed += worldsOfWorker) {
    const code = await work(options, place, file, "--seeds", `${seed}..${Math.min(last, seed + worldsOfWorker - 1)}`)
    results = resultsOf(file)
    const isOver = options.first && results.some(({ broken }) => broken.length > 0)
    if (code !== 0) endings = [`the worker has ended with ${code}, after seed ${results.at(-1)?.seed ?? "none"}`]
    else if (isOver) break
  }
  endings = [...endings, ...missedBy(results)]
  const seconds = (performance.now() - began) / 1_000
  const bad = results.filter(({ broken }) => broken.length > 0).length
  const statements = results.reduce((sum, result) => sum + result.statements, 0)
  console.log(`states reached, and in how many worlds:\n${coverageOf(results).join("\n")}`)
  for (const ending of endings) console.log(ending)
  console.log(
    `${results.length} worlds in ${seconds.toFixed(0)} s (${(results.length / seconds).toFixed(2)} a second), ` +
      `${statements} statements, ${bad} broken`
  )
  return bad === 0 && endings.length === 0
}

/** A fresh process for each workflow. */
const crashTable = async (options: Options, place: cluster.Cluster, folder: string, page: string) => {
  const file = path.join(folder, "tables")
  const chosen = workflows.filter(({ name }) => options.workflow === undefined || options.workflow === name)
  for (const { name } of chosen) await work(options, place, file, "--workflow", name)
  const tables = resultsOf<Table>(file)
  const missing = chosen.length - tables.length
  for (const broken of tables.flatMap((table) => table.broken)) console.log(`BROKEN: ${broken}`)
  if (missing > 0) console.log(`${missing} workflows came to no end`)
  writeFileSync(page, pageOf(tables))
  return missing === 0 && tables.every(({ broken }) => broken.length === 0)
}

const options = parse()
const folder = mkdtempSync(path.join(tmpdir(), "coffer-simulation-"))
const isGood = await Effect.runPromise(
  Effect.scoped(
    Effect.flatMap(cluster.start, (place) =>
      Effect.promise(() =>
        options.crashes === undefined
          ? campaign(options, place, folder)
          : crashTable(options, place, folder, options.crashes)
      )
    )
  )
)
rmSync(folder, { recursive: true, force: true })
process.exitCode = isGood ? 0 : 1
