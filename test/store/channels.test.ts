/** A database of before channels had names is migrated: rows say which channel they are of (migration 0072). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrator from "../../src/platform/postgres/Migrator.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { asOwner, freshDatabase } from "../kit/Service.ts"

const named = "'mer_0000000000000000000000000A', 'live'"
const at = "2026-11-22T10:00:00.000Z"
const own = "dp_01KA8M3N5P0000ABCDEF012345"

const order = (no: string, paymentId: string | null, unapplied: ReadonlyArray<string> = []) => {
  const payment =
    paymentId === null ? ["'pending'", "null", "null", "null"] : ["'paid'", "1", `'${paymentId}'`, "'card'"]
  const listed = JSON.stringify(unapplied.map((id) => ({ paymentId: id, state: "due" })))
  return `insert into orders (trade_no, version, merchant_id, mode, out_trade_no, amount, currency, status, fee, payment_id,
      payment_method, refunded_amount, metadata, declines, stray_payments, stray_due_at, stray_attempts, stray_error,
      due_at, expires_at, created_at)
    values ('${no}', 1, ${named}, '${no}', 100, 'USD', ${payment.join(", ")}, 0, '{}', 0, '${listed}', '${at}', 2, 'no',
      '${at}', '${at}', '${at}')`
}
const refund = (no: string, paymentId: string) => `insert into refunds (refund_no, version, out_refund_no, trade_no,
    merchant_id, mode, payment_id, amount, currency, status, metadata, created_at, updated_at)
  values ('${no}', 1, '${no}', 'A', ${named}, '${paymentId}', 1, 'USD', 'pending', '{}', '${at}', '${at}')`
const dispute = (no: string, id: string) => `insert into disputes (dispute_no, version, trade_no, merchant_id, mode,
    processor_dispute_id, amount, currency, reason, status, processor_status, opened_at, created_at, updated_at)
  values ('${no}', 1, 'A', ${named}, '${id}', 1, 'USD', 'fraudulent', 'needs_response', 'needs_response', '${at}', '${at}',
    '${at}')`

const migrated = (rows: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    return yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`drop schema public cascade`
      yield* sql`create schema public`
      yield* Migrator.migrateWith(Migrator.migrations.filter((name) => name < "0072"))
      for (const statement of rows) yield* sql.unsafe(statement)
      yield* Migrator.migrateFor("coffer_app")
      const channels = (table: string, key: string) =>
        Effect.map(
          sql<{ key: string; channel: string }>`select ${sql(key)} as key, channel from ${sql(table)} order by 1`,
          (found) => found.map((row) => `${row.key} ${row.channel}`)
        )
      const unapplied = yield* sql`select unapplied_payments, unapplied_due_at is not null as due, unapplied_attempts,
          unapplied_error from orders where unapplied_payments <> '[]'`
      return {
        orders: yield* channels("orders", "trade_no"),
        refunds: yield* channels("refunds", "refund_no"),
        disputes: yield* channels("disputes", "dispute_no"),
        unapplied
      }
    }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(asOwner(database)), connections: 2, name: "test" })))
  })

describe("rows of before", () => {
  it.live("have the channel that their numbers show, whichever channel has most of them", () =>
    Effect.gen(function* () {
      for (const [most, other, prefix] of [
        ["stripe", "sandbox", ["pi_", "pay_"]],
        ["sandbox", "stripe", ["pay_", "pi_"]]
      ] as const) {
        const [often, rarely] = prefix
        const found = yield* migrated([
          order("A", `${often}1`, [`${rarely}8`, `${often}9`]),
          order("B", `${often}2`),
          order("C", `${rarely}3`),
          refund("A", `${often}1`),
          refund("B", `${often}1`),
          refund("C", `${rarely}3`),
          dispute("A", own),
          dispute("B", "dp_1PExample")
        ])
        assert.deepStrictEqual(found.orders, [`A ${most}`, `B ${most}`, `C ${other}`])
        assert.deepStrictEqual(found.refunds, [`A ${most}`, `B ${most}`, `C ${other}`])
        assert.deepStrictEqual(found.disputes, ["A sandbox", "B stripe"])
        assert.deepStrictEqual(found.unapplied, [
          {
            unapplied_payments: [
              { paymentId: `${rarely}8`, state: "due", channel: other },
              { paymentId: `${often}9`, state: "due", channel: most }
            ],
            due: true,
            unapplied_attempts: 2,
            unapplied_error: "no"
          }
        ])
      }
    })
  )
})
