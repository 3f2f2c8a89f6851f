/**
 * Transfers per second in the three ways of `ways.ts`, and Coffer's payments through its API, in turn: over a thousand
 * accounts, and with one account that all transfers share. The books are checked after each run.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import path from "node:path"
import { type Bench, lineOf } from "../Bench.ts"
import { p99, type Summary } from "../driver/summary.ts"
import { firstWarmup, type Options } from "../options.ts"
import { say } from "../say.ts"
import type { Cpu } from "../Scenario.ts"
import { scenarios } from "../scenarios.ts"
import { cpuMicros } from "../stage/cpu.ts"
import type { Postgres } from "../stage/Postgres.ts"
import type { Posting, Heard } from "./main.ts"
import { checks, schema, type Way, ways } from "./ways.ts"

/** One round of one way. */
export interface Leg {
  readonly way: Way | "service"
  readonly isHot: boolean
  readonly summary: Summary
  /** `side` is the process that holds the connections. */
  readonly cpu: Omit<Cpu, "driver">
}

export const wayTitles: Record<Leg["way"], string> = {
  service: "Coffer, payments through its API",
  "row-lock": "a lock on each account's row",
  function: "one statement (a function)",
  batched: "one statement for many transfers"
}

const accounts = 1_000

export const raceLedgers = async (bench: Bench, options: Options, tell: (leg: Leg) => void): Promise<void> => {
  const racers = new Map<Way, Awaited<ReturnType<typeof startWay>>>()
  try {
    for (const way of ways) racers.set(way, await startWay(bench.postgres, way))
    const all: ReadonlyArray<Leg["way"]> = ["service", ...ways]
    for (let round = 0; round < options.rounds; round++) {
      for (const isHot of [false, true]) {
        for (let index = 0; index < all.length; index++) {
          const way = all[(index + round) % all.length]!
          const leg = way === "service" ? await payments(bench, isHot) : await racers.get(way)!.run(options, isHot)
          tell(leg)
        }
      }
    }
  } finally {
    for (const racer of racers.values()) await racer.stop()
  }
}

const payments = async (bench: Bench, isHot: boolean): Promise<Leg> => {
  const scenario = scenarios.find(({ key }) => key === (isHot ? "pay-hot" : "pay-spread"))!
  const round = await bench.runOnce(scenario, "service")
  say(`  ${scenario.title}: ${lineOf(round)}`)
  return { way: "service", isHot, summary: round.summary, cpu: round.cpu }
}

const startWay = async (postgres: Postgres, way: Way) => {
  const database = `ledger_${way.replace("-", "_")}`
  await postgres.query("coffer", `create database ${database}`)
  for (const statement of schema(accounts)) await postgres.query(database, statement)
  const child = fork(path.join(import.meta.dirname, "main.ts"), {
    env: { ...process.env, DATABASE_URL: postgres.urlOf(database) }
  })
  const next = () => nextOf(child, way)
  const known = new Set<boolean>()
  const readCpu = () => [cpuMicros(child.pid!), ...postgres.postmasters().map(cpuMicros)]
  return {
    run: async ({ connections, seconds, warmupSeconds }: Options, isHot: boolean): Promise<Leg> => {
      await postgres.query(database, "vacuum analyze")
      await postgres.query("coffer", "checkpoint")
      const warmup = warmupSeconds * (known.has(isHot) ? 1 : firstWarmup)
      known.add(isHot)
      const times = { warmupMillis: warmup * 1_000, millis: seconds * 1_000 }
      child.send({ way, accounts, isHot, callers: connections, ...times } satisfies Posting)
      await next()
      const before = readCpu()
      const summary = (await next()) as Summary
      const [side, store] = readCpu().map((to, index) => {
        const from = before[index]
        return from === undefined || to === undefined ? undefined : (to - from) / summary.requests
      })
      await assertWhole(postgres, database)
      const [where, rate] = [isHot ? "one hot account" : "1,000 accounts", Math.round(summary.perSecond)]
      say(`  ${wayTitles[way]}, ${where}: ${rate}/s, p99 ${p99(summary).toFixed(1)} ms`)
      return { way, isHot, summary, cpu: { side, postgres: store } }
    },
    stop: async () => {
      const ended = once(child, "exit")
      child.disconnect()
      await ended
    }
  }
}

const nextOf = (child: ChildProcess, way: Way) =>
  new Promise<Heard>((resolve, reject) => {
    const end = () => reject(new Error(`the process of ${way} has ended`))
    child.once("exit", end)
    child.once("message", (message: Heard) => {
      child.off("exit", end)
      resolve(message)
    })
  })

const assertWhole = async ({ query }: Postgres, database: string): Promise<void> => {
  for (const [what, text] of Object.entries(checks)) {
    const found = await query(database, `${text} limit 5`)
    if (found.length > 0) throw new Error(`${database}: ${what}: ${JSON.stringify(found)}`)
  }
}
