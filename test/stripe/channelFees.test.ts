/** Stripe's fee for a payment is shown to the operator beside the payment, and to no merchant (silences: S11). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Json, said } from "../kit/Merchant.ts"
import { connected } from "./kit.ts"

describe("Stripe's fee of a payment", () => {
  it.live(
    "is in the operator's timeline and reconciliation, with its currency, and in nothing that a merchant reads",
    () =>
      Effect.gen(function* () {
        const { api, leap, merchant, paid, settled, sql, stripe } = yield* connected()
        const order = yield* paid()
        const ofOperator = `/merchants/${merchant.merchantId}/orders/${order["trade_no"]}/timeline?mode=sandbox`
        const paidEntry = ({ entries }: Json) =>
          (entries as ReadonlyArray<Json>).find(({ details }) => details.payment_id === order["payment_id"])!["details"]
        assert.notProperty(paidEntry(yield* said(api.operator("GET", ofOperator))), "channel_fee", "not known yet")
        yield* Effect.promise(() => stripe.refunds.create({ payment_intent: order["payment_id"], amount: 700 }))
        yield* settled
        yield* sql`update stripe_polls set due_at = '9999-12-31', movements_due_at = '9999-12-31'`
        yield* leap("27 hours")
        yield* sql`update stripe_polls set movements_due_at = 'epoch'`
        yield* leap("61 minutes")
        const [row] = yield* sql<{ fee: number }>`select sum(fee)::int4 as fee from stripe_movements`
        assert.isAbove(row!.fee, 0)
        const fee = { channel_fee: row!.fee, channel_fee_currency: "USD" }
        assert.deepInclude(paidEntry(yield* said(api.operator("GET", ofOperator))), fee)
        const [difference] = (yield* said(api.operator("GET", "/reconciliation")))["data"]
        assert.deepInclude(difference, { ...fee, payment_id: order["payment_id"] })
        const own = yield* said(merchant.get(`/v1/orders/${order["trade_no"]}/timeline`))
        assert.notInclude(JSON.stringify(own), "channel_fee")
        assert.notInclude(JSON.stringify(yield* merchant.order(order["trade_no"])), "channel_fee")
      })
  )
})
