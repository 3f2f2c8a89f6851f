/**
 * Measurements that are no race: how long a start takes, what payments leave in memory, and the slowest answers at half
 * load.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Bench } from "./Bench.ts"
import { say } from "./say.ts"
import { median } from "./driver/summary.ts"
import type { Options } from "./options.ts"
import { residentBytes } from "./stage/cpu.ts"
import * as Postgres from "./stage/Postgres.ts"
import { insertOrders, type Many, orderOf } from "./stage/rows.ts"
import * as Sides from "./stage/Sides.ts"

export interface StartUp {
  readonly side: Sides.SideName
  /** From the process to its first answer that it is ready, on a database that is there. Median. */
  readonly millis: number
}

export const startUp = async (bench: Bench, options: Options): Promise<ReadonlyArray<StartUp>> => {
  const found: Array<StartUp> = []
  for (const name of ["service", "script"] as const) {
    const database = `${name}_start`
    await Postgres.clone(bench.postgres, await bench.template("small"), database)
    const times: Array<number> = []
    for (let round = 0; round < Math.max(3, options.rounds); round++) {
      const started = await Sides.start(bench.postgres, name, database)
      times.push(started.startMillis)
      await started.stop()
    }
    found.push({ side: name, millis: median(times) })
    say(`  ${Sides.titles[name]} starts in ${found.at(-1)!.millis.toFixed(0)} ms`)
  }
  return found
}

export interface HalfLoad {
  readonly rate: number
  readonly p50: number
  readonly p99: number
}

/** Creates fall due at half of the rate that was the most, whether or not answers come. */
export const halfLoad = async (bench: Bench, options: Options, most: number): Promise<HalfLoad> => {
  const stage = await bench.stageOf("service", "small")
  const kind = { kind: "create" as const, keys: stage.merchants.map(({ key }) => key), keyed: false }
  const rate = Math.round(most / 2)
  const found: Array<HalfLoad> = []
  for (let round = 0; round < options.rounds; round++) {
    await bench.rest(stage.side.database)
    const { summary } = await bench.measure(stage.side, bench.load({ kind, rate, connections: 128 }))
    say(`  ${rate} creates a second: p50 ${summary.p50.toFixed(1)} ms, p99 ${summary.p99.toFixed(1)} ms`)
    found.push({ rate, p50: summary.p50, p99: summary.p99 })
  }
  return { rate, p50: median(found.map(({ p50 }) => p50)), p99: median(found.map(({ p99 }) => p99)) }
}

export interface Memory {
  readonly payments: number
  /** Resident set of the process before and after them. */
  readonly before: number | undefined
  readonly after: number | undefined
}

/** Weighs a process before and after so many payments without a pause: each of an order of its own. */
export const memory = async (bench: Bench, options: Options, payments: number): Promise<Memory> => {
  const { merchants, postgres } = bench
  const database = "service_memory"
  await Postgres.clone(postgres, await bench.template("small"), database)
  const many: Many = { merchants, count: payments, since: Date.now(), step: 0, lot: "MEM000" }
  await insertOrders(postgres, database, many)
  await postgres.query(database, "vacuum analyze")
  const orders = Array.from({ length: payments }, (_, index) => {
    const { merchant, tradeNo } = orderOf(many, index + 1)
    return [merchant.key, tradeNo] as const
  })

  const side = await Sides.start(postgres, "service", database, { flags: options.node })
  const [pid] = side.pids
  try {
    await sleep(2_000)
    const before = residentBytes(pid!)
    await bench.drive(side, { kind: "pay", orders })
    const found = { payments, before, after: residentBytes(pid!) }
    say(`  ${weightOf(found)}`)
    return found
  } finally {
    await side.stop()
  }
}

export const weightOf = ({ after, before, payments }: Memory): string =>
  `${megabytes(before)} before and ${megabytes(after)} right after ` +
  `${payments.toLocaleString("en")} payments without a pause`

const megabytes = (bytes: number | undefined): string =>
  bytes === undefined ? "?" : `${Math.round(bytes / 1_048_576)} MB`
