/**
 * A dispute while the channel cannot be reached, or does not answer in time, and a caller who hangs up meanwhile (spec:
 * States and transitions, Dispute; silences: D14; docs/architecture.md, section 3).
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { disputed } from "../../kit/stories/disputed.ts"
import { assertRefused } from "../../kit/Merchant.ts"
import { blocking } from "../../kit/faults/Faults.ts"
import { eventually } from "../../kit/Process.ts"
import { start } from "../../kit/Service.ts"

const evidence = { customer_name: "A" }
const submission = { evidence, submit: true }

describe("a channel that cannot be reached", () => {
  it.live("502 processor_error, and nothing has changed: not the draft, not the dispute, and nothing follows", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running)
      yield* dispute.respond({ evidence: { billing_address: "draft" } })
      const draft = yield* dispute.evidence
      yield* dispute.shop.reachable(false)
      for (const refused of [dispute.respond(submission), dispute.accept()]) {
        assertRefused(yield* refused, 502, "processor_error")
        assert.deepStrictEqual(yield* dispute.read, dispute.opened)
        assert.deepStrictEqual(yield* dispute.evidence, draft)
      }
      // A draft never leaves the service.
      assert.strictEqual((yield* dispute.respond({ evidence: { billing_address: "later" } })).status, 200)
      yield* dispute.shop.reachable(true)
      yield* running.pass("1 day")
      assert.deepStrictEqual(yield* dispute.read, dispute.opened)
      assert.deepStrictEqual(yield* dispute.events, ["dispute.created"])
      yield* dispute.whole
    })
  )

  it.live("the same Idempotency-Key may be used again, and asks the channel again", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running)
      const key = { "Idempotency-Key": "k" }
      yield* dispute.shop.reachable(false)
      assertRefused(yield* dispute.respond(submission, key), 502, "processor_error")
      yield* dispute.shop.reachable(true)
      const submitted = yield* dispute.respond(submission, key)
      assert.deepStrictEqual([submitted.status, submitted.body.data.status], [200, "under_review"])
    })
  )

  it.live("brings no new dispute and no decision: the helpers answer 502", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running)
      yield* dispute.shop.reachable(false)
      assertRefused(yield* dispute.open({ amount: 1 }), 502, "processor_error")
      assertRefused(yield* dispute.resolve("won"), 502, "processor_error")
      assert.deepStrictEqual(yield* dispute.read, dispute.opened)
    })
  )
})

describe("a channel that does not answer in time", () => {
  for (const { after, at, point, send, seconds, type } of [
    { point: "submit", send: "respond", at: "submitted_at", seconds: 30, after: "under_review", type: "updated" },
    { point: "accept", send: "accept", at: "lost_at", seconds: 40, after: "lost", type: "lost" }
  ] as const) {
    it.live(`${point}: the dispute is answered as it stands, and follows by itself`, () =>
      Effect.gen(function* () {
        const fault = yield* blocking(`DisputeChannel.${point}`, "after")
        const running = yield* start({ clock: "test", faults: fault.layer })
        const dispute = yield* disputed(running)
        const waiting = yield* Effect.forkChild(send === "respond" ? dispute.respond(submission) : dispute.accept())
        yield* Deferred.await(fault.reached)
        yield* running.pass("15 seconds")
        const answered = yield* Fiber.join(waiting)
        assert.deepStrictEqual([answered.status, answered.body.data], [200, dispute.opened])
        assertRefused(yield* dispute.respond({ evidence: {} }), 409, "conflict")
        const before = yield* running.sql`select ${running.sql(at)} as at from sandbox_disputes`
        assert.strictEqual((yield* dispute.evidence).submitted, false)

        yield* running.pass(`${seconds} seconds`)
        assert.strictEqual((yield* dispute.read).status, after)
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created", `dispute.${type}`])
        // The bank had it the first time.
        assert.deepStrictEqual(yield* running.sql`select ${running.sql(at)} as at from sandbox_disputes`, before)
        yield* dispute.whole
      })
    )
  }

  it.live(
    "a second sender of the same meanwhile calls the channel, too; then an unreachable channel withdraws nothing",
    () =>
      Effect.gen(function* () {
        const fault = yield* blocking("DisputeChannel.submit", "before")
        const running = yield* start({ clock: "test", faults: fault.layer })
        const dispute = yield* disputed(running)
        const first = yield* Effect.forkChild(dispute.respond(submission))
        yield* Deferred.await(fault.reached)
        yield* dispute.shop.reachable(false)
        const second = yield* dispute.respond(submission)
        assert.deepStrictEqual([second.status, second.body.data.status], [200, "needs_response"])
        yield* fault.release
        assert.strictEqual((yield* Fiber.join(first)).status, 200)
        yield* dispute.shop.reachable(true)
        yield* running.pass("30 seconds")
        assert.strictEqual((yield* dispute.read).status, "under_review")
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.updated"])
      })
  )

  it.live("a decision that comes meanwhile ends the step, and the late answer changes nothing", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("DisputeChannel.submit", "after")
      const running = yield* start({ clock: "test", faults: fault.layer })
      const dispute = yield* disputed(running)
      const waiting = yield* Effect.forkChild(dispute.respond(submission))
      yield* Deferred.await(fault.reached)
      const closed = yield* dispute.resolve("closed")
      yield* fault.release
      const late = yield* Fiber.join(waiting)
      assert.deepStrictEqual([late.status, late.body.data], [200, closed.body.data])
      yield* running.pass("1 day")
      assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.closed"])
      yield* dispute.whole
    })
  )

  it.live("a bank that has decided and not yet said so takes no evidence: 409, and its word is heard", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running)
      yield* dispute.respond({ evidence: { billing_address: "draft" } })
      const draft = yield* dispute.evidence
      yield* running.sql`update sandbox_disputes set state = 'closed'`
      assertRefused(yield* dispute.respond(submission), 409, "conflict")
      assert.strictEqual((yield* dispute.read).status, "closed")
      assert.deepStrictEqual(yield* dispute.evidence, draft)
      yield* dispute.whole
    })
  )
})

describe("a caller who hangs up", () => {
  it.live("while the channel is being told: what was begun goes on, and the same request again gets its outcome", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("DisputeChannel.submit", "before")
      const running = yield* start({ clock: "test", faults: fault.layer })
      const dispute = yield* disputed(running)
      const key = { "Idempotency-Key": "k" }
      const hangUp = new AbortController()
      const call = fetch(running.baseUrl + `${dispute.path}/evidence`, {
        method: "POST",
        headers: { "X-Api-Key": dispute.key, "Content-Type": "application/json", ...key },
        body: JSON.stringify(submission),
        signal: hangUp.signal
      }).catch(() => undefined)
      yield* Deferred.await(fault.reached)
      hangUp.abort()
      yield* Effect.promise(() => call)
      const released = running.sql`select 1 from idempotency_keys where state = 'released'`
      yield* eventually(
        "the service to notice",
        Effect.map(released, ({ length }) => length === 1)
      )
      yield* fault.release
      yield* eventually(
        "the dispute to be under review",
        Effect.map(dispute.read, ({ status }) => status === "under_review")
      )
      const again = yield* dispute.respond(submission, key)
      assert.deepStrictEqual([again.status, again.body.data], [200, yield* dispute.read])
      assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.updated"])
    })
  )
})
