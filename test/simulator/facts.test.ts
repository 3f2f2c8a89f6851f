/** The table of facts, which answers and parameters are held against. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { Stripe } from "stripe"
import { checkAnswer } from "../../packages/simulator/src/facts/checkAnswer.ts"
import { readParameters } from "../../packages/simulator/src/facts/readParameters.ts"
import { apiVersion } from "../../packages/simulator/src/facts/table.ts"
import { newTransaction } from "../../packages/simulator/src/objects/balance.ts"
import { readForm } from "../../packages/simulator/src/wire/form.ts"

const entry = newTransaction({
  id: "txn_1",
  created: 1,
  amount: 100,
  fee: 3,
  currency: "usd",
  type: "charge",
  category: "charge",
  source: "ch_1",
  description: null,
  exchangeRate: null
})

describe("the table of facts", () => {
  it("is of the installed package, and of the version that its client asks for", () => {
    const table = JSON.parse(readFileSync("packages/simulator/src/facts/table.json", "utf8")) as Record<string, string>
    assert.strictEqual(table["stripePackage"], readFileSync("node_modules/stripe/VERSION", "utf8").trim())
    assert.strictEqual(table["openapiVersion"], readFileSync("node_modules/stripe/OPENAPI_VERSION", "utf8").trim())
    assert.strictEqual(apiVersion, Stripe.API_VERSION)
  })

  it("finds a field of an answer that is missing, misspelt, of another type or no word of its enumeration", () => {
    assert.deepStrictEqual(checkAnswer(entry), [])
    const { fee: _, ...rest } = entry
    for (const wrong of [
      rest,
      { ...entry, fees: 3 },
      { ...entry, fee: "3" },
      { ...entry, type: "gift" },
      { ...entry, source: null, fee_details: [{ ...entry.fee_details[0], amount: null }] },
      { ...entry, source: rest }
    ]) {
      assert.isNotEmpty(checkAnswer(wrong), JSON.stringify(wrong))
    }
  })

  it("reads a form's texts as the types of its parameters, and refuses what is nested too deep", () => {
    const form = (text: string) => readForm(new URLSearchParams(text))!
    const read = readParameters(
      "POST /v1/checkout/sessions",
      form(
        "mode=payment&line_items[0][quantity]=2&line_items[0][price_data][currency]=usd&metadata[a]=1&expand[]=x&expand[]=y"
      )
    )
    assert.deepStrictEqual(JSON.parse(JSON.stringify(Result.getOrThrow(read))), {
      mode: "payment",
      line_items: [{ quantity: 2, price_data: { currency: "usd" } }],
      metadata: { a: "1" },
      expand: ["x", "y"]
    })
    assert.isUndefined(readForm([[`a${"[b]".repeat(20)}`, "x"]]))
    assert.isUndefined(readForm(new URLSearchParams("a=1&a[b]=2")))
    assert.isTrue(Result.isFailure(readParameters("POST /v1/refunds", form("__proto__[x]=1"))))
  })
})
