/**
 * A connection that drops locks no `Idempotency-Key`: the client sends the request again and is answered. Time stands
 * still here, so that a claim which waits for its lease would be refused for ever (silences: I6).
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { blocking } from "../../kit/faults/Faults.ts"
import { hangUp } from "../../kit/faults/hangUp.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { assertRefused, merchantOf } from "../../kit/Merchant.ts"
import { asRunner, type Running, start } from "../../kit/Service.ts"

const triesMax = 100
const json = { "Content-Type": "application/json" }

/** Until it is no longer in progress; how often that was said. */
const insist = Effect.fnUntraced(function* (send: Effect.Effect<Reply>) {
  for (let tries = 1; ; tries++) {
    const reply = yield* send
    if (reply.body.error !== "idempotency_in_progress") return reply
    assert.match(reply.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    assert.isBelow(tries, triesMax, "the key is locked")
  }
})

/** By then the server has received whatever was sent to it before. */
const heard = ({ api }: Running) => Effect.repeat(api.get("/healthz"), { times: 5 })

describe("a caller that hangs up", () => {
  for (const [where, env] of [
    ["alone", Effect.succeed({})],
    ["one of several runners", asRunner]
  ] as const) {
    it.live(`while its key is being written does not lock it: the retry is answered (${where})`, () =>
      Effect.gen(function* () {
        let isArmed = false
        const fault = yield* blocking("Transactor.write", "before", (tables) => isArmed && /idempotency/.test(tables))
        const service = yield* start({ clock: "test", faults: fault.layer, env: yield* env })
        yield* Effect.gen(function* () {
          const key = service.merchant.sandboxKey
          const body = { amount: 100 }
          const headers = { "Idempotency-Key": "k" }
          isArmed = true
          const sent = {
            method: "POST",
            path: "/v1/orders",
            raw: JSON.stringify(body),
            headers: { ...json, ...headers, "X-Api-Key": key }
          }
          yield* hangUp(service.baseUrl, sent, Deferred.await(fault.reached))
          yield* heard(service)
          yield* fault.release
          const retried = yield* insist(service.api.call("POST", "/v1/orders", { key, body, headers }))
          assert.strictEqual(retried.status, 201, retried.text)
          assert.strictEqual((yield* service.sql`select 1 from orders`).length, 1)
        }).pipe(Effect.ensuring(fault.release))
      })
    )
  }

  it.live("0 to 8 ms after sending any write gets an answer to the retry, and everything is done once", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const shop = merchantOf(service)
      const key = service.merchant.sandboxKey
      yield* shop.paid(1_000_000)
      for (let millis = 0; millis <= 8; millis++) {
        const name = `${millis}`
        yield* shop.post("/v1/orders", { amount: 1_000, out_trade_no: `expire-${name}` })
        yield* shop.post("/v1/orders", { amount: 1_000, out_trade_no: `pay-${name}` })
        const { trade_no } = yield* shop.paid(1_000)
        const writes: ReadonlyArray<readonly [string, object]> = [
          ["/v1/orders", { amount: 1_000 }],
          [`/v1/orders/${trade_no}`, { metadata: { a: name } }],
          [`/v1/orders/expire-${name}/expire`, {}],
          [`/v1/test_helpers/orders/pay-${name}/pay`, {}],
          ["/v1/refunds", { trade_no, amount: 600 }]
        ]
        for (const [path, body] of writes) {
          const headers = { "X-Api-Key": key, "Idempotency-Key": `${path} ${name}` }
          const sent = { method: "POST", path, raw: JSON.stringify(body), headers: { ...json, ...headers } }
          yield* hangUp(service.baseUrl, sent, realSleep(millis))
          const reply = yield* insist(service.api.call("POST", path, { body, headers }))
          assert.include([200, 201], reply.status, `${path} after ${millis} ms: ${reply.text}`)
        }
      }
      const [counts] = yield* service.sql`select
        (select count(*)::int4 from orders where amount = 1000) as orders,
        (select count(*)::int4 from refunds where status <> 'void') as refunds,
        (select count(*)::int4 from sandbox_refunds) as paid_back,
        (select count(*)::int4 from sandbox_payments) as payments`
      assert.deepStrictEqual(counts, { orders: 36, refunds: 9, paid_back: 9, payments: 19 })
      yield* assertLedgerWhole(service.sql)
    })
  )
})

describe("a request that meets its first one still running", () => {
  it.live("gets how long that may last: the seconds until the lease ends, and never less than one", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("Idempotency.run", "before")
      const service = yield* start({ clock: "test", faults: fault.layer })
      const { api, merchant } = service
      yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100, out_trade_no: "known" })
      const pay = api.call("POST", "/v1/test_helpers/orders/known/pay", {
        key: merchant.sandboxKey,
        body: {},
        headers: { "Idempotency-Key": "k" }
      })
      const first = yield* Effect.forkChild(pay)
      yield* Deferred.await(fault.reached)
      const told = Effect.map(pay, (reply) => {
        assertRefused(reply, 409, "idempotency_in_progress")
        return reply.headers.get("retry-after")
      })
      assert.strictEqual(yield* told, "30")
      yield* service.pass("18500 millis")
      assert.strictEqual(yield* told, "12")
      yield* service.pass("11400 millis")
      assert.strictEqual(yield* told, "1")
      yield* fault.release
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
    })
  )
})

const realSleep = (millis: number) => Effect.promise(() => new Promise((resume) => setTimeout(resume, millis)))
