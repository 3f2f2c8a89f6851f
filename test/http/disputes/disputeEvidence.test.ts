/**
 * POST and GET /v1/disputes/{ref}/evidence: drafts, the submission, every limit, and whose files may be named (spec:
 * Endpoints, Disputes; Limits; silences: D4 to D7).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { disputed, isRefused } from "../../kit/disputed.ts"
import { type Running, start } from "../../kit/Service.ts"
import { fileOf, filePart, formOf, modePart, upload } from "../../kit/uploads.ts"

class Service extends Context.Service<Service, Running>()("test/disputeEvidence") {}

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

const uploaded = Effect.fnUntraced(function* ({ baseUrl }: Running, merchantId: string, mode = "sandbox") {
  const { body, status } = yield* upload(baseUrl, merchantId, formOf(filePart(fileOf("pdf")), modePart(mode)))
  assert.include([200, 201], status, JSON.stringify(body))
  return body.data.url as string
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("evidence", (it) => {
  describe("a draft", () => {
    it.effect("before there is one the evidence is empty", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        assert.deepStrictEqual(yield* dispute.evidence, {
          object: "dispute_evidence",
          dispute_no: dispute.no,
          evidence: {},
          files: [],
          submitted: false,
          submitted_at: null,
          updated_at: null
        })
      })
    )

    it.effect("is kept and read back, and the dispute is as it was: no event, no status", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        for (const body of [
          { evidence: { customer_name: "Ada\nReader\t茶😀", shipping_carrier: "" } },
          { evidence: { service_date: "2026-01-02" }, submit: false }
        ]) {
          const saved = yield* dispute.respond(body)
          assert.strictEqual(saved.status, 200, saved.text)
          assert.deepStrictEqual(saved.body.data, dispute.opened)
          const { evidence, files, submitted, submitted_at, updated_at } = yield* dispute.evidence
          assert.deepStrictEqual([evidence, files], [body.evidence, []])
          assert.deepStrictEqual([submitted, submitted_at], [false, null])
          assert.isString(updated_at)
        }
        assert.deepStrictEqual(yield* dispute.read, dispute.opened)
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created"])
      })
    )

    it.effect("replaces the whole of the one before; what is not sent again is gone", () =>
      Effect.gen(function* () {
        const running = yield* Service
        const dispute = yield* disputed(running)
        const files = [{ type: "receipt", url: yield* uploaded(running, dispute.merchantId) }]
        yield* dispute.respond({ evidence: { customer_name: "A", billing_address: "B" }, files })
        assert.deepStrictEqual((yield* dispute.evidence).files, files)
        yield* dispute.respond({ evidence: { customer_name: "C" } })
        const { evidence, files: left } = yield* dispute.evidence
        assert.deepStrictEqual([evidence, left], [{ customer_name: "C" }, []])
        yield* dispute.respond({ evidence: {} })
        assert.deepStrictEqual((yield* dispute.evidence).evidence, {})
      })
    )

    it.effect("of many at once is one of them, whole", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        const save = (name: string) => dispute.respond({ evidence: { customer_name: name, billing_address: name } })
        const replies = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => `n${index}`),
          save,
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual([...new Set(replies.map(({ status }) => status))], [200])
        const { billing_address, customer_name } = (yield* dispute.evidence).evidence
        assert.strictEqual(customer_name, billing_address)
      })
    )
  })

  describe("a submission", () => {
    it.effect("puts the dispute under review, sends dispute.updated, moves no money, and is read back", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        const before = [yield* dispute.rows, yield* dispute.balance]
        yield* dispute.respond({ evidence: { customer_name: "draft", billing_address: "draft" } })
        const submitted = yield* dispute.respond({ evidence: { customer_name: "final" }, submit: true })
        assert.strictEqual(submitted.status, 200, submitted.text)
        const { data } = submitted.body
        assert.deepStrictEqual(data, {
          ...dispute.opened,
          status: "under_review",
          processor_status: "under_review",
          updated_at: data.updated_at
        })
        assert.isAbove(Date.parse(data.updated_at), Date.parse(data.created_at) - 1)
        assert.deepStrictEqual(yield* dispute.read, data)
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.updated"])
        assert.deepStrictEqual([yield* dispute.rows, yield* dispute.balance], before)
        const kept = yield* dispute.evidence
        assert.deepStrictEqual([kept.evidence, kept.submitted], [{ customer_name: "final" }, true])
        assert.strictEqual(kept.submitted_at, kept.updated_at)
        yield* dispute.whole
      })
    )

    it.effect("is final: neither a draft nor a submission follows, 409 conflict, also after the decision", () =>
      Effect.gen(function* () {
        for (const outcome of [undefined, "won", "lost", "closed"]) {
          const dispute = yield* disputed(yield* Service)
          const final = { evidence: { customer_name: "A" }, submit: true }
          if (outcome !== "lost") yield* dispute.respond(final)
          if (outcome !== undefined) yield* dispute.resolve(outcome)
          const before = [yield* dispute.evidence, yield* dispute.read]
          for (const body of [final, { evidence: { customer_name: "B" }, submit: true }, { evidence: {} }]) {
            isRefused(yield* dispute.respond(body), 409, "conflict")
          }
          assert.deepStrictEqual([yield* dispute.evidence, yield* dispute.read], before)
        }
      })
    )

    it.effect("with nothing in it is 400: no field, no file, or only blanks; a draft had it or not", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        yield* dispute.respond({ evidence: { customer_name: "draft" } })
        for (const body of [{}, { evidence: {} }, { files: [] }, { evidence: { customer_name: " " }, files: [] }]) {
          isRefused(yield* dispute.respond({ ...body, submit: true }), 400, "invalid_request", "evidence")
        }
        assert.deepStrictEqual((yield* dispute.evidence).evidence, { customer_name: "draft" })
        assert.deepStrictEqual(yield* dispute.read, dispute.opened)
      })
    )

    it.effect("of a file alone is enough", () =>
      Effect.gen(function* () {
        const running = yield* Service
        const dispute = yield* disputed(running)
        const files = [{ type: "receipt", url: yield* uploaded(running, dispute.merchantId) }]
        assert.strictEqual((yield* dispute.respond({ files, submit: true })).body.data.status, "under_review")
      })
    )

    it.effect("the same ten times at once: one dispute.updated, one submission at the bank", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        const replies = yield* Effect.all(
          Array.from({ length: 10 }, () => dispute.respond({ evidence: { customer_name: "A" }, submit: true })),
          { concurrency: "unbounded" }
        )
        for (const { body, status } of replies) {
          assert.include(["200 under_review", "409 conflict"], `${status} ${body.data?.status ?? body.error}`)
        }
        assert.isTrue(replies.some(({ status }) => status === 200))
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.updated"])
        assert.deepStrictEqual((yield* dispute.evidence).evidence, { customer_name: "A" })
      })
    )

    it.effect("two at once that differ: one is taken whole, the other is 409 conflict", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        const submit = (name: string) => dispute.respond({ evidence: { customer_name: name }, submit: true })
        const replies = yield* Effect.all([submit("A"), submit("B")], { concurrency: "unbounded" })
        assert.deepStrictEqual(replies.map(({ status }) => status).toSorted(), [200, 409])
        const winner = replies[0]!.status === 200 ? "A" : "B"
        assert.deepStrictEqual((yield* dispute.evidence).evidence, { customer_name: winner })
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.updated"])
      })
    )

    it.effect("with an Idempotency-Key gets its answer again, and another body is idempotency_error", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        const key = { "Idempotency-Key": "k" }
        for (const submit of [false, true]) {
          const body = { evidence: { customer_name: "A" }, submit }
          const header = { "Idempotency-Key": `k-${submit}` }
          const first = yield* dispute.respond(body, header)
          const second = yield* dispute.respond(body, header)
          assert.deepStrictEqual([first.status, second.status], [200, 200])
          assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
          assert.deepStrictEqual(second.body.data, first.body.data)
          const other = { evidence: { customer_name: "B" }, submit }
          isRefused(yield* dispute.respond(other, header), 400, "idempotency_error")
        }
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.updated"])
        // A refusal is not kept.
        isRefused(yield* dispute.respond({ evidence: { customer_name: "C" } }, key), 409, "conflict")
        isRefused(yield* dispute.respond({ evidence: { customer_name: "D" } }, key), 409, "conflict")
      })
    )
  })

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
          isRefused(long, 400, "invalid_request", `evidence.${name}`)
        }
        assert.deepStrictEqual((yield* dispute.evidence).evidence, full)
      })
    )

    it.effect("an unknown one is refused by name; unknown fields beside them are ignored", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        for (const name of ["x", "customerName", "__proto__x", "0"]) {
          const reply = yield* dispute.respond({ evidence: { customer_name: "A", [name]: "B" } })
          isRefused(reply, 400, "invalid_request", `evidence.${name}`)
        }
        assert.strictEqual((yield* dispute.respond({ evidence: {}, mode: "live", x: [] })).status, 200)
      })
    )

    it.effect("what is no text, or no object, is refused by name", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        for (const wrong of [1, {}, ["A"], true, "\u0000", "\ud800"]) {
          const reply = yield* dispute.respond({ evidence: { customer_name: wrong } })
          isRefused(reply, 400, "invalid_request", "evidence.customer_name")
        }
        for (const wrong of ["A", 1]) {
          isRefused(yield* dispute.respond({ evidence: wrong }), 400, "invalid_request", "evidence")
          isRefused(yield* dispute.respond({ files: wrong }), 400, "invalid_request", "files")
          isRefused(yield* dispute.respond({ submit: wrong }), 400, "invalid_request", "submit")
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
        isRefused(yield* dispute.respond({ files: nine }), 400, "invalid_request", "files")
        for (const type of ["other", "", null, 1]) {
          const wrong = yield* dispute.respond({
            files: [
              { type: "receipt", url },
              { type, url }
            ]
          })
          isRefused(wrong, 400, "invalid_request", "files[1].type")
        }
        isRefused(yield* dispute.respond({ files: [{ type: "receipt" }] }), 400, "invalid_request", "files[0].url")
        isRefused(yield* dispute.respond({ files: [{ url }] }), 400, "invalid_request", "files[0].type")
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
            isRefused(yield* dispute.respond({ files, submit }), 400, "invalid_request", "files[2].url")
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
          isRefused(yield* api.post(`${path}/evidence`, key, { evidence: {} }), 404, "dispute_not_found")
          isRefused(yield* api.get(`${path}/evidence`, key), 404, "dispute_not_found")
          isRefused(yield* api.post(`${path}/accept`, key), 404, "dispute_not_found")
          const wrong = yield* api.post(`${path}/evidence`, key, { evidence: { x: "1" } })
          isRefused(wrong, 400, "invalid_request", "evidence.x")
        }
        assert.deepStrictEqual(yield* dispute.read, dispute.opened)
      })
    )
  })
})
