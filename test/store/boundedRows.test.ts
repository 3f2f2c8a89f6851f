/**
 * The sizes to which clients can make a row grow (docs/security.md, What a row may hold): each column with more than
 * one value is in the page's table with its bound, and is driven there and beyond.
 */
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { evidenceNames } from "@coffer/model/Evidence"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Scope } from "@coffer/model/Scopes"
import { Context, Effect, Layer } from "effect"
import { merchantOf, said } from "../kit/Merchant.ts"
import { type Running, start } from "../kit/Service.ts"
import { uploaded } from "../kit/callers/uploads.ts"

class Service extends Context.Service<Service, Running>()("test/boundedRows") {}

/** Each line of the page's table: the column, and how many values it may hold; undefined where only we write it. */
const stated = new Map(
  Array.from(
    readFileSync("docs/security.md", "utf8").matchAll(/^\| `(\w+\.\w+)` \| ([\d,]+|ours) \|/gm),
    ([, column, most]) => [column!, most === "ours" ? undefined : Number(most!.replaceAll(",", ""))] as const
  )
)

const keysOf = (column: string) => `(select count(*)::int from jsonb_object_keys(${column}))`
const itemsOf = (column: string) => `jsonb_array_length(${column})`

/** How a column's values are counted. */
const counted: Readonly<Record<string, string>> = {
  "orders.metadata": keysOf("metadata"),
  "orders.unapplied_payments": itemsOf("unapplied_payments"),
  "orders.attempts": itemsOf("attempts"),
  "orders.receipt": itemsOf("receipt -> 'requestedAt'"),
  "refunds.metadata": keysOf("metadata"),
  "payment_links.metadata": keysOf("metadata"),
  "dispute_evidence.evidence": keysOf("evidence"),
  "dispute_evidence.files": itemsOf("files"),
  "webhook_settings.endpoints": itemsOf("endpoints"),
  "webhook_settings.signing": itemsOf("signing -> 'old'"),
  "merchants.live_currencies": "cardinality(live_currencies)",
  "merchants.fees": itemsOf("fees"),
  "merchants.dispute_fee": keysOf("dispute_fee"),
  "merchants.payout_fee": keysOf("payout_fee"),
  "merchants.quotas": keysOf("quotas"),
  "api_keys.scopes": "cardinality(scopes)",
  "merchant_modes.payment_methods": "cardinality(payment_methods)",
  "merchant_modes.mail_recipients": "cardinality(mail_recipients)",
  "payment_links.recent_visits": itemsOf("recent_visits")
}

const numbered = (count: number, value: (index: number) => string | null = String) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, value(index)]))
const times = <A, E, R>(count: number, call: Effect.Effect<A, E, R>) => Effect.replicateEffect(call, count)

/** Tries to put more into each column than it may hold, in one go and bit by bit. */
const driven = Effect.fnUntraced(function* (running: Running) {
  const { api, merchant } = running
  const shop = merchantOf(running)
  yield* shop.post("/v1/orders", { amount: 1, metadata: numbered(51) })
  const order = yield* shop.paid(50_000, { metadata: numbered(50), receipt_email: "buyer@example.com" })
  const { trade_no } = order
  yield* shop.post(`/v1/orders/${trade_no}`, { metadata: { one_more: "1" } })
  yield* times(8, shop.post(`/v1/orders/${trade_no}/send_receipt`))
  yield* times(55, shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, { outcome: "cancel" }))
  yield* times(25, shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, {}))
  yield* shop.refund({ trade_no, amount: 1, metadata: numbered(51) })
  const { refund_no } = yield* said(shop.refund({ trade_no, amount: 1, metadata: numbered(50) }))
  yield* shop.post(`/v1/refunds/${refund_no}`, { metadata: { one_more: "1" } })
  yield* shop.post("/v1/payment_links", { amount: 1, metadata: numbered(51) })
  const { link_id } = yield* said(shop.post("/v1/payment_links", { amount: 1, metadata: numbered(50) }))
  yield* shop.post(`/v1/payment_links/${link_id}`, { metadata: { one_more: "1" } })
  for (let press = 0; press < 18; press++) {
    const raw = `visit_no=${String(press).padStart(26, "0")}`
    const headers = { "Content-Type": "application/x-www-form-urlencoded" }
    assert.strictEqual((yield* api.call("POST", `/pay/${link_id}`, { raw, headers })).status, 303)
  }

  const url = yield* uploaded(running, merchant.merchantId)
  const { dispute_no } = yield* said(shop.dispute(trade_no))
  const file = { type: "receipt", url }
  yield* shop.respond(dispute_no, { files: Array.from({ length: 9 }, () => file) })
  yield* said(shop.respond(dispute_no, { evidence: everyText, files: Array.from({ length: 8 }, () => file) }))

  yield* times(18, shop.post("/v1/webhook_endpoints", { url: "https://shop.example/hook" }))
  yield* times(8, shop.post("/v1/webhook_signing_secret/rotate"))

  const path = `/merchants/${merchant.merchantId}`
  const key = { mode: "sandbox", name: "All", scopes: Scope.literals }
  yield* api.operator("POST", `${path}/api_keys`, { ...key, scopes: [...Scope.literals, "orders:read"] })
  yield* said(api.operator("POST", `${path}/api_keys`, key))
  const line = { basis_points: 1, fixed: 1 }
  const each = { USD: 1, HKD: 1, CNY: 1 }
  const tooMuch = [
    { live_currencies: ["USD", "USD", "HKD", "CNY"] },
    { fees: Array.from({ length: 101 }, () => line) },
    { sandbox: { payment_methods: [...PaymentMethod.literals, "card"] } },
    { sandbox: { mail_recipients: Array.from({ length: 21 }, (_, index) => `@shop${index}.example`) } }
  ]
  for (const body of tooMuch) assert.strictEqual((yield* api.operator("POST", path, body)).status, 400)
  yield* said(
    api.operator("POST", path, {
      live_currencies: ["USD", "HKD", "CNY"],
      fees: Array.from({ length: 100 }, () => line),
      dispute_fee: each,
      payout_fee: each,
      quotas: { writes: 1_000, reads: 1_000, csv: 1_000, helpers: 1_000 },
      sandbox: {
        payment_methods: PaymentMethod.literals,
        mail_recipients: Array.from({ length: 20 }, (_, index) => `@shop${index}.example`)
      }
    })
  )
})

const everyText = Object.fromEntries(evidenceNames.map((name) => [name, "text"]))

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a row", (it) => {
  it.effect("has no column of many values that the page does not name", () =>
    Effect.gen(function* () {
      const { sql } = yield* Service
      const found = yield* sql<{ name: string }>`select table_name || '.' || column_name as name
        from information_schema.columns c join pg_class t on t.relname = c.table_name and t.relkind in ('r', 'p')
        where table_schema = 'public' and data_type in ('jsonb', 'json', 'ARRAY') and not t.relispartition
          and table_name not like 'cluster_%' order by 1`
      assert.deepStrictEqual(
        found.map(({ name }) => name),
        [...stated.keys()].toSorted()
      )
    })
  )

  it.effect("holds as many values as the page says, and no more, whatever is sent", () =>
    Effect.gen(function* () {
      const running = yield* Service
      yield* driven(running)
      const most: Record<string, number> = {}
      for (const [column, count] of Object.entries(counted)) {
        const [row] = yield* running.sql.unsafe<{ most: number }>(
          `select coalesce(max(${count}), 0)::int as most from ${column.split(".")[0]}`
        )
        most[column] = row!.most
      }
      assert.deepStrictEqual(
        most,
        Object.fromEntries(Object.keys(counted).map((column) => [column, stated.get(column)]))
      )
    })
  )

  it.effect("of each kind that others make grow is driven by the test above", () =>
    Effect.sync(() =>
      assert.deepStrictEqual(
        [...stated]
          .filter(([, most]) => most !== undefined)
          .map(([column]) => column)
          .toSorted(),
        Object.keys(counted).toSorted()
      )
    )
  )
})
