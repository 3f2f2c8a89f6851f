/** The part of a body that may be kept in an API log (spec: API log; silences: A3, O11). */
import { isSecretName, redact, redactedText, redactionDepthMax } from "@coffer/rules/redaction"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"

const parse = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Unknown))
const stringify = Schema.encodeSync(Schema.fromJsonString(Schema.Unknown))

/** One line per secret: how the specification and its notes write it, then likenesses of it. */
const secretNames = `
  api_key         apiKey API_KEY api-key ApiKey APIKey apikey api_keys merchant_api_key api_key_value
  x-api-key       X-Api-Key X-API-KEY x_api_key xApiKey
  secret          Secret SECRET secrets webhook_secret secretValue app-secret
  client_secret   clientSecret client-secret CLIENT_SECRET clientsecret
  client_token    clientToken ClientToken client-token
  token           Token access_token refreshToken token_value tokens accesstoken
  password        Password new_password newPassword passwd pwd passphrase userpassword
  authorization   Authorization proxy-authorization AUTHORIZATION
  card            Card CARD cards payment_card card_data cardDetails
  credential      credentials usercredential usercredentials mycvv2 mycvv
  card_number     cardNumber card-number CARD_NUMBER cardnumber
  cvc             CVC cvc2 card_cvc cardCvc cardcvc
  cvv             CVV cvv2 card-cvv
  pan             PAN card_pan
  pin             PIN card_pin pinCode
  private_key     privateKey private-key rsa_private_key
  signature       Signature x-service-signature request_signature
  signing_secret  signingSecret signing_key
  sandbox_key     sandboxKey
  live_key        liveKey LIVE-KEY
  creditcard      creditCard credit_card creditcardnumber CREDIT-CARD debitcard
  cardnum         cardNum card_num CARD-NUM cardno CardNo ccnum cc_number ccNumber
  number          Number NUMBER
  cvn             CVN cvn2 card_cvn cardcvn
  security_code   securityCode security-code card_security_code securitycode
  verification_code verificationCode
  track2          track_2 Track2 track2Data track_2_data track1 trackData
  iban            IBAN i-ban customer_iban customerIban
  bearer          Bearer bearer_value bearerauth
  jwt             JWT id_jwt idJwt userjwt
  otp             OTP otp_code smsOtp totp one_time_code oneTimePass onetimepassword pass
  cookie          Cookie cookies set-cookie SetCookie session_cookie sessioncookie
`
  .trim()
  .split(/\s+/)

const plainNames = `
  amount currency subject out_trade_no trade_no metadata notify_url
  return_url status id key keys idempotency_key api_key_id
  order_number receipt_number number_of_items out_refund_no phone_numbers numbered tracking_number cookieless
  passed bypass passenger one_time_fee
  soundtrack1 company japan spin shipping pinned discard cardinality event_id description evidence author spans
`
  .trim()
  .split(/\s+/)

describe("secret names", () => {
  it("whatever may hold a secret by its name is redacted", () => {
    assert.deepStrictEqual(
      secretNames.filter((name) => !isSecretName(name)),
      []
    )
    for (const name of secretNames) assert.deepStrictEqual(redact({ [name]: "s3cret" }), { [name]: redactedText })
  })

  it("a name that only looks like one of a secret is left readable", () => {
    assert.deepStrictEqual(plainNames.filter(isSecretName), [])
    for (const name of plainNames) assert.deepStrictEqual(redact({ [name]: "value" }), { [name]: "value" })
  })
})

describe("redaction", () => {
  for (const [what, body, kept] of [
    ["a secret object becomes the text", { card: { last: "4242", brand: "visa" } }, { card: redactedText }],
    [
      "a field named card is redacted at every level, whatever it holds",
      { card: null, data: { object: { card: { brand: "visa", last4: "4242" } }, list: [{ card: "x" }, { Card: 1 }] } },
      {
        card: redactedText,
        data: { object: { card: redactedText }, list: [{ card: redactedText }, { Card: redactedText }] }
      }
    ],
    ["an order that no card paid has none in the log", { paid_card: null }, { paid_card: null }],
    [
      "the card that paid an order, of which only brand and last four digits are told, stays",
      { paid_card: { brand: "visa", last4: "4242" } },
      { paid_card: { brand: "visa", last4: "4242" } }
    ],
    [
      "a paid card with anything else becomes the text",
      { paid_card: { brand: "visa", last4: "4242", expiry: "12/40" } },
      { paid_card: redactedText }
    ],
    ["a secret array becomes the text", { tokens: ["a", "b"] }, { tokens: redactedText }],
    [
      "numbers, booleans and null become the text too",
      { pin: 1234, cvc: null, token: true },
      { pin: redactedText, cvc: redactedText, token: redactedText }
    ],
    [
      "objects within arrays within objects are searched",
      { a: [{ b: [[{ password: "p", amount: 1 }]] }] },
      { a: [{ b: [[{ password: redactedText, amount: 1 }]] }] }
    ],
    ["a body that is an array is searched", [{ secret: 1 }, 2], [{ secret: redactedText }, 2]],
    [
      "what is not secret stays as it is",
      { a: [1, "x", null, true, {}], b: {} },
      { a: [1, "x", null, true, {}], b: {} }
    ],
    ["a bare value stays", "text", "text"],
    [
      "a checkout address keeps its path and loses its token",
      { data: { checkout_url: "https://pay.example/checkout/TRD_1.99.c2ln" } },
      { data: { checkout_url: "https://pay.example/checkout/[redacted]" } }
    ],
    [
      "so it does below a path of its own and with a query",
      { checkoutUrl: "http://127.0.0.1:8080/base/checkout/eyJ.c2ln?lang=zh" },
      { checkoutUrl: "http://127.0.0.1:8080/base/checkout/[redacted]" }
    ],
    ["a checkout address that is no text stays", { checkout_url: 5 }, { checkout_url: 5 }],
    ["a checkout address of another form goes as a whole", { checkout_url: "tok_1" }, { checkout_url: redactedText }]
  ] as const) {
    it(what, () => assert.deepStrictEqual(redact(body), kept))
  }

  it("a body without a secret is kept as it is, and not copied", () => {
    const body = { a: [1, "x", null, true, {}], b: { c: [] } }
    assert.strictEqual(redact(body), body)
  })

  it("a field called __proto__ is a field", () => {
    const body = redact(parse('{"__proto__":{"secret":"s"},"constructor":{"token":"t"}}'))
    assert.strictEqual(
      stringify(body),
      `{"__proto__":{"secret":"${redactedText}"},"constructor":{"token":"${redactedText}"}}`
    )
  })

  it("a card whose fields are not texts is redacted as a whole", () => {
    const card = { brand: { toString: 1 }, last4: "4242" }
    assert.deepStrictEqual(redact({ card }), { card: redactedText })
  })

  it("looks at each value once, however many names around it hold a secret", () => {
    for (const secret of ["4111111111111111", "__proto__"]) {
      let looks = 0
      let body: object = {
        get leaf() {
          looks++
          return "value"
        }
      }
      for (let depth = 0; depth < 20; depth++) {
        body = Object.fromEntries([
          ["inner", body],
          [secret, 1]
        ])
      }
      redact(body)
      assert.strictEqual(looks, 1)
    }
  })

  it("does not change what it was given", () => {
    const body = { card: "4242", list: [{ pin: 1 }] }
    redact(body)
    assert.deepStrictEqual(body, { card: "4242", list: [{ pin: 1 }] })
  })
})

describe("depth", () => {
  const arrays = (depth: number, inner: string) => parse("[".repeat(depth) + inner + "]".repeat(depth))

  it(`${redactionDepthMax} levels are kept, and what lies deeper becomes the text`, () => {
    assert.strictEqual(stringify(redact(arrays(redactionDepthMax, '"x"'))), stringify(arrays(redactionDepthMax, '"x"')))
    assert.strictEqual(
      stringify(redact(arrays(redactionDepthMax + 1, '"x"'))),
      stringify(arrays(redactionDepthMax, `"${redactedText}"`))
    )
  })

  for (const depth of [1_000, 100_000]) {
    it(`${depth} levels of arrays, or of objects, do no harm`, () => {
      const objects = parse('{"a":'.repeat(depth) + '"x"' + "}".repeat(depth))
      for (const hostile of [arrays(depth, '"x"'), objects]) {
        const text = stringify(redact(hostile))
        assert.include(text, redactedText)
        assert.isBelow(text.length, 1_000)
      }
    })
  }
})

describe("laws", () => {
  const names = fc.oneof(fc.constantFrom(...secretNames), fc.constantFrom(...plainNames), fc.string({ maxLength: 8 }))
  /** Every leaf says whether a secret name is above it. */
  const secretLeaf = "SECRET-LEAF"
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      fc.constantFrom(1, null, true, "leaf"),
      fc.array(tie("node"), { maxLength: 4 }),
      fc.array(fc.tuple(names, tie("node")), { maxLength: 5 }).map(Object.fromEntries)
    )
  })).node

  const marked = (value: unknown, secret: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => marked(item, secret))
    if (typeof value !== "object" || value === null) return secret ? secretLeaf : value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, marked(item, secret || isSecretName(name))])
    )
  }

  it("no value below a secret name survives anywhere", () => {
    fc.assert(
      fc.property(tree, (body) => {
        assert.notInclude(stringify(redact(marked(body, false))), secretLeaf)
      }),
      { numRuns: 1_000 }
    )
  })

  it("to redact again changes nothing", () => {
    fc.assert(
      fc.property(tree, (body) => {
        const once = redact(body)
        assert.deepStrictEqual(redact(once), once)
      })
    )
  })

  it("without a secret name the body stays as it is", () => {
    fc.assert(
      fc.property(tree, (body) => {
        const text = stringify(body)
        fc.pre(!secretNames.some((name) => text.includes(`"${name}":`)) && stringify(marked(body, false)) === text)
        assert.strictEqual(stringify(redact(body)), text)
      })
    )
  })

  it("any spelling of a secret name is one: case, and - or _ between or around its letters", () => {
    const letters = [
      "card",
      "cvc",
      "pan",
      "apikey",
      "clientsecret",
      "privatekey",
      "cardnumber",
      "password",
      "signature",
      "authorization"
    ]
    const spelling = fc
      .constantFrom(...letters)
      .chain((word) =>
        fc
          .tuple(
            ...[...word].map((letter) => fc.tuple(fc.constantFrom("", "", "-", "_"), fc.boolean(), fc.constant(letter)))
          )
          .map((parts) => parts.map(([gap, upper, letter]) => gap + (upper ? letter.toUpperCase() : letter)).join(""))
      )
    fc.assert(fc.property(spelling, (name) => assert.isTrue(isSecretName(name), name)))
  })
})
