/** How the sandbox handles card numbers: mistakes, test cards, and all others (docs/architecture.md, section 7). */
import { assert, describe, it } from "@effect/vitest"
import { type CardField, checkCard, isValidExpiry } from "../../src/door/checkout/checkCard.ts"

const august = { year: 2026, month: 8 }
const good = { number: "4242 4242 4242 4242", expiry: "12/30", cvc: "123" }

const visa = (last4: string) => ({ brand: "visa", last4 })
const mistaken = (...fields: ReadonlyArray<CardField>) => ({ _tag: "Mistaken" as const, fields: new Set(fields) })
/** Without which fields are empty. */
const judged = (...card: Parameters<typeof checkCard>) => {
  const checked = checkCard(...card)
  return checked._tag === "Mistaken" ? mistaken(...checked.fields) : checked
}

describe("checkout: cards", () => {
  const numbers: ReadonlyArray<readonly [string, ReturnType<typeof judged>]> = [
    ["4242 4242 4242 4242", { _tag: "TestCard", outcome: "succeed", card: visa("4242") }],
    ["4242424242424242", { _tag: "TestCard", outcome: "succeed", card: visa("4242") }],
    [" 4242-4242-4242-4242 ", { _tag: "TestCard", outcome: "succeed", card: visa("4242") }],
    ["４２４２　４２４２　４２４２　４２４２", { _tag: "TestCard", outcome: "succeed", card: visa("4242") }],
    ["4000 0000 0000 0002", { _tag: "TestCard", outcome: "declined", card: visa("0002") }],
    ["4000 0027 6000 3184", { _tag: "TestCard", outcome: "redirect", card: visa("3184") }],
    ["4000 0000 0000 9995", { _tag: "TestCard", outcome: "insufficientFunds", card: visa("9995") }],
    ["4000 0000 0000 0069", { _tag: "TestCard", outcome: "cardExpired", card: visa("0069") }],
    ["4000 0000 0000 9979", { _tag: "TestCard", outcome: "callBank", card: visa("9979") }],
    ["4000 0000 0000 0077", { _tag: "TestCard", outcome: "processing", card: visa("0077") }],
    // Its check digit is right, but the bank must not be asked.
    ["5555 5555 5555 4444", { _tag: "NotATestCard" }],
    ["3782 822463 10005", { _tag: "NotATestCard" }],
    ["0000 0000 0000 0000", { _tag: "NotATestCard" }],
    ["4242 4242 4242 4241", mistaken("number")],
    ["2424 2424 2424 2424", mistaken("number")],
    ["4242", mistaken("number")],
    ["00000000000000000000", mistaken("number")],
    ["4242x4242x4242x4242", mistaken("number")],
    ["__proto__", mistaken("number")],
    ["", mistaken("number")]
  ]
  for (const [number, expected] of numbers) {
    it(`"${number}" is ${expected._tag}${expected._tag === "TestCard" ? `, ${expected.outcome}` : ""}`, () => {
      assert.deepStrictEqual(judged({ ...good, number }, august), expected)
    })
  }

  const expiries: ReadonlyArray<readonly [string, boolean]> = [
    ["08/26", true],
    ["8/26", true],
    ["09 / 26", true],
    ["01/27", true],
    ["12/2026", true],
    ["07/26", false],
    ["12/25", false],
    ["00/27", false],
    ["13/27", false],
    ["0827", true],
    ["08 27", true],
    ["08.27", true],
    ["082027", true],
    ["08/2027", true],
    [" 08 / 27 ", true],
    ["０８２７", true],
    ["0726", false],
    ["1327", false],
    ["0027", false],
    ["827", false],
    ["08272", false],
    ["081927", false],
    ["08/1926", false],
    ["2026-08", false],
    ["", false]
  ]
  for (const [expiry, valid] of expiries) {
    it(`a card of "${expiry}" is ${valid ? "good" : "refused"} in August 2026`, () => {
      assert.strictEqual(isValidExpiry(expiry, august), valid)
    })
  }

  for (const [cvc, valid] of [
    ["123", true],
    ["1234", true],
    ["12", false],
    ["12345", false],
    ["12a", false],
    ["", false]
  ] as const) {
    it(`a CVC of "${cvc}" is ${valid ? "good" : "refused"}`, () => {
      const expected = valid ? ({ _tag: "TestCard", outcome: "succeed", card: visa("4242") } as const) : mistaken("cvc")
      assert.deepStrictEqual(judged({ ...good, cvc }, august), expected)
    })
  }

  it("all mistakes are reported at once, in the order of the fields", () => {
    const checked = judged({ number: "1", expiry: "1", cvc: "1" }, august)
    assert.deepStrictEqual(checked, mistaken("number", "expiry", "cvc"))
  })

  it("of the mistaken fields it is known in which nothing was typed", () => {
    const checked = checkCard({ number: " ", expiry: "1", cvc: "" }, august)
    assert.deepStrictEqual(checked._tag === "Mistaken" && [...checked.empty], ["number", "cvc"])
  })

  it("a mistake elsewhere comes before what the number means", () => {
    assert.deepStrictEqual(judged({ ...good, number: "5555555555554444", cvc: "" }, august), mistaken("cvc"))
  })
})
