/** A database of the version before rows were made lighter is migrated with its rows (docs/decisions/0024). */
import { MerchantId } from "@coffer/model/Ids"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { EventLists } from "../../src/events/EventLists.ts"
import * as Migrator from "../../src/platform/postgres/Migrator.ts"
import * as NewIds from "../../src/platform/runtime/NewIds.ts"
import * as ListHorizon from "../../src/platform/postgres/ListHorizon.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { Wallets } from "../../src/wallets/Wallets.ts"
import * as LogStore from "../../src/logs/LogStore.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { asOwner, freshDatabase, start } from "../kit/Service.ts"

const merchantId = MerchantId.make("mer_0000000000000000000000000A")
const account = { merchantId, mode: "sandbox" } as const
const tradeNo = "TRD_SB_01KA8M3N5P0000ABCDEF012345"
const wallet = `${merchantId}/sandbox/USD`
const at = "2026-11-22T10:00:00.000Z"
const event = { object: "event", id: "evt_1", type: "payment.succeeded", data: { object: { amount: 100 } } }

const hashed = (previous: string, id: string, rest: string) =>
  `encode(sha256(convert_to(concat_ws(chr(10), '${wallet}', ${previous}, '${id}', ${rest}, '${at}'), 'UTF8')), 'hex')`
const first = hashed("''", "LED_1", `1, 'payment_credit', 100, 0, 100, 0, '${tradeNo}', 'Paid'`)
const second = hashed(first, "LED_2", `2, 'fee_debit', -3, 100, 97, 0, '${tradeNo}', 'Fee'`)
const named = `'${merchantId}', 'sandbox'`

/** One payment, as the version before wrote it. */
const before = [
  `insert into orders (trade_no, version, merchant_id, mode, out_trade_no, amount, currency, status, fee,
      refunded_amount, payment_id, payment_method, metadata, declines, stray_payments, paid_at, due_at, expires_at,
      created_at)
    values ('${tradeNo}', 2, ${named}, 'cart', 100, 'USD', 'paid', 3, 0, 'pay_1', 'card', '{}', 0, '[]', '${at}',
      '${at}', '${at}', '${at}')`,
  `insert into wallets (wallet_id, sequence, merchant_id, mode, currency, available, frozen, total_revenue, total_fee,
      total_payout, total_refund, head_id, head_hash, version, updated_at)
    values ('${wallet}', 2, ${named}, 'USD', 97, 0, 100, 3, 0, 0, 'LED_2', ${second}, ${second}, '${at}')`,
  `insert into ledger values ('LED_1', '${wallet}', 1, ${named}, 'USD', 'payment_credit', 100, 0, 100, 0, '${tradeNo}',
      'Paid', '${at}', '', ${first}),
    ('LED_2', '${wallet}', 2, ${named}, 'USD', 'fee_debit', -3, 100, 97, 0, '${tradeNo}', 'Fee', '${at}', ${first},
      ${second})`,
  `insert into events values ('evt_1', ${named}, 'payment.succeeded', '${tradeNo}', '${tradeNo}',
      '${JSON.stringify(event)}', '${at}')`,
  `create table api_logs_20261122 partition of api_logs for values from ('${at}') to ('2026-11-23 00:00:00+00')`,
  `insert into api_logs (request_id, merchant_id, mode, method, path, status, duration_ms, request_body, created_at)
    values ('req_1', ${named}, 'POST', '/v1/orders', 200, 1, '{"amount": 100}', '${at}')`
]

it.live("a payment of the version before is listed and audited as it was, with its event and its API log", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`drop schema public cascade`
      yield* sql`create schema public`
      yield* Migrator.migrateWith(Migrator.migrations.filter((name) => name < "0022"))
      for (const statement of before) yield* sql.unsafe(statement)
      yield* Migrator.migrateFor("coffer_app")
      yield* assertLedgerWhole(sql)
      const [row] = yield* sql`select octet_length(previous_hash) as previous, octet_length(hash) as own
        from ledger where id = 'LED_2'`
      assert.deepStrictEqual(row, { previous: 32, own: 32 })
      const logs = yield* LogStore.LogStore
      const all = { requestId: undefined, status: undefined, path: undefined, errorCode: undefined }
      const request = { cursor: undefined, limit: 20, created: { from: undefined, to: undefined } }
      const { data } = yield* logs.page(account, request, all)
      assert.deepStrictEqual(
        data.map(({ request_body, response_body }) => [request_body, response_body]),
        [[{ amount: 100 }, null]]
      )
    }).pipe(
      Effect.provide(
        LogStore.layer.pipe(
          Layer.provide([ListHorizon.layer, NewIds.layer]),
          Layer.provideMerge(Postgres.layer({ url: Redacted.make(asOwner(database)), connections: 2, name: "test" }))
        )
      )
    )

    const { context } = yield* start({ clock: "live", database })
    const { data: events } = yield* Context.get(context, EventLists).page(account, { object_id: tradeNo })
    assert.deepStrictEqual(events, [{ id: "evt_1", body: event }])
    for (const query of [{}, { reference_id: tradeNo }, { currency: "USD" }] as const) {
      const { data } = yield* Context.get(context, Wallets).ledger(account, query)
      assert.deepStrictEqual(
        data.map(({ hash, id, previousHash }) => [id, previousHash.length, hash.length]),
        [
          ["LED_2", 64, 64],
          ["LED_1", 0, 64]
        ]
      )
    }
  })
)
