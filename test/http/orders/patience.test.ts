/**
 * No caller waits longer than 5 s for an owner or its commit, whether or not it may be interrupted
 * (docs/architecture.md, section 3); and the change is made once all the same.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Reply } from "../../kit/Api.ts"
import { blocking } from "../../kit/faults/Faults.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { requestTime } from "../../kit/program/requestTime.ts"
import { assertRefused, merchantOf } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

type Shop = ReturnType<typeof merchantOf>

interface Case {
  readonly what: string
  /** A table that its commit writes. */
  readonly table: string
  /** Makes the objects that have to be there first; gives the request. */
  readonly prepare: (shop: Shop, service: Running) => Effect.Effect<Effect.Effect<Reply>>
}

const cases: ReadonlyArray<Case> = [
  {
    what: "a payment",
    table: "ledger",
    prepare: (shop) =>
      Effect.map(shop.post("/v1/orders", { amount: 1_000 }), ({ body }) =>
        shop.post(`/v1/test_helpers/orders/${body.data.trade_no}/pay`)
      )
  },
  {
    what: "an order's update",
    table: "orders",
    prepare: (shop) =>
      Effect.map(shop.paid(1_000), ({ trade_no }) => shop.post(`/v1/orders/${trade_no}`, { metadata: { a: "1" } }))
  },
  {
    what: "an order's early end",
    table: "orders",
    prepare: (shop) =>
      Effect.map(shop.post("/v1/orders", { amount: 1_000 }), ({ body }) =>
        shop.post(`/v1/orders/${body.data.trade_no}/expire`)
      )
  },
  {
    what: "a refund",
    table: "refunds",
    prepare: (shop) =>
      Effect.map(shop.paid(1_000), ({ trade_no }) => shop.refund({ trade_no, amount: 100, out_refund_no: "r" }))
  },
  {
    what: "a refund that the channel has paid back",
    table: "ledger",
    prepare: (shop) =>
      Effect.map(shop.paid(1_000), ({ trade_no }) => shop.refund({ trade_no, amount: 100, out_refund_no: "r" }))
  },
  {
    what: "a payout",
    table: "payouts",
    prepare: (_, { api, merchant: { merchantId } }) =>
      Effect.succeed(
        api.operator("POST", `/merchants/${merchantId}/payouts`, {
          mode: "sandbox",
          currency: "USD",
          amount: 500,
          reference: "may"
        })
      )
  }
]

describe("answered 503 with Retry-After when its commit takes longer than 5 s, and done once:", () => {
  for (const { prepare, table, what } of cases) {
    it.live(what, () =>
      Effect.gen(function* () {
        let isArmed = false
        const fault = yield* blocking("Transactor.write", "before", (tables) => isArmed && tables.includes(table))
        const time = requestTime(true)
        const service = yield* start({ clock: "test", faults: fault.layer, beneath: time.layer })
        yield* Effect.gen(function* () {
          const shop = merchantOf(service)
          // The wallet is awake from here on.
          yield* shop.paid(1_000)
          const request = yield* prepare(shop, service)
          isArmed = true
          const asked = yield* Effect.forkChild(request)
          yield* Deferred.await(fault.reached)
          yield* Effect.provideContext(TestClock.adjust("5 seconds"), service.context)
          time.move(5_000)
          const reply = yield* Fiber.join(asked)
          assertRefused(reply, 503, "internal_error")
          assert.isNotNull(reply.headers.get("retry-after"))
          yield* fault.release
          // A worker finishes a refund without a driver, at the latest at its next poll.
          yield* service.pass("2 hours")
          assert.strictEqual((yield* request).status, 200)
          yield* assertLedgerWhole(service.sql)
        }).pipe(Effect.ensuring(fault.release))
      })
    )
  }
})
