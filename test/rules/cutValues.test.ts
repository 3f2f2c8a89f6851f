/** Forms of card numbers and of others' keys that logs cut, and cells that a spreadsheet would run (silences: A3, P19). */
import { assert, it } from "@effect/vitest"
import { csvRow } from "@coffer/rules/csv"
import { redact, redactText } from "@coffer/rules/redaction"

const digits = "5555555555554444"
const groups = (between: string) => digits.replace(/(\d{4})(?=\d)/g, `$1${between}`)
const inScript = (zero: number) => Array.from(digits, (digit) => String.fromCharCode(zero + Number(digit))).join("")
const wide = inScript(0xff10)

for (const [name, number] of Object.entries({
  dots: groups("."),
  slashes: groups("/"),
  underscores: groups("_"),
  tabs: groups("\t"),
  lines: groups("\n"),
  commas: groups(","),
  "thin spaces": groups("\u2009"),
  "ideographic spaces": groups("\u3000"),
  "full-width digits": wide,
  "digits of Arabic": inScript(0x660),
  "digits of Persian": inScript(0x6f0),
  "digits of Devanagari in groups": inScript(0x966).replace(/(.{4})(?=.)/g, "$1 ")
})) {
  it(`a card number with ${name} is cut`, () =>
    assert.strictEqual(redactText(`card ${number} ok`), "card [redacted] ok"))
}

it("digits of every script stand ten together, as the search for card numbers takes them", () => {
  for (let code = 0x660; code < 0xffff; code++) {
    if (!/\p{Nd}/u.test(String.fromCharCode(code)) || /\p{Nd}/u.test(String.fromCharCode(code - 1))) continue
    assert.strictEqual(redactText(`card ${inScript(code)} ok`), "card [redacted] ok", code.toString(16))
    assert.isFalse(/\p{Nd}/u.test(String.fromCharCode(code + 10)), code.toString(16))
  }
})

it("a card number is cut as a number too, also below zero", () => {
  for (const number of [Number(digits), -Number(digits)]) {
    assert.deepStrictEqual(redact({ a: number, b: [-12] }), { a: "[redacted]", b: [-12] })
  }
})

it("Stripe's keys are cut wherever they stand, whatever the field's name", () => {
  for (const prefix of ["sk_live_", "rk_live_", "sk_test_", "rk_test_"]) {
    const key = `${prefix}51Habcdefghijklmnopqrstuvwxyz`
    assert.deepStrictEqual(redact({ note: `their key: ${key}` }), { note: `their key: ${prefix}[redacted]` })
  }
})

it("authentication data of cards is cut by its field's name", () => {
  const fields = { cryptogram: "AAAA", emv_data: "9F26", track: ";5555", magstripe: "%B", cav2: "123", cid: "1234" }
  assert.deepStrictEqual(redact(fields), Object.fromEntries(Object.keys(fields).map((name) => [name, "[redacted]"])))
  assert.deepStrictEqual(redact({ track_record: "good", tracking_number: "1Z" }), {
    track_record: "good",
    tracking_number: "1Z"
  })
})

it("a cell does not become a formula after blanks, in full width, or behind a semicolon", () => {
  const cell = (text: string) => csvRow([{ name: "a", isMoney: false }], { a: text }).trimEnd()
  assert.deepStrictEqual([" =1", "＝1", "a;=1", "a; @b", "a;b", "a=b"].map(cell), [
    "' =1",
    "'＝1",
    "a;'=1",
    "a;' @b",
    "a;b",
    "a=b"
  ])
})
