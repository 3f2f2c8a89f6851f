/**
 * The growth of tables and folders in a day by one sandbox key (docs/operating.md): each act of a merchant is done with
 * the largest body that cannot be compressed, and sizes are read before and after. With GROWTH_ACTS=40 each is done so
 * often, and the figures of the page are printed.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type Act, actsOf, refusingEndpoint, timesADay } from "../kit/routes/growth.ts"
import { eventually } from "../kit/Process.ts"
import { ownersConnection, type Running, start } from "../kit/Service.ts"

const times = Number(process.env["GROWTH_ACTS"] ?? 2)
const isPrinted = process.env["GROWTH_ACTS"] !== undefined

type Sizes = ReadonlyMap<string, number>

interface Growth {
  /** Bytes of one act that stay after a vacuum. */
  readonly stays: Sizes
  /** Bytes of one act with the rows that a vacuum removes. */
  readonly written: Sizes
  readonly count: number
}

/** With indexes and TOAST. Partitions are one table. */
const tables = (sql: SqlClient.SqlClient) =>
  sql<{ name: string; part: string; bytes: number }>`select coalesce(p.relname, c.relname) as name, c.relname as part,
      pg_total_relation_size(c.oid)::float8 as bytes
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'cluster_%'`

const sizeOf = (sql: SqlClient.SqlClient, part: string) =>
  Effect.map(
    sql<{ bytes: number }>`select pg_total_relation_size(${part}::text::regclass)::float8 as bytes`,
    ([row]) => row!.bytes
  )

const bytesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + statSync(path.join(parentPath, name)).size, 0)

const scaleOf = (owner: SqlClient.SqlClient, folder: string) => {
  const known = new Map<string, number>()
  const read = Effect.map(tables(owner), (rows) => {
    const sizes = new Map<string, number>([["folder", bytesIn(folder)]])
    for (const { bytes, name } of rows) sizes.set(name, (sizes.get(name) ?? 0) + bytes)
    return sizes
  })
  /**
   * A vacuum keeps what an open transaction may still see. One that begins now sees as far back as the oldest writer of
   * any database of the server, so writers that are older than `last` have to end first.
   */
  const isAlone = (last: string) =>
    eventually(
      "no other transaction",
      Effect.map(
        owner`select where pg_snapshot_xmin(pg_current_snapshot()) <= ${last}::text::xid8
          union all select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
            and (backend_xmin is not null or backend_xid is not null)`,
        ({ length }) => length === 0
      )
    )
  /** Without dead rows and free pages. A late write leaves some behind the vacuum, so changed tables get another. */
  const compact = Effect.gen(function* () {
    for (let round = 0; round < 10; round++) {
      const changed = (yield* tables(owner)).filter(({ bytes, part }) => known.get(part) !== bytes)
      if (changed.length === 0) break
      const [now] = yield* owner<{ last: string }>`select pg_current_xact_id()::text as last`
      for (const { part } of changed) {
        // A transaction of a worker may begin before the first pass does, which then keeps the dead rows.
        for (let pass = 0; pass < 2; pass++) {
          yield* isAlone(now!.last)
          yield* owner.unsafe(`vacuum full ${part}`)
        }
        known.set(part, yield* sizeOf(owner, part))
      }
    }
    return yield* read
  })
  return { read, compact }
}

const moreOf = (from: Sizes, to: Sizes, count: number): Sizes =>
  new Map(
    [...to]
      .map(([name, bytes]) => [name, (bytes - (from.get(name) ?? 0)) / count] as const)
      .filter(([, more]) => more > 0)
  )

const measured = Effect.fnUntraced(function* (running: Running, scale: ReturnType<typeof scaleOf>, each: Act) {
  const count = Math.min(each.times ?? times, times)
  const logged = Effect.map(
    running.sql<{ count: number }>`select count(*)::int as count from api_logs`,
    ([row]) => row!.count
  )
  const prepared = each.before === undefined ? Array.from({ length: count }, () => "") : yield* each.before(count)
  yield* running.atRest
  const from = yield* scale.compact
  const calls = yield* logged
  const replies = yield* Effect.forEach(prepared, each.act, { concurrency: each.inTurn ? 1 : 4 })
  assert.deepStrictEqual(
    replies.filter(({ status }) => status >= 300),
    [],
    each.name
  )
  yield* eventually(
    "the log of calls",
    Effect.map(logged, (now) => now >= calls + count)
  )
  yield* each.after ?? running.atRest
  const written = moreOf(from, yield* scale.read, count)
  const growth: Growth = { stays: moreOf(from, yield* scale.compact, count), written, count }
  return growth
})

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-growth-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** By table: the bytes that stay of the act that leaves most, as in the page. */
const stated = new Map(
  Array.from(
    readFileSync("docs/operating.md", "utf8").matchAll(/^\| `(\w+)`[^|]*\| [^|]+ \| ([\d,]+) \|/gm),
    ([, name, bytes]) => [name!, Number(bytes!.replaceAll(",", ""))] as const
  )
)

/** The act of each quota that leaves most, and all of them in a day. */
const printed = (found: ReadonlyArray<readonly [Act, Growth]>, of: "stays" | "written") => {
  const names = [...new Set(found.flatMap(([, growth]) => [...growth[of].keys()]))].toSorted()
  for (const name of names) {
    const most = [...Map.groupBy(found, ([{ quota }]) => quota).entries()].map(
      ([quota, some]) =>
        some
          .map(([{ most = timesADay[quota], name: act }, growth]) => ({ act, most, bytes: growth[of].get(name) ?? 0 }))
          .toSorted((a, b) => b.bytes * b.most - a.bytes * a.most)[0]!
    )
    const acts = most.filter(({ bytes }) => bytes > 0).map(({ act, bytes }) => `${act} ${Math.round(bytes)}`)
    const gigabytes = most.reduce((sum, { bytes, most }) => sum + bytes * most, 0) / 1e9
    console.log(`${of} ${name}: ${gigabytes.toFixed(2)} GB a day; ${acts.join(", ")}`)
  }
}

/** Each table and each of its indexes grows by whole pages. */
const pages = 12 * 8_192

it.live("an act with a sandbox key leaves no more bytes in any table or folder than the page says", () =>
  Effect.gen(function* () {
    const home = yield* folder
    const running = yield* start({ clock: "test", folder: home })
    const scale = scaleOf(yield* ownersConnection(running.database), home)
    const found: Array<readonly [Act, Growth]> = []
    for (const each of actsOf(running, (yield* refusingEndpoint).url)) {
      found.push([each, yield* measured(running, scale, each)])
    }
    if (isPrinted) for (const of of ["stays", "written"] as const) printed(found, of)
    const beyond = found.flatMap(([{ name: act }, { count, stays }]) =>
      [...stays]
        .filter(([name, bytes]) => bytes > 1.1 * (stated.get(name) ?? -Infinity) + pages / count)
        .map(([name, bytes]) => `${name}: ${act}, ${Math.round(bytes)}`)
    )
    assert.deepStrictEqual(beyond, [])
  })
)
