/** A refund of real money by an agent (docs/mcp.md): a person reads the amount, and Stripe is asked for it once. */
import { accountOf } from "@coffer/simulator/start"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { agentOverHttp, agentOverStdio, textOf, type Word, yes } from "../kit/callers/mcp.ts"
import { merchantOf, said } from "../kit/Merchant.ts"
import { chooses, connectedAs, worlds } from "./kit.ts"

const key = "sk_live_ofTheTests"

/** A merchant that is live at Stripe, with an order that is paid. */
const paidLive = Effect.gen(function* () {
  const world = yield* worlds()
  const { api, atRest, control, merchant, simulator } = world
  const approval = { approved: true, live_currencies: ["USD"] }
  yield* said(api.operator("POST", `/merchants/${merchant.merchantId}`, approval))
  yield* connectedAs(world, merchant, key, { mode: "live" })
  const shop = merchantOf(world, merchant.liveKey)
  const pay = Effect.fnUntraced(function* (amount: number) {
    const order = yield* said(shop.post("/v1/orders", { amount, notify_url: "https://shop.example/nobody" }))
    yield* chooses(api, { checkout_url: order["checkout_url"] }, "card")
    const session = simulator.all("checkout.session", accountOf(key)).at(-1)!
    yield* control.pay({ session: session.id })
    yield* Effect.andThen(control.rest({}), atRest)
    const paid = yield* shop.order(order["trade_no"])
    assert.strictEqual(paid["status"], "paid")
    return paid["trade_no"] as string
  })
  // Fees stay with the channel, so a full refund takes a little of another sale's money.
  yield* pay(9_000)
  const tradeNo = yield* pay(2_000)
  return { ...world, shop, tradeNo, refunds: () => simulator.all("refund", accountOf(key)) }
})

describe("a live refund by MCP", () => {
  for (const way of ["over HTTP", "through coffer mcp"] as const) {
    it.live(
      `${way} is shown with the amount that is left, is not made when declined, and is made once when confirmed`,
      () =>
        Effect.gen(function* () {
          const { baseUrl, merchant, refunds, shop, tradeNo } = yield* paidLive
          const asked: Array<string> = []
          let word: Word = { action: "decline" }
          const person = (question: string) => {
            asked.push(question)
            return word
          }
          const agent =
            way === "over HTTP"
              ? yield* agentOverHttp(baseUrl, merchant.liveKey, { person })
              : yield* agentOverStdio(
                  ["--live"],
                  { COFFER_KEY: merchant.liveKey, COFFER_BASE_URL: `${baseUrl}/v1` },
                  { person }
                )
          const terms = { trade_no: tradeNo, out_refund_no: "return-1", reason: "the buyer sent it back" }
          assert.isTrue((yield* agent.call("refunds_create", terms)).isError)
          assert.deepStrictEqual([refunds().length, (yield* shop.order(tradeNo))["refunded_amount"]], [0, 0])

          word = yes
          const refund = yield* agent.data("refunds_create", terms)
          assert.strictEqual(refund.amount, 2_000)
          for (const question of asked) {
            assert.include(question, "Live, with real money")
            assert.include(question, "Amount: 20.00 USD")
            assert.include(question, tradeNo)
          }
          // Its answer was lost: the same call again is the same refund, and Stripe is asked no more.
          assert.include(textOf(yield* agent.call("refunds_create", terms)), refund.refund_no)
          assert.deepStrictEqual(
            refunds().map(({ amount }) => amount),
            [2_000]
          )
        }).pipe(Effect.scoped)
    )
  }
})
