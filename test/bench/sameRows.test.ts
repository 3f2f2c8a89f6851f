/**
 * The comparison is fair: a baseline that wrote less than Coffer would be faster without merit. One order and its
 * payment go through each, and every table is compared column by column, apart from ids, times and hashes.
 */
import { spawn } from "node:child_process"
import path from "node:path"
import { zstdDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { bodyOf } from "../../src/webhooks/events/eventBodies.ts"
import { Api, type Merchant } from "../kit/Api.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { eventually } from "../kit/Process.ts"
import { freePort, freshDatabase, secretKey, start } from "../kit/Service.ts"

const repository = path.resolve(import.meta.dirname, "../..")
const publicUrl = "https://pay.example.com"

const rivals = {
  script: "packages/bench/src/baseline/main.ts",
  "at-once": "packages/bench/src/baseline/main.ts",
  ceiling: "packages/bench/src/ceiling/main.ts"
}

const launch = Effect.fnUntraced(function* (name: keyof typeof rivals, databaseUrl: string) {
  const port = yield* freePort
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [rivals[name]], {
        cwd: repository,
        env: {
          PATH: process.env["PATH"] ?? "",
          DATABASE_URL: databaseUrl,
          SECRET_KEY: secretKey,
          PUBLIC_URL: publicUrl,
          PORT: String(port),
          BASELINE_VARIANT: name
        },
        stdio: ["ignore", "ignore", "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const api = new Api(`http://127.0.0.1:${port}`, "")
  yield* eventually(
    `${name} to be ready`,
    Effect.promise(() =>
      fetch(`${api.url}/readyz`).then(
        (response) => response.ok,
        () => false
      )
    )
  )
  return api
})

const body = {
  amount: 1_999,
  currency: "USD",
  out_trade_no: "cart-1",
  subject: "Two books",
  return_url: "https://shop.example.com/thanks",
  metadata: { shelf: "A7", packed: "yes" },
  locale: "en"
}

/** One order with a key, one without that notifies, and payments of both. */
const day = (api: Api, { sandboxKey: key }: Merchant) =>
  Effect.gen(function* () {
    const replies = [
      yield* api.call("POST", "/v1/orders", { key, body, headers: { "Idempotency-Key": "key-1" } }),
      yield* api.call("POST", "/v1/orders", {
        key,
        body: { amount: 501, out_trade_no: "cart-2", notify_url: "http://127.0.0.1:9/never" }
      })
    ]
    for (const number of ["cart-1", "cart-2"]) {
      const { data } = replies.find((reply) => reply.body.data.out_trade_no === number)!.body
      const paying = { key, body: { payment_method: "card" } }
      replies.push(yield* api.call("POST", `/v1/test_helpers/orders/${data.trade_no}/pay`, paying))
      replies.push(yield* api.get(`/v1/orders/${data.trade_no}`, key))
    }
    replies.push(yield* api.get("/v1/balance", key))
    replies.push(yield* api.get("/v1/orders", key))
    replies.push(yield* api.get("/v1/orders?metadata%5Bshelf%5D=A7", key))
    return replies.map(({ body: answer, status }) => ({ status, body: anonymous(answer) }))
  })

/** Columns that the workers of the service write afterwards, or in which no two requests agree. */
const left: Readonly<Record<string, ReadonlyArray<string>>> = {
  deliveries: ["status", "attempts", "next_attempt_at"],
  api_logs: ["duration_ms"],
  idempotency_keys: ["version"]
}

const tables = [
  "orders",
  "order_tags",
  "wallets",
  "ledger",
  "events",
  "deliveries",
  "sandbox_payments",
  "idempotency_keys",
  "api_logs"
]

const rowsOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { merchantId }: Merchant) {
  const rows: Record<string, ReadonlyArray<unknown>> = {}
  for (const table of tables) {
    const owned =
      table === "order_tags" ? "trade_no in (select trade_no from orders where merchant_id = $1)" : "merchant_id = $1"
    const found = yield* sql.unsafe<{ row: Record<string, unknown> }>(
      `select to_jsonb(t) as row from ${table} t where ${owned}`,
      [merchantId]
    )
    const blocks = yield* blocksOf(sql)
    rows[table] = found
      .map(({ row }) => {
        if (table === "api_logs") row = { ...row, block: undefined, place: 0, bodies: bodiesOf(blocks, row) }
        if (table === "events") row = { ...row, packed: eventOf(String(row["packed"])) }
        for (const column of left[table] ?? []) delete row[column]
        return JSON.stringify(anonymous(table === "order_tags" ? { ...row, tag: "" } : row))
      })
      .toSorted()
  }
  return rows
})

const eventOf = (packed: string) => bodyOf({ body: null, packed: Buffer.from(packed.slice(2), "hex") })

const blocksOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ block: number; bodies: Uint8Array }>`select block, bodies from api_log_bodies`,
    (rows) =>
      new Map(
        rows.map(({ block, bodies }) => [block, JSON.parse(zstdDecompressSync(bodies).toString()) as Array<unknown>])
      )
  )

/** The bodies of a call's log. */
const bodiesOf = (blocks: ReadonlyMap<number, ReadonlyArray<unknown>>, row: Record<string, unknown>) => {
  const from = 2 * Number(row["place"])
  return blocks.get(Number(row["block"]))!.slice(from, from + 2)
}

/** Without what differs between any two requests. */
const anonymous = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replace(/(TRD_SB_|evt_|LED_|pay_|dlv_|mer_|req_)[0-9A-Z]{26}/g, "$1")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, "time")
      .replace(/(?:\\\\x|\b)[0-9a-f]{64}\b/g, "hash")
      .replace(/(\/(?:checkout|receipts)\/)[^"\\]*/g, "$1")
  )

describe("bench: the rivals write what Coffer writes", () => {
  it.live("all rows of an order and its payment, and all answers", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { api, merchant, sql } = yield* start({ clock: "live", database, env: { PUBLIC_URL: publicUrl } })
      const answers = yield* day(api, merchant)

      const merchants: Array<readonly [string, Merchant]> = [["Coffer", merchant]]
      for (const name of ["script", "at-once", "ceiling"] as const) {
        const other = yield* api.newMerchant(name)
        const theirs = yield* day(yield* launch(name, database), other)
        assert.deepStrictEqual(theirs, answers, name)
        merchants.push([name, other])
      }

      yield* eventually(
        "logs to be written",
        Effect.map(sql`select count(*) as logs from api_logs`, ([row]) => Number(row!["logs"]) === 9 * merchants.length)
      )
      const expected = yield* rowsOf(sql, merchant)
      for (const [name, other] of merchants) {
        const found = yield* rowsOf(sql, other)
        for (const table of tables) {
          assert.isAbove(expected[table]!.length, 0, table)
          assert.deepStrictEqual(found[table], expected[table], `${table} of ${name}`)
        }
      }
      yield* assertLedgerWhole(sql)
    })
  )
})
