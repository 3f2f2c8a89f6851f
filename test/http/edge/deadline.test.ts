/** All waits of one request together have a limit (silences: G29). Its time is the test's own, and moves by hand. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { graceMillis, requestMillis } from "../../../src/platform/runtime/Deadline.ts"
import type { Reply } from "../../kit/Api.ts"
import { cable } from "../../kit/servers/Cable.ts"
import { blocking } from "../../kit/faults/Faults.ts"
import { eventually } from "../../kit/Process.ts"
import { requestTime } from "../../kit/program/requestTime.ts"
import { freshDatabase, start } from "../../kit/Service.ts"

const assertBusy = ({ body, headers, status }: Pick<Reply, "status" | "body" | "headers">) => {
  assert.deepStrictEqual([status, body?.error], [503, "internal_error"])
  assert.isTrue(headers.has("retry-after"))
}

/** The answer when the request's time is over, after the grace. */
const answeredLate = Effect.fnUntraced(function* (
  { move }: ReturnType<typeof requestTime>,
  answer: Fiber.Fiber<Reply>
) {
  move(requestMillis)
  yield* eventually(
    "the answer",
    Effect.sync(() => {
      move(graceMillis)
      return answer.pollUnsafe() !== undefined
    })
  )
  return yield* Fiber.join(answer)
})

describe("a request whose handler does not end", () => {
  for (const type of ["application/json", "Application/Json"]) {
    it.live(`is answered 503 when its time is over, and its key is free again: ${type}`, () =>
      Effect.gen(function* () {
        const clock = requestTime()
        const fault = yield* blocking("Idempotency.run", "before")
        const { api, merchant } = yield* start({ faults: fault.layer, beneath: clock.layer })
        const create = api.call("POST", "/v1/orders", {
          key: merchant.sandboxKey,
          headers: { "Content-Type": type, "Idempotency-Key": "one" },
          body: { amount: 1000 }
        })
        const first = yield* Effect.forkChild(create)
        yield* Deferred.await(fault.reached)
        assertBusy(yield* answeredLate(clock, first))
        yield* eventually(
          "the key to be free",
          Effect.map(create, ({ status }) => status === 201)
        )
      })
    )
  }

  it.live("is an operator's act: it is answered 503, and has its second entry in the audit log", () =>
    Effect.gen(function* () {
      const clock = requestTime()
      const fault = yield* blocking("Store.write", "before", (table) => table === "operators")
      const { api, sql } = yield* start({ faults: fault.layer, beneath: clock.layer })
      const act = yield* Effect.forkChild(api.operator("POST", "/operators", { name: "Ada", role: "viewer" }))
      yield* Deferred.await(fault.reached)
      assertBusy(yield* answeredLate(clock, act))
      const done = sql`select 1 from audit_log where phase = 'done' and status = 503`
      yield* eventually(
        "the second entry",
        Effect.map(done, ({ length }) => length === 1)
      )
    })
  )
})

describe("with a Postgres that takes as long for a statement as a request has in all", () => {
  it.live("every kind of request is answered after the first: the API with 503, and a buyer with a page", () =>
    Effect.gen(function* () {
      const clock = requestTime(true)
      let isSlow = false
      const wire = yield* cable(yield* freshDatabase, { onSent: () => isSlow && clock.move(requestMillis) })
      const { api, merchant } = yield* start({ database: wire.url, clock: "test", beneath: clock.layer })
      const key = merchant.sandboxKey
      const ordered = Effect.map(api.post("/v1/orders", key, { amount: 1000 }), ({ body }) => body.data)
      const paid = yield* ordered
      assert.strictEqual((yield* api.post(`/v1/test_helpers/orders/${paid.trade_no}/pay`, key, {})).status, 200)
      const pending = yield* ordered
      const page = new URL(pending.checkout_url).pathname
      const writes = [
        api.call("POST", "/v1/reports", { key, headers: { "Idempotency-Key": "two" }, body: { report: "frozen" } }),
        api.post(`/v1/orders/${pending.trade_no}`, key, { metadata: { note: "1" } }),
        api.post(`/v1/test_helpers/orders/${pending.trade_no}/pay`, key, {}),
        api.post(`/v1/orders/${pending.trade_no}/expire`, key, {}),
        api.post("/v1/refunds", key, { trade_no: paid.trade_no, amount: 100 }),
        api.operator("POST", `/merchants/${merchant.merchantId}`, { name: "Renamed" })
      ]
      isSlow = true
      for (const write of writes) assertBusy(yield* write)
      const pay = new URLSearchParams({ step: "pay", method: "alipay", attempt_no: "01ARZ3NDEKTSV4RRFFQ69G5FAV" })
      const form = { "Content-Type": "application/x-www-form-urlencoded" }
      for (const shown of [yield* api.get(page), yield* api.call("POST", page, { headers: form, raw: String(pay) })]) {
        assert.strictEqual(shown.status, 503, shown.text)
        assert.match(shown.headers.get("content-type") ?? "", /^text\/html/)
        assert.isTrue(shown.headers.has("retry-after"))
      }
      isSlow = false
      yield* eventually(
        "all of it to succeed",
        Effect.gen(function* () {
          yield* writes[2]!
          const { body, status } = yield* api.get(`/v1/orders/${pending.trade_no}`, key)
          return status === 200 && body.data.status === "paid"
        })
      )
    })
  )
})
