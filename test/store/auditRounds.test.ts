/** The auditor's rounds: due every hour, one at a time among all runners, and shown as a metric. */
import { assert, describe, it } from "@effect/vitest"
import { laws, type Violation } from "@coffer/rules/wallet/laws"
import { Context, DateTime, Duration, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as AuditStore from "../../src/audit/AuditStore.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { merchantOf } from "../kit/Merchant.ts"
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

/** The owner of the database can do that. */
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

        // Long after, and with much that is new, they are still wrong.
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
})
