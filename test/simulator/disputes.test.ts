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
      const { charge, dispute, stripe } = yield* disputed()
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
      const won = yield* ask(() => stripe.disputes.update(dispute.id, { submit: true }))
      assert.strictEqual(won.status, "won")
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

  it.live("a charge that is in dispute cannot be refunded", () =>
    Effect.gen(function* () {
      const { charge, stripe } = yield* disputed()
      const error = yield* refusal(() => stripe.refunds.create({ charge: charge.id }))
      assert.strictEqual(error.code, "charge_disputed")
    }).pipe(Effect.scoped)
  )
})
