/** What is not a race: how long a start takes, what resident actors weigh, and the slowest answers at half load. */
import type { Bench } from "./Bench.ts"
import { say } from "./Bench.ts"
import { median } from "./driver/summary.ts"
import type { Options } from "./options.ts"
import { residentBytes } from "./stage/cpu.ts"
import * as Ground from "./stage/Ground.ts"
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
    await Ground.clone(bench.ground, await bench.template("small"), database)
    const times: Array<number> = []
    for (let round = 0; round < Math.max(3, options.rounds); round++) {
      const started = await Sides.start(bench.ground, name, database)
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
    await bench.settle()
    const { summary } = await bench.measure(stage.side, bench.load({ kind, rate, connections: 128 }))
    say(`  ${rate} creates a second: p50 ${summary.p50.toFixed(1)} ms, p99 ${summary.p99.toFixed(1)} ms`)
    found.push({ rate, p50: summary.p50, p99: summary.p99 })
  }
  return { rate, p50: median(found.map(({ p50 }) => p50)), p99: median(found.map(({ p99 }) => p99)) }
}

export interface Memory {
  readonly actors: number
  /** Resident set of the process before and with the actors. */
  readonly before: number | undefined
  readonly after: number | undefined
  /** Actors that are still there some time after nobody asks for them. */
  readonly left: number | undefined
}

/** Wakes so many order actors, by asking each for what it refuses without writing anything. */
export const memory = async (bench: Bench, options: Options, actors: number): Promise<Memory> => {
  const database = "service_memory"
  await Ground.clone(bench.ground, await bench.template("small"), database)
  const many: Many = { merchants: bench.merchants, count: actors, since: Date.now(), step: 0, lot: "MEM000" }
  await insertOrders(bench.ground, database, many)
  await bench.ground.query(database, "update orders set status = 'failed' where out_trade_no like 'row-MEM000-%'")
  // What ended has an event: without it the auditor would have much to say meanwhile.
  await bench.ground.query(
    database,
    `insert into events (id, merchant_id, mode, type, object_id, trade_no, body, created_at)
      select 'evt_' || right(trade_no, 26), merchant_id, mode, 'payment.failed', trade_no, trade_no, '{}', created_at
      from orders where status = 'failed'`
  )
  await bench.ground.query(database, "vacuum analyze orders")
  const side = await Sides.start(bench.ground, "service", database, options.node)
  try {
    const orders = Array.from({ length: actors }, (_, index) => orderOf(many, index + 1))
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const before = residentBytes(side.pid)
    await bench.drive(side, {
      kind: "expire",
      orders: orders.map(({ merchant, tradeNo }) => [merchant.key, tradeNo] as const)
    })
    const there = await entities(side.port)
    const after = residentBytes(side.pid)
    say(`  ${there} resident actors: ${megabytes(before)} before, ${megabytes(after)} with them`)
    let left: number | undefined
    if (actors >= 10_000) {
      // Two minutes until an actor is idle; they are looked for every five seconds, and leave a few thousand at a time.
      say("  waiting for idle actors to leave")
      await new Promise((resolve) => setTimeout(resolve, 165_000))
      left = await entities(side.port)
    }
    return { actors: there, before, after, left }
  } finally {
    await side.stop()
  }
}

const entities = async (port: number): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const [, count] = /^effect_cluster_entities\{[^}]*type="Order"[^}]*\} (\d+)/m.exec(text) ?? []
  return Number(count ?? 0)
}

export const megabytes = (bytes: number | undefined): string =>
  bytes === undefined ? "?" : `${Math.round(bytes / 1_048_576)} MB`
