/**
 * The cost of a single payment: `--only lonely`. Most installations run at a few payments per second, where payments
 * share nothing: each pays for its own statements, flush, and wake-ups of three processes. Wake-ups, turns of the event
 * loop, timers, statements and flushes are counted, less what happens at rest, so that other work on the machine
 * changes none of them. Processor time is beside them.
 */
import { Agent, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Bench } from "./Bench.ts"
import { median } from "./driver/summary.ts"
import { rest } from "./measure.ts"
import type { Options } from "./options.ts"
import { say } from "./say.ts"
import type { Counters } from "./stage/counters.ts"
import * as Postgres from "./stage/Postgres.ts"
import { insertOrders, type Many, orderOf } from "./stage/rows.ts"
import * as Sides from "./stage/Sides.ts"
import * as Threads from "./stage/threads.ts"

/** How payments arrive: one after another on a number of connections, or one at a time with a pause before each. */
interface Pace {
  readonly title: string
  readonly connections: number
  readonly pauseMillis: number
  readonly payments: number
}

const paces: ReadonlyArray<Pace> = [
  { title: "one after another", connections: 1, pauseMillis: 0, payments: 500 },
  { title: "on 4 connections", connections: 4, pauseMillis: 0, payments: 500 },
  { title: "one every 200 ms", connections: 1, pauseMillis: 200, payments: 60 }
]
/** The engine compiles the code of a payment. */
const warmup: Pace = { title: "", connections: 4, pauseMillis: 0, payments: 3_000 }
/** How long nothing is requested, to count what happens at rest. */
const restMillis = 5_000
/** API logs are written after the answer. */
const logsMillis = 400

/** Counts of one payment, by name. */
export type Counts = ReadonlyMap<string, number>

export interface LonelyRun {
  readonly side: Sides.SideName
  readonly pace: string
  readonly p50: number
  readonly counts: Counts
}

export const lonely = async (bench: Bench, options: Options): Promise<ReadonlyArray<LonelyRun>> => {
  const found: Array<LonelyRun> = []
  const names: ReadonlyArray<Sides.SideName> = options.before === undefined ? ["service"] : ["before", "service"]
  for (const name of names) {
    const measured = await measureSide(bench, options, name)
    for (const run of measured) say(`  ${Sides.titles[run.side]}, ${run.pace}: ${lineOf(run)}`)
    found.push(...measured)
  }
  return found
}

const measureSide = async (bench: Bench, options: Options, name: Sides.SideName) => {
  const { merchants, postgres } = bench
  const database = `${name}_lonely`
  await Postgres.clone(postgres, await bench.template("small", name === "before"), database)
  const count = [warmup, ...paces].reduce((sum, { payments }) => sum + payments, 0)
  const many: Many = { merchants, count, since: Date.now(), step: 0, lot: "ANE000" }
  await insertOrders(postgres, database, many)
  let number = 0
  const next = () => orderOf(many, ++number)
  const side = await Sides.start(postgres, name, database, {
    flags: name === "service" ? options.node : [],
    folder: name === "before" ? options.before : undefined
  })
  try {
    await pay(side, warmup, next)
    await rest(postgres, database)
    const idle = await counting(postgres, side, () => sleep(restMillis))
    const runs: Array<LonelyRun> = []
    for (const pace of paces) {
      await rest(postgres, database)
      let latencies: ReadonlyArray<number> = []
      const began = performance.now()
      const counted = await counting(postgres, side, async () => {
        latencies = await pay(side, pace, next)
        await sleep(logsMillis)
      })
      const rests = (performance.now() - began) / restMillis
      const counts = [...counted].map(
        ([what, sum]) => [what, (sum - (idle.get(what) ?? 0) * rests) / pace.payments] as const
      )
      runs.push({ side: name, pace: pace.title, p50: median(latencies), counts: new Map(counts) })
    }
    return runs
  } finally {
    await side.stop()
  }
}

type Next = () => ReturnType<typeof orderOf>

/** Pays for orders, and answers how long each took, in milliseconds. */
const pay = async ({ port }: Sides.Side, { connections, pauseMillis, payments }: Pace, next: Next) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const latencies: Array<number> = []
  let left = payments
  const one = async () => {
    while (left-- > 0) {
      if (pauseMillis > 0) await sleep(pauseMillis)
      const { merchant, tradeNo } = next()
      const began = performance.now()
      await post(agent, port, `/v1/test_helpers/orders/${tradeNo}/pay`, merchant.key)
      latencies.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  agent.destroy()
  return latencies
}

const post = (agent: Agent, port: number, path: string, key: string) =>
  new Promise<void>((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-api-key": key }
    const sent = request({ agent, host: "127.0.0.1", port, path, method: "POST", headers }, (answer) => {
      answer.resume()
      answer.once("end", () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`answered ${answer.statusCode}`))
      )
    })
    sent.once("error", reject)
    sent.end('{"payment_method":"card"}')
  })

// Counting ------------------------------------------------------------------------

/** Counts what is done while `work` runs. */
const counting = async (postgres: Postgres.Postgres, side: Sides.Side, work: () => Promise<unknown>) => {
  const from = await databaseCounts(postgres, side.database)
  const before = await look(postgres, side)
  await work()
  const after = await look(postgres, side)
  const works = Threads.between(before.works, after.works)
  const of = (counts: Record<string, number>, from: Record<string, number>) =>
    Object.keys(counts).map((what) => [what, counts[what]! - from[what]!] as const)
  return new Map([
    ...of({ ...after.counters }, { ...before.counters }),
    ...of(await databaseCounts(postgres, side.database), from),
    ...[...works].flatMap(([group, { faults, micros, wakes }]) => [
      [`${group}: wake-ups`, wakes] as const,
      [`${group}: page faults`, faults] as const,
      [`${group}: CPU µs`, micros] as const
    ])
  ])
}

const look = async (postgres: Postgres.Postgres, side: Sides.Side) => {
  const [pid] = side.pids
  const counters: Counters = await side.count()
  return { counters, works: Threads.worksOf(pid!, postgres.postmasters()[0]!, side.database) }
}

/** From another database, so that it does not count for this one. Sessions report their work a moment later. */
const databaseCounts = async (postgres: Postgres.Postgres, database: string): Promise<Record<string, number>> => {
  await sleep(1_200)
  const [row] = await postgres.query(
    "coffer",
    `select (select (xact_commit + xact_rollback)::float8 from pg_stat_database where datname = $1) as transactions,
      (select sum(fsyncs)::float8 from pg_stat_io where object = 'wal') as flushes,
      (select wal_bytes::float8 from pg_stat_wal) as "bytes of the log"`,
    [database]
  )
  return Object.fromEntries(Object.entries(row!).map(([what, count]) => [what, Number(count)]))
}

// Report --------------------------------------------------------------------------

const sumOf = (counts: Counts, ...names: ReadonlyArray<string>) =>
  names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0)

const cpuOf = (counts: Counts) => ({
  service: sumOf(counts, "service: CPU µs", "service's other threads: CPU µs"),
  postgres: sumOf(counts, "sessions: CPU µs", "writer of the log: CPU µs", "Postgres' other processes: CPU µs")
})

const lineOf = ({ counts, p50 }: LonelyRun): string => {
  const { postgres, service } = cpuOf(counts)
  const steps = sumOf(counts, "steps").toFixed(0)
  return `${service.toFixed(0)} + ${postgres.toFixed(0)} µs, p50 ${p50.toFixed(1)} ms, ${steps} steps`
}

/** A table: a row for each count, a column for each side and pace. */
export const lonelyText = (runs: ReadonlyArray<LonelyRun>): string => {
  const names = [...new Set(runs.flatMap(({ counts }) => [...counts.keys()]))]
  const cells = (what: string, of: (run: LonelyRun) => string) => `| ${[what, ...runs.map(of)].join(" | ")} |`
  const number = (value: number) => value.toFixed(Math.abs(value) < 100 ? 2 : 0)
  return [
    cells("a payment", ({ pace, side }) => `${Sides.titles[side]}, ${pace}`),
    `|${"---|".repeat(runs.length + 1)}`,
    cells("service, CPU µs", ({ counts }) => number(cpuOf(counts).service)),
    cells("Postgres, CPU µs", ({ counts }) => number(cpuOf(counts).postgres)),
    cells("p50, ms", ({ p50 }) => number(p50)),
    ...names.map((name) => cells(name, ({ counts }) => number(counts.get(name) ?? 0)))
  ].join("\n")
}
