/**
 * A dispute whose process dies on the way: a worker finishes it, or the same request sent again (docs/architecture.md,
 * section 3).
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Wakeups } from "../../../src/platform/commit/Wakeups.ts"
import { disputed } from "../../kit/stories/disputed.ts"
import { assertRefused } from "../../kit/Merchant.ts"
import { dying } from "../../kit/faults/Faults.ts"
import { start } from "../../kit/Service.ts"

const evidence = { customer_name: "A" }
const submission = { evidence, submit: true }

describe("a process that dies", () => {
  for (const { after, point, seconds, send, type } of [
    { point: "submit", send: "respond", seconds: 30, after: "under_review", type: "updated" },
    { point: "accept", send: "accept", seconds: 40, after: "lost", type: "lost" }
  ] as const) {
    for (const where of ["before", "after"] as const) {
      const name = `DisputeChannel.${point}`
      it.live(`${where} the call to ${point}: a worker repeats it, and it counts once`, () =>
        Effect.gen(function* () {
          const fault = dying(name, where)
          const running = yield* start({ clock: "test", faults: fault.layer })
          const dispute = yield* disputed(running)
          const died = yield* send === "respond" ? dispute.respond(submission) : dispute.accept()
          assert.strictEqual(died.status, 500)
          assert.deepStrictEqual(yield* dispute.read, dispute.opened)
          yield* running.pass("29 seconds")
          assert.strictEqual(fault.times(name), 1)
          yield* running.pass(`${seconds - 29} seconds`)
          assert.strictEqual((yield* dispute.read).status, after)
          assert.strictEqual(fault.times(name), 2)
          yield* running.pass("1 day")
          assert.deepStrictEqual(yield* dispute.events, ["dispute.created", `dispute.${type}`])
          if (point === "submit") assert.deepStrictEqual((yield* dispute.evidence).evidence, evidence)
          yield* dispute.whole
        })
      )

      it.live(`${where} the call to ${point}: the same request again, at once, finishes it`, () =>
        Effect.gen(function* () {
          const running = yield* start({ clock: "test", faults: dying(name, where).layer })
          const dispute = yield* disputed(running)
          const key = { "Idempotency-Key": "k" }
          const ask = () => (send === "respond" ? dispute.respond(submission, key) : dispute.accept(key))
          assert.strictEqual((yield* ask()).status, 500)
          const again = yield* ask()
          assert.strictEqual(again.status, 200, again.text)
          const told = point === "submit" ? "under_review" : "accepted"
          assert.strictEqual(again.body.data.processor_status, told)
          yield* running.pass("1 day")
          assert.deepStrictEqual(yield* dispute.events, ["dispute.created", `dispute.${type}`])
          yield* dispute.whole
        })
      )
    }

    it.live(`on ${point}, and the worker came first: the request sent again gets the dispute as it is by now`, () =>
      Effect.gen(function* () {
        const running = yield* start({ clock: "test", faults: dying(`DisputeChannel.${point}`, "after").layer })
        const dispute = yield* disputed(running)
        const key = { "Idempotency-Key": "k" }
        const ask = () => (send === "respond" ? dispute.respond(submission, key) : dispute.accept(key))
        yield* ask()
        yield* running.pass("1 minute")
        const again = yield* ask()
        assert.deepStrictEqual([again.status, again.body.data], [200, yield* dispute.read])
        assert.strictEqual(again.body.data.status, after)
        // Another request is independent.
        assertRefused(yield* send === "respond" ? dispute.respond(submission) : dispute.accept(), 409, "conflict")
      })
    )
  }

  it.live("after the evidence was recorded and with the channel down: the worker goes on until it is up", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test", faults: dying("DisputeChannel.submit", "before").layer })
      const dispute = yield* disputed(running)
      yield* dispute.respond(submission)
      yield* dispute.shop.reachable(false)
      // Each ten seconds of it are a round: the bank reports the dispute without an answer.
      yield* running.pass("10 minutes")
      assert.deepStrictEqual(yield* dispute.read, dispute.opened)
      yield* dispute.shop.reachable(true)
      yield* running.pass("20 minutes")
      assert.strictEqual((yield* dispute.read).status, "under_review")
      assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.updated"])
    })
  )

  it.live("before the bank's report was taken: the bank reports again, and it is heard once", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running)
      const told = Effect.sync(() => Context.get(running.context, Wakeups).raise("sandbox_reports"))
      const repeat = Effect.andThen(running.sql`update sandbox_disputes set report_due_at = opened_at`, told)
      yield* repeat
      yield* running.pass("1 hour")
      assert.deepStrictEqual(yield* dispute.read, dispute.opened)
      yield* running.sql`update sandbox_disputes set state = 'won'`
      yield* repeat
      yield* running.pass("1 hour")
      assert.strictEqual((yield* dispute.read).status, "won")
      yield* repeat
      yield* running.pass("1 hour")
      assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.won"])
      const list = yield* dispute.api.get("/v1/disputes", dispute.key)
      assert.strictEqual(list.body.data.data.length, 1)
      yield* dispute.whole
    })
  )

  it.live("may know of a dispute what another has written since: it is read again", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running)
      yield* dispute.respond({ evidence: { customer_name: "known to the owner" } })
      // As another runner would have left them.
      yield* running.sql`update disputes set version = version + 7`
      yield* running.sql`update dispute_evidence set version = version + 7`
      const saved = yield* dispute.respond({ evidence })
      assert.strictEqual(saved.status, 200, saved.text)
      assert.deepStrictEqual((yield* dispute.evidence).evidence, evidence)
      yield* running.sql`update disputes set version = version + 7`
      assert.strictEqual((yield* dispute.resolve("lost")).body.data.status, "lost")
      assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.lost"])
      yield* dispute.whole
    })
  )
})
