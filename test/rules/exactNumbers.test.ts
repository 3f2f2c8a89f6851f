/** A number that reading would round is told from one that is exact (silences: G7). */
import { assert, describe, it } from "@effect/vitest"
import { exactNumbers } from "../../src/shared/http/exactNumbers.ts"

describe("numbers of a JSON text", () => {
  for (const rounded of [
    "5.0",
    "1e3",
    "1E+3",
    "-2.50e1",
    "19.999999999999999999",
    "0.99999999999999999999",
    "0.0",
    "1e-0"
  ]) {
    it(`${rounded} is an integer only when it is read, and becomes a text`, () => {
      assert.strictEqual(exactNumbers(`{"amount":${rounded}}`), `{"amount":"${rounded}"}`)
      assert.strictEqual(exactNumbers(`[${rounded}, ${rounded}]`), `["${rounded}", "${rounded}"]`)
    })
  }

  for (const exact of ["5", "-5", "19.99", "1e-3", "1e400", "0", "123456789012345678"]) {
    it(`${exact} stays`, () => assert.strictEqual(exactNumbers(`{"a":[${exact}]}`), `{"a":[${exact}]}`))
  }

  it("in a text are no numbers, whatever is escaped in it", () => {
    const text = String.raw`{"a 5.0":"5.0, 1e3 \\","b\" 1e3":" \" 5.0 ","c":["\\\" 2.0"]}`
    assert.strictEqual(exactNumbers(text), text)
  })

  it("that JSON does not know stay, so that the body is refused as before", () => {
    for (const text of ["[05.0]", "[+5.0]", "[5.0.0]", "[5.]", "[.5e1]", "[5.0a]", "[1e]", '["5.0', "[1e5e5]"]) {
      assert.strictEqual(exactNumbers(text), text)
      assert.throws(() => JSON.parse(exactNumbers(text)))
    }
  })

  it("are found in time that grows with the text alone", () => {
    const long = `{"a":"${"\\\\".repeat(200_000)}","b":5.0,"c":"${"1.0 ".repeat(100_000)}`
    assert.strictEqual(exactNumbers(long).length, long.length + 2)
  })
})
