/** The address at which a checkout page learns that its order has changed (silences: K5). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../../kit/Service.ts"

const opened = Effect.gen(function* () {
  const service = yield* start()
  const key = service.merchant.sandboxKey
  const { body } = yield* service.api.post("/v1/orders", key, { amount: 1_000 })
  const events = `${new URL(body.data.checkout_url).pathname}/events`
  const listening = service.api.call("GET", events, { headers: { accept: "text/event-stream" } })
  const pay = service.api.post(`/v1/test_helpers/orders/${body.data.trade_no}/pay`, key)
  return { ...service, events, listening, pay }
})

describe("the events of a checkout page", () => {
  it.live("tell of the payment and end, under headers that let no cache keep them and name no address", () =>
    Effect.gen(function* () {
      const { listening, pay } = yield* opened
      const [heard] = yield* Effect.all([listening, pay], { concurrency: 2 })
      assert.strictEqual(heard.status, 200)
      assert.strictEqual(heard.headers.get("content-type"), "text/event-stream")
      assert.strictEqual(heard.headers.get("cache-control"), "no-store")
      assert.strictEqual(heard.headers.get("referrer-policy"), "no-referrer")
      assert.strictEqual(heard.text, "retry: 3000\n\nevent: changed\ndata:\n\n")
    })
  )

  it.live("are one word for a page that polls", () =>
    Effect.gen(function* () {
      const { api, events, pay } = yield* opened
      assert.strictEqual((yield* api.get(events)).text, "pending")
      assert.strictEqual((yield* api.call("HEAD", events, { headers: { accept: "text/event-stream" } })).status, 200)
      yield* pay
      assert.strictEqual((yield* api.get(events)).text, "changed")
    })
  )

  it.live("are not there at an address that we did not sign", () =>
    Effect.gen(function* () {
      const { api, events } = yield* opened
      const forged = yield* api.get(events.replace("/events", "x/events"))
      assert.deepStrictEqual([forged.status, forged.text], [404, "unknown"])
    })
  )
})
