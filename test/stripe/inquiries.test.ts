/**
 * Inquiries at Stripe, and what becomes of them: nothing is frozen, the payment may be refunded, and a chargeback is
 * answered anew (silences: S26, S27).
 */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused } from "../kit/Merchant.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { amount, disputed } from "./disputed.ts"
import { onOneWorld } from "./kit.ts"

const inquiry = disputed({ is_inquiry: true })

onOneWorld((it) => {
  describe("an inquiry at Stripe", () => {
    it.effect("is a dispute whose amount is not frozen, and ends with nothing lost", () =>
      Effect.gen(function* () {
        const { before, decide, merchant, opened, read, sql } = yield* inquiry
        assert.deepInclude(opened, { status: "needs_response", processor_status: "warning_needs_response", amount })
        assert.isFalse(opened.funds_frozen)
        assert.deepStrictEqual(yield* merchant.balance(), before)
        yield* decide("warning_closed")
        assert.deepInclude(yield* read, { status: "closed", processor_status: "warning_closed", funds_frozen: false })
        assert.deepStrictEqual(yield* merchant.balance(), before)
        const told = (yield* merchant.events()).filter((type) => type.startsWith("dispute."))
        assert.sameMembers(told, ["dispute.created", "dispute.closed"])
        yield* assertLedgerWhole(sql)
      })
    )

    it.effect("lets the payment be refunded in part, and ends when all of it was", () =>
      Effect.gen(function* () {
        const { merchant, read, refund, settled, sold, sql } = yield* inquiry
        assert.strictEqual((yield* refund(500)).status, 201)
        yield* settled
        assert.strictEqual((yield* read).status, "needs_response")
        assert.strictEqual((yield* refund()).status, 201)
        yield* settled
        assert.deepInclude(yield* read, { status: "closed", funds_frozen: false })
        assert.strictEqual((yield* merchant.order(sold["trade_no"]))["status"], "refunded")
        yield* assertLedgerWhole(sql)
      })
    )

    it.effect("that was answered and becomes a chargeback is frozen and answered again, until the new deadline", () =>
      Effect.gen(function* () {
        const { answer, atStripe, before, decide, held, merchant, no, opened, pass, read, refund, sql } = yield* inquiry
        assert.strictEqual((yield* answer("Tea")).body.data.status, "under_review")
        yield* pass("2 hours")
        yield* decide("escalated")
        const now = yield* read
        assert.deepInclude(now, { status: "needs_response", processor_status: "needs_response", funds_frozen: true })
        assert.strictEqual(Date.parse(now.evidence_due_by) / 1_000, atStripe().evidence_details.due_by)
        assert.isAbove(Date.parse(now.evidence_due_by), Date.parse(opened.evidence_due_by))
        const books = yield* merchant.balance()
        assert.deepStrictEqual([books.available, books.frozen], [before.available - amount, amount])
        assertRefused(yield* refund(500), 409, "conflict")
        assert.deepInclude(yield* held, { waits_for: "merchant", due_by: now.evidence_due_by })
        const kept = (yield* merchant.get(`/v1/disputes/${no}/evidence`)).body.data
        assert.deepInclude(kept, { submitted: false, evidence: { product_description: "Tea" } })

        assert.strictEqual((yield* answer("Tea, and its receipt")).body.data.status, "under_review")
        assert.strictEqual(atStripe().evidence.product_description, "Tea, and its receipt")
        assert.strictEqual(atStripe().evidence_details.submission_count, 2)
        const told = (yield* merchant.events()).filter((type) => type.startsWith("dispute."))
        assert.deepStrictEqual(told.toSorted(), ["dispute.created", ...Array(3).fill("dispute.updated")])
        yield* decide("won")
        assert.deepStrictEqual(yield* merchant.balance(), before)
        yield* assertLedgerWhole(sql)
      })
    )

    it.effect("that was not answered and becomes a chargeback is due, and can be answered", () =>
      Effect.gen(function* () {
        const { answer, atStripe, decide, held, leap, opened, read, settled } = yield* inquiry
        yield* leap("6 days")
        yield* decide("escalated")
        // The inquiry's own deadline ends nothing any more.
        yield* Effect.andThen(leap("2 days"), settled)
        const now = yield* read
        assert.deepInclude(now, { status: "needs_response", funds_frozen: true })
        assert.isAbove(Date.parse(now.evidence_due_by), Date.parse(opened.evidence_due_by))
        assert.deepInclude(yield* held, { waits_for: "merchant", due_by: now.evidence_due_by })
        assert.strictEqual((yield* answer("Tea")).body.data.status, "under_review")
        assert.strictEqual(atStripe().evidence_details.submission_count, 1)
      })
    )

    it.effect("is conceded as an inquiry, and never the chargeback that it has become", () =>
      Effect.gen(function* () {
        const { atStripe, control, merchant, no, read, settled } = yield* inquiry
        // The merchant concedes without knowing that it has become a chargeback.
        yield* control.hold_webhooks({})
        yield* control.decide_dispute({ dispute: atStripe().id, outcome: "escalated" })
        assertRefused(yield* merchant.accept(no), 409, "conflict")
        assert.strictEqual(atStripe().status, "needs_response")
        yield* control.release_webhooks({ order: "newest_first" })
        yield* settled
        assert.deepInclude(yield* read, { status: "needs_response", funds_frozen: true })
        assert.strictEqual((yield* merchant.accept(no)).status, 200)
        assert.strictEqual(atStripe().status, "lost")
      })
    )

    it.effect("is answered as an inquiry, and what was written for it is not sent to the chargeback", () =>
      Effect.gen(function* () {
        const { answer, atStripe, control, read } = yield* inquiry
        yield* control.hold_webhooks({})
        yield* control.decide_dispute({ dispute: atStripe().id, outcome: "escalated" })
        assertRefused(yield* answer("Tea"), 409, "conflict")
        assert.strictEqual(atStripe().evidence_details.submission_count, 0)
        assert.deepInclude(yield* read, { status: "needs_response", funds_frozen: true })
        assert.strictEqual((yield* answer("Tea")).body.data.status, "under_review")
      })
    )

    it.effect("whose chargeback was lost before anything was told is frozen, taken and charged once", () =>
      Effect.gen(function* () {
        const { atStripe, before, control, decide, merchant, read, settled, sql } = yield* inquiry
        yield* control.fault({ on: "webhook charge.dispute.*", kind: "lose", times: 2 })
        yield* control.decide_dispute({ dispute: atStripe().id, outcome: "escalated" })
        yield* decide("lost")
        yield* settled
        const after = yield* read
        assert.deepInclude(after, { status: "lost", funds_frozen: false })
        const books = yield* merchant.balance()
        assert.deepStrictEqual([books.available, books.frozen], [before.available - amount - after.fee, 0])
        yield* assertLedgerWhole(sql)
      })
    )

    it.effect("that becomes a chargeback fails a refund that was under way, and both books agree", () =>
      Effect.gen(function* () {
        const { before, control, decide, merchant, refund, settled, sold, sql } = yield* inquiry
        yield* control.refund_fates({ fates: ["pends"] })
        assert.strictEqual((yield* refund(500)).status, 202)
        yield* decide("escalated")
        yield* settled
        assert.strictEqual((yield* merchant.order(sold["trade_no"]))["refunded_amount"], 0)
        const books = yield* merchant.balance()
        assert.deepStrictEqual([books.available, books.frozen], [before.available - amount, amount])
        yield* decide("won")
        assert.strictEqual((yield* merchant.balance()).available, before.available)
        yield* assertLedgerWhole(sql)
      })
    )

    it.effect("that becomes a chargeback takes the whole, also what had been refunded long before", () =>
      Effect.gen(function* () {
        const { atStripe, before, decide, merchant, pass, read, refund, sql } = yield* inquiry
        assert.strictEqual((yield* refund(500)).status, 201)
        yield* pass("10 minutes")
        yield* decide("escalated")
        assert.strictEqual(atStripe().amount, amount)
        yield* decide("lost")
        const { fee } = yield* read
        const books = yield* merchant.balance()
        assert.deepStrictEqual([books.available, books.frozen], [before.available - 500 - amount - fee, 0])
        yield* assertLedgerWhole(sql)
      })
    )

    it.effect("that becomes a chargeback while it is refunded is in both books alike, whichever was first", () =>
      Effect.gen(function* () {
        const { before, control, decide, leap, merchant, refund, settled, sold, simulator, sql } = yield* inquiry
        yield* Effect.all([refund(500), refund(300), decide("escalated"), refund(200)], { concurrency: 4 })
        yield* settled
        for (const { id } of simulator.all("refund")) yield* Effect.ignore(control.complete_refund({ refund: id }))
        yield* Effect.andThen(leap("2 hours"), settled)
        yield* decide("won")
        const given = simulator.all("refund").filter(({ status }) => status === "succeeded")
        const back = given.reduce((sum, each) => sum + each.amount, 0)
        assert.strictEqual((yield* merchant.order(sold["trade_no"]))["refunded_amount"], back)
        const books = yield* merchant.balance()
        assert.deepStrictEqual([books.available, books.frozen], [before.available - back, 0])
        yield* assertLedgerWhole(sql)
      })
    )

    it.effect("is reported twice, late and in any order, and becomes a chargeback once", () =>
      Effect.gen(function* () {
        const { answer, atStripe, control, merchant, read, settled, simulator, sql } = yield* inquiry
        yield* control.hold_webhooks({})
        assert.strictEqual((yield* answer("Tea")).body.data.status, "under_review")
        yield* control.decide_dispute({ dispute: atStripe().id, outcome: "escalated" })
        yield* control.release_webhooks({ order: "newest_first" })
        yield* settled
        for (const { id, type } of simulator.all("event")) {
          if (type.startsWith("charge.dispute.")) yield* control.send_again({ event: id })
        }
        yield* settled
        assert.deepInclude(yield* read, { status: "needs_response", funds_frozen: true })
        const rows = (yield* merchant.ledger()).filter(([type]) => type === "dispute_freeze")
        assert.lengthOf(rows, 1)
        yield* assertLedgerWhole(sql)
      })
    )
  })

  describe("a dispute that is answered in Stripe's dashboard", () => {
    it.effect("is under review, and merchants get the event", () =>
      Effect.gen(function* () {
        const { atStripe, merchant, read, settled, stripe } = yield* disputed()
        const by = { evidence: { product_description: "By hand" }, submit: true }
        yield* Effect.promise(() => stripe.disputes.update(atStripe().id, by))
        yield* settled
        assert.deepInclude(yield* read, {
          status: "under_review",
          processor_status: "under_review",
          funds_frozen: true
        })
        assert.include(yield* merchant.events(), "dispute.updated")
      })
    )
  })
})
