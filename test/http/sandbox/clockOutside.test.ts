/**
 * The clock of a sandbox that was moved dates the rows of that sandbox and no others (silences: T2): everything that a
 * merchant and an operator do there is done four years ahead, and then all rows of the database are checked.
 */
import { millisOfId } from "@coffer/model/Ids"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { callerOf } from "../../kit/stories/clockStory.ts"
import { flushed } from "../../kit/rows/logs.ts"
import { hooksOf } from "../../kit/callers/Hooks.ts"
import type { Json } from "../../kit/Merchant.ts"
import { receiver } from "../../kit/Receiver.ts"
import { start } from "../../kit/Service.ts"
import { uploaded } from "../../kit/callers/uploads.ts"

const begins = Date.UTC(2026, 0, 1)
const years = 4
/** Nothing made today has so late a date: a key or a certificate lasts a year at most. */
const tooLate = begins + 2 * 365 * 86_400_000

/** Tables without an owner of their own: a column, and the table and key that it names. */
const ofOthers: Readonly<Record<string, readonly [column: string, table: string, key: string]>> = {
  delivery_attempts: ["delivery_id", "deliveries", "id"],
  dispute_evidence: ["dispute_no", "disputes", "dispute_no"],
  mails: ["trade_no", "orders", "trade_no"],
  order_tags: ["trade_no", "orders", "trade_no"],
  sandbox_payments: ["trade_no", "orders", "trade_no"],
  sandbox_refunds: ["payment_id", "orders", "payment_id"]
}
/** All of their rows are a sandbox's, by the merchant alone. */
const ofSandboxes = ["sandbox_clocks", "sandbox_disputes", "sandbox_seeds"]

it.live("a sandbox that is years ahead writes no time to come into a row that is not its own", () =>
  Effect.gen(function* () {
    const running = yield* start({ clock: "test", begins })
    const { api, merchant, sql } = running
    const { merchantId, sandboxKey } = merchant
    const { advance, call, get, order, paid, post } = callerOf([api], sandboxKey)
    const operator = (method: "GET" | "POST", path: string, body?: Json) =>
      Effect.map(api.operator(method, path, body), (reply) => {
        assert.isBelow(reply.status, 300, `${path}: ${reply.text}`)
        return reply.body.data as Json
      })
    yield* advance({ by: `${years * 365}d` })

    const hooks = hooksOf(running, merchant)
    const hook = yield* receiver
    const endpoint = yield* hooks.create({ url: hook.url, enabled_events: ["*"] })
    yield* hooks.rotate(endpoint.id)
    yield* hooks.rotateSecret
    yield* hooks.single(hook.url)
    const sold = yield* paid("card", { metadata: { a: "b" } })
    const { refund_no } = yield* post("/refunds", { trade_no: sold.trade_no, amount: 100 })
    yield* get(`/refunds/${refund_no}`)
    yield* call("POST", `/orders/${sold.trade_no}/send_receipt`, { email: "ann@shop.example" })
    yield* api.call("GET", new URL(sold.receipt_url ?? (yield* get(`/orders/${sold.trade_no}`)).receipt_url).pathname)
    const link = yield* post("/payment_links", { amount: 100 })
    yield* api.call("GET", new URL(link.url).pathname)
    const file = yield* uploaded(running, merchantId)
    const other = yield* paid("card")
    const { dispute_no } = yield* post(`/test_helpers/orders/${other.trade_no}/dispute`)
    yield* post(`/disputes/${dispute_no}/evidence`, { files: [{ type: "receipt", url: file }], submit: true })
    yield* post(`/orders/${(yield* order()).trade_no}/expire`)
    // An unknown key, a refused call, and one with a key of its own.
    yield* api.get("/v1/orders", `${sandboxKey.slice(0, -1)}x`)
    yield* call("GET", "/orders/nowhere")
    yield* api.call("POST", "/v1/orders", {
      key: sandboxKey,
      body: { amount: 100 },
      headers: { "Idempotency-Key": "cart" }
    })
    yield* flushed(running)
    yield* running.atRest
    const { data } = yield* operator("GET", `/merchants/${merchantId}/webhook_deliveries?mode=sandbox`)
    yield* operator("POST", `/webhook_deliveries/${data[0].id}/resend`)
    const payout = yield* operator("POST", `/merchants/${merchantId}/payouts`, {
      mode: "sandbox",
      amount: 100,
      currency: "USD"
    })
    yield* operator("POST", `/payouts/${payout["payout_no"]}/approve`)
    yield* operator("POST", `/merchants/${merchantId}`, {
      note: "seen",
      sandbox: { mail_recipients: ["@shop.example"] }
    })
    yield* operator("GET", `/merchants/${merchantId}/overview?mode=sandbox`)
    yield* operator("GET", "/held_up")
    yield* running.pass("5 minutes")
    yield* operator("POST", `/merchants/${merchantId}/keys/sandbox/reset`)
    yield* operator("POST", `/merchants/${merchantId}/suspend`)
    yield* flushed(running)
    yield* running.atRest

    const tables = yield* sql<{ readonly name: string; readonly columns: ReadonlyArray<string> }>`
      select table_name as name, array_agg(column_name::text) as columns from information_schema.columns
      join information_schema.tables using (table_schema, table_name)
      where table_schema = current_schema() and table_type = 'BASE TABLE' group by table_name`
    assert.isAbove(tables.length, 30)
    const found: Array<string> = []
    let own = 0
    for (const { columns, name } of tables) {
      const parent = ofOthers[name]
      const whose = columns.includes("mode") ? "t.mode = 'sandbox'" : String(ofSandboxes.includes(name))
      const ofIt =
        parent === undefined
          ? columns.includes("merchant_id")
            ? `t.merchant_id = '${merchantId}' and ${whose}`
            : "false"
          : `exists (select from ${parent[1]} o where o.${parent[2]} = t.${parent[0]} and o.merchant_id = '${merchantId}')`
      const rows = yield* sql.unsafe<{ row: Json; own: boolean }>(
        `select to_jsonb(t) as row, coalesce(${ofIt}, false) as own from ${name} t`
      )
      for (const { own: isOwn, row } of rows) {
        for (const [column, value] of Object.entries(row)) {
          if (!isLate(column, value)) continue
          if (isOwn) own++
          else found.push(`${name}.${column}: ${JSON.stringify(row).slice(0, 200)}`)
        }
      }
    }
    assert.deepStrictEqual(found, [])
    assert.isAbove(own, 50, "the sandbox itself is years ahead")
  })
)

/** A time, or the time in the row's own number. Other numbers name rows of the sandbox. */
const isLate = (column: string, value: unknown): boolean => {
  if (typeof value !== "string") return false
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return Date.parse(value) > tooLate
  return column === "id" && /^[a-zA-Z]+_[0-9A-HJKMNP-TV-Z]{26}$/.test(value) && millisOfId(value) > tooLate
}
