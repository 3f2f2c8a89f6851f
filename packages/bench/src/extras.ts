/** What is not a race: how long a start takes, what resident actors weigh, and the slowest answers at half load. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Bench } from "./Bench.ts"
import { say } from "./say.ts"
import type { Kind } from "./driver/requests.ts"
import { median } from "./driver/summary.ts"
import type { Options } from "./options.ts"
import { residentBytes } from "./stage/cpu.ts"
import * as Postgres from "./stage/Postgres.ts"
import { insertMerchants, insertOrders, type Many, merchantsOf, orderOf } from "./stage/rows.ts"
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
    await bench.settle(stage.side.database)
    const { summary } = await bench.measure(stage.side, bench.load({ kind, rate, connections: 128 }))
    say(`  ${rate} creates a second: p50 ${summary.p50.toFixed(1)} ms, p99 ${summary.p99.toFixed(1)} ms`)
    found.push({ rate, p50: summary.p50, p99: summary.p99 })
  }
  return { rate, p50: median(found.map(({ p50 }) => p50)), p99: median(found.map(({ p99 }) => p99)) }
}

export interface Memory {
  readonly kind: "Order" | "Wallet"
  readonly actors: number
  /** Resident set of the process before and with the actors. */
  readonly before: number | undefined
  readonly after: number | undefined
  /** Actors that are still there some time after nobody asks for them. */
  readonly left?: number
}

/** Until all are there, none may leave. Idle ones are looked for every five seconds. */
const patient = { ORDER_IDLE: "2 minutes" }

/** Wakes so many order actors, and a tenth as many wallets, by asking each for what it refuses without a change. */
export const memory = async (bench: Bench, options: Options, actors: number): Promise<ReadonlyArray<Memory>> => {
  const { postgres, merchants } = bench
  const database = "service_memory"
  await Postgres.clone(postgres, await bench.template("small"), database)
  const failed = await insertFailed(postgres, database, { merchants, count: actors, step: 0, lot: "MEM000" })
  const owners = merchantsOf(merchants.length + actors / 10).slice(merchants.length)
  await insertMerchants(postgres, database, owners)
  await postgres.query(database, "vacuum analyze")

  const weigh = async (kind: Memory["kind"], load: Kind): Promise<Memory> => {
    const side = await Sides.start(postgres, "service", database, { flags: options.node, env: patient })
    try {
      await sleep(2_000)
      const before = residentBytes(side.pid)
      await bench.drive(side, load)
      // What waking them has left behind is not theirs; the engine collects it when there is little else to do.
      await sleep(20_000)
      const there = await resident(side.port, kind)
      const after = residentBytes(side.pid)
      const found = { kind, actors: there, before, after }
      say(`  ${weightOf(found)}`)
      if (kind === "Wallet" || actors < 10_000) return found
      say("  waiting for idle actors to leave")
      await sleep(150_000)
      return { ...found, left: await resident(side.port, kind) }
    } finally {
      await side.stop()
    }
  }
  return [
    await weigh("Order", { kind: "expire", orders: failed }),
    await weigh("Wallet", {
      kind: "payout",
      token: Sides.operatorToken,
      merchantIds: owners.map(({ merchantId }) => merchantId)
    })
  ]
}

/** Orders that cannot be closed. What ended has an event: without it the auditor would have much to say meanwhile. */
const insertFailed = async (postgres: Postgres.Postgres, database: string, given: Omit<Many, "since">) => {
  const many: Many = { ...given, since: Date.now() }
  await insertOrders(postgres, database, many)
  await postgres.query(database, `update orders set status = 'failed' where out_trade_no like 'row-${many.lot}-%'`)
  await postgres.query(
    database,
    `insert into events (id, merchant_id, mode, type, object_id, trade_no, body, created_at)
      select 'evt_' || right(trade_no, 26), merchant_id, mode, 'payment.failed', trade_no, trade_no, '{}', created_at
      from orders where status = 'failed'`
  )
  return Array.from({ length: many.count }, (_, index) => {
    const { merchant, tradeNo } = orderOf(many, index + 1)
    return [merchant.key, tradeNo] as const
  })
}

const resident = async (port: number, kind: Memory["kind"]): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const [, count] =
    new RegExp(String.raw`^effect_cluster_entities\{[^}]*type="${kind}"[^}]*\} (\d+)`, "m").exec(text) ?? []
  return Number(count ?? 0)
}

export const weightOf = ({ actors, after, before, kind, left }: Memory): string => {
  const each = after === undefined || before === undefined ? "?" : ((after - before) / actors / 1_024).toFixed(1)
  return (
    `${actors.toLocaleString("en")} resident ${kind.toLowerCase()} actors: ${each} kB each, ${megabytes(after)} ` +
    `in all, ${megabytes(before)} before them` +
    (left === undefined ? "" : `; ${left} of them there when nobody had asked for 170 s (ORDER_IDLE was 2 minutes)`)
  )
}

const megabytes = (bytes: number | undefined): string =>
  bytes === undefined ? "?" : `${Math.round(bytes / 1_048_576)} MB`
