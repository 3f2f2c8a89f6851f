/** An object in a list is what its own endpoint answers (spec: List conventions; Events and logs; silences: E1). */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { bodyOf } from "../../../src/webhooks/events/eventBodies.ts"
import type { Api, Merchant, Reply } from "../../kit/Api.ts"
import { insertEvents } from "../../kit/rows/Rows.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/listedObjects") {}

/** 2026-01-01T00:00:00Z */
const since = 1_767_225_600_000

const dataOf = (reply: Reply): ReadonlyArray<Record<string, unknown>> => {
  assert.strictEqual(reply.status, 200, reply.text)
  return reply.body.data.data
}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("lists", (it) => {
  describe("an object in a list", () => {
    it.effect("is what its own endpoint answers, and the event is what was stored", () =>
      Effect.gen(function* () {
        const { api, sql } = yield* Service
        const { merchantId, sandboxKey: key } = yield* api.newMerchant()
        for (const status of ["pending", "paid", "expired"]) {
          const { body } = yield* api.post("/v1/orders", key, {
            amount: 1000,
            subject: "茶",
            metadata: { b: "2", a: "1", 7: "seven", ['__proto__"']: "x" }
          })
          const { trade_no } = body.data
          if (status === "paid") yield* api.post(`/v1/test_helpers/orders/${trade_no}/pay`, key, {})
          if (status === "expired") yield* api.post(`/v1/orders/${trade_no}/expire`, key)
        }
        const orders = dataOf(yield* api.get("/v1/orders", key))
        assert.deepStrictEqual(
          orders.map(({ status }) => status),
          ["expired", "paid", "pending"]
        )
        for (const order of orders) {
          assert.deepStrictEqual((yield* api.get(`/v1/orders/${String(order["trade_no"])}`, key)).body.data, order)
        }

        const listed = yield* api.get("/v1/events", key)
        const stored = yield* sql<{ id: string; body: null; packed: Uint8Array }>`
          select id, body, packed from events where merchant_id = ${merchantId} order by id desc`
        assert.strictEqual(stored.length, 2)
        for (const { id, ...event } of stored) {
          const body = bodyOf(event)
          // As stored, and the signed addresses with their signatures.
          const urls = orders.flatMap(({ checkout_url, receipt_url }) => [checkout_url, receipt_url ?? ""])
          const whole = urls
            .map(String)
            .reduce((text, url) => text.replace(`"${url.slice(0, url.lastIndexOf("."))}"`, `"${url}"`), body)
          assert.isAbove(whole.length, body.length)
          assert.include(listed.text, whole)
          assert.include((yield* api.get(`/v1/events/${id}`, key)).text, whole)
        }

        const [fee, credit, ...rest] = dataOf(yield* api.get("/v1/balance_transactions", key))
        assert.deepStrictEqual(rest, [])
        assert.deepStrictEqual([credit!["type"], credit!["amount"]], ["payment_credit", 1000])
        assert.deepStrictEqual([fee!["type"], fee!["amount"], fee!["balance_after"]], ["fee_debit", -59, 941])
      })
    )
  })

  describe("GET /v1/events/{id}", () => {
    it.effect("finds the caller's own event, and no other", () =>
      Effect.gen(function* () {
        const { api, sql } = yield* Service
        const owner = yield* api.newMerchant()
        const stranger = yield* api.newMerchant()
        yield* approve(api, owner)
        yield* insertEvents(sql, { merchantId: owner.merchantId, count: 1, since, step: 1 })
        const [event] = dataOf(yield* api.get("/v1/events", owner.sandboxKey))
        const at = `/v1/events/${String(event!["id"])}`
        assert.deepStrictEqual((yield* api.get(at, owner.sandboxKey)).body.data, event)
        for (const [path, key] of [
          [at, stranger.sandboxKey],
          [at, owner.liveKey],
          [`${at}0`, owner.sandboxKey],
          [at.toLowerCase(), owner.sandboxKey],
          ["/v1/events/%00", owner.sandboxKey],
          ["/v1/events/evt_", owner.sandboxKey]
        ] as const) {
          const reply = yield* api.get(path, key)
          assert.strictEqual(reply.status, 404, path)
          assert.strictEqual(reply.body.error, "event_not_found")
        }
      })
    )
  })
})

const approve = (api: Api, { merchantId }: Merchant) =>
  api.operator("POST", `/merchants/${merchantId}`, { approved: true })
