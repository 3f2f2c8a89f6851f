/** A buyer who is erased (docs/decisions/0103): no trace remains in the service, and the books are unchanged. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Faults } from "../../../src/platform/runtime/Faults.ts"
import { entriesOf } from "../../kit/callers/operators.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { flushed } from "../../kit/rows/logs.ts"
import { type Json, merchantOf, said } from "../../kit/Merchant.ts"
import type { Running } from "../../kit/Service.ts"
import { begin, finished, stored } from "../../kit/stories/erasures.ts"
import { echo, email, filesIn, found, name, terms, wholeBuyer } from "../../kit/stories/erasedBuyer.ts"

describe("an erased buyer", () => {
  it.effect("is in no row, file, log or stored answer any more, and every law of the books holds", () =>
    Effect.gen(function* () {
      const { folder, lines, running, shop } = yield* begin()
      const { api, sql } = running
      const { dispute_no, fileName, tradeNo } = yield* wholeBuyer(
        running,
        yield* echo,
        Effect.andThen(running.settle, flushed(running))
      )
      yield* said(shop.resolve(dispute_no, "lost"))
      yield* running.settle
      const before = [...(yield* stored(running)), ...filesIn(folder)]
      for (const kind of ["orders", "refunds", "events", "mails", "deliver", "idempotency_keys", "dispute_evidence"]) {
        assert.isNotEmpty(found(before.filter((text) => text.startsWith(kind.slice(0, 5)))), kind)
      }
      const asked = yield* said(api.operator("POST", "/erasures", { email: email.toUpperCase() }))
      const erasure = yield* finished(running, said(api.operator("GET", `/erasures/${asked["erasure_no"]}`)))
      yield* flushed(running)

      assert.deepStrictEqual(found(yield* stored(running)), [])
      assert.deepStrictEqual(found(filesIn(folder)), [])
      assert.isNotEmpty(lines)
      assert.deepStrictEqual(found(lines), [])
      assert.isFalse(filesIn(folder).some((file) => file.startsWith(fileName)))
      yield* assertLedgerWhole(sql)

      assert.deepInclude(erasure["counts"], { orders: 2, refunds: 1, disputes: 1, files: 1, mails: 1 })
      const order = yield* shop.order("cart-1")
      assert.deepInclude(order, { trade_no: tradeNo, amount: 5_000, receipt_email: null, subject: "[erased]" })
      assert.deepStrictEqual(order["metadata"], {
        courier_note: "[erased]",
        customer: "[erased]",
        size: "[erased]",
        street: "[erased]"
      })
      const events = (yield* said(shop.get(`/v1/events?object_id=${tradeNo}`)))["data"] as ReadonlyArray<Json>
      assert.isNotEmpty(events)
      for (const { data } of events) {
        assert.deepInclude(data["object"], { receipt_email: null, out_trade_no: "cart-1", amount: 5_000 })
      }
      const repeated = yield* shop.post(
        "/v1/orders",
        terms({ out_trade_no: "cart-1", notify_url: "https://other.example" }),
        { "Idempotency-Key": `cart-${email}` }
      )
      assert.strictEqual(repeated.status, 400, "the key still stands for its request")
    }).pipe(Effect.scoped)
  )

  it.effect("is not erased of other merchants, nor of the other environment, when a merchant asks", () =>
    Effect.gen(function* () {
      const { running, shop } = yield* begin()
      const { sandboxKey } = yield* running.api.newMerchant()
      const other = merchantOf(running, sandboxKey)
      const live = merchantOf(running, running.merchant.liveKey)
      for (const each of [shop, other]) yield* said(each.post("/v1/orders", terms({ out_trade_no: "1" })))
      yield* said(running.api.operator("POST", `/merchants/${running.merchant.merchantId}`, { approved: true }))
      const asked = yield* said(shop.post("/v1/erasures", { email }))
      yield* finished(running, said(shop.get(`/v1/erasures/${asked["erasure_no"]}`)))
      assert.isNull((yield* shop.order("1"))["receipt_email"])
      assert.strictEqual((yield* other.order("1"))["receipt_email"], email)
      for (const each of [other, live]) {
        assert.strictEqual((yield* each.get(`/v1/erasures/${asked["erasure_no"]}`)).status, 404)
      }
      yield* flushed(running)
      const logs = yield* said(shop.get("/v1/logs?limit=100"))
      assert.deepStrictEqual(found([JSON.stringify(logs)]), [])
    }).pipe(Effect.scoped)
  )

  it.effect("is counted by a dry run, which changes nothing", () =>
    Effect.gen(function* () {
      const { running, shop } = yield* begin()
      yield* shop.paid(1_000, terms())
      yield* running.settle
      const dry = yield* shop.post("/v1/erasures", { email, dry_run: true })
      assert.strictEqual(dry.status, 200, dry.text)
      assert.deepInclude(dry.body.data, { erasure_no: null, status: "dry_run", is_capped: false })
      assert.deepInclude(dry.body.data.counts, { orders: 1, mails: 1, events: 1, refunds: 0, logs: null })
      assert.strictEqual((yield* running.sql`select 1 from erasures`).length, 0)
      assert.strictEqual((yield* shop.get("/v1/orders")).body.data.data[0].receipt_email, email)
    }).pipe(Effect.scoped)
  )

  it.effect("keeps the orders that were taken after the request", () =>
    Effect.gen(function* () {
      const { running, shop } = yield* begin()
      yield* said(shop.post("/v1/orders", terms({ out_trade_no: "before" })))
      yield* running.pass("1 second")
      const asked = yield* said(shop.post("/v1/erasures", { email }))
      yield* running.pass("1 millis")
      yield* said(shop.post("/v1/orders", terms({ out_trade_no: "after" })))
      yield* finished(running, said(shop.get(`/v1/erasures/${asked["erasure_no"]}`)))
      assert.isNull((yield* shop.order("before"))["receipt_email"])
      assert.strictEqual((yield* shop.order("after"))["receipt_email"], email)
    }).pipe(Effect.scoped)
  )

  it.effect("is one erasure for two requests at once, and another once that has ended", () =>
    Effect.gen(function* () {
      const { running, shop } = yield* begin()
      yield* said(shop.post("/v1/orders", terms()))
      const both = yield* Effect.all(
        [shop.post("/v1/erasures", { email }), shop.post("/v1/erasures", { email: email.toLowerCase() })],
        { concurrency: 2 }
      )
      const numbers = both.map(({ body }) => body.data.erasure_no)
      assert.deepStrictEqual(
        both.map(({ status }) => status),
        [202, 202]
      )
      assert.strictEqual(numbers[0], numbers[1])
      yield* finished(running, said(shop.get(`/v1/erasures/${numbers[0]}`)))
      assert.notStrictEqual((yield* said(shop.post("/v1/erasures", { email })))["erasure_no"], numbers[0])
    }).pipe(Effect.scoped)
  )

  it.effect("is refused while ten of an account's erasures are at work, and of no other account", () =>
    Effect.gen(function* () {
      const { running, shop } = yield* begin()
      const other = merchantOf(running, (yield* running.api.newMerchant()).sandboxKey)
      const statuses: Array<number> = []
      for (let buyer = 0; buyer < 11; buyer++) {
        statuses.push((yield* shop.post("/v1/erasures", { email: `buyer${buyer}@b.example` })).status)
      }
      assert.deepStrictEqual(statuses, [...Array.from({ length: 10 }, () => 202), 409])
      assert.strictEqual((yield* other.post("/v1/erasures", { email })).status, 202)
      assert.strictEqual((yield* shop.post("/v1/erasures", { email: "buyer3@b.example" })).status, 202)
    }).pipe(Effect.scoped)
  )

  it.effect("waits with an order whose dispute is open, and takes it when the bank has decided", () =>
    Effect.gen(function* () {
      const { running, shop } = yield* begin()
      yield* shop.paid(1_000, terms({ out_trade_no: "1" }))
      const { dispute_no } = yield* said(shop.dispute("1"))
      yield* said(shop.respond(dispute_no, { evidence: { customer_name: name } }))
      yield* running.settle
      const asked = yield* said(shop.post("/v1/erasures", { email }))
      yield* running.pass("2 hours")
      const read = said(shop.get(`/v1/erasures/${asked["erasure_no"]}`))
      assert.deepInclude(yield* read, { status: "running", orders_waiting: 1 })
      assert.strictEqual((yield* shop.order("1"))["receipt_email"], email)
      yield* said(shop.resolve(dispute_no, "won"))
      assert.deepInclude(yield* finished(running, read), { status: "done", orders_waiting: 0 })
      assert.deepStrictEqual(found(yield* stored(running)), [])
      yield* assertLedgerWhole(running.sql)
    }).pipe(Effect.scoped)
  )

  it.effect("named by an order's number is erased in that order alone", () =>
    Effect.gen(function* () {
      const { running, shop } = yield* begin()
      for (const out_trade_no of ["1", "2"]) yield* said(shop.post("/v1/orders", terms({ out_trade_no })))
      const asked = yield* said(shop.post("/v1/erasures", { trade_no: "1" }))
      yield* finished(running, said(shop.get(`/v1/erasures/${asked["erasure_no"]}`)))
      assert.strictEqual((yield* shop.order("1"))["metadata"]["customer"], "[erased]")
      assert.strictEqual((yield* shop.order("2"))["metadata"]["customer"], name)
      assert.strictEqual((yield* shop.post("/v1/erasures", { trade_no: "3" })).status, 404)
      assert.strictEqual((yield* shop.post("/v1/erasures", { trade_no: "1", email })).status, 400)
    }).pipe(Effect.scoped)
  )

  it.effect("is in the audit log of the operator's act by a hash alone", () =>
    Effect.gen(function* () {
      const { running } = yield* begin()
      const asked = yield* said(running.api.operator("POST", "/erasures", { email }))
      const entries = yield* entriesOf(running.api, "&act=erasures.create")
      assert.strictEqual(entries.length, 2)
      const text = JSON.stringify(entries)
      assert.include(text, asked["email_hash"])
      assert.deepStrictEqual(found([text]), [])
    }).pipe(Effect.scoped)
  )
})

/** Dies once in each step, when a slice of it is done and its position is not saved. */
const dyingInEachStep = () => {
  const died = new Set<string>()
  const layer = Layer.succeed(Faults, {
    around: (at, effect, detailOf) => {
      const step = detailOf?.() ?? ""
      if (at !== "Erasures.save" || died.has(step)) return effect
      died.add(step)
      return Effect.die(`died in ${step}`)
    }
  })
  return { layer, died }
}

describe("an erasure whose runner is killed", () => {
  it.effect("goes on from its place in whichever step that was", () =>
    Effect.gen(function* () {
      const { died, layer } = dyingInEachStep()
      const { running, shop } = yield* begin({ faults: layer })
      for (let order = 0; order < 3; order++) yield* shop.paid(1_000, terms())
      yield* running.settle
      const asked = yield* said(shop.post("/v1/erasures", { email }))
      const erasure = yield* finished(running, said(shop.get(`/v1/erasures/${asked["erasure_no"]}`)))
      assert.deepStrictEqual([...died], ["orders", "named", "mails", "links", "held", "answers", "logs"])
      assert.strictEqual(erasure["counts"]["orders"], 3)
      assert.deepStrictEqual(found(yield* stored(running)), [])
      yield* assertLedgerWhole(running.sql)
    }).pipe(Effect.scoped)
  )
})

interface Kept {
  readonly row: string
}

/** The row again, with other values. */
const written = (sql: Running["sql"], table: string, { row }: Kept, values: Json) => {
  const all: Json = { ...JSON.parse(row), ...values }
  const columns = Object.keys(all).join(", ")
  return sql.unsafe(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1::text::jsonb)`,
    [JSON.stringify(all)]
  )
}

describe("a request that is under way while copies are looked through", () => {
  it.effect("has its stored answer and its call found by a second look, once it has ended", () =>
    Effect.gen(function* () {
      const { running, shop } = yield* begin()
      const { sql } = running
      yield* said(shop.post("/v1/orders", terms(), { "Idempotency-Key": "first" }))
      yield* flushed(running)
      const [answer] = yield* sql<Kept>`select to_jsonb(k)::text as row from idempotency_keys k`
      const [call] = yield* sql<Kept>`select (to_jsonb(l) - 'status_class')::text as row from api_logs l`
      const [bodies] = yield* sql<Kept>`select to_jsonb(b)::text as row from api_log_bodies b`
      const asked = yield* said(shop.post("/v1/erasures", { email }))
      yield* running.settle
      assert.lengthOf(yield* sql`select from erasures where is_late`, 1)
      assert.deepStrictEqual(found((yield* stored(running)).filter((text) => !text.startsWith("erasures"))), [])
      // Copies that a request under way leaves only now, and none of them where the first look has been.
      yield* written(sql, "idempotency_keys", answer!, { id: "0" })
      yield* written(sql, "api_log_bodies", bodies!, { block: 1_000 })
      yield* written(sql, "api_logs", call!, { request_id: "req_00000000000000000000000000", block: 1_000 })
      assert.isNotEmpty(found(yield* stored(running)))
      const erasure = yield* finished(running, said(shop.get(`/v1/erasures/${asked["erasure_no"]}`)))
      assert.deepInclude(erasure["counts"], { orders: 1, answers: 2, logs: 2 })
      assert.deepStrictEqual(found(yield* stored(running)), [])
    }).pipe(Effect.scoped)
  )
})

describe("after the restore of a backup", () => {
  it.effect("an operator erases a buyer again by the hash alone", () =>
    Effect.gen(function* () {
      const { running, shop } = yield* begin()
      const erase = (body: object) =>
        Effect.flatMap(said(running.api.operator("POST", "/erasures", body)), ({ erasure_no }) =>
          finished(running, said(running.api.operator("GET", `/erasures/${erasure_no}`)))
        )
      const { email_hash } = yield* erase({ email })
      // The backup has the buyer still.
      for (const receipt_email of ["another@buyer.example", email]) {
        const out_trade_no = receipt_email.slice(0, 4)
        yield* said(shop.post("/v1/orders", { amount: 1_000, out_trade_no, receipt_email }))
      }
      assert.deepInclude((yield* erase({ email_hash }))["counts"], { orders: 1 })
      assert.isNull((yield* shop.order("Jane"))["receipt_email"])
      assert.strictEqual((yield* shop.order("anot"))["receipt_email"], "another@buyer.example")
      const unknown = yield* erase({ email_hash: "0".repeat(64) })
      assert.deepInclude(unknown["counts"], { orders: 0, logs: 0 })
    }).pipe(Effect.scoped)
  )
})
