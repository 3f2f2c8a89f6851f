/** Acts on live money by MCP: a person confirms each after reading it, or nothing is done. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { agentOverHttp, sentRaw, textOf, type Word, yes } from "../../kit/callers/mcp.ts"
import { type Running, start } from "../../kit/Service.ts"

const approved = Effect.gen(function* () {
  const running = yield* start()
  const { api, merchant } = running
  yield* api.operator("POST", `/merchants/${merchant.merchantId}`, {
    approved: true,
    live_currencies: ["USD", "HKD"],
    live: { default_notify_url: "https://example.com/hook" }
  })
  return running
})

const liveOrders = ({ api, merchant }: Running) =>
  Effect.map(api.get("/v1/orders", merchant.liveKey), ({ body }) => body.data.data as ReadonlyArray<{ amount: number }>)

/** An agent whose person confirms everything, and the questions that the person was asked. */
const confirming = ({ baseUrl, merchant }: Running) => {
  const asked: Array<string> = []
  const person = (question: string) => {
    asked.push(question)
    return yes
  }
  return Effect.map(agentOverHttp(baseUrl, merchant.liveKey, { person }), (agent) => ({ agent, asked }))
}

const metadata = { note: "Tea\nAmount: 0.01 HKD" }
const terms = { amount: 1250, currency: "HKD", subject: "Tea", out_trade_no: "cart-1", metadata }

describe("an act on live money by MCP", () => {
  it.live("is shown to a person with its amount in its currency, and done when confirmed", () =>
    Effect.gen(function* () {
      const running = yield* approved
      const { agent, asked } = yield* confirming(running)
      const { trade_no } = yield* agent.data("orders_create", terms)
      assert.lengthOf(asked, 1)
      const lines = asked[0]!.split("\n")
      assert.include(lines, "Live, with real money: Create an order")
      assert.include(lines, "Amount: 12.50 HKD")
      // A foreign text is one line, and cannot pass for ours.
      assert.include(lines, String.raw`metadata: {"note":"Tea\nAmount: 0.01 HKD"}`)
      assert.lengthOf(yield* liveOrders(running), 1)

      yield* agent.data("orders_update", { ref: trade_no, metadata: { shelf: "A7" } })
      assert.include(asked[1]!, "The order now: 12.50 HKD")
      assert.include(asked[1]!, "out_trade_no: cart-1")

      // Reads need no confirmation, and the buyer's tools are missing.
      yield* agent.data("orders_get", { ref: trade_no })
      assert.lengthOf(asked, 2)
      assert.notInclude(yield* agent.names, "testHelpers_orders_pay")
    }).pipe(Effect.scoped)
  )

  it.live("shows the whole host of an address, and both ends of a long value", () =>
    Effect.gen(function* () {
      const running = yield* approved
      const { agent, asked } = yield* confirming(running)
      const host = `https://${"pay-example-com-".repeat(3)}a.${"b".repeat(60)}.evil.example`
      const address = `${host}/hook?${"x".repeat(200)}&to=elsewhere`
      yield* agent.call("orders_create", { ...terms, notify_url: address, subject: `${"y".repeat(200)} for Eve` })
      const [question = ""] = asked
      assert.include(question, `notify_url: ${host}`)
      assert.include(question, "&to=elsewhere")
      assert.include(question, "yyy for Eve")
      assert.match(question, /… \(\d+ characters\) …/)
    }).pipe(Effect.scoped)
  )

  it.live("is not done when the person declines, cancels, or leaves the box empty", () =>
    Effect.gen(function* () {
      const running = yield* approved
      const words: ReadonlyArray<Word> = [
        { action: "decline" },
        { action: "cancel" },
        { action: "accept", content: { confirm: false } }
      ]
      for (const word of words) {
        const agent = yield* agentOverHttp(running.baseUrl, running.merchant.liveKey, { person: () => word })
        const result = yield* agent.call("orders_create", terms)
        assert.isTrue(result.isError)
        assert.include(textOf(result), "nothing was done")
      }
      assert.deepStrictEqual(yield* liveOrders(running), [])
    }).pipe(Effect.scoped)
  )

  it.live("is not asked about when its form alone is refused", () =>
    Effect.gen(function* () {
      const running = yield* approved
      const { agent, asked } = yield* confirming(running)
      const { trade_no } = yield* agent.data("orders_create", terms)
      asked.length = 0
      const refund = { trade_no, out_refund_no: "return-1" }
      const refused = [
        ["refunds_create", { trade_no }, "out_refund_no is required with a live key"],
        ["refunds_create", { ...refund, amount: 0 }, "amount does not fit"],
        ["refunds_create", { ...refund, out_refund_no: "" }, "out_refund_no does not fit"],
        ["orders_create", { ...terms, currency: "EUR" }, "currency does not fit"],
        ["orders_create", { ...terms, metadata: { shelf: 7 } }, "metadata.shelf does not fit"]
      ] as const
      for (const [name, args, why] of refused) {
        const text = textOf(yield* agent.call(name, args))
        assert.include(text, why)
        assert.include(text, "Nothing was done")
      }
      assert.deepStrictEqual(asked, [])
      // A well-formed call needs confirmation, and then the API decides.
      assert.include(textOf(yield* agent.call("refunds_create", refund)), "not_paid")
      assert.lengthOf(asked, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is refused in plain words for a client that cannot ask", () =>
    Effect.gen(function* () {
      const running = yield* approved
      for (const speaks of ["2026-07-28", "2025-11-25"] as const) {
        const agent = yield* agentOverHttp(running.baseUrl, running.merchant.liveKey, { speaks })
        const result = yield* agent.call("orders_create", terms)
        assert.include(textOf(result), "This client cannot ask a person", speaks)
      }
      assert.deepStrictEqual(yield* liveOrders(running), [])
    }).pipe(Effect.scoped)
  )

  it.live("is not confirmed by a word that was given for another amount, another key, or long ago", () =>
    Effect.gen(function* () {
      const running = yield* approved
      const { merchant } = running
      const send = (args: object, more: object = {}) =>
        sentRaw(running, merchant.liveKey, { name: "orders_create", args, more })
      const first = yield* send(terms)
      assert.strictEqual(first.resultType, "input_required")
      const { requestState } = first
      const inputResponses = { confirm: yes }
      const more = { requestState, inputResponses }
      const wrong = [
        send({ ...terms, amount: 125_000 }, more),
        send(terms, { inputResponses }),
        send(terms, { inputResponses, requestState: "made-up" }),
        send(terms, {
          inputResponses,
          requestState: requestState.replace(/^\d+/, (at: string) => Number(at) - 600_000)
        })
      ]
      for (const each of wrong) assert.strictEqual((yield* each).resultType, "input_required")
      assert.deepStrictEqual(yield* liveOrders(running), [])

      const done = yield* send(terms, more)
      assert.strictEqual(done.resultType, "complete")
      assert.notStrictEqual(done.isError, true)
      // The answer was lost: the same again is one order.
      assert.include((yield* send(terms, more)).content[0].text, "Nothing was done again")
      assert.lengthOf(yield* liveOrders(running), 1)
    }).pipe(Effect.scoped)
  )
})
