/**
 * A text that opens something to its holder is cut by its form, wherever it stands (spec: API log; silences: A3, O11).
 */
import { cutSecretValues } from "@coffer/rules/secretValues"
import { redact, redactedText, redactText } from "@coffer/rules/redaction"
import { assert, describe, it } from "@effect/vitest"

const body = "Rk2-8yq_PZ3vB1nT0wXcD4eF5gH6iJ7kL8mN9oQ0rS1"
/** With all its signs near the beginning. */
const standard = "R+/2yqPZ3vB1nT0wXcD4eF5gH6iJ7kL8mN9/QrS1tUv="
const token = "TRD_SB_01KARWCVD8QZ4T7XM2N9B5HCJG.1764000000.kWb-3_Qz"
const file = `${body}.pdf`
const cut = (text: string) => cutSecretValues(text, "*")

describe("secrets in texts", () => {
  for (const [text, kept] of [
    [`svc_test_${body}`, "svc_test_*"],
    [`svc_live_${body}`, "svc_live_*"],
    [`opt_${body}`, "opt_*"],
    ["sk_live_12345678", "sk_live_*"],
    [`whsec_${body}`, "whsec_*"],
    [`whsec_${standard}`, "whsec_*"],
    [`/v1/orders?secret=whsec_${encodeURIComponent(standard)}&limit=1`, "/v1/orders?secret=whsec_*&limit=1"],
    [`{"secret":"whsec_${standard.replaceAll("/", "\\/")}"}`, '{"secret":"whsec_*"}'],
    [`key=svc_live_${body}, secret: whsec_${body}.`, "key=svc_live_*, secret: whsec_*."],
    [`/v1/orders/svc_test_${body}/expire`, "/v1/orders/svc_test_*/expire"],
    [`xsvc_test_${body}`, "xsvc_test_*"],
    [`svc_test_${body.slice(0, 16)}`, "svc_test_*"],
    [token, "*"],
    [token.replace("SB_", ""), "*"],
    [`https://pay.example/base/checkout/${token}?lang=zh`, "https://pay.example/base/checkout/*?lang=zh"],
    [`https%3A%2F%2Fpay.example%2Fcheckout%2F${token}`, "https%3A%2F%2Fpay.example%2Fcheckout%2F*"],
    [
      `{"checkout_url":"https:\\/\\/pay.example\\/checkout\\/${token}"}`,
      '{"checkout_url":"https:\\/\\/pay.example\\/checkout\\/*"}'
    ],
    [`https://pay.example/files/${file}`, "https://pay.example/files/*"],
    [`/v1/orders/a%2F${file}`, "/v1/orders/a%2F*"],
    [`https://files.example/${body}.png and ${body}.jpg`, "https://files.example/* and *"]
  ] as const) {
    it(`${text} becomes ${kept}`, () => assert.strictEqual(cut(text), kept))
  }

  for (const text of [
    "svc_test_none",
    "svc_payment_link",
    "svc_tests_aaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "opt_out_of_marketing_mails_and_newsletters",
    "whsec_",
    "TRD_SB_01KARWCVD8QZ4T7XM2N9B5HCJG",
    "TRD_SB_01KARWCVD8QZ4T7XM2N9B5HCJG.1764000000",
    "https://shop.example/checkout/thank-you",
    "/files/receipt.pdf",
    `a${body}.pdf`,
    `${body}.txt`,
    ""
  ]) {
    it(`${JSON.stringify(text)} stays as it is`, () => assert.strictEqual(cut(text), text))
  }

  it("are cut from names and values of a body, and from texts that hold card numbers too", () => {
    const sent = { [`svc_test_${body}`]: [`see /checkout/${token}`], note: `whsec_${body} 4111111111111111`, n: 1 }
    assert.deepStrictEqual(redact(sent), {
      "svc_test_[redacted]": ["see /checkout/[redacted]"],
      note: "whsec_[redacted] [redacted]",
      n: 1
    })
    assert.strictEqual(redactText(redactText(`svc_test_${body}`)), `svc_test_${redactedText}`)
  })
})
