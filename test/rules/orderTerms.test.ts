/** Which terms no new order may have, in which environment (spec: Orders, rule 1; General rules, 5). */
import {
  amountProblem,
  currencyProblem,
  formProblem,
  type Situation,
  type Terms,
  termsProblem
} from "@coffer/rules/order/termsProblem"
import { assert, describe, it } from "@effect/vitest"

const terms: Terms = {
  amount: 10_00,
  currency: "USD",
  notifyUrl: "https://shop.example.com/events",
  returnUrl: "https://shop.example.com/thanks",
  metadata: {}
}
const bounds = { min: 50, max: 99_999 }
const live: Situation = {
  mode: "live",
  liveCurrencies: ["USD"],
  privateAllowed: false,
  otherTarget: "endpoint",
  hasOtherTarget: false,
  amountBounds: { USD: bounds, CNY: { min: 400, max: 500 }, HKD: bounds }
}
const sandbox: Situation = { ...live, mode: "sandbox" }

const told = (more: Partial<Terms>, situation: Situation) => {
  const problem = termsProblem({ ...terms, ...more }, situation)
  return problem && `${problem.param}: ${problem.problem}`
}

describe("the terms of an order", () => {
  it("may be these, in both environments", () => {
    assert.isUndefined(told({}, live))
    assert.isUndefined(told({}, sandbox))
  })

  it("name the first that is wrong: currency, amount, notify_url, a missing target, return_url, metadata", () => {
    const wrong = {
      currency: "CNY",
      amount: 1,
      notifyUrl: "ftp://x",
      returnUrl: "ftp://x",
      metadata: { "": "" }
    } as const
    const params = [wrong]
      .flatMap((all) => [
        all,
        { ...all, currency: "USD" as const },
        { ...all, currency: "USD" as const, amount: 50 },
        { ...all, currency: "USD" as const, amount: 50, notifyUrl: null },
        { ...all, currency: "USD" as const, amount: 50, notifyUrl: terms.notifyUrl },
        { metadata: all.metadata }
      ])
      .map((each) => termsProblem({ ...terms, ...each }, live)?.param)
    assert.deepStrictEqual(params, ["currency", "amount", "notify_url", "notify_url", "return_url", "metadata."])
  })

  it("have a currency that the operator enabled for live; the sandbox has all three", () => {
    const problem = currencyProblem("CNY", live)
    assert.strictEqual(problem?.param, "currency")
    assert.strictEqual(problem?.problem, "CNY is not enabled for this merchant's live environment")
    assert.isUndefined(currencyProblem("USD", live))
    assert.isUndefined(currencyProblem("CNY", sandbox))
  })

  it("have an amount that the channel takes, its least and its most included", () => {
    for (const amount of [50, 51, 99_998, 99_999]) assert.isUndefined(told({ amount }, live), String(amount))
    assert.strictEqual(
      told({ amount: 49 }, live),
      "amount: must be at least 50 (0.50 USD), as the payment channel says"
    )
    assert.strictEqual(
      told({ amount: 100_000 }, live),
      "amount: must be at most 99999 (999.99 USD), as the payment channel says"
    )
  })

  it("have bounds of their own currency, and none where the channel has none", () => {
    assert.strictEqual(amountProblem({ amount: 399, currency: "CNY" }, live.amountBounds)?.param, "amount")
    assert.isUndefined(amountProblem({ amount: 400, currency: "CNY" }, live.amountBounds))
    assert.isUndefined(amountProblem({ amount: 1, currency: "CNY" }, undefined))
  })

  it("need an address for events in live, unless there is another target", () => {
    const missing = "notify_url: is required in live mode where there is no endpoint"
    assert.strictEqual(told({ notifyUrl: null }, live), missing)
    assert.isUndefined(told({ notifyUrl: null }, { ...live, hasOtherTarget: true }))
    assert.isUndefined(told({ notifyUrl: null }, sandbox))
  })

  it("may send the buyer of a sandbox back to a private address, but events only where the operator allows it", () => {
    const home = "http://localhost:3000/"
    assert.isUndefined(told({ returnUrl: home }, sandbox))
    assert.match(told({ returnUrl: home }, live) ?? "", /^return_url: must be a public HTTPS address/)
    assert.match(told({ notifyUrl: home }, sandbox) ?? "", /^notify_url: must be public/)
    assert.isUndefined(told({ notifyUrl: home }, { ...sandbox, privateAllowed: true }))
  })

  it("name the key of the metadata that is wrong, and what is wrong with it", () => {
    const problem = formProblem({ returnUrl: null, metadata: { svc_payment_link: "x" } }, sandbox)
    assert.strictEqual(problem?.param, "metadata.svc_payment_link")
    assert.strictEqual(problem?.problem, "is reserved for the orders of payment links")
    assert.isUndefined(formProblem({ returnUrl: null, metadata: { note: "x" } }, sandbox))
  })

  it("reserve that one key of the metadata, and no other that begins with svc_", () => {
    for (const key of ["svc_", "svc_order", "svc_payment_links", "svc_payment_link_2", "SVC_PAYMENT_LINK"]) {
      assert.isUndefined(formProblem({ returnUrl: null, metadata: { [key]: "x" } }, sandbox), key)
    }
  })
})
