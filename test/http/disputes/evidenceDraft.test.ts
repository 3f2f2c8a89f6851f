/**
 * POST /v1/disputes/{no}/evidence as a draft: each call replaces the whole of the one before. A call that names no
 * evidence at all is a mistake and must not remove it (silences: G12, D4, D5).
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { disputed } from "../../kit/stories/disputed.ts"
import { assertRefused } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"
import { uploaded } from "../../kit/callers/uploads.ts"

class Service extends Context.Service<Service, Running>()("test/evidenceDraft") {}

const draft = { customer_name: "Ada Reader" }

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a draft of evidence", (it) => {
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

  it.effect("what names neither evidence nor files is 400, and the draft stays", () =>
    Effect.gen(function* () {
      const dispute = yield* disputed(yield* Service)
      yield* dispute.respond({ evidence: draft })
      const kept = yield* dispute.evidence
      for (const body of [{}, { submit: false }, { submit: true }, { evidence: null, files: null }, { x: 1 }]) {
        assertRefused(yield* dispute.respond(body), 400, "invalid_request", "evidence")
      }
      assert.deepStrictEqual(yield* dispute.evidence, kept)
    })
  )

  it.effect("so is no body at all, with and without an Idempotency-Key, on both ways in", () =>
    Effect.gen(function* () {
      const { api, key, evidence, path, respond } = yield* disputed(yield* Service)
      yield* respond({ evidence: draft })
      const kept = yield* evidence
      for (const headers of [{}, { "Idempotency-Key": "empty" }, { "Content-Type": "application/json" }]) {
        for (const prefix of ["", "/api"]) {
          const reply = yield* api.call("POST", `${prefix}${path}/evidence`, { key, headers })
          assertRefused(reply, 400, "invalid_request", "evidence")
        }
      }
      assert.deepStrictEqual(yield* evidence, kept)
    })
  )

  it.effect("what is named empty is removed on purpose", () =>
    Effect.gen(function* () {
      const dispute = yield* disputed(yield* Service)
      for (const body of [{ evidence: {} }, { files: [] }, { evidence: { customer_name: null } }]) {
        yield* dispute.respond({ evidence: draft })
        assert.strictEqual((yield* dispute.respond(body)).status, 200)
        assert.deepStrictEqual((yield* dispute.evidence).evidence, {})
      }
    })
  )

  it.effect("null for a text is the same as leaving it out", () =>
    Effect.gen(function* () {
      const dispute = yield* disputed(yield* Service)
      const saved = yield* dispute.respond({ evidence: { ...draft, shipping_date: null }, files: null, submit: null })
      assert.strictEqual(saved.status, 200, saved.text)
      assert.deepStrictEqual((yield* dispute.evidence).evidence, draft)
    })
  )

  it.effect("that names the version it replaces is 409 where another was saved meanwhile, of two at once too", () =>
    Effect.gen(function* () {
      const dispute = yield* disputed(yield* Service)
      const over = (version: string, customer_name: string, key?: string) =>
        dispute.respond(
          { evidence: { customer_name } },
          { "If-Match": `"${version}"`, ...(key === undefined ? {} : { "Idempotency-Key": key }) }
        )
      const versionNow = Effect.map(dispute.evidence, ({ updated_at }) => String(updated_at ?? "none"))
      const both = yield* Effect.all([over("none", "Ada"), over("none", "Bob")], { concurrency: "unbounded" })
      assert.sameMembers(
        both.map(({ status }) => status),
        [200, 409]
      )
      const first = yield* versionNow
      assert.strictEqual((yield* over(first, "Carol", "carol")).status, 200)
      const second = yield* versionNow
      assert.notStrictEqual(second, first)
      const stale = yield* over(first, "Dan")
      assertRefused(stale, 409, "conflict")
      assert.strictEqual(stale.headers.get("coffer-reason"), "changed_meanwhile")
      // The first answer may have been lost.
      const again = yield* over(first, "Carol", "carol")
      assert.deepStrictEqual([again.status, again.headers.get("idempotent-replayed")], [200, "true"])
      assert.deepStrictEqual((yield* dispute.evidence).evidence, { customer_name: "Carol" })
      // Nor is it submitted over an unread draft.
      const submitted = yield* dispute.respond(
        { evidence: { customer_name: "Dan" }, submit: true },
        { "If-Match": `"${first}"` }
      )
      assertRefused(submitted, 409, "conflict")
      for (const headers of [undefined, { "If-Match": "*" }]) {
        assert.strictEqual((yield* dispute.respond({ evidence: { customer_name: "Eve" } }, headers)).status, 200)
      }
    })
  )
})
