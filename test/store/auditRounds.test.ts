/** The auditor's rounds: due every hour, one at a time among all runners, and shown as a metric. */
import { assert, describe, it } from "@effect/vitest"
import { laws, type Violation } from "@coffer/rules/wallet/laws"
import { Context, DateTime, Duration, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { make } from "../../src/shared/audit/Auditor.ts"
import * as AuditStore from "../../src/shared/audit/AuditStore.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { busyDay } from "../kit/stories/busyDay.ts"
import { freshDatabase, ownersConnection, type Running, start } from "../kit/Service.ts"

const hourly = { clock: "test", env: { AUDIT_INTERVAL: "1 hour" } } as const

/** The metric's value by law. */
const shown = ({ baseUrl }: Running) =>
  Effect.map(
    Effect.promise(() => fetch(`${baseUrl}/metrics`).then((response) => response.text())),
    (text) =>
      Object.fromEntries(
        Array.from(text.matchAll(/^coffer_ledger_violations\{[^}]*law="(\w+)"[^}]*\} (\d+)/gm), ([, law, value]) => [
          law,
          Number(value)
        ])
      )
  )

const none = Object.fromEntries(Object.keys(laws).map((law) => [law, 0]))

const violationsIn = ({ sql }: Running) => sql`select law, about, key from audit_violations order by law, about, key`

/** As the owner of the database can. */
const tamper = (sql: SqlClient.SqlClient, statement: string) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`alter table ledger disable trigger all`
      yield* sql.unsafe(statement)
      yield* sql`alter table ledger enable trigger all`
    })
  )

describe("a round of the auditor", () => {
  it.effect("comes every hour, keeps what it found until it is right again, and every law has its number", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const running = yield* start(hourly)
        const at = merchantOf(running)
        const { trade_no: paid } = yield* at.paid(1_000)
        yield* running.pass("1 hour")
        assert.deepStrictEqual(yield* shown(running), none)

        const sql = yield* ownersConnection(running.database)
        const [row] = yield* sql<{ id: string }>`select id from ledger where reference_id = ${paid} order by id`
        const id = row!.id
        yield* tamper(sql, `update ledger set description = description || '.' where id = '${id}'`)
        yield* tamper(sql, `update orders set disputes_open = 1 where trade_no = '${paid}'`)
        assert.deepStrictEqual(yield* shown(running), none, "not before it is due")
        yield* running.pass("1 hour")
        const both = [
          { law: "I6", about: "orders", key: paid },
          { law: "I9", about: "ledger", key: id }
        ]
        assert.deepStrictEqual(yield* violationsIn(running), both)
        assert.deepStrictEqual(yield* shown(running), { ...none, I6: 1, I9: 1 })

        // Long after, with many new rows, they are still wrong.
        yield* running.pass("5 hours")
        yield* at.paid(2_000)
        yield* running.pass("1 hour")
        assert.deepStrictEqual(yield* violationsIn(running), both)

        yield* tamper(sql, `update orders set disputes_open = 0 where trade_no = '${paid}'`)
        yield* running.pass("1 hour")
        assert.deepStrictEqual(yield* violationsIn(running), [both[1]!])
        assert.deepStrictEqual(yield* shown(running), { ...none, I9: 1 })
      })
    )
  )

  it.effect("is one runner's; another takes it over when that one is silent, and then the first changes nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const storeOf = Effect.gen(function* () {
          const layer = AuditStore.layer.pipe(
            Layer.provideMerge(Postgres.layer({ url: Redacted.make(database), connections: 2, name: "test" }))
          )
          return Context.get(yield* Layer.build(layer), AuditStore.AuditStore)
        })
        const stores = yield* Effect.forEach([1, 2, 3, 4], () => storeOf)
        const now = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")
        const later = (minutes: number) => DateTime.addDuration(now, Duration.minutes(minutes))
        const end = (violations: ReadonlyArray<Violation>, at = now) => ({
          due: DateTime.addDuration(at, "1 hour"),
          checkedFrom: at,
          about: null,
          key: null,
          at,
          violations
        })

        const leases = yield* Effect.forEach(stores, (store) => store.lease(now, later(5)), {
          concurrency: "unbounded"
        })
        const [first, ...others] = leases.flatMap(Option.toArray)
        assert.isDefined(first)
        assert.strictEqual(others.length, 0)
        const [one, two] = [stores[0]!, stores[1]!]
        assert.isTrue(Option.isNone(yield* two.lease(later(4), later(9))))
        assert.isTrue(yield* one.renew(first, later(7)))
        assert.isTrue(Option.isNone(yield* two.lease(later(6), later(11))))

        const second = Option.getOrThrow(yield* two.lease(later(7), later(12)))
        assert.isFalse(yield* one.renew(first, later(20)))
        const wrong: Violation = { law: "I9", table: "ledger", key: "LED_1", detail: "is not what was hashed" }
        assert.isFalse(yield* one.finish(first, end([wrong])))
        assert.deepStrictEqual(yield* one.violations, [])
        assert.isTrue(yield* two.finish(second, end([wrong], later(8))))
        assert.deepStrictEqual(yield* one.violations, [wrong])
        assert.deepStrictEqual(yield* one.counts, new Map([["I9", 1]]))
        assert.deepStrictEqual(yield* one.nextDue, Option.some(later(68)))
        assert.isTrue(Option.isNone(yield* one.lease(later(67), later(72))))
        assert.deepStrictEqual(Option.getOrThrow(yield* one.lease(later(68), later(73))).checked_from, later(8))
      })
    )
  )

  it.effect("sums each wallet from where the round before ended, and a whole audit from its first row", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const running = yield* start(hourly)
        const at = merchantOf(running)
        yield* at.paid(1_000)
        yield* running.pass("1 hour")
        const sql = yield* ownersConnection(running.database)
        const stands = sql`select s.row_id = w.head_id and s.moved = w.available and s.revenue = w.total_revenue
          and s.fee = w.total_fee as is_right from ledger_sums s join wallets w using (wallet_id)`
        assert.deepStrictEqual(yield* stands, [{ is_right: true }])
        // Amounts that the wallet's totals do not have, in a row from before the sums.
        const first = `(select min(id) from ledger where type = 'payment_credit')`
        yield* tamper(sql, `update ledger set amount = amount + 7 where id = ${first}`)
        const found: Array<Violation> = []
        const report = {
          violation: (violation: Violation) => Effect.sync(() => found.push(violation)),
          progress: () => Effect.void
        }
        const auditor = make(sql)
        const wallets = yield* sql<{ key: string }>`select wallet_id as key from wallets`
        yield* auditor.some(
          "wallets",
          wallets.map(({ key }) => key),
          report
        )
        assert.deepStrictEqual(found, [])
        yield* auditor.all(report)
        assert.includeMembers(
          found.map(({ law, table }) => `${law} ${table}`),
          ["I5 wallets", "I9 ledger"]
        )
      })
    )
  )

  it.effect("finds a total that does not fit, and nothing any more once rows that were wrong are right again", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const running = yield* start(hourly)
        const at = merchantOf(running)
        yield* at.paid(1_000)
        yield* running.pass("1 hour")
        yield* at.paid(2_000)
        const sql = yield* ownersConnection(running.database)
        const change = (by: number) =>
          tamper(
            sql,
            `update ledger set amount = amount + ${by} where id = (select max(id) from ledger where type = 'payment_credit')`
          )
        const laws = Effect.map(violationsIn(running), (rows) => rows.map(({ law, about }) => `${law} ${about}`))
        yield* change(7)
        yield* running.pass("1 hour")
        assert.deepStrictEqual(yield* laws, ["I3 ledger", "I5 wallets", "I7 orders", "I9 ledger"])
        yield* change(-7)
        yield* running.pass("1 hour")
        assert.deepStrictEqual(yield* laws, [])
        yield* at.paid(3_000)
        yield* sql`update wallets set total_revenue = total_revenue + 1`
        yield* running.pass("1 hour")
        assert.deepStrictEqual(yield* laws, ["I5 wallets"])
      })
    )
  )

  it.effect("has the same sums however many rows a step of it takes, and only the owner's function writes them", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const running = yield* start({ clock: "test" })
        yield* busyDay(running)
        const sql = yield* ownersConnection(running.database)
        const sums = sql`select * from ledger_sums order by wallet_id`
        const advanced = Effect.fnUntraced(function* (rowsMax: number) {
          const step = (anew: boolean) =>
            sql<{ more: string }>`select advance_ledger_sums(array(select wallet_id from wallets), ${rowsMax}::int,
              ${anew})::text as more`
          for (let [row] = yield* step(true); row!.more !== "0"; [row] = yield* step(false));
          return yield* sums
        })
        const whole = yield* advanced(100_000)
        assert.isAbove(whole.length, 1)
        for (const rowsMax of [1, 2, 3, 7]) assert.deepStrictEqual(yield* advanced(rowsMax), whole)
        const refused = yield* Effect.flip(running.sql`update ledger_sums set moved = 0`)
        assert.include(String(refused.cause), "Authorization")
      })
    )
  )
})
