/**
 * The weight of an order and its payment in Postgres: index entries, bytes of the log, bytes on disk, and how many
 * updates needed no index entry. All of it is counted, so that other work on the machine makes no difference.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Bench } from "./Bench.ts"
import type { Kind } from "./driver/requests.ts"
import { median } from "./driver/summary.ts"
import type { Options } from "./options.ts"
import { say } from "./say.ts"
import type { Round } from "./Scenario.ts"
import { assertBooksWhole } from "./stage/books.ts"
import * as Postgres from "./stage/Postgres.ts"
import { insertMerchants } from "./stage/rows.ts"
import * as Sides from "./stage/Sides.ts"
import * as Wal from "./stage/wal.ts"

/** The cost of one request. */
export interface Cost {
  readonly entries: number
  readonly entriesByIndex: ReadonlyMap<string, number>
  readonly walBytes: number
  readonly fullPageBytes: number
  /** Processor time, microseconds: of the side and of Postgres. */
  readonly cpu: readonly [number, number]
}

/** Bytes on disk for each paid order: of the rows, and of each index. */
export interface Disk {
  readonly rows: number
  readonly indexes: ReadonlyMap<string, number>
}

export interface Weight {
  readonly side: Sides.SideName
  readonly orders: number
  readonly create: Cost
  readonly pay: Cost
  readonly disk: ReadonlyMap<string, Disk>
  /** By table: the part of the updates that were HOT. */
  readonly hot: ReadonlyMap<string, number>
}

const rounds = 4

/** Sides take turns: creates, their payments, and a vacuum as autovacuum does it. */
export const weigh = async (bench: Bench, options: Options): Promise<ReadonlyArray<Weight>> => {
  const count = options.quick ? 500 : 4_000
  const names: ReadonlyArray<Sides.SideName> = options.before === undefined ? ["service"] : ["before", "service"]
  const scales = await Promise.all(names.map((name) => makeScale(bench, name, options, count)))
  try {
    for (const scale of scales) await scale.warm()
    for (let round = 0; round < rounds; round++) {
      for (const scale of scales) await scale.load()
      say(`  round ${round + 1} of ${rounds}`)
    }
    const found: Array<Weight> = []
    for (const scale of scales) found.push(await scale.read())
    return found
  } finally {
    for (const scale of scales) await scale.stop()
  }
}

const makeScale = async (bench: Bench, name: Sides.SideName, options: Options, count: number) => {
  const { merchants, postgres } = bench
  const database = `${name}_weight`
  await postgres.query("coffer", `create database ${database}`)
  // Its own migrations make its tables.
  const side = await Sides.start(postgres, name, database, name === "before" ? { folder: options.before } : {})
  await insertMerchants(postgres, database, merchants)
  const keys = merchants.map(({ key }) => key)
  const keyOf = new Map(merchants.map(({ key, merchantId }) => [merchantId, key]))
  const phases: Record<"create" | "pay", Array<Phase>> = { create: [], pay: [] }
  let [requests, empty] = [0, new Map<string, Disk>()]

  const drive = async (kind: Kind, many: number): Promise<Phase> => {
    const from = await Wal.end(postgres)
    const { cpu } = await bench.measure(side, bench.load({ kind, warmupMillis: 0, millis: 600_000 }))
    requests += many
    await logsAreWritten(postgres, database, requests)
    return { cpu, wal: await Wal.between(postgres, database, from, await Wal.end(postgres)) }
  }
  const creates = (many: number) => drive({ kind: "create", keys, keyed: false, count: many }, many)
  const pays = async (many: number) => {
    const rows = await postgres.query(
      database,
      "select merchant_id, trade_no from orders where status = 'pending' order by trade_no"
    )
    const orders = rows.map((row) => [keyOf.get(String(row["merchant_id"]))!, String(row["trade_no"])] as const)
    return drive({ kind: "pay", orders }, many)
  }

  return {
    stop: side.stop,
    /** Fills every index with some pages, and lets the engine compile the code. */
    warm: async () => {
      await creates(count)
      await pays(count)
      await postgres.query(database, "vacuum analyze")
      empty = await diskOf(postgres, database)
      await postgres.query("coffer", "checkpoint")
      await postgres.query(database, "select pg_stat_reset()")
    },
    load: async () => {
      phases.create.push(await creates(count))
      phases.pay.push(await pays(count))
      await postgres.query(database, "vacuum")
    },
    read: async (): Promise<Weight> => {
      await sleep(2_000)
      const hot = await hotOf(postgres, database)
      await side.stop()
      await postgres.query("coffer", "checkpoint")
      await postgres.query(database, "analyze")
      await assertBooksWhole(postgres, database)
      const orders = rounds * count
      return {
        side: name,
        orders,
        create: costOf(phases.create, orders),
        pay: costOf(phases.pay, orders),
        disk: lessOf(await diskOf(postgres, database), empty, orders),
        hot
      }
    }
  }
}

interface Phase {
  readonly cpu: Round["cpu"]
  readonly wal: Wal.Wal
}

const costOf = (phases: ReadonlyArray<Phase>, orders: number): Cost => {
  const sum = (of: (phase: Phase) => number) => phases.reduce((total, phase) => total + of(phase), 0) / orders
  const names = [...new Set(phases.flatMap(({ wal }) => [...wal.entries.keys()]))].toSorted()
  const entriesByIndex = new Map(names.map((name) => [name, sum(({ wal }) => wal.entries.get(name) ?? 0)]))
  return {
    entries: [...entriesByIndex.values()].reduce((total, each) => total + each, 0),
    entriesByIndex,
    walBytes: sum(({ wal }) => wal.bytes),
    fullPageBytes: sum(({ wal }) => wal.fullPageBytes),
    cpu: [median(phases.map(({ cpu }) => cpu.side ?? NaN)), median(phases.map(({ cpu }) => cpu.postgres ?? NaN))]
  }
}

const logsAreWritten = async (postgres: Postgres.Postgres, database: string, requests: number) => {
  for (const end = performance.now() + 30_000; performance.now() < end;) {
    const [row] = await postgres.query(database, "select count(*)::int4 as logs from api_logs")
    if (row!["logs"] === requests) return
    await sleep(200)
  }
  throw new Error("not every call was logged")
}

/** Main relation, free space map and all of TOAST count as rows. Partitions are one table. */
const diskOf = async (postgres: Postgres.Postgres, database: string): Promise<Map<string, Disk>> => {
  const relations = await postgres.query(
    database,
    `with named as (
        select c.oid, c.relkind, coalesce(p.relname, c.relname) as name
        from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
        where c.relnamespace = 'public'::regnamespace)
      select name as table, null as index, pg_table_size(oid)::float8 as bytes from named where relkind = 'r'
      union all select t.name, n.name, pg_relation_size(n.oid)::float8
        from pg_index x join named t on t.oid = x.indrelid join named n on n.oid = x.indexrelid
        where n.relkind = 'i'`
  )
  return new Map(
    [...Map.groupBy(relations, ({ table }) => String(table))].map(([table, all]): readonly [string, Disk] => {
      const sums = new Map<string, number>()
      for (const { bytes, index } of all) {
        const name = String(index ?? "")
        sums.set(name, (sums.get(name) ?? 0) + Number(bytes))
      }
      const rows = sums.get("") ?? 0
      sums.delete("")
      return [table, { rows, indexes: sums }]
    })
  )
}

/** The growth, by order. */
const lessOf = (now: ReadonlyMap<string, Disk>, before: ReadonlyMap<string, Disk>, orders: number) =>
  new Map(
    [...now].map(([name, { indexes, rows }]): readonly [string, Disk] => {
      const was = before.get(name)
      const more = [...indexes].map(
        ([index, bytes]) => [index, (bytes - (was?.indexes.get(index) ?? 0)) / orders] as const
      )
      return [name, { rows: (rows - (was?.rows ?? 0)) / orders, indexes: new Map(more) }]
    })
  )

const hotOf = async (postgres: Postgres.Postgres, database: string) => {
  const rows = await postgres.query(
    database,
    `select relname as name, n_tup_hot_upd::float8 / n_tup_upd as hot from pg_stat_user_tables
      where n_tup_upd > 100 order by 1`
  )
  return new Map(rows.map(({ hot, name }) => [String(name), Number(hot)]))
}
