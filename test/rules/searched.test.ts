/** What a person who searches may mean by a text. */
import { assert, describe, it } from "@effect/vitest"
import { amountIn, ownNumberOf, termsIn } from "../../packages/rules/src/lists/searched.ts"

describe("a searched text", () => {
  const body = "01KXB2W4N8Q6R3T5V7Y9ZACDEF"

  it("is a number of ours in any case, and any other text as it is", () => {
    assert.strictEqual(ownNumberOf(`trd_sb_${body.toLowerCase()}`), `TRD_SB_${body}`)
    assert.strictEqual(ownNumberOf(`Trd_${body}`), `TRD_${body}`)
    assert.strictEqual(ownNumberOf(`RFD_${body}`), `rfd_${body}`)
    assert.strictEqual(ownNumberOf("Cart_1"), "Cart_1")
    assert.strictEqual(ownNumberOf(`cart_${body.toLowerCase()}`), `cart_${body.toLowerCase()}`)
  })

  it.each([
    ["19.99", 1_999, undefined],
    ["$1,999", 199_900, undefined],
    ["HK$ 20", 2_000, "HKD"],
    ["US$0.5", 50, "USD"],
    ["20 usd", 2_000, "USD"],
    ["CNY 7", 700, "CNY"],
    ["¥7.00", 700, "CNY"]
  ] as const)("%s is an amount", (text, minor, currency) => {
    assert.deepStrictEqual(amountIn(text), { minor, currency })
  })

  it.each(["", "cart", "19.999", "20 eur", "1,99", "12345678901", "-5", "4 books"])("%s is no amount", (text) => {
    assert.isUndefined(amountIn(text))
  })

  it("has terms that each narrow: amounts with their currency, words, and at most eight", () => {
    const read = termsIn("4242 HK$ 20 20 usd Wallace@Mail - 旧书")
    assert.deepStrictEqual(
      read.map(({ text }) => text),
      ["4242", "hk$20", "20usd", "wallace@mail", "旧书"]
    )
    assert.deepStrictEqual(
      read.map(({ amount }) => amount?.minor),
      [424_200, 2_000, 2_000, undefined, undefined]
    )
    assert.deepStrictEqual(read[3]!.words, ["wallace", "mail"])
    assert.deepStrictEqual(termsIn("' :* | \\"), [])
    assert.lengthOf(termsIn("a ".repeat(100)), 8)
    assert.lengthOf(termsIn("a.".repeat(100))[0]!.words, 8)
  })
})
