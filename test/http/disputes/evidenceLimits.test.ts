/**
 * The limits of evidence: every text and its length, and whose files may be named (spec: Limits; silences: D4, D6, D7).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { disputed } from "../../kit/stories/disputed.ts"
import { assertRefused } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"
import { uploaded } from "../../kit/callers/uploads.ts"

class Service extends Context.Service<Service, Running>()("test/evidenceLimits") {}

const fields = [
  "product_description",
  "customer_name",
  "customer_email_address",
  "customer_purchase_ip",
  "billing_address",
  "shipping_address",
  "shipping_carrier",
  "shipping_tracking_number",
  "shipping_date",
  "service_date",
  "access_activity_log",
  "refund_policy_disclosure",
  "refund_refusal_explanation",
  "cancellation_policy_disclosure",
  "cancellation_rebuttal"
]
const types = [
  "receipt",
  "customer_communication",
  "customer_signature",
  "shipping_documentation",
  "service_documentation",
  "cancellation_policy",
  "refund_policy",
  "invoice_showing_distinct_transactions",
  "recurring_transaction_agreement",
  "uncategorized_file"
]

layer(Layer.effect(Service, start()), { excludeTestServices: true })("evidence", (it) => {
  describe("texts", () => {
    it.effect("there are fifteen, each of at most 5000 characters, counted as code points", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        const full = Object.fromEntries(fields.map((name) => [name, "😀".repeat(5_000)]))
        const saved = yield* dispute.respond({ evidence: full })
        assert.strictEqual(saved.status, 200, saved.text.slice(0, 300))
        const { evidence } = yield* dispute.evidence
        assert.deepStrictEqual(Object.keys(evidence), fields)
        assert.deepStrictEqual(evidence, full)
        for (const name of fields) {
          const long = yield* dispute.respond({ evidence: { [name]: "x".repeat(5_001) } })
          assertRefused(long, 400, "invalid_request", `evidence.${name}`)
        }
        assert.deepStrictEqual((yield* dispute.evidence).evidence, full)
      })
    )

    it.effect("an unknown one is refused by name; unknown fields beside them are ignored", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        for (const name of ["x", "customerName", "__proto__x", "0"]) {
          const reply = yield* dispute.respond({ evidence: { customer_name: "A", [name]: "B" } })
          assertRefused(reply, 400, "invalid_request", `evidence.${name}`)
        }
        assert.strictEqual((yield* dispute.respond({ evidence: {}, mode: "live", x: [] })).status, 200)
      })
    )

    it.effect("what is no text, or no object, is refused by name", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        for (const wrong of [1, {}, ["A"], true, "\u0000", "\ud800"]) {
          const reply = yield* dispute.respond({ evidence: { customer_name: wrong } })
          assertRefused(reply, 400, "invalid_request", "evidence.customer_name")
        }
        for (const wrong of ["A", 1]) {
          assertRefused(yield* dispute.respond({ evidence: wrong }), 400, "invalid_request", "evidence")
          assertRefused(yield* dispute.respond({ files: wrong }), 400, "invalid_request", "files")
          assertRefused(yield* dispute.respond({ submit: wrong }), 400, "invalid_request", "submit")
        }
      })
    )
  })

  describe("files", () => {
    it.effect("at most eight, of the ten types, two of one type too", () =>
      Effect.gen(function* () {
        const running = yield* Service
        const dispute = yield* disputed(running)
        const url = yield* uploaded(running, dispute.merchantId)
        for (const some of [types.slice(0, 8), types.slice(2), ["receipt", "receipt"]]) {
          const files = some.map((type) => ({ type, url }))
          const saved = yield* dispute.respond({ files })
          assert.strictEqual(saved.status, 200, saved.text)
          assert.deepStrictEqual((yield* dispute.evidence).files, files)
        }
        const nine = Array.from({ length: 9 }, () => ({ type: "receipt", url }))
        assertRefused(yield* dispute.respond({ files: nine }), 400, "invalid_request", "files")
        for (const type of ["other", "", null, 1]) {
          const wrong = yield* dispute.respond({
            files: [
              { type: "receipt", url },
              { type, url }
            ]
          })
          assertRefused(wrong, 400, "invalid_request", "files[1].type")
        }
        assertRefused(yield* dispute.respond({ files: [{ type: "receipt" }] }), 400, "invalid_request", "files[0].url")
        assertRefused(yield* dispute.respond({ files: [{ url }] }), 400, "invalid_request", "files[0].type")
        const more = yield* dispute.respond({ files: [{ type: "receipt", url, name: "ignored" }] })
        assert.strictEqual(more.status, 200)
        assert.deepStrictEqual((yield* dispute.evidence).files, [{ type: "receipt", url }])
      })
    )

    it.effect("only those that this merchant uploaded in this environment to the platform's own domain", () =>
      Effect.gen(function* () {
        const running = yield* Service
        const dispute = yield* disputed(running)
        const own = yield* uploaded(running, dispute.merchantId)
        const stranger = yield* running.api.newMerchant()
        const foreign = [
          yield* uploaded(running, stranger.merchantId),
          yield* uploaded(running, dispute.merchantId, "live"),
          own.replace(/\/\/[^/]+/, "//files.example.com"),
          own.replace(/\/\/([^/]+)/, "//$1@files.example.com"),
          own.replace(/\/\/([^/]+)/, "//$1.example.com"),
          `${own}x`,
          `${own}?x=1`,
          own.slice(0, own.lastIndexOf("/") + 1),
          "https://example.com/receipt.pdf",
          "file:///etc/passwd",
          "not an address",
          ""
        ]
        for (const url of foreign) {
          for (const submit of [false, true]) {
            const files = [own, own, url].map((each) => ({ type: "receipt", url: each }))
            assertRefused(yield* dispute.respond({ files, submit }), 400, "invalid_request", "files[2].url")
          }
        }
        assert.deepStrictEqual((yield* dispute.evidence).files, [])
        assert.deepStrictEqual(yield* dispute.read, dispute.opened)
      })
    )
  })

  describe("a dispute that is not there", () => {
    it.effect("is 404 dispute_not_found for evidence and acceptance; what is wrong with the body comes first", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const dispute = yield* disputed(yield* Service)
        const stranger = yield* api.newMerchant()
        yield* api.operator("POST", `/merchants/${dispute.merchantId}`, { approved: true })
        for (const [ref, key] of [
          ["dsp_none", dispute.key],
          [dispute.no, stranger.sandboxKey],
          [dispute.opened.processor_dispute_id, stranger.sandboxKey]
        ] as const) {
          const path = `/v1/disputes/${ref}`
          assertRefused(yield* api.post(`${path}/evidence`, key, { evidence: {} }), 404, "dispute_not_found")
          assertRefused(yield* api.get(`${path}/evidence`, key), 404, "dispute_not_found")
          assertRefused(yield* api.post(`${path}/accept`, key), 404, "dispute_not_found")
          const wrong = yield* api.post(`${path}/evidence`, key, { evidence: { x: "1" } })
          assertRefused(wrong, 400, "invalid_request", "evidence.x")
        }
        assert.deepStrictEqual(yield* dispute.read, dispute.opened)
      })
    )
  })
})
