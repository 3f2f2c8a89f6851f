/**
 * The one submission of evidence: what it changes, and that it is final (spec: Endpoints, Disputes; silences: D4,
 * D5).
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { disputed } from "../../kit/stories/disputed.ts"
import { assertRefused } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"
import { uploaded } from "../../kit/callers/uploads.ts"

class Service extends Context.Service<Service, Running>()("test/evidenceSubmission") {}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a submission", (it) => {
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
          assertRefused(yield* dispute.respond(body), 409, "conflict")
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
        assertRefused(yield* dispute.respond({ ...body, submit: true }), 400, "invalid_request", "evidence")
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
        assertRefused(yield* dispute.respond(other, header), 400, "idempotency_error")
      }
      assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.updated"])
      // A refusal is not stored.
      assertRefused(yield* dispute.respond({ evidence: { customer_name: "C" } }, key), 409, "conflict")
      assertRefused(yield* dispute.respond({ evidence: { customer_name: "D" } }, key), 409, "conflict")
    })
  )
})
