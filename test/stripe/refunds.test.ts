/** Refunds at Stripe: asked for once in effect, whatever is lost, and reversed when the bank sends the money back. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused } from "../kit/Merchant.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { connected, impatient, secretKey } from "./kit.ts"

const amount = 2_000

/** Two payments, so that the fees of one are covered. */
const sold = Effect.fnUntraced(function* (options: Parameters<typeof connected>[0] = {}) {
  const world = yield* connected(options)
  yield* world.paid({ amount: 5_000 })
  const order = yield* world.paid({ amount })
  const refund = (more: object = {}) => world.merchant.refund({ trade_no: order["trade_no"], ...more })
  const available = Effect.map(world.merchant.balance(), (books) => books.available)
  const before = yield* available
  return { ...world, paidOrder: order, refund, available, before }
})

describe("a refund at Stripe", () => {
  it.live("of a card is done immediately, and Stripe has our number of it", () =>
    Effect.gen(function* () {
      const { available, before, refund, simulator, sql } = yield* sold()
      const { body, status, text } = yield* refund()
      assert.deepStrictEqual([status, body.data?.status], [201, "succeeded"], text)
      const [made] = simulator.all("refund")
      assert.deepStrictEqual([made!.amount, made!.metadata], [amount, { coffer_refund_no: body.data.refund_no }])
      assert.strictEqual(yield* available, before - amount)
      yield* assertLedgerWhole(sql)
    })
  )

  it.live("of which the answer was lost and for which the money is missing goes out in the hour of the top-up", () =>
    Effect.gen(function* () {
      const { control, merchant, pass, refund, simulator } = yield* sold()
      yield* control.fault({ on: "POST /v1/refunds", kind: "cut_before", times: 2 })
      yield* control.fault({ on: "POST /v1/refunds", kind: "refused", times: 1_000 })
      const { body, status } = yield* refund()
      assert.deepStrictEqual([status, body.data.status], [202, "pending"])
      yield* pass("20 minutes")
      assert.lengthOf(simulator.all("refund"), 0)
      yield* control.clear_faults({})
      yield* pass("61 minutes")
      assert.strictEqual((yield* merchant.get(`/v1/refunds/${body.data.refund_no}`)).body.data.status, "succeeded")
      assert.lengthOf(simulator.all("refund"), 1)
    })
  )

  it.live("that Stripe refuses changes nothing, and is 502", () =>
    Effect.gen(function* () {
      const { available, before, paidOrder, refund, simulator, stripe } = yield* sold()
      yield* Effect.promise(() => stripe.refunds.create({ payment_intent: paidOrder["payment_id"], amount: 1_500 }))
      assertRefused(yield* refund(), 502, "processor_error")
      assert.strictEqual(yield* available, before)
      assert.lengthOf(simulator.all("refund"), 1)
    })
  )

  it.live("that is not made says why: in words for people, and in Coffer-Reason", () =>
    Effect.gen(function* () {
      const { available, before, control, paidOrder, refund, simulator, stripe } = yield* sold()
      const create = "POST /v1/refunds"
      const causes: ReadonlyArray<readonly [Effect.Effect<unknown, unknown>, string, RegExp]> = [
        [
          control.fault({ on: create, kind: "refused" }),
          "channel_refused_for_now",
          /^The channel temporarily refused: .*balance_insufficient.*; nothing was changed\.$/
        ],
        [
          control.fault({ on: create, kind: "rate_limited", reason: "endpoint-rate", times: 20 }),
          "channel_crowded",
          /^The channel is overloaded; nothing was changed\.$/
        ],
        [
          control.fault({ on: "GET /v1/refunds", kind: "error_before" }),
          "channel_unanswered",
          /^The channel did not respond; nothing was changed\.$/
        ],
        [
          Effect.promise(() => stripe.refunds.create({ payment_intent: paidOrder["payment_id"], amount: 1_500 })),
          "channel_refused",
          /^The channel refused: .*greater than unrefunded amount.*; nothing was changed\.$/
        ],
        [
          control.revoke_key({ key: secretKey }),
          "channel_key_refused",
          /^The channel rejected the operator's key; nothing was changed\.$/
        ]
      ]
      for (const [cause, reason, words] of causes) {
        yield* cause
        const refused = yield* refund({ out_refund_no: "R-1" })
        assertRefused(refused, 502, "processor_error")
        assert.strictEqual(refused.headers.get("coffer-reason"), reason)
        assert.match(refused.body.message, words)
        assert.strictEqual(yield* available, before)
        yield* control.clear_faults({})
      }
      assert.lengthOf(simulator.all("refund"), 1, "the one that was made at Stripe")
    })
  )

  for (const kind of ["timeout_after", "error_kept_after"] as const) {
    it.live(`when its answer is lost (${kind}), it is made once, and succeeds`, () =>
      Effect.gen(function* () {
        const { available, before, control, merchant, pass, refund, simulator, sql } = yield* sold(impatient)
        yield* control.fault({ on: "POST /v1/refunds", kind, times: 2 })
        const { body, status, text } = yield* refund({ out_refund_no: "R-1" })
        assert.include([201, 202], status, text)
        yield* control.clear_faults({})
        yield* pass("3 minutes")
        const after = (yield* merchant.get("/v1/refunds/R-1")).body.data
        assert.deepStrictEqual([after.status, after.refund_no], ["succeeded", body.data.refund_no])
        assert.lengthOf(simulator.all("refund"), 1)
        assert.strictEqual(yield* available, before - amount)
        yield* assertLedgerWhole(sql)
      })
    )
  }
})

describe("a payment that comes too late", () => {
  for (const told of ["by a webhook", "by the events that Stripe keeps, when the webhook is lost"]) {
    it.live(`is parked when the refund did not reach the buyer, which is reported ${told}`, () =>
      Effect.gen(function* () {
        const { choose, control, merchant, order, pass, sessions, settled, sql } = yield* connected()
        const made = yield* order()
        yield* choose(made)
        yield* merchant.post(`/v1/test_helpers/orders/${made.trade_no}/pay`)
        yield* control.pay({ session: sessions(made)[0]!.id, with: "pm_card_refundFail" })
        const books = yield* merchant.balance()
        yield* settled
        if (told !== "by a webhook") yield* control.fault({ on: "webhook *", kind: "lose", times: 100 })
        yield* pass("30 minutes")
        yield* settled
        yield* pass("30 minutes")
        const [row] = yield* sql<{ state: string; amount: number }>`select p->>'state' as state,
          (p->>'amount')::int4 as amount from orders, jsonb_array_elements(unapplied_payments) as p
          where trade_no = ${made.trade_no}`
        assert.deepStrictEqual(row, { state: "parked", amount: 2_000 })
        assert.deepStrictEqual(yield* merchant.balance(), books)
        yield* assertLedgerWhole(sql)
      })
    )
  }
})
