/**
 * Each call of POST /v1/disputes/{no}/evidence replaces the whole of a draft. A call that names no evidence at all is a
 * mistake and must not remove it (silences: G12, D4).
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { disputed, isRefused } from "../../kit/disputed.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/evidenceDraft") {}

const draft = { customer_name: "Ada Reader" }

layer(Layer.effect(Service, start()), { excludeTestServices: true })("POST /v1/disputes/{no}/evidence", (it) => {
  it.effect("what names neither evidence nor files is 400, and the draft stays", () =>
    Effect.gen(function* () {
      const dispute = yield* disputed(yield* Service)
      yield* dispute.respond({ evidence: draft })
      const kept = yield* dispute.evidence
      for (const body of [{}, { submit: false }, { submit: true }, { evidence: null, files: null }, { x: 1 }]) {
        isRefused(yield* dispute.respond(body), 400, "invalid_request", "evidence")
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
          isRefused(reply, 400, "invalid_request", "evidence")
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
})
