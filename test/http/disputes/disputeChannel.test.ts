/**
 * Disputes in time and trouble: deadlines to the millisecond, acceptance until the bank confirms it, a channel that
 * cannot be reached or does not answer, and what a process leaves that dies on the way (spec: States and transitions,
 * Dispute; silences: D2, D3, D14; docs/architecture.md, section 3).
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { disputed, feeOf, isRefused } from "../../kit/disputed.ts"
import { blocking, dying } from "../../kit/Faults.ts"
import { eventually } from "../../kit/Process.ts"
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
      yield* late.reachable(false)
      yield* running.pass("1 millis")
      assert.strictEqual((yield* late.read).status, "needs_response")
      isRefused(yield* late.respond({ evidence: {} }), 409, "conflict")
      isRefused(yield* late.respond(submission), 409, "conflict")
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
      yield* dispute.reachable(false)
      yield* running.pass("1 hour")
      assert.deepStrictEqual(yield* dispute.read, dispute.opened)
      yield* dispute.reachable(true)
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
      yield* running.pass("30 days")
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
      isRefused(yield* dispute.respond(submission), 409, "conflict")
      yield* running.pass("5 seconds")
      assert.strictEqual((yield* dispute.read).status, "lost")
    })
  )

  it.live("may pass before acceptance: it is as good", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running, { evidence_due_by: inAnHour })
      yield* dispute.reachable(false)
      yield* running.pass("61 minutes")
      isRefused(yield* dispute.accept(), 502, "processor_error")
      yield* dispute.reachable(true)
      // To the bank it is lost already, which is as good.
      const accepted = yield* dispute.accept()
      assert.deepStrictEqual([accepted.status, accepted.body.data.status], [200, "lost"])
      assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.lost"])
      yield* dispute.whole
    })
  )
})

describe("acceptance", () => {
  it.live("leaves the status until the bank confirms the loss, some seconds later", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
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

  it.live("a second time changes nothing; evidence is 409 from then on, and so is acceptance once it is decided", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running)
      const first = yield* dispute.accept()
      const second = yield* dispute.accept()
      assert.deepStrictEqual([second.status, second.body.data], [200, first.body.data])
      isRefused(yield* dispute.respond({ evidence }), 409, "conflict")
      isRefused(yield* dispute.respond(submission), 409, "conflict")
      yield* running.pass("10 seconds")
      isRefused(yield* dispute.accept(), 409, "conflict")
    })
  )

  it.live("is confirmed by the helper as well, and may be withdrawn by the buyer's bank all the same", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      for (const outcome of ["lost", "closed", "won"]) {
        const dispute = yield* disputed(running)
        yield* dispute.accept()
        assert.strictEqual((yield* dispute.resolve(outcome)).body.data.status, outcome)
        yield* running.pass("1 minute")
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created", `dispute.${outcome}`])
      }
    })
  )

  it.live("is 409 under review and after a decision", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const reviewed = yield* disputed(running)
      yield* reviewed.respond(submission)
      isRefused(yield* reviewed.accept(), 409, "conflict")
      for (const outcome of ["won", "lost", "closed"]) {
        const decided = yield* disputed(running)
        yield* decided.resolve(outcome)
        isRefused(yield* decided.accept(), 409, "conflict")
      }
    })
  )

  it.live("ten times at once and with an Idempotency-Key: one loss, and the key gets its answer again", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
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

describe("a channel that cannot be reached", () => {
  it.live("502 processor_error, and nothing has changed: not the draft, not the dispute, and nothing follows", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running)
      yield* dispute.respond({ evidence: { billing_address: "draft" } })
      const draft = yield* dispute.evidence
      yield* dispute.reachable(false)
      for (const refused of [dispute.respond(submission), dispute.accept()]) {
        isRefused(yield* refused, 502, "processor_error")
        assert.deepStrictEqual(yield* dispute.read, dispute.opened)
        assert.deepStrictEqual(yield* dispute.evidence, draft)
      }
      // A draft is ours alone.
      assert.strictEqual((yield* dispute.respond({ evidence: { billing_address: "later" } })).status, 200)
      yield* dispute.reachable(true)
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
      yield* dispute.reachable(false)
      isRefused(yield* dispute.respond(submission, key), 502, "processor_error")
      yield* dispute.reachable(true)
      const submitted = yield* dispute.respond(submission, key)
      assert.deepStrictEqual([submitted.status, submitted.body.data.status], [200, "under_review"])
    })
  )

  it.live("brings no new dispute and no decision: the helpers answer 502", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running)
      yield* dispute.reachable(false)
      isRefused(yield* dispute.open({ amount: 1 }), 502, "processor_error")
      isRefused(yield* dispute.resolve("won"), 502, "processor_error")
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
        isRefused(yield* dispute.respond({ evidence: {} }), 409, "conflict")
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

  it.live("whoever sends the same meanwhile sets out, too; then an unreachable channel takes nothing back", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("DisputeChannel.submit", "before")
      const running = yield* start({ clock: "test", faults: fault.layer })
      const dispute = yield* disputed(running)
      const first = yield* Effect.forkChild(dispute.respond(submission))
      yield* Deferred.await(fault.reached)
      yield* dispute.reachable(false)
      const second = yield* dispute.respond(submission)
      assert.deepStrictEqual([second.status, second.body.data.status], [200, "needs_response"])
      yield* fault.release
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
      yield* dispute.reachable(true)
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
      isRefused(yield* dispute.respond(submission), 409, "conflict")
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

describe("a process that dies", () => {
  for (const { after, point, seconds, send, type } of [
    { point: "submit", send: "respond", seconds: 30, after: "under_review", type: "updated" },
    { point: "accept", send: "accept", seconds: 40, after: "lost", type: "lost" }
  ] as const) {
    for (const where of ["before", "after"] as const) {
      const name = `DisputeChannel.${point}`
      it.live(`${where} the channel is told to ${point}: a worker tells it again, and it counts once`, () =>
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

      it.live(`${where} the channel is told to ${point}: the same request again, at once, finishes it`, () =>
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
        // Another request is another matter.
        isRefused(yield* send === "respond" ? dispute.respond(submission) : dispute.accept(), 409, "conflict")
      })
    )
  }

  it.live("after the evidence was recorded and with the channel down: the worker goes on until it is up", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test", faults: dying("DisputeChannel.submit", "before").layer })
      const dispute = yield* disputed(running)
      yield* dispute.respond(submission)
      yield* dispute.reachable(false)
      yield* running.pass("3 hours")
      assert.deepStrictEqual(yield* dispute.read, dispute.opened)
      yield* dispute.reachable(true)
      yield* running.pass("1 hour")
      assert.strictEqual((yield* dispute.read).status, "under_review")
      assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.updated"])
    })
  )

  it.live("before the bank's report was taken: the bank reports again, and it is heard once", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const dispute = yield* disputed(running)
      const repeat = running.sql`update sandbox_disputes set report_due_at = opened_at`
      yield* repeat
      yield* running.pass("1 hour")
      assert.deepStrictEqual(yield* dispute.read, dispute.opened)
      yield* running.sql`update sandbox_disputes set state = 'won', report_due_at = opened_at`
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
      yield* dispute.respond({ evidence: { customer_name: "known to the actor" } })
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
