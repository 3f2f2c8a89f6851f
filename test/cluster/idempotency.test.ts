/** One `Idempotency-Key` at two doors: two services on one database, as two runners of a cluster are (silences: I1, I6). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { asRunner, freshDatabase, start } from "../kit/Service.ts"

describe("an Idempotency-Key on two runners", () => {
  it.live("50 creates at once: one 201, the rest 409 idempotency_in_progress or the replay; one order", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const a = yield* start({ database, env: yield* asRunner })
      const b = yield* start({ database, env: yield* asRunner })
      const key = a.merchant.sandboxKey

      const send = ({ api }: typeof a) =>
        api.call("POST", "/v1/orders", { key, headers: { "Idempotency-Key": "k" }, body: { amount: 100 } })
      const replies = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? a : b)),
        send,
        { concurrency: "unbounded" }
      )

      const kinds = replies.map(({ body, headers, status }) => {
        if (status === 201) return headers.has("idempotent-replayed") ? "replay" : "created"
        return `${status} ${body.error}`
      })
      assert.strictEqual(kinds.filter((kind) => kind === "created").length, 1)
      const others = kinds.filter((kind) => !["created", "replay", "409 idempotency_in_progress"].includes(kind))
      assert.deepStrictEqual(others, [])

      const orders = yield* a.sql<{ trade_no: string }>`select trade_no from orders`
      assert.strictEqual(orders.length, 1)
      for (const door of [a, b]) {
        const replay = yield* send(door)
        assert.strictEqual(replay.headers.get("idempotent-replayed"), "true")
        assert.strictEqual(replay.body.data.trade_no, orders[0]!.trade_no)
      }
      const told = replies.filter(({ status }) => status === 201).map(({ body }) => body.data.trade_no)
      assert.deepStrictEqual([...new Set(told)], [orders[0]!.trade_no])
    })
  )
})
