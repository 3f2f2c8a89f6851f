/** Card numbers are cut from what is kept, wherever they stand (spec: API log; silences: A3). */
import { cutCardNumbers, isCardNumber } from "@coffer/rules/cardNumbers"
import { redact, redactedText } from "@coffer/rules/redaction"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { vi } from "vitest"

const visa = "4111111111111111"
const cut = (text: string) => cutCardNumbers(text, "*")

describe("card numbers in texts", () => {
  for (const number of [
    "4222222222222",
    "30569309025904",
    "38520000023237",
    "378282246310005",
    "3530111333300000",
    visa,
    "5555555555554444",
    "2223003122003222",
    "2200770239097761",
    "6011111111111117",
    "6240008631401148",
    "8600140276359180",
    "9792030394440796",
    "6304000000000000000",
    // 15 digits: UATP, and JCB's oldest.
    "135410014004955",
    "180012345678905",
    "213112345678904"
  ]) {
    it(`${number} is cut`, () => assert.strictEqual(cut(number), "*"))
  }

  for (const [text, kept] of [
    ["4111 1111 1111 1111", "*"],
    ["4111-1111-1111-1111", "*"],
    ["4111%201111%201111%201111", "*"],
    ["4111+1111+1111+1111", "*"],
    ["4111%2D1111%2d1111%2D1111", "*"],
    ["4111%2d1111%2D1111%2d1111", "*"],
    ["4111\r\n1111\t1111\v1111", "*"],
    ["\u0664111 1111 1111 111\u0661", "*"],
    ["\u09ea\u09e7\u09e7\u09e7 1111 1111 111\u09e7", "*"],
    ["4111  1111 - 1111\u00a01111", "*"],
    ["4111\u20131111\u20131111\u20131111", "*"],
    ["4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "*"],
    ["3782 822463 10005", "*"],
    ["1354 10014 004955", "*"],
    ["2 1 3 1 1234 5678 904", "*"],
    [`card ${visa}, please`, "card *, please"],
    [`pan:${visa}=2512101`, "pan:*=2512101"],
    [`card_${visa}_x`, "card_*_x"],
    [`n${visa}n`, "n*n"],
    ["4111 1111 1111 1111 12/29 123", "* 12/29 123"],
    ["4111 1111 1111 1111 123", "* 123"],
    ["12 4111 1111 1111 1111", "12 *"],
    [`/v1/orders/${visa}/expire`, "/v1/orders/*/expire"],
    [`/v1/orders/a%20${visa}`, "/v1/orders/a%20*"],
    [`${visa} ${visa}`, "* *"],
    [`\uff11\uff12, ${visa}; \uff11\uff13`, "\uff11\uff12, *; \uff11\uff13"],
    ["\uff14111 1111 1111 111\uff11 \uff19", "* \uff19"],
    [`${visa},5555555555554444`, "*,*"]
  ] as const) {
    it(`${JSON.stringify(text)} becomes ${kept}`, () => assert.strictEqual(cut(text), kept))
  }

  for (const text of [
    "4111111111111112",
    "411111111111",
    "41111111111111111111",
    "1767225600000",
    "1767225600006",
    "1767225600000003",
    "17672256000000009",
    "210012345678909",
    "202611221424138",
    "20261122142413000",
    "20261122142413008",
    "2026-11-22T14:24:13.123Z",
    "0000000000000000",
    "TRD_41111111111111110000000000",
    "TRD_SB_01KARWCVD80411111111111111 1",
    "TRD_SB_0141111111111111110000000Z",
    "evt_00000004111111111111111100",
    "req_55555555555544440000000000",
    `TRD_ABCDE${visa}VWXYZ`,
    `x1_${visa}ABCDEFGHJK`,
    "\uff11 of 4111111111111112",
    `TRD_${visa}ABCDEFGHJK`,
    `TRD_ABCDEFGHJK${visa}`,
    `see TRD_ABCDE${visa}VWXYZ, please`,
    "100000000000",
    "",
    "no digits at all"
  ]) {
    it(`${JSON.stringify(text)} stays as it is`, () => assert.strictEqual(cut(text), text))
  }

  it("a text that starts like one of our ids but is longer is not one", () => {
    assert.strictEqual(cut(`TRD_${visa}`), "TRD_*")
    assert.strictEqual(cut(`x_ABCDEFGHJK${visa}Q`), "x_ABCDEFGHJK*Q")
    assert.strictEqual(cut(`TRD_ABCDE${visa}VWXYZZ`), "TRD_ABCDE*VWXYZZ")
    assert.strictEqual(cut(`TRD_ABCDE${visa}VWXY`), "TRD_ABCDE*VWXY")
    assert.strictEqual(cut(`TRD_ABCDE${visa}VWXY,`), "TRD_ABCDE*VWXY,")
    assert.strictEqual(cut(`TRD_ABCDE${visa}VWXYu`), "TRD_ABCDE*VWXYu")
    assert.strictEqual(cut(`TRD-ABCDE${visa}VWXYZ`), "TRD-ABCDE*VWXYZ")
    assert.strictEqual(cut(`ABCDE${visa}VWXYZ`), "ABCDE*VWXYZ")
    assert.strictEqual(cut(`TRD_AaCDE${visa}VWXYZ`), "TRD_AaCDE*VWXYZ")
  })

  it("no number survives, whatever is written before, between and behind", () => {
    const luhn = (digits: string) => {
      const sum = [...digits].toReversed().reduce((total, digit, index) => {
        const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1)
        return total + (doubled > 9 ? doubled - 9 : doubled)
      }, 0)
      return digits + String((10 - (sum % 10)) % 10)
    }
    const number = fc
      .tuple(fc.constantFrom("3", "4", "5", "6", "8", "9", "22", "27"), fc.stringMatching(/^\d{11,16}$/))
      .map(([first, rest]) => luhn(first + rest.slice(0, 16)))
    const around = fc.constantFrom("", " ", "card ", ": ", "\n", ",", "/", "x", "_", "%20")
    fc.assert(
      fc.property(
        number,
        fc.constantFrom("", " ", "-", "+", "%20"),
        around,
        around,
        (digits, separator, before, after) => {
          const written = digits.replace(/(....)(?!$)/g, `$1${separator}`)
          assert.strictEqual(cut(before + written + after), `${before}*${after}`)
        }
      )
    )
  })

  it("looks at each character of a long text a few times only", () => {
    for (const text of ["4", "4 ", "41 ", "4%20", "4   ", "4%2D%2D", "%20", "1", "22 "].map((part) =>
      part.repeat(16_384 / part.length)
    )) {
      const looks = vi.spyOn(String.prototype, "charCodeAt")
      const pieces = vi.spyOn(String.prototype, "slice")
      cut(text)
      const looked = looks.mock.calls.length + pieces.mock.calls.length
      vi.restoreAllMocks()
      assert.isAtMost(looked, 2 * text.length)
    }
  })
})

describe("card numbers in bodies", () => {
  for (const [what, body, kept] of [
    ["in any text", { note: `paid with ${visa}` }, { note: `paid with ${redactedText}` }],
    ["in lists", { a: ["x", [visa]] }, { a: ["x", [redactedText]] }],
    ["in a body that is a text", visa, redactedText],
    ["in names", { [visa]: 1, b: 2 }, { [redactedText]: 1, b: 2 }],
    [
      "in a checkout address",
      { checkout_url: `https://a.example/checkout/${visa}` },
      { checkout_url: "https://a.example/checkout/[redacted]" }
    ],
    [
      "as numbers",
      { reference: 4111111111111111, b: [378282246310005] },
      { reference: redactedText, b: [redactedText] }
    ],
    [
      "in a field that is named as a card's, whatever it begins with",
      { card_number: "1767225600006", pan: 2014000000000009, number: "0000000000000000" },
      { card_number: redactedText, pan: redactedText, number: redactedText }
    ],
    ["as numbers too large to be read exactly", { a: 6304000000000000000 }, { a: redactedText }],
    ["and no number of more than 19 digits", { a: 1e19, b: 2e25 }, { a: 1e19, b: 2e25 }],
    [
      "and neither amounts, nor totals, nor times, nor our ids",
      {
        amount: 100000000000,
        total: 4222222222222,
        at: 1767225600000006,
        id: "TRD_SB_01KARWCVD8000000000000041Z",
        f: 41.1e-20
      },
      {
        amount: 100000000000,
        total: 4222222222222,
        at: 1767225600000006,
        id: "TRD_SB_01KARWCVD8000000000000041Z",
        f: 41.1e-20
      }
    ]
  ] as const) {
    it(what, () => assert.deepStrictEqual(redact(body), kept))
  }
})

describe("isCardNumber", () => {
  it("takes what networks give out, by the check digit", () => {
    assert.isTrue(isCardNumber(visa))
    assert.isFalse(isCardNumber("1111111111111117"))
    assert.isFalse(isCardNumber("2014000000000009"))
  })

  it("takes 13 to 19 digits", () => {
    for (const digits of ["4222222222222", visa, "6304000000000000000"]) assert.isTrue(isCardNumber(digits), digits)
    for (const digits of ["422222222222", "4222222222223", "63040000000000000000", ""]) {
      assert.isFalse(isCardNumber(digits), digits)
    }
  })
})
