/**
 * The script of the checkout's pages as production sends it: Node only blanks the types out of it, where tests compile
 * it (silences: K). test/pages tries what it does.
 */
import { execFileSync } from "node:child_process"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as cardTyping from "../../src/door/checkout/browser/cardTyping.ts"
import { checkCard, testCards } from "../../src/door/checkout/checkCard.ts"
import { languages } from "../../src/shared/pages/language.ts"
import { screens } from "../kit/pages/checkoutScreens.ts"

const { brandOf, groupNumber, slashExpiry } = cardTyping

describe("checkout: the script", () => {
  it("is JavaScript without types, comments and undefined names, also as Node reads it", () => {
    const print = 'import { script } from "./src/door/checkout/script.ts"; process.stdout.write(script.markup)'
    const markup = execFileSync(process.execPath, ["--input-type=module", "-e", print], { encoding: "utf8" })
    const source = /^<script>(.*)<\/script>$/s.exec(markup)![1]!
    assert.notMatch(source, /<\/?script|<!--/)
    assert.notMatch(source, /^\s*(\/\/|\/\*)/m)
    // Parsed and not run: it needs a document.
    // oxlint-disable-next-line no-new-func -- parses our own text
    assert.doesNotThrow(() => new Function(source))
    const defined = new Set(Array.from(source.matchAll(/function (\w+)\(/g), ([, name]) => name!))
    for (const name of ["listen", "begin", "follow", "send", "typed", "showBrand", "forgive"]) {
      assert.isTrue(defined.has(name), name)
    }
    assert.notMatch(source, /\b(import|require|__vi\w*)\b/)
  })

  it("leaves every page under 50 kB, and under 15 kB compressed", () => {
    for (const language of languages) {
      for (const [name, markup] of screens(language)) {
        assert.isBelow(Buffer.byteLength(markup), 50_000, name)
        assert.isBelow(gzipSync(markup).length, 15_000, name)
      }
    }
  })

  it("knows a card's brand by its first digits", () => {
    const brands = {
      Visa: ["4", "4242424242424242"],
      Mastercard: ["51", "55", "2221", "2720"],
      "American Express": ["34", "378282246310005"],
      UnionPay: ["62", "6212345678901265", "81"],
      JCB: ["3528", "3589"],
      "Diners Club": ["300", "36", "38"],
      Discover: ["6011", "65", "644"],
      "": ["", "1", "5", "50", "56", "2220", "2721", "3527", "60", "643"]
    }
    for (const [brand, begins] of Object.entries(brands)) {
      for (const digits of begins) assert.strictEqual(brandOf(digits), brand, digits)
    }
  })

  it("groups a number as it is printed on the card, and takes no digit away that a card may have", () => {
    assert.strictEqual(groupNumber("4242-4242 42424242"), "4242 4242 4242 4242")
    assert.strictEqual(groupNumber("378282246310005"), "3782 822463 10005")
    assert.strictEqual(groupNumber("36227206271667"), "3622 720627 1667")
    assert.strictEqual(groupNumber("3528000000000000"), "3528 0000 0000 0000")
    assert.strictEqual(groupNumber("6212345678900000003"), "6212 3456 7890 0000 003")
    assert.strictEqual(groupNumber(""), "")
  })

  it("puts the slash into an expiry, which the server takes with it and without it", () => {
    const now = { year: 2026, month: 8 }
    for (const [typed, shown] of [
      ["1240", "12/40"],
      ["12 40", "12/40"],
      ["12/2040", "12/40"],
      ["122040", "12/40"],
      ["1/40", "01/40"],
      ["9", "09/"],
      ["12", "12/"],
      ["1", "1"],
      ["", ""]
    ] as const) {
      assert.strictEqual(slashExpiry(typed, false), shown, typed)
      if (shown.length < 5) continue
      const [number] = Object.keys(testCards)
      assert.strictEqual(checkCard({ number: number!, expiry: typed, cvc: "123" }, now)._tag, "TestCard", typed)
      assert.strictEqual(checkCard({ number: number!, expiry: shown, cvc: "123" }, now)._tag, "TestCard", shown)
    }
    assert.strictEqual(slashExpiry("12", true), "12")
  })
})
