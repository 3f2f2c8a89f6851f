/**
 * The deadline for evidence, to the millisecond: what is taken until then, and what its passing means (spec: States and
 * transitions, Dispute; silences: D2).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { disputed } from "../../kit/stories/disputed.ts"
import { feeOf, assertRefused } from "../../kit/Merchant.ts"
import { start } from "../../kit/Service.ts"

const evidence = { customer_name: "A" }
const submission = { evidence, submit: true }
/** The clock of a test begins in 1970. */
const inAnHour = new Date(3_600_000).toISOString()

describe("the deadline for evidence", () => {
  it.live("is its last moment: a draft and a submission are taken at it, and 409 one millisecond later", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      // Keeps the bank from saying at once that it is lost.
      const late = yield* disputed(running, { evidence_due_by: inAnHour })
      const inTime = yield* disputed(running, { evidence_due_by: inAnHour })
      yield* running.pass("1 hour")
      assert.strictEqual((yield* inTime.respond({ evidence })).status, 200)
      assert.strictEqual((yield* inTime.respond(submission)).body.data.status, "under_review")
      assert.strictEqual((yield* late.respond({ evidence })).status, 200)
      yield* late.shop.reachable(false)
      yield* running.pass("1 millis")
      assert.strictEqual((yield* late.read).status, "needs_response")
      assertRefused(yield* late.respond({ evidence: {} }), 409, "conflict")
      assertRefused(yield* late.respond(submission), 409, "conflict")
      assert.deepStrictEqual((yield* late.evidence).evidence, evidence)
      assert.strictEqual((yield* inTime.read).status, "under_review")
    })
  )

  it.live("passed without an answer is a loss as soon as the channel says so, and not before", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running, { amount: 400, evidence_due_by: inAnHour })
      yield* dispute.respond({ evidence })
      yield* running.pass("1 hour")
      assert.deepStrictEqual(yield* dispute.read, dispute.opened)
      yield* dispute.shop.reachable(false)
      yield* running.pass("1 hour")
      assert.deepStrictEqual(yield* dispute.read, dispute.opened)
      yield* dispute.shop.reachable(true)
      yield* running.pass("1 hour")
      const { closed_at, fee, funds_frozen, status } = yield* dispute.read
      assert.deepStrictEqual([status, fee, funds_frozen], ["lost", 1500, false])
      assert.isAbove(Date.parse(closed_at), 3_600_000)
      const net = 1000 - feeOf(1000)
      assert.deepStrictEqual(yield* dispute.rows, [
        ["dispute_freeze", -400, net, net - 400],
        ["dispute_debit", -400, net - 400, net - 400],
        ["dispute_fee", -1500, net - 400, net - 1900]
      ])
      yield* running.pass("2 days")
      assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.lost"])
      yield* dispute.whole
    })
  )

  it.live("passed with the channel at hand is a loss a millisecond later", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const evidence_due_by = "1970-01-01T00:59:00.000Z"
      const dispute = yield* disputed(running, { evidence_due_by })
      yield* running.pass("59 minutes")
      assert.strictEqual((yield* dispute.read).status, "needs_response")
      yield* running.pass("1 millis")
      const { closed_at, status } = yield* dispute.read
      assert.deepStrictEqual([status, closed_at], ["lost", "1970-01-01T00:59:00.001Z"])
    })
  )

  it.live("does not concern a dispute that was answered, nor one without a deadline", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const answered = yield* disputed(running, { evidence_due_by: inAnHour })
      const endless = yield* disputed(running, { evidence_due_by: null })
      yield* answered.respond(submission)
      yield* running.pass("3 days")
      assert.strictEqual((yield* answered.read).status, "under_review")
      assert.deepStrictEqual(yield* endless.read, endless.opened)
      assert.strictEqual((yield* endless.respond(submission)).status, 200)
      assert.deepStrictEqual(yield* answered.events, ["dispute.created", "dispute.updated"])
    })
  )

  it.live("in the past when the dispute is opened: no evidence, and a loss within seconds", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      yield* running.pass("2 hours")
      const dispute = yield* disputed(running, { evidence_due_by: inAnHour })
      assertRefused(yield* dispute.respond(submission), 409, "conflict")
      yield* running.pass("5 seconds")
      assert.strictEqual((yield* dispute.read).status, "lost")
    })
  )

  it.live("may pass before acceptance: it is as good", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running, { evidence_due_by: inAnHour })
      yield* dispute.shop.reachable(false)
      yield* running.pass("61 minutes")
      assertRefused(yield* dispute.accept(), 502, "processor_error")
      yield* dispute.shop.reachable(true)
      // The bank has decided the loss already, with the same outcome.
      const accepted = yield* dispute.accept()
      assert.deepStrictEqual([accepted.status, accepted.body.data.status], [200, "lost"])
      assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.lost"])
      yield* dispute.whole
    })
  )
})
