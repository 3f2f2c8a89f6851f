/** Stripe's least and largest amount, and the length of its texts (silences: O7, S23). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { stripesBounds } from "../../src/channels/stripe/StripePayments.ts"
import { merchantDocument } from "../kit/routes/contract.ts"
import { assertRefused } from "../kit/Merchant.ts"
import { connected, connectedAs, leadsTo, secretKey, worlds } from "./kit.ts"

/** Each currency: the least and the most, and how a message names them. */
const bounds = [
  ["USD", 50, "0.50 USD"],
  ["HKD", 400, "4.00 HKD"],
  ["CNY", 400, "4.00 CNY"]
] as const
const most = 99_999_999

describe("an amount out of Stripe's bounds", () => {
  for (const [currency, least, named] of bounds) {
    it.live(`is refused for orders and links in ${currency}, by the name of the bound`, () =>
      Effect.gen(function* () {
        const { merchant } = yield* connected()
        for (const path of ["/v1/orders", "/v1/payment_links"]) {
          const asked = (amount: number) => merchant.post(path, { amount, currency })
          for (const amount of [1, least - 1]) {
            const refused = yield* asked(amount)
            assertRefused(refused, 400, "invalid_request", "amount")
            assert.include(refused.body.message, String(least))
            assert.include(refused.body.message, named)
          }
          const above = yield* asked(most + 1)
          assertRefused(above, 400, "invalid_request", "amount")
          assert.include(above.body.message, String(most))
          assert.include(above.body.message, `999999.99 ${currency}`)
          for (const amount of [least, most]) {
            const taken = yield* asked(amount)
            assert.strictEqual(taken.status, 201, taken.text)
          }
        }
      })
    )
  }

  it("is named beforehand where the document of the API describes the amount of orders and links", () => {
    const { schemas } = merchantDocument.document["components"]
    for (const body of ["CreateOrder", "CreatePaymentLink"]) {
      const { description } = schemas[body].properties.amount
      for (const [currency, least, named] of bounds) {
        assert.include(description, `${least} (${named})`, body)
        assert.deepStrictEqual(stripesBounds[currency], { min: least, max: most })
      }
      assert.include(description, String(most))
    }
  })

  it.live("is taken where Stripe takes no payments: in the other environment, and once it is switched off", () =>
    Effect.gen(function* () {
      const { api, channelPath, merchant } = yield* connected()
      const live = { amount: 1, notify_url: "https://shop.example/hook", return_url: "https://shop.example/" }
      const inLive = yield* api.post("/v1/orders", merchant.liveKey, live)
      assert.notStrictEqual(inLive.body.param, "amount", inLive.text)
      assertRefused(yield* merchant.post("/v1/orders", { amount: 1 }), 400, "invalid_request", "amount")
      assert.strictEqual((yield* api.operator("POST", channelPath, { channel: "sandbox" })).status, 200)
      assert.strictEqual((yield* merchant.post("/v1/orders", { amount: 1 })).status, 201)
      assert.strictEqual((yield* merchant.post("/v1/orders", { amount: most + 1 })).status, 201)
    })
  )

  it.live("of an order that is older than the account is said to the buyer, and Stripe is not asked", () =>
    Effect.gen(function* () {
      const world = yield* worlds()
      const { api, merchant, simulator } = world
      const terms = { amount: 10, out_trade_no: "OLD-1" }
      const { body } = yield* api.post("/v1/orders", merchant.sandboxKey, terms)
      const link = yield* api.post("/v1/payment_links", merchant.sandboxKey, { amount: 10 })
      yield* connectedAs(world, merchant, secretKey)
      const { pathname } = new URL(body.data.checkout_url)
      for (const method of ["card", "alipay"]) {
        const told = yield* api.call("POST", pathname, {
          raw: `step=pay&method=${method}`,
          headers: { "Content-Type": "application/x-www-form-urlencoded" }
        })
        assert.strictEqual(told.status, 422)
        assert.include(told.text, "This amount cannot be paid here")
        assert.include(told.text, 'id="method-alipay"', "no method is to blame")
      }
      assert.deepStrictEqual(simulator.all("checkout.session"), [])
      // The same request again finds the order.
      assert.strictEqual((yield* api.post("/v1/orders", merchant.sandboxKey, terms)).status, 200)
      const visited = yield* api.call("GET", new URL(link.body.data.url).pathname)
      assert.strictEqual(visited.status, 200, "a visit makes no order that nobody can pay")
      const { data } = (yield* api.get("/v1/orders", merchant.sandboxKey)).body.data
      assert.lengthOf(data, 1)
    })
  )
})

/** Stripe's text for a subject. */
const nameOf = Effect.fnUntraced(function* (subject: string, number = "NO-1") {
  const { choose, order, sessions, stripe } = yield* connected()
  const made = yield* order({ subject, out_trade_no: number })
  const reply = yield* choose(made)
  assert.isString(leadsTo(reply), reply.text)
  const { data } = yield* Effect.promise(() => stripe.checkout.sessions.listLineItems(sessions(made)[0]!.id))
  return data[0]!.description
})

describe("a subject", () => {
  for (const [what, subject] of [
    ["an empty text", ""],
    ["white space", " \u00a0\u3000 "]
  ] as const) {
    it.live(`that is ${what} is none, and Stripe shows the order's number`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* nameOf(subject), "NO-1")
      })
    )
  }

  it.live("that is empty falls back to the order's number, which is shortened like a subject", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* nameOf("", "😀".repeat(128)), "😀".repeat(125))
    })
  )

  const family = "👨‍👩‍👧‍👦"
  for (const [what, subject, expected] of [
    ["of 255 letters", "T".repeat(255), "T".repeat(250)],
    ["of 255 faces", "😀".repeat(255), "😀".repeat(125)],
    ["with a face at the bound", "T".repeat(249) + "😀".repeat(6), "T".repeat(249)],
    ["with a family at the bound", "T".repeat(245) + family, "T".repeat(245)],
    ["with an accent at the bound", "T".repeat(249) + "e\u0301".repeat(3), "T".repeat(249)],
    ["that begins with blanks", " ".repeat(250) + "Tea", "Tea"],
    ["of one letter with 254 accents", "e" + "\u0301".repeat(254), "e" + "\u0301".repeat(249)]
  ] as const) {
    it.live(`${what} is cut for Stripe, between characters that people see`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* nameOf(subject), expected)
      })
    )
  }
})
