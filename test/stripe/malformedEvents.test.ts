/** Correctly signed bodies that are no event of Stripe: refused or taken, never a failure of ours. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { connected } from "./kit.ts"

const event = {
  id: "evt_1",
  object: "event",
  type: "refund.updated",
  livemode: false,
  created: 1_767_225_600,
  data: { object: { id: "re_1" } }
}

const refused = {
  nothing: null,
  "a text": "evt_1",
  "a list": [event],
  "no id": { ...event, id: undefined },
  "an id with NUL": { ...event, id: "evt_\u0000" },
  "an id without an end": { ...event, id: "e".repeat(100_000) },
  "no type": { ...event, type: 1 },
  "no time": { ...event, created: undefined },
  "a time that no calendar has": { ...event, created: 1e15 },
  "no data": { ...event, data: null },
  "no object": { ...event, data: {} }
}

const ignored = {
  "an object without an id": { ...event, data: { object: {} } },
  "an object's id with NUL": { ...event, data: { object: { id: "re_\u0000" } } },
  "an object's id without an end": { ...event, data: { object: { id: "r".repeat(100_000) } } }
}

describe("a signed body", () => {
  it.live("that is no event is refused, and one about no object is taken; neither is stored", () =>
    Effect.gen(function* () {
      const { api, control, endpoint, sql, stripe } = yield* connected()
      const { now } = yield* control.state({})
      const send = (body: unknown) => {
        const raw = JSON.stringify(body)
        const signature = stripe.webhooks.generateTestHeaderString({
          payload: raw,
          secret: endpoint.secret!,
          timestamp: now
        })
        const headers = { "Content-Type": "application/json", "Stripe-Signature": signature }
        return api.call("POST", new URL(endpoint.url).pathname, { raw, headers })
      }
      for (const [what, body] of Object.entries(refused)) {
        const told = yield* send(body)
        assert.deepStrictEqual([told.status, told.text], [400, "the body is not an event"], what)
      }
      for (const [what, body] of Object.entries(ignored)) {
        const told = yield* send(body)
        assert.deepStrictEqual([told.status, told.text], [200, "ignored"], what)
      }
      assert.deepStrictEqual(yield* sql`select 1 from stripe_events`, [])
      assert.strictEqual((yield* send(event)).text, "stored")
    })
  )
})
