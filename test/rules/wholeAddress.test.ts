/** Whether a text holds an address: a person is a whole address, in any spelling. */
import { assert, describe, it } from "@effect/vitest"
import { addressSpellings, canonicalAddress, mayHoldAddress, wholeAddress } from "@coffer/rules/wholeAddress"
import * as fc from "fast-check"

const ann = wholeAddress("ann@x.example")

describe("an address in a text", () => {
  it.each([
    ["joann@x.example"],
    ["mary.ann@x.example"],
    ["lee-ann@x.example"],
    ["the_ann@x.example"],
    ["joe+ann@x.example"],
    ["o'ann@x.example"],
    ["ann@x.example.au"],
    ["ann@x.examples"],
    ["ann@x.example-shop"],
    ["ann@x.example--shop"],
    ["ann@xx.example"],
    ["ann+x@x.example"],
    ["for=lee-ann%40x.example"],
    ["for=lee%2Dann%40x.example"],
    ["ann%40x.example%2Eau"],
    ["ann@x.example\\u002eau"],
    ["ann@x.example&#46;au"],
    ["j\u00f6ann@x.example"],
    ["j%C3%B6ann@x.example"],
    ["?q=joe%2Bann%40x.example"],
    ["/users/joe+ann%40x.example"],
    ["?q=joe+ann@x.example&next=%2F"],
    ["?q=%20joe+ann@x.example%20"],
    ["a=joe+ann\\u0040x.example%20"],
    ["\u5c0fann@x.example"],
    ["\u5c0fann@x\u3002example"],
    ["joe\\.ann@x.example"],
    ["lee\\-ann\\@x\\.example"],
    ["ann\\@x\\.example\\.au"],
    ["ann at x.example"],
    ["ann@"],
    [""]
  ])("is not %s", (text) => {
    assert.isFalse(ann.isIn(text))
    assert.strictEqual(ann.without(text), text)
  })

  it.each([
    ["ann@x.example", "[erased]"],
    ["ANN@X.Example", "[erased]"],
    ["mailto:ann@x.example.", "mailto:[erased]."],
    ["<ann@x.example>", "<[erased]>"],
    ["to=ann%40x.example&", "to=[erased]&"],
    ["?q=order+of+ann%40x.example+today", "?q=order+of+[erased]+today"],
    ["next=%2Fsearch%3Fq%3Dof%2Bann%2540x.example", "next=%2Fsearch%3Fq%3Dof%2B[erased]"],
    ["https://shop.example/a?b=%20ann@x.example%20c", "https://shop.example/a?b=%20[erased]%20c"],
    [
      "https://shop.example/login?next=%2Fthanks%3Femail%3Dann%2540x.example",
      "https://shop.example/login?next=%2Fthanks%3Femail%3D[erased]"
    ],
    ['{"mail":"ann\\u0040x.example"}', '{"mail":"[erased]"}'],
    ['{"mail":"{\\"to\\":\\"ann\\\\u0040x.example\\"}"}', '{"mail":"{\\"to\\":\\"[erased]\\"}"}'],
    ["say \\nann@x.example\\n now", "say \\n[erased]\\n now"],
    ["&lt;ann&#64;x.example&gt;", "&lt;[erased]&gt;"],
    ["ann&commat;x.example", "[erased]"],
    ["'ann@x.example'", "'[erased]'"],
    ['"ann"@x.example', "[erased]"],
    ["(ann@x.example)", "([erased])"],
    ["ann@x.example, joann@x.example", "[erased], joann@x.example"],
    ["%61%6E%6e%40%78.example", "[erased]"],
    ["ann@x.example - a friend", "[erased] - a friend"],
    ["ann@x.example-", "[erased]-"],
    ["ann\uff20x.example", "[erased]"],
    ["ann@x\u3002example\u3002", "[erased]\u3002"],
    ["\u9001\u5230ann@x.example\u3002\u8c22\u8c22 ok", "\u9001\u5230[erased]\u3002\u8c22\u8c22 ok"],
    ["\u9001\u5230ann@x.example\u3002\u8c22\u8c22", "\u9001\u5230[erased]\u3002\u8c22\u8c22"],
    ["\u9001\u5230ann@x.example\uff0c\u8c22\u8c22", "\u9001\u5230[erased]\uff0c\u8c22\u8c22"],
    ["\u9001\u5230\u300cann@x.example\u300d\u8c22\u8c22", "\u9001\u5230\u300c[erased]\u300d\u8c22\u8c22"],
    ["\u8bf7\u5bc4\u5230ann@x\u3002example\uff01", "\u8bf7\u5bc4\u5230[erased]\uff01"],
    ["ann\\@x.example", "[erased]"],
    ["\\<ann\\@x\\.example\\>", "\\<[erased]\\>"],
    ["/users/ann@x.example/orders", "/users/[erased]/orders"],
    ["a:ann@x.example|b", "a:[erased]|b"]
  ])("is in %s", (text, without) => {
    assert.isTrue(ann.isIn(text))
    assert.strictEqual(ann.without(text), without)
  })

  it("matches every form of its host, and only letters of its own alphabet", () => {
    const german = wholeAddress("J\u00fcrgen@B\u00fccher.example")
    for (const text of [
      "j\u00fcrgen@xn--bcher-kva.example",
      "JU\u0308RGEN@BU\u0308CHER.EXAMPLE",
      "j%C3%BCrgen@b%C3%BCcher.example",
      "j%FCrgen@xn--BCHER-kva.example",
      '{"mail":"j\\u00fcrgen@b\\u00fccher.example"}'
    ]) {
      assert.isTrue(german.isIn(text), text)
      assert.notInclude(german.without(text), "rgen")
    }
    for (const [one, other] of [
      ["kate@x.example", "\u212aate@x.example"],
      ["istanbul@x.example", "\u0130stanbul@x.example"],
      ["istanbul@x.example", "\u0131stanbul@x.example"],
      ["strasse@x.example", "stra\u00dfe@x.example"]
    ] as const) {
      assert.isFalse(wholeAddress(one).is(other), other)
      assert.isFalse(wholeAddress(one).isIn(`for ${other}`), other)
    }
  })

  it.each([
    ["ann@a/b.example", "ann@c/d.example"],
    ["ann@a?b.example", "ann@a?c.example"],
    ["ann@a#1.example", "ann@a#2.example"],
    ["ann@a\\b.example", "ann@a\\c.example"],
    ["ann@a.example", "ann@%61.example"],
    ["ann@\u00ad.example", "ann@\u200b.example"]
  ])("with a host that DNS cannot have is itself alone: %s", (one, other) => {
    assert.isTrue(wholeAddress(one).is(one.toUpperCase()))
    assert.isFalse(wholeAddress(one).is(other))
    assert.isFalse(wholeAddress(other).is(one))
  })

  it("with an apostrophe is found in what a form has written", () => {
    assert.strictEqual(wholeAddress("o'ann+a@x.example").without("?q=of+o'ann%2Ba%40x.example+b"), "?q=of+[erased]+b")
  })

  it("is not found in the address that its row belongs to", () => {
    assert.isTrue(ann.isIn("mary=ann@x.example"))
    assert.isFalse(ann.isIn("mary=ann@x.example", ["mary=ann@x.example"]))
    assert.isTrue(ann.isIn("mary=ann@x.example, ann@x.example", ["mary=ann@x.example"]))
  })

  it("is shown without those of others", () => {
    assert.strictEqual(
      ann.withoutOthers("ann@x.example for joann%40x.example, joe@y.example"),
      "ann@x.example for [another address], [another address]"
    )
    assert.isFalse(ann.isBesideOthers("to=ann%2540x.example"))
    assert.strictEqual(ann.withoutOthers("joe@y_z.example, joe@-y-.example"), "[another address], [another address]")
  })

  it("is looked for in a time that grows with the text, whatever the text", () => {
    for (const part of ["a", "a@", "a-", "a.", "@a-", "%25", "&", "joe@y.example", "a@a-", "=+", "=a+a%40"]) {
      const text = `%40 ${"a@".repeat(2)}${part.repeat(200_000 / part.length)} %`
      assert.isFalse(ann.isIn(text))
      assert.include(ann.withoutOthers(text), " %")
    }
  })
})

// Laws -----------------------------------------------------------------------------

const atoms = fc.constantFrom(..."abknoz019.+-_'!*~$#%\u00e4\u00f6\u540d")
const word = fc.array(atoms, { minLength: 1, maxLength: 6 }).map((letters) => letters.join(""))
const hosts = fc.constantFrom(
  "x.example",
  "xx.example",
  "x.example.au",
  "b\u00fccher.example",
  "x.exam",
  "y-x.example",
  "x_y.example",
  "-x.example",
  "\u4f8b\u3048.example"
)
const address = fc.tuple(word, hosts).map(([local, host]) => `${local}@${host}`)

/** Ways in which a program writes a text into another. */
const ways: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) =>
    text.toUpperCase().toLowerCase() === text.toLowerCase() && !/[\u00df]/.test(text) ? text.toUpperCase() : text,
  encodeURIComponent,
  (text) => encodeURIComponent(text).replace(/[!'()*~._-]/g, (c) => `%${c.charCodeAt(0).toString(16)}`),
  (text) => new URLSearchParams({ a: text }).toString().slice(2).replaceAll("+", "%20"),
  (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  (text) =>
    text.replace(/[^a-z0-9.]/gi, (c) =>
      [...Array(c.length).keys()].map((at) => `\\u${c.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")
    ),
  (text) => JSON.stringify(text).slice(1, -1),
  // Markdown escapes no percent sign, so there one is a byte.
  (text) => (text.includes("%") ? text : text.replace(/[@._+-]/g, "\\$&")),
  (text) => text.replace(/[^a-z0-9.]/giu, (c) => `&#${c.codePointAt(0)};`),
  (text) => text.replace(/[^a-z0-9.]/giu, (c) => `&#x${c.codePointAt(0)!.toString(16)};`)
]
const frames: ReadonlyArray<readonly [string, string]> = [
  ["", ""],
  ["to=", "&more=1"],
  ["<", ">"],
  ["mailto:", "."],
  ["see: ", ", and"],
  ["\n", "\n"],
  ['"', '"'],
  ["\u9001\u5230\uff1a", "\u3002\u8c22\u8c22"]
]
const way = fc.constantFrom(...ways)
const spelled = fc.tuple(way, way, fc.constantFrom(...frames))

const runs = process.env["SOAK"] === "true" ? 50_000 : 2_000

describe("for any two addresses", () => {
  it("one that is taken out leaves a text with the other alone as it is, in every spelling", () => {
    fc.assert(
      fc.property(address, address, spelled, (one, other, [inner, outer, [before, after]]) => {
        fc.pre(canonicalAddress(one) !== canonicalAddress(other))
        const text = outer(before + inner(other) + after)
        assert.strictEqual(wholeAddress(one).without(text, [other]), text)
      }),
      { numRuns: runs }
    )
  })

  it("one that is a part of the other is not found in it, where nothing is known of the text", () => {
    const part = fc.constantFrom("jo", "mary.", "lee-", "joe+", "o'", "a_", "1")
    const tail = fc.constantFrom(".au", "s", "-shop", ".co.uk", "1")
    const plain = fc
      .tuple(fc.stringMatching(/^[a-z]{1,4}$/), fc.constantFrom("x.example", "shop.test"))
      .map((parts) => parts.join("@"))
    fc.assert(
      fc.property(
        plain,
        part,
        tail,
        fc.boolean(),
        spelled,
        (one, head, end, isLonger, [inner, outer, [before, after]]) => {
          const other = isLonger ? one + end : head + one
          const text = outer(before + inner(other) + after)
          assert.strictEqual(wholeAddress(one).without(text), text)
        }
      ),
      { numRuns: runs }
    )
  })
})

describe("for any address", () => {
  it("is found in every spelling, no more of it is left, and the narrowing of Postgres lets the text through", () => {
    fc.assert(
      fc.property(address, spelled, (one, [inner, outer, [before, after]]) => {
        const text = outer(before + inner(one) + after)
        const { isIn, without } = wholeAddress(one)
        assert.isTrue(isIn(text), text)
        assert.isFalse(isIn(without(text)), without(text))
        assert.match(text, new RegExp(mayHoldAddress))
        assert.isAtLeast(addressSpellings(one).length, 1)
      }),
      { numRuns: runs }
    )
  })

  it("any text is taken as it is", () => {
    fc.assert(
      fc.property(address, fc.string({ unit: "binary", maxLength: 60 }), (one, text) => {
        const { isIn, without } = wholeAddress(one)
        if (!isIn(text)) assert.strictEqual(without(text), text)
      }),
      { numRuns: runs }
    )
  })
})
