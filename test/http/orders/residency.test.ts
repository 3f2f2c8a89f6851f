/** How many actors are in memory at a time: a limit with a number, so that a long rush of payments ends no process. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { actorsFitting } from "../../../src/platform/cluster/Runner.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { start } from "../../kit/Service.ts"

const orders = 4

describe("actors in memory", () => {
  it("take no more than half of the heap: 100,000 and more with 4 GB, some ten thousand on a small machine", () => {
    assert.strictEqual(actorsFitting(4 * 2 ** 30), 131_072)
    assert.strictEqual(actorsFitting(512 * 2 ** 20), 16_384)
  })

  it.live(
    "are ACTORS_MAX at most: a payment beyond it is told 503 with Retry-After, and taken once when others have left",
    () =>
      Effect.gen(function* () {
        // A wallet and two orders.
        const service = yield* start({ env: { ACTORS_MAX: "3", ORDER_IDLE: "1 second" } })
        const shop = merchantOf(service)
        const created = yield* Effect.forEach(Array.from({ length: orders }), () =>
          shop.post("/v1/orders", { amount: 1_000 })
        )
        const pay = (tradeNo: string) => shop.post(`/v1/test_helpers/orders/${tradeNo}/pay`, { payment_method: "card" })

        let told = 0
        for (const { body } of created) {
          const { trade_no: tradeNo } = body.data
          let reply = yield* pay(tradeNo)
          for (; reply.status === 503; told++) {
            assert.strictEqual(reply.body.error, "internal_error")
            assert.strictEqual(reply.headers.get("retry-after"), "1")
            assert.strictEqual((yield* shop.order(tradeNo))["status"], "pending")
            reply = yield* pay(tradeNo)
          }
          assert.strictEqual(reply.status, 200, reply.text)
        }
        assert.isAbove(told, 0)
        const [paid] = yield* service.sql<{ rows: number }>`
          select count(*)::int4 as rows from ledger where type = 'payment_credit'`
        assert.strictEqual(paid!.rows, orders)
        yield* assertLedgerWhole(service.sql)
      })
  )
})
