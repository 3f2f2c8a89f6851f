/** Disputes, from the buyer's objection to the bank's word. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, begin, paid, refusal } from "./kit.ts"

const disputed = Effect.fnUntraced(function* (card = "pm_card_createDispute") {
  const world = yield* begin()
  const charge = yield* paid(world, { with: card })
  const { data } = yield* ask(() => world.stripe.disputes.list({ charge: charge.id }))
  return { ...world, charge, dispute: data[0]! }
})

describe("disputes", () => {
  it.live("a disputed payment takes the money and a fee, and winning gives the money back", () =>
    Effect.gen(function* () {
      const { charge, control, dispute, stripe } = yield* disputed()
      assert.isTrue(charge.disputed)
      assert.deepInclude(dispute, { status: "needs_response", reason: "fraudulent", amount: 2_000 })
      assert.deepInclude(dispute.balance_transactions[0], { amount: -2_000, fee: 1_500, net: -3_500 })
      const file = yield* ask(() =>
        stripe.files.create({
          purpose: "dispute_evidence",
          file: { data: readFileSync(import.meta.filename), name: "receipt.pdf", type: "application/pdf" }
        })
      )
      const draft = yield* ask(() =>
        stripe.disputes.update(dispute.id, {
          submit: false,
          evidence: { receipt: file.id, uncategorized_text: "winning_evidence" }
        })
      )
      assert.deepInclude(draft.evidence_details, { has_evidence: true, submission_count: 0 })
      assert.strictEqual(draft.status, "needs_response")
      const given = yield* ask(() => stripe.disputes.update(dispute.id, { submit: true }))
      assert.strictEqual(given.status, "under_review")
      yield* control.advance({ seconds: 5 })
      const won = yield* ask(() => stripe.disputes.retrieve(dispute.id))
      assert.deepInclude(won, { status: "won", is_charge_refundable: true })
      assert.deepInclude(won.balance_transactions[1], { amount: 2_000, fee: 0 })
      assert.strictEqual(won.evidence_details.submission_count, 1)
    }).pipe(Effect.scoped)
  )

  it.live("evidence is under review until the bank decides, and is given once", () =>
    Effect.gen(function* () {
      const { control, dispute, stripe } = yield* disputed()
      const given = yield* ask(() => stripe.disputes.update(dispute.id, { evidence: { product_description: "Tea" } }))
      assert.strictEqual(given.status, "under_review")
      const error = yield* refusal(() => stripe.disputes.update(dispute.id, { evidence: { product_description: "x" } }))
      assert.strictEqual(error.statusCode, 400)
      const lost = yield* control.decide_dispute({ dispute: dispute.id, outcome: "lost" })
      assert.strictEqual(lost.status, "lost")
      assert.strictEqual(
        (yield* Effect.flip(control.decide_dispute({ dispute: dispute.id, outcome: "won" })))._tag,
        "ControlRefused"
      )
    }).pipe(Effect.scoped)
  )

  it.live("closing accepts the loss, and so does silence until the due date", () =>
    Effect.gen(function* () {
      const one = yield* disputed()
      const closed = yield* ask(() => one.stripe.disputes.close(one.dispute.id))
      assert.strictEqual(closed.status, "lost")
      const two = yield* disputed("pm_card_createDisputeProductNotReceived")
      yield* two.control.advance({ seconds: 7 * 86_400 })
      const late = yield* ask(() => two.stripe.disputes.retrieve(two.dispute.id))
      assert.deepInclude(late, { status: "lost", reason: "product_not_received" })
      assert.isTrue(late.evidence_details.past_due)
    }).pipe(Effect.scoped)
  )

  it.live("an inquiry takes no money until it is escalated", () =>
    Effect.gen(function* () {
      const { control, dispute } = yield* disputed("pm_card_createDisputeInquiry")
      assert.deepInclude(dispute, { status: "warning_needs_response", balance_transactions: [] })
      const escalated = yield* control.decide_dispute({ dispute: dispute.id, outcome: "escalated" })
      assert.strictEqual(escalated.status, "needs_response")
      assert.strictEqual(escalated.balance_transactions.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("an inquiry that becomes a chargeback is answered once more, until a new date", () =>
    Effect.gen(function* () {
      const { control, dispute, stripe } = yield* disputed("pm_card_createDisputeInquiry")
      const answer = (text: string) =>
        ask(() => stripe.disputes.update(dispute.id, { evidence: { uncategorized_text: text } }))
      assert.strictEqual((yield* answer("escalate_inquiry_evidence")).status, "warning_under_review")
      yield* control.advance({ seconds: 5 })
      const escalated = yield* ask(() => stripe.disputes.retrieve(dispute.id))
      assert.deepInclude(escalated, { status: "needs_response", is_charge_refundable: false })
      assert.strictEqual(escalated.payment_method_details?.card?.case_type, "chargeback")
      assert.isAbove(escalated.evidence_details.due_by!, dispute.evidence_details.due_by!)
      const second = yield* answer("losing_evidence")
      assert.deepInclude(second, { status: "under_review" })
      assert.strictEqual(second.evidence_details.submission_count, 2)
      yield* control.advance({ seconds: 5 })
      assert.strictEqual((yield* ask(() => stripe.disputes.retrieve(dispute.id))).status, "lost")
    }).pipe(Effect.scoped)
  )

  it.live("an inquiry lets the payment be refunded, and ends when all of it was", () =>
    Effect.gen(function* () {
      const { charge, dispute, stripe } = yield* disputed("pm_card_createDisputeInquiry")
      assert.isTrue(dispute.is_charge_refundable)
      yield* ask(() => stripe.refunds.create({ charge: charge.id, amount: 500 }))
      assert.strictEqual((yield* ask(() => stripe.disputes.retrieve(dispute.id))).status, "warning_needs_response")
      yield* ask(() => stripe.refunds.create({ charge: charge.id }))
      assert.strictEqual((yield* ask(() => stripe.disputes.retrieve(dispute.id))).status, "warning_closed")
    }).pipe(Effect.scoped)
  )

  it.live("a chargeback takes the whole, and fails the refunds that are under way", () =>
    Effect.gen(function* () {
      const { charge, control, dispute, stripe } = yield* disputed("pm_card_createDisputeInquiry")
      const early = yield* ask(() => stripe.refunds.create({ charge: charge.id, amount: 500 }))
      yield* control.advance({ seconds: 300 })
      const late = yield* ask(() => stripe.refunds.create({ charge: charge.id, amount: 300 }))
      const escalated = yield* control.decide_dispute({ dispute: dispute.id, outcome: "escalated" })
      assert.deepInclude(escalated.balance_transactions[0], { amount: -2_000 })
      assert.strictEqual((yield* ask(() => stripe.refunds.retrieve(early.id))).status, "succeeded")
      assert.deepInclude(yield* ask(() => stripe.refunds.retrieve(late.id)), {
        status: "failed",
        failure_reason: "charge_for_pending_refund_disputed"
      })
      assert.strictEqual((yield* ask(() => stripe.charges.retrieve(charge.id))).amount_refunded, 500)
    }).pipe(Effect.scoped)
  )

  it.live("an appeal is filed after a loss, and is lost if it is not filed in time", () =>
    Effect.gen(function* () {
      const one = yield* disputed()
      const decide = (outcome: "lost" | "won" | "appeal_needs_response" | "appeal_under_review") =>
        one.control.decide_dispute({ dispute: one.dispute.id, outcome })
      yield* decide("lost")
      assert.strictEqual((yield* decide("appeal_needs_response")).status, "appeal_needs_response")
      assert.strictEqual((yield* decide("appeal_under_review")).status, "appeal_under_review")
      assert.strictEqual((yield* decide("won")).balance_transactions.length, 2)
      const two = yield* disputed()
      yield* two.control.decide_dispute({ dispute: two.dispute.id, outcome: "lost" })
      yield* two.control.decide_dispute({ dispute: two.dispute.id, outcome: "appeal_needs_response" })
      yield* two.control.advance({ seconds: 7 * 86_400 })
      const late = yield* ask(() => two.stripe.disputes.retrieve(two.dispute.id))
      assert.deepInclude(late, { status: "lost" })
      assert.isTrue(late.evidence_details.past_due)
    }).pipe(Effect.scoped)
  )

  it.live("an appeal is filed by a reason and files, and by nothing else of the evidence", () =>
    Effect.gen(function* () {
      const { control, dispute, stripe } = yield* disputed()
      yield* control.decide_dispute({ dispute: dispute.id, outcome: "lost" })
      yield* control.decide_dispute({ dispute: dispute.id, outcome: "appeal_needs_response" })
      const file = yield* ask(() =>
        stripe.files.create({
          purpose: "dispute_evidence",
          file: { data: readFileSync(import.meta.filename), name: "receipt.pdf", type: "application/pdf" }
        })
      )
      const update = (evidence: object, submit: boolean) => stripe.disputes.update(dispute.id, { evidence, submit })
      const appeal = (card: object) => ({ appeal: { card } })
      const card = { reason_for_filing: "The buyer has the goods.", supporting_files: [file.id] }
      for (const [evidence, param] of [
        [{ product_description: "Tea" }, "evidence[product_description]"],
        [appeal({ reason_for_filing: "Paid." }), "evidence[appeal][card][supporting_files]"],
        [appeal({ supporting_files: [file.id] }), "evidence[appeal][card][reason_for_filing]"],
        [appeal({ ...card, supporting_files: ["file_unknown"] }), "evidence[appeal][card][supporting_files]"]
      ] as const) {
        assert.strictEqual((yield* refusal(() => update(evidence, true))).param, param)
      }
      const draft = yield* ask(() => update(appeal(card), false))
      assert.deepStrictEqual([draft.status, draft.evidence.appeal], ["appeal_needs_response", { card }])
      const filed = yield* ask(() => stripe.disputes.update(dispute.id, { submit: true }))
      assert.deepStrictEqual([filed.status, filed.evidence.appeal], ["appeal_under_review", { card }])
    }).pipe(Effect.scoped)
  )

  it.live("a charge that is in dispute cannot be refunded", () =>
    Effect.gen(function* () {
      const { charge, stripe } = yield* disputed()
      const error = yield* refusal(() => stripe.refunds.create({ charge: charge.id }))
      assert.strictEqual(error.code, "charge_disputed")
    }).pipe(Effect.scoped)
  )
})
