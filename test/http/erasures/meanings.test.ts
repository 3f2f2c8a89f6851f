/** An erasure treats each column by its declared meaning (docs/decisions/0231). */
import type { Column, Columns, Resource } from "@coffer/resources/Resource"
import { isArchived } from "@coffer/resources/Resource"
import { tables } from "@coffer/resources/tables"
import { assert, describe, it } from "@effect/vitest"
import { erasedText } from "@coffer/rules/erasure"
import { Effect } from "effect"
import { bodyOf } from "../../../src/webhooks/events/eventBodies.ts"
import { type Json, said } from "../../kit/Merchant.ts"
import { flushed, storedLogs } from "../../kit/rows/logs.ts"
import { begin, erasedBy } from "../../kit/stories/erasures.ts"
import { echo } from "../../kit/stories/erasedBuyer.ts"

const buyer = "jane@buyer.example"
const other = "john@other.example"

const held = new Set(["address", "words", "mentions", "request"])
const heldColumns = ({ columns }: Resource) => Object.entries(columns).filter(([, { words }]) => held.has(words))
const withWords = tables.filter((table) => heldColumns(table).length > 0)

/** They change during the erasure, or by it: what the row decides again, and what marks it as erased. */
const written: Readonly<Record<string, ReadonlyArray<string>>> = {
  orders: ["version", "erased_at", "terms_hash"],
  refunds: ["version"],
  disputes: ["version"],
  dispute_evidence: ["version"],
  mails: ["version"],
  payment_links: ["version"]
}
/** Tables whose rows change meanwhile. Remaining rows have no address. */
const moving = ["api_logs", "api_log_bodies", "idempotency_keys", "saved_views"]

/** They name the buyer as sent. */
const asSent = new Set(["packed", "data", "bodies"])

/** A value that names the buyer, of the column's shape; undefined: its own value stays. */
const naming = (name: string, { shape, words }: Column, text: string): unknown => {
  if (name === "recipient") return buyer
  if (words === "address") return undefined
  if (shape === undefined) return text
  if (shape === "map") return { name: text }
  if (shape === "list") return [{ type: "receipt", url: "/files/none", name: text }]
  if (shape === "value") return { said: text }
  if (shape === "objects") return JSON.stringify({ said: text, metadata: { name: text } })
  const parts = Object.fromEntries(Object.keys(shape.parts).map((part) => [part, text]))
  return shape.of === "object" ? { number: 1, ...parts } : [{ number: 1, ...parts }]
}

const without = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(buyer, erasedText))

const erased = (column: Column, before: unknown, isOwn: boolean): unknown => {
  const { shape, words } = column
  if (before === null) return null
  if (words === "mentions" || (!isOwn && words !== "none")) return without(before)
  if (words === "address") return null
  if (words !== "words") return before
  if (shape === "value" || !isArchived(column)) return null
  if (shape === undefined) return erasedText
  if (shape === "list") return []
  if (shape === "objects") return before
  const all = (fields: Json, names: Iterable<string>) => ({
    ...fields,
    ...Object.fromEntries([...names].map((name) => [name, erasedText]))
  })
  if (shape === "map") return all(before as Json, Object.keys(before as Json))
  const names = Object.keys(shape.parts as Columns)
  return Array.isArray(before) ? before.map((each: Json) => all(each, names)) : all(before as Json, names)
}

const story = Effect.fnUntraced(function* (email: string) {
  const { running, shop } = yield* begin()
  const { sql } = running
  const hook = yield* echo
  const key = { "Idempotency-Key": `cart-for-${buyer}` }
  const order = { receipt_email: email, notify_url: hook, metadata: { name: "A buyer" } }
  const { trade_no } = yield* shop.paid(1_000, order)
  yield* said(shop.post("/v1/payment_links", { amount: 100, currency: "USD", subject: buyer }, key))
  yield* said(shop.refund({ trade_no, amount: 100, reason: buyer }, key))
  const { dispute_no } = yield* said(shop.dispute(trade_no))
  yield* said(shop.respond(dispute_no, { evidence: { customer_name: "A buyer" } }))
  yield* said(shop.resolve(dispute_no, "won"))
  yield* running.settle
  yield* flushed(running)
  yield* sql`insert into endpoint_health (endpoint_id, merchant_id, mode, first_failures, last_failed_at,
      failing_since, disables, reason, answer, due_at)
    select id, ${running.merchant.merchantId}, 'sandbox', array[now()], now(), now(), false, 'it answers 500', '',
      '2100-01-01' from (values ('whe_1')) as one (id)`
  yield* sql`insert into people (person_id, email, name, created_at) values ('p', 'p@shop.example', 'P', now())`
  yield* sql`insert into memberships (person_id, belongs_to, role, created_at)
    values ('p', ${running.merchant.merchantId}, 'developer', now())`
  yield* sql`insert into saved_views (view_id, belongs_to, person_id, page, name, query, is_shared, created_at,
      updated_at)
    values ('v', ${running.merchant.merchantId}, 'p', 'orders', 'Hers', 'q', true, now(), now())`
  yield* sql`insert into stray_sessions (id, channel, merchant_id, mode, session_id, trade_no, status, created_at,
      updated_at, ended_at)
    values ('s', 'stripe', ${running.merchant.merchantId}, 'sandbox', 'cs_1', ${trade_no}, 'open', now(), now(), now())`
  yield* sql`insert into adyen_notices (id, merchant_id, mode, code, psp_reference, reference, succeeded, amount,
      currency, card_last4, event_at, received_at, attempts)
    values ('n', ${running.merchant.merchantId}, 'sandbox', 'AUTHORISATION', 'P1', ${trade_no}, true, 1000, 'USD',
      '4242', now(), now(), 0)`
  return { running, shop, sql }
})

const rowsOf = (sql: Effect.Success<ReturnType<typeof story>>["sql"], table: string) =>
  Effect.map(sql.unsafe<{ readonly row: Json }>(`select to_jsonb(t) as row from ${table} t order by 1`), (found) =>
    found.map(({ row }) => row)
  )

describe("an erasure does with each column what its meaning says", () => {
  it.live.each([
    ["the buyer's own", buyer],
    ["another's that names the buyer", other]
  ] as const)("in rows that are %s", ([, email]) =>
    Effect.gen(function* () {
      const { running, shop, sql } = yield* story(email)
      const isOwn = email === buyer
      const text = isOwn ? `said by ${buyer}` : `said by ${buyer} to ${other}`
      for (const table of withWords) {
        const values = heldColumns(table).flatMap(([name, column]) => {
          const value = asSent.has(name) ? undefined : naming(name, column, text)
          if (value === undefined) return []
          return typeof value === "string"
            ? [sql`${sql(name)} = ${value}`]
            : [sql`${sql(name)} = ${JSON.stringify(value)}::text::jsonb`]
        })
        if (table.table === "events") values.push(sql`packed = null`)
        if (values.length > 0) yield* sql`update ${sql(table.table)} set ${sql.csv(values)}`
      }
      const before = new Map<string, ReadonlyArray<Json>>()
      for (const { table } of withWords) before.set(table, yield* rowsOf(sql, table))
      const empty = [...before].flatMap(([table, rows]) => (rows.length === 0 ? [table] : []))
      assert.deepStrictEqual(empty, [])
      yield* erasedBy(running, shop, { email: buyer })
      for (const { columns, table } of withWords) {
        const rows = yield* rowsOf(sql, table)
        assert.notInclude(JSON.stringify(rows), buyer, table)
        if (moving.includes(table)) continue
        const expected = before
          .get(table)!
          .map((row) => each(columns, table, row, (column, value) => erased(column, value, isOwn)))
        assert.sameDeepMembers(
          rows.map((row) => each(columns, table, row, (_, value) => value)),
          expected,
          table
        )
      }
      assert.notInclude(yield* storedLogs(running), buyer)
      const bodies = yield* sql<{ body: string | null; packed: Uint8Array | null }>`select body, packed from events`
      for (const event of bodies) assert.notInclude(bodyOf(event), buyer)
    }).pipe(Effect.scoped)
  )
})

/** A row without what the erasure itself writes, and without bodies of events. */
const each = (columns: Columns, table: string, row: Json, of: (column: Column, value: unknown) => unknown): Json =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([name, column]) =>
      column.shape === "objects" || written[table]?.includes(name) === true ? [] : [[name, of(column, row[name])]]
    )
  )
