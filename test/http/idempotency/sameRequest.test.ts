/** Two spellings of one request, for a client that repeats it with its Idempotency-Key (silences: I3, G12). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../../kit/Service.ts"

it.live("a keyed call without a body is the same request when it is repeated with {}, and the other way round", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start()
    const key = merchant.sandboxKey
    for (const [index, raws] of [
      [undefined, "{}", "", "\ufeff{ }"],
      ["{}", undefined]
    ].entries()) {
      const { body } = yield* api.post("/v1/orders", key, { amount: 100 })
      const replayed: Array<string | null> = []
      for (const raw of raws) {
        const call = raw === undefined ? {} : { raw }
        const headers = { "Idempotency-Key": `expire-${index}` }
        const reply = yield* api.call("POST", `/v1/orders/${body.data.trade_no}/expire`, { key, headers, ...call })
        assert.deepStrictEqual([reply.status, reply.body.data?.status], [200, "expired"], reply.text)
        replayed.push(reply.headers.get("idempotent-replayed"))
      }
      assert.deepStrictEqual(replayed, [null, ...raws.slice(1).map(() => "true")])
    }
  })
)
