/**
 * Acceptance of a dispute: the status stays until the bank confirms the loss (spec: States and transitions, Dispute;
 * silences: D3).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { disputed } from "../../kit/stories/disputed.ts"
import { assertRefused } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/disputeAcceptance") {}

const evidence = { customer_name: "A" }
const submission = { evidence, submit: true }

layer(Layer.effect(Service, start({ clock: "test" })), { excludeTestServices: true })("acceptance", (it) => {
  describe("acceptance", () => {
    it.effect("leaves the status until the bank confirms the loss, some seconds later", () =>
      Effect.gen(function* () {
        const running = yield* Service
        const dispute = yield* disputed(running)
        const accepted = yield* dispute.accept()
        assert.strictEqual(accepted.status, 200, accepted.text)
        const { data } = accepted.body
        assert.deepStrictEqual(data, { ...dispute.opened, processor_status: "accepted", updated_at: data.updated_at })
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created"])
        yield* running.pass("4999 millis")
        assert.deepStrictEqual(yield* dispute.read, data)
        yield* running.pass("1 millis")
        const { fee, funds_frozen, status } = yield* dispute.read
        assert.deepStrictEqual([status, fee, funds_frozen], ["lost", 1500, false])
        assert.deepStrictEqual(
          (yield* dispute.rows).map(([type]: ReadonlyArray<unknown>) => type),
          ["dispute_freeze", "dispute_debit", "dispute_fee"]
        )
        yield* running.pass("2 days")
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.lost"])
        yield* dispute.whole
      })
    )

    it.effect(
      "a second time changes nothing; evidence is 409 from then on, and so is acceptance once it is decided",
      () =>
        Effect.gen(function* () {
          const running = yield* Service
          const dispute = yield* disputed(running)
          const first = yield* dispute.accept()
          const second = yield* dispute.accept()
          assert.deepStrictEqual([second.status, second.body.data], [200, first.body.data])
          assertRefused(yield* dispute.respond({ evidence }), 409, "conflict")
          assertRefused(yield* dispute.respond(submission), 409, "conflict")
          yield* running.pass("10 seconds")
          assertRefused(yield* dispute.accept(), 409, "conflict")
        })
    )

    it.effect("is confirmed by the helper as well, and may be withdrawn by the buyer's bank all the same", () =>
      Effect.gen(function* () {
        const running = yield* Service
        for (const outcome of ["lost", "closed", "won"]) {
          const dispute = yield* disputed(running)
          yield* dispute.accept()
          assert.strictEqual((yield* dispute.resolve(outcome)).body.data.status, outcome)
          yield* running.pass("1 minute")
          assert.deepStrictEqual(yield* dispute.events, ["dispute.created", `dispute.${outcome}`])
        }
      })
    )

    it.effect("is 409 under review and after a decision", () =>
      Effect.gen(function* () {
        const running = yield* Service
        const reviewed = yield* disputed(running)
        yield* reviewed.respond(submission)
        assertRefused(yield* reviewed.accept(), 409, "conflict")
        for (const outcome of ["won", "lost", "closed"]) {
          const decided = yield* disputed(running)
          yield* decided.resolve(outcome)
          assertRefused(yield* decided.accept(), 409, "conflict")
        }
      })
    )

    it.effect("ten times at once and with an Idempotency-Key: one loss, and the key gets its answer again", () =>
      Effect.gen(function* () {
        const running = yield* Service
        const dispute = yield* disputed(running)
        const replies = yield* Effect.all(
          Array.from({ length: 10 }, () => dispute.accept()),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual([...new Set(replies.map(({ status }) => status))], [200])
        const keyed = yield* dispute.accept({ "Idempotency-Key": "k" })
        yield* running.pass("10 seconds")
        const again = yield* dispute.accept({ "Idempotency-Key": "k" })
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        assert.deepStrictEqual(again.body.data, keyed.body.data)
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.lost"])
      })
    )
  })
})
