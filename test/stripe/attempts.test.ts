/** Attempts to pay on Stripe's page that did not succeed: each is in the order's story with Stripe's reason. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Json, said } from "../kit/Merchant.ts"
import { connected } from "./kit.ts"

const attemptsIn = (entries: ReadonlyArray<Json>) =>
  entries
    .filter(({ kind }) => kind === "payment_attempt")
    .map(({ details }) => `${details.payment_method} ${details.outcome} ${details.reason}`)

describe("attempts to pay at Stripe", () => {
  it.live("ten of seven kinds are in the timeline and in the operator's view", () =>
    Effect.gen(function* () {
      const { api, choose, control, merchant, order, sessions, settled } = yield* connected()
      const made = yield* order()
      const attempt = Effect.fnUntraced(function* (method: string, how: object = {}) {
        yield* choose(made, method)
        yield* control.pay({ session: sessions(made).at(-1)!.id, ...how })
        yield* settled
      })
      const card = (number: string, how: object = {}) => attempt("card", { with: number, ...how })
      yield* card("4000000000000002")
      yield* card("4000000000009995")
      yield* card("4000000000000069")
      yield* card("4000000000000127")
      yield* card("4000000000000119")
      yield* card("4000002760003184", { authorises: false })
      yield* card("4000000000000002")
      yield* attempt("alipay", { with: "alipay", authorises: false })
      yield* attempt("wechat_pay", { with: "wechat_pay", authorises: false })
      yield* card("4000000000009995")
      const expected = [
        "card declined generic_decline",
        "card declined insufficient_funds",
        "card declined expired_card",
        "card declined incorrect_cvc",
        "card failed processing_error",
        "card declined payment_intent_authentication_failure",
        "card declined generic_decline",
        "alipay cancelled payment_intent_authentication_failure",
        "wechat_pay cancelled payment_intent_authentication_failure",
        "card declined insufficient_funds"
      ]
      const { entries } = yield* said(merchant.get(`/v1/orders/${made.trade_no}/timeline`))
      assert.sameMembers(attemptsIn(entries), expected)
      const [threeDs] = entries.filter(({ details }: Json) => details.three_d_secure === "failed")
      assert.include(threeDs.text, "unable to authenticate")
      const seen = yield* said(
        api.operator("GET", `/merchants/${merchant.merchantId}/orders/${made.trade_no}/timeline?mode=sandbox`)
      )
      assert.sameMembers(attemptsIn(seen.entries), expected)

      yield* card("4242424242424242")
      const paid = yield* merchant.order(made.trade_no)
      assert.deepStrictEqual([paid.status, paid.payment_failure_reason], ["paid", null])
    })
  )
})
