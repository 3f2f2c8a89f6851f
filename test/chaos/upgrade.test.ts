/**
 * From an earlier version to this one, back, forth again, and to a later one, while merchants send every kind of
 * request (docs/operating-runners.md): `npm run test:upgrade`. Three runners on one Postgres and one Redis are replaced
 * one by one, and of each two versions a runner of each is killed. Dumps follow each other all the time.
 *
 * `UPGRADE_FROM`: a commit, or the folder of an unpacked package; the version before this one if it is left out.
 * `UPGRADE_REQUESTS`: fewer than 10,000 are there and back alone, for CI. `UPGRADE_ROWS`: how many rows are filled.
 */
import { existsSync } from "node:fs"
import { loadavg } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { shapes } from "../../src/platform/cluster/messages.ts"
import { patiently } from "../../src/platform/runtime/patience.ts"
import { assertAllWell, receiver } from "../kit/faults/chaosLoad.ts"
import { anyAct, capturing } from "../kit/faults/everyAct.ts"
import { type Act, sdkLoad } from "../kit/faults/sdkLoad.ts"
import type { SteadyLoad } from "../kit/faults/SteadyLoad.ts"
import { commandRun } from "../kit/program/commandRun.ts"
import {
  commitBefore,
  hasPackagesOf,
  ofCommit,
  ofPackage,
  type Program,
  thisAs,
  thisWith
} from "../kit/program/versions.ts"
import { type Coffer, connect, eventually, liftQuotas, seeded } from "../kit/Process.ts"
import { runner } from "../kit/runners/TwoRunners.ts"
import { freePort } from "../kit/Service.ts"
import * as Pair from "../kit/servers/PostgresPair.ts"
import * as Redis from "../kit/servers/Redis.ts"

const requestsMin = Number(process.env["UPGRADE_REQUESTS"] ?? 500)
const rows = Number(process.env["UPGRADE_ROWS"] ?? 4_000)
const isShort = requestsMin < 10_000
const from = process.env["UPGRADE_FROM"] ?? commitBefore
const [merchants, workersEach] = isShort ? [3, 1] : [4, 3]
/** Requests between two steps of the story. */
const requestsEach = Math.max(30, Math.floor(requestsMin / 40))
/** For statements that read whole tables. */
const whole = ["20 minutes", "20 minutes"] as const

const before = Effect.suspend(() => {
  if (from !== undefined && existsSync(path.join(from, "coffer.js"))) return ofPackage(from)
  return from !== undefined && hasPackagesOf(from) ? ofCommit(from, "0.0.9") : thisAs("0.0.9", shapes)
})

const migration = (statement: string) =>
  [
    'import { Effect } from "effect"',
    'import { SqlClient } from "effect/sql"',
    `export default Effect.flatMap(SqlClient.SqlClient, (sql) => sql\`${statement}\`)`,
    ""
  ].join("\n")

/** Adds a column beside an old one, and fills it. */
const expanded = {
  version: "0.8.0",
  migrations: { "0990_notes": migration("alter table orders add column new_note text") },
  readableFrom: { 990: 0 },
  fills: [
    {
      name: "notes",
      migration: 990,
      table: "orders",
      key: "trade_no",
      set: "new_note = t.old_note",
      lacks: "t.new_note is null"
    }
  ]
}
/** The release after it takes the old column away. */
const contracted = {
  ...expanded,
  version: "0.9.0",
  migrations: { ...expanded.migrations, "0991_old_notes": migration("alter table orders drop column old_note") },
  readableFrom: { ...expanded.readableFrom, 991: 990 }
}

/** So many more orders, like this one, that wait for their buyers. */
const fill = Effect.fnUntraced(
  function* (sql: SqlClient.SqlClient, tradeNo: string) {
    const columns = yield* sql<{ name: string }>`select column_name as name from information_schema.columns
    where table_name = 'orders' and is_generated = 'NEVER' order by ordinal_position`
    const names = columns.map(({ name }) => name)
    const values = names.map((name) => {
      if (name === "trade_no") return "left(o.trade_no, -26) || lpad(n::text, 26, '0')"
      if (name === "due_at" || name === "expires_at") return "now() + interval '10 years'"
      return name === "out_trade_no" ? "'f' || n" : `o.${name}`
    })
    yield* sql.unsafe(`insert into orders (${names.join(", ")}) select ${values.join(", ")}
    from orders o, generate_series(1, ${rows}) n where o.trade_no = '${tradeNo}'`)
    yield* sql`analyze orders`
  },
  patiently(...whole)
)

/** One dump after the other, with a moment between two. Returns how many have ended. */
const dumping = Effect.fnUntraced(function* (address: string) {
  const state = { ended: 0 }
  const dump = Pair.pg("pg_dump", "--format=custom", "--compress=0", "--no-sync", "--file=/dev/null", address)
  const noted = Effect.delay(
    Effect.sync(() => state.ended++),
    "2 seconds"
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(dump, noted)))
  return () => state.ended
})

interface Place {
  readonly port: number
  coffer: Coffer
  program: Program
}

/** Three runners of a program, with orders of before, and the load on them. */
const opened = Effect.fnUntraced(function* (old: Program) {
  const postgres = yield* Pair.newServer(yield* Pair.postgresFolder, "upgrade", ["max_connections = 150"])
  const redis = yield* Redis.running
  const [database, owner] = [Pair.addressOf([postgres], Pair.app), Pair.addressOf([postgres], Pair.superuser)]
  const env = {
    MIGRATION_DATABASE_URL: owner,
    REDIS_URL: Redacted.value(redis.url),
    TRUSTED_PROXIES: "127.0.0.1",
    DATABASE_CONNECTIONS: "10"
  }
  const launched = (program: Program, port: number) => runner(database, env, port, program.main)
  const places: Array<Place> = []
  for (let index = 0; index < 3; index++) {
    const port = yield* freePort
    const coffer = yield* launched(old, port)
    yield* coffer.ready
    places.push({ port, coffer, program: old })
  }
  const sql = yield* connect(owner)
  const { api } = places[0]!.coffer
  const shops = yield* Effect.replicateEffect(api.newMerchant(), merchants)
  for (const { merchantId } of shops) yield* liftQuotas(api, merchantId)
  yield* sql`alter table orders add column old_note text default 'kept'`
  const template = yield* api.post("/v1/orders", shops[0]!.sandboxKey, { amount: 1, out_trade_no: "template" })
  yield* fill(sql, template.body.data.trade_no)

  const hook = yield* receiver
  const draw = seeded(1)
  const load = sdkLoad(() => places.map(({ port }) => port), draw, isShort ? 200 : 30)
  const heldBeside: Act = (merchant, own) => (draw(6) === 0 ? capturing(merchant, own) : anyAct(merchant, own))
  /** Whether all runners know captures. */
  const captures = { are: false }
  for (const { merchantId, sandboxKey: key } of shops) {
    const shop = { merchantId, key, notifyUrl: hook.url }
    for (let worker = 0; worker < workersEach; worker++) load.begin(shop, () => (captures.are ? heldBeside : anyAct))
  }
  return { launched, places, database, sql, load, captures, events: hook.events, dumps: yield* dumping(owner) }
})

type Opened = Effect.Success<ReturnType<typeof opened>>

const storyOf = ({ dumps, launched, load, places }: Opened) => {
  const more = (requests = requestsEach) =>
    Effect.suspend(() => {
      const goal = load.sent() + requests
      const isThere = Effect.sync(() => load.sent() >= goal || load.wrong.length > 20)
      return eventually("more requests", isThere, "10 minutes")
    })
  const started = Effect.fnUntraced(function* (place: Place, program: Program) {
    place.coffer = yield* launched(program, place.port)
    place.program = program
    yield* place.coffer.ready
    yield* more()
  })
  const kill = Effect.fnUntraced(function* (place: Place) {
    place.coffer.signal("SIGKILL")
    yield* place.coffer.ended
    yield* more()
    yield* started(place, place.program)
  })
  const replace = Effect.fnUntraced(function* (place: Place, program: Program) {
    place.coffer.signal("SIGTERM")
    assert.deepStrictEqual(yield* place.coffer.ended, { code: 0, signal: null }, place.coffer.said.stderr)
    yield* started(place, program)
  })
  /** One by one. `kills`: a runner of each version is killed while both are there. */
  const rolled = Effect.fnUntraced(function* (program: Program, kills = true) {
    const [first, second, third] = places as [Place, Place, Place]
    yield* replace(first, program)
    if (kills) for (const place of [first, second]) yield* kill(place)
    yield* replace(second, program)
    yield* replace(third, program)
  })
  const step = Effect.fnUntraced(function* <E, R>(name: string, doing: Effect.Effect<unknown, E, R>) {
    const since = performance.now()
    yield* doing
    const seconds = Math.round((performance.now() - since) / 1_000)
    const { longest, ...tally } = load.tally()
    const told = { name, seconds, ...tally, longest: `${(longest / 1_000).toFixed(1)} s`, dumps: dumps() }
    process.stdout.write(`${JSON.stringify(told)}\n`)
  })
  return { more, rolled, step }
}

const leftOut = Pair.leftOut || Redis.leftOut
const title = "three runners that are replaced one by one by those of other versions"

describe.skipIf(leftOut)(leftOut ? `${title} (left out: it needs postgresql and redis-server)` : title, () => {
  it.live(
    "there and back: no request fails, and nothing is lost or doubled, whoever is killed meanwhile",
    () =>
      Effect.gen(function* () {
        const [old, young] = [yield* before, yield* thisWith(expanded)]
        const newest = isShort ? young : yield* thisWith(contracted)
        const all = yield* opened(old)
        const { captures, database, load, places, sql } = all
        const { more, rolled, step } = storyOf(all)
        yield* step("all old", more())
        yield* step("to this version", rolled(young))
        captures.are = true
        yield* step("all new, with captures", more(requestsEach * 3))
        captures.are = false
        yield* step("back", rolled(old, !isShort))
        if (!isShort) {
          yield* step("to this version again", rolled(young))
          captures.are = true
          const isFilled = Effect.map(sql`select 1 from later_fills where is_over`, ({ length }) => length > 0)
          yield* step("until each row is filled", eventually("rows to be filled", isFilled, "20 minutes"))
          yield* step("to the later version", rolled(newest))
          const isGone = Effect.map(
            sql`select 1 from information_schema.columns where table_name = 'orders' and column_name = 'old_note'`,
            ({ length }) => length === 0
          )
          yield* step("until the old column is gone", eventually("it to be gone", isGone, "10 minutes"))
        }
        yield* step("the rest", more(Math.max(1, requestsMin - load.sent())))
        yield* Effect.promise(() => load.end())
        process.stdout.write(`${JSON.stringify({ sent: load.sent(), wrong: load.wrong.length, load: loadavg() })}\n`)

        assert.deepStrictEqual(load.wrong, [])
        if (!isShort) {
          const counted = yield* patiently(...whole)(sql`select count(new_note)::int4 as filled from orders
            where out_trade_no like 'f%'`)
          assert.deepStrictEqual(counted, [{ filled: rows }])
        }
        yield* patiently(...whole)(assertAllWell(sql, load as unknown as SteadyLoad, all.events))
        const audited = yield* commandRun(["audit"], { DATABASE_URL: database }, newest.main)
        assert.strictEqual(audited.code, 0, audited.stdout + audited.stderr)
        for (const { coffer } of places) assert.notMatch(coffer.said.stderr, /cannot talk|does not understand/)
      }),
    3_600_000
  )
})
