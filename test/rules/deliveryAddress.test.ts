/**
 * To which addresses an event is pushed (spec: Events; silences: W12). The vectors are tables beside this file; that
 * nothing connects where they forbid it is shown in `test/webhooks/outboundAddresses.test.ts`.
 */
import type { Mode } from "@coffer/model/Ids"
import { urlLengthMax } from "@coffer/model/Limits"
import { isPublicAddress, isPublicHttpsUrl, isPublicHttpUrl } from "@coffer/rules/delivery/address"
import { urlProblem } from "@coffer/rules/delivery/urlProblem"
import { assert, describe, it } from "@effect/vitest"
import { corpus } from "./corpus/corpus.ts"

describe("delivery: what a name may resolve to", () => {
  for (const { text, verdict, what } of corpus("addresses")) {
    it(`${text} is ${verdict}: ${what}`, () => assert.strictEqual(isPublicAddress(text), verdict === "public"))
  }

  it("an empty text is not public", () => assert.isFalse(isPublicAddress("")))
})

describe("delivery: what a URL may be", () => {
  const mayBe = (text: string) => ({
    live: urlProblem("url", text, { mode: "live", privateAllowed: false }) === undefined,
    // The operator's setting is for the sandbox: live has to be blind to it.
    liveWithPrivate: urlProblem("url", text, { mode: "live", privateAllowed: true }) === undefined,
    sandbox: urlProblem("url", text, { mode: "sandbox", privateAllowed: false }) === undefined,
    sandboxWithPrivate: urlProblem("url", text, { mode: "sandbox", privateAllowed: true }) === undefined
  })
  const meaning: Readonly<Record<string, ReturnType<typeof mayBe>>> = {
    live: { live: true, liveWithPrivate: true, sandbox: true, sandboxWithPrivate: true },
    http: { live: false, liveWithPrivate: false, sandbox: true, sandboxWithPrivate: true },
    private: { live: false, liveWithPrivate: false, sandbox: false, sandboxWithPrivate: true },
    never: { live: false, liveWithPrivate: false, sandbox: false, sandboxWithPrivate: false }
  }
  for (const { text, verdict, what } of corpus("urls")) {
    it(`${text} is ${verdict}: ${what}`, () => assert.deepStrictEqual(mayBe(text), meaning[verdict]))
  }

  const told = (url: string, mode: Mode = "sandbox") => urlProblem("url", url, { mode, privateAllowed: true })?.problem

  it("names the rule that it breaks, a placeholder in the host before all others", () => {
    const host = "may have placeholders only after its host. Write the host out"
    const example = "with its scheme and host, such as https://shop.example/hook"
    for (const url of ["https://{shop}.example/", "https://a.{b}.example:80/", "ftp://{x}", "//{x}", "https://a}"]) {
      assert.deepStrictEqual([told(url), told(url, "live")], [host, host], url)
    }
    assert.strictEqual(told("ftp://shop.example"), `must be an http or https address, ${example}`)
    assert.strictEqual(told("http://shop.example", "live"), `must be a public HTTPS address, ${example}`)
    assert.isUndefined(urlProblem("url", undefined, { mode: "live", privateAllowed: false }))
    for (const isPublic of [isPublicHttpUrl, isPublicHttpsUrl]) assert.isFalse(isPublic("shop"))
  })

  it("may have placeholders after its host", () => {
    for (const url of ["https://shop.example/{A}", "https://shop.example?{A}", "https://shop.example//{A}"]) {
      assert.isUndefined(told(url, "live"), url)
    }
  })

  const longest = `https://merchant.example/${"a".repeat(urlLengthMax - 25)}`
  it("the longest URL is taken, and one more letter is not", () => {
    assert.deepStrictEqual(mayBe(longest), meaning["live"])
    assert.deepStrictEqual(mayBe(`${longest}a`), meaning["never"])
  })
})

describe("delivery: the corpus", () => {
  it("has no vector twice, and more than 350 of them", () => {
    for (const name of ["addresses", "urls"] as const) {
      const texts = corpus(name).map(({ text }) => text)
      assert.strictEqual(new Set(texts).size, texts.length)
    }
    assert.isAtLeast(corpus("addresses").length + corpus("urls").length, 350)
  })
})
