/** Card numbers in what a call sends never reach the API logs (spec: API log; silences: A3). */
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Logs } from "../../../src/logs/Logs.ts"
import { start } from "../../kit/Service.ts"

const card = "4111111111111111"

it.effect("a card number in the body, path, query or a header is cut before anything is stored", () =>
  Effect.gen(function* () {
    const { api, context, merchant, sql } = yield* start()
    const key = merchant.sandboxKey
    const created = yield* api.call("POST", `/v1/orders?card=${card}`, {
      key,
      body: { amount: 1000, out_trade_no: "1", subject: `For 4111 1111 1111 1111`, metadata: { note: card } },
      headers: { "User-Agent": `shop/1.0 (${card})`, "Idempotency-Key": `key-${card}` }
    })
    assert.strictEqual(created.body.data.metadata.note, card)
    yield* api.get(`/v1/orders/${card}`, key)
    yield* api.get("/v1/orders/4111%201111%201111%201111", key)
    yield* Context.get(context, Logs).flushed

    const logs = (yield* api.get("/v1/logs", key)).body.data.data
    assert.deepStrictEqual(
      logs.map(({ path }: { readonly path: string }) => path),
      ["/v1/orders/[redacted]", "/v1/orders/[redacted]", "/v1/orders"]
    )
    const { idempotency_key, request_body, response_body, user_agent } = logs[2]
    assert.deepStrictEqual([user_agent, idempotency_key], ["shop/1.0 ([redacted])", "key-[redacted]"])
    assert.deepStrictEqual(request_body, {
      amount: 1000,
      out_trade_no: "1",
      subject: "For [redacted]",
      metadata: { note: "[redacted]" }
    })
    assert.strictEqual(response_body.data.trade_no, created.body.data.trade_no)
    assert.deepStrictEqual(yield* sql`select 1 from api_logs l where l::text ~ '4111.{0,3}1111'`, [])
  })
)
