/**
 * `npm run simulate -- --seed 42`: the whole service under a seed. `--seeds 1..200` plays a campaign, and ends with the
 * reached states and the broken worlds (docs/simulation.md).
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { tmpdir } from "node:os"
import path from "node:path"
import { cacheFolder } from "../../testkit/src/cacheFolder.ts"
import { useMemory } from "../../testkit/src/memoryFolder.ts"
import type { Cluster } from "./cluster.ts"
import type { Table } from "./crashes/crashes.ts"
import { pageOf } from "./crashes/page.ts"
import { workflows } from "./crashes/workflows.ts"
import { expectedMarks, worldsMin } from "./marks.ts"
import { type Options, parse, seedsOf, workersOf } from "./options.ts"
import type { Result } from "./worker.ts"

/** Each service leaks some megabytes in its process. */
const worldsOfWorker = 50

/**
 * A new process takes most of its first seconds to take types out of its sources and to compile them. What is compiled
 * is of use only to a program with the same flags for V8.
 */
const compiledOf = (program: string) => path.join(cacheFolder(), "compiled", program)

/** Its process loads the service while its Postgres starts. */
const work = (options: Options, place: Promise<Cluster>, result: string, ...args: ReadonlyArray<string>) =>
  new Promise<number>((resolve) => {
    const [program, preload] = ["worker.ts", "preload.ts"].map((name) => path.join(import.meta.dirname, name))
    const own = ["--result", result, ...args]
    const worker = spawn(process.execPath, ["--import", preload!, program!, ...process.argv.slice(2), ...own], {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      env: { NODE_COMPILE_CACHE: compiledOf("worker"), ...process.env, PLANTED_FAULT: options.planted }
    })
    worker.on("error", () => resolve(1)).on("exit", (code) => resolve(code ?? 1))
    void place.then((made) => worker.send(made))
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

/** As many seeds for each worker, so that all of them end at about the same time. */
const slicesOf = ([first, last]: readonly [number, number], workers: number): Array<string> => {
  const worlds = last - first + 1
  const size = Math.ceil(worlds / (workers * Math.ceil(worlds / (workers * worldsOfWorker))))
  return Array.from({ length: Math.ceil(worlds / size) }, (_, no) => {
    const start = first + no * size
    return `${start}..${Math.min(last, start + size - 1)}`
  })
}

const campaign = async (options: Options, places: ReadonlyArray<Promise<Cluster>>, folder: string) => {
  const file = options.result ?? path.join(folder, "results")
  const began = performance.now()
  const slices = slicesOf(seedsOf(options), places.length)
  const endings: Array<string> = []
  const isOver = () => options.first && resultsOf(file).some(({ broken }) => broken.length > 0)
  const playAt = async (place: Promise<Cluster>) => {
    for (let slice = slices.shift(); slice !== undefined && endings.length === 0 && !isOver(); slice = slices.shift()) {
      const code = await work(options, place, file, "--seeds", slice)
      if (code !== 0) endings.push(`the worker of seeds ${slice} has ended with ${code}`)
    }
  }
  await Promise.all(places.map(playAt))
  const results = resultsOf(file)
  endings.push(...missedBy(results))
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
const crashTable = async (options: Options, place: Promise<Cluster>, folder: string, page: string) => {
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

useMemory()
const options = parse()
const folder = mkdtempSync(path.join(tmpdir(), "coffer-simulation-"))
/** A Postgres for each. */
const workers = options.crashes === undefined ? workersOf(options) : 1
const clusters = Array.from({ length: workers }, () => Promise.withResolvers<Cluster>())
const places = clusters.map(({ promise }) => promise)
const playing =
  options.crashes === undefined
    ? campaign(options, places, folder)
    : crashTable(options, places[0]!, folder, options.crashes)
// Imported while the workers load, which takes them longer.
enableCompileCache(compiledOf("campaign"))
const { startAll } = await import("./cluster.ts")
const isGood = await startAll(clusters, playing)
rmSync(folder, { recursive: true, force: true })
process.exitCode = isGood ? 0 : 1
