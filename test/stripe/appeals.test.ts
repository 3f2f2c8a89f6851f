/** After a loss at Stripe, and disputes that tests decide (silences: S28, S29). */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused, said } from "../kit/Merchant.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { disputed } from "./disputed.ts"
import { onOneWorld } from "./kit.ts"

onOneWorld((it) => {
  describe("an appeal at Stripe", () => {
    it.effect("is the operator's to file in the dashboard, until its own deadline, and may win what was lost", () =>
      Effect.gen(function* () {
        const { answer, atStripe, before, decide, held, merchant, no, read, sql } = yield* disputed()
        yield* answer("Tea")
        yield* decide("lost")
        const { fee } = yield* read
        assert.isUndefined(yield* held)
        yield* decide("appeal_needs_response")
        const offered = yield* read
        assert.deepInclude(offered, { status: "lost", processor_status: "appeal_needs_response" })
        const waiting = (yield* held)!
        assert.deepInclude(waiting, { id: no, status: "lost", waits_for: "operator", due_by: offered.evidence_due_by })
        assert.strictEqual(Date.parse(offered.evidence_due_by) / 1_000, atStripe().evidence_details.due_by)
        assert.include(waiting["text"], "appeal")
        assert.include(waiting["text"], "dashboard")
        assertRefused(yield* answer("Tea"), 409, "conflict")
        yield* decide("appeal_under_review")
        assert.deepInclude((yield* held)!, { waits_for: "bank" })
        assert.strictEqual((yield* read).processor_status, "appeal_under_review")
        yield* decide("won")
        assert.isUndefined(yield* held)
        assert.strictEqual((yield* read).status, "won")
        assert.strictEqual((yield* merchant.balance()).available, before.available - fee)
        yield* assertLedgerWhole(sql)
      })
    )

    it.effect("that is not filed is over at its deadline, and nothing is taken twice", () =>
      Effect.gen(function* () {
        const { decide, held, leap, merchant, read, settled, sql } = yield* disputed()
        yield* decide("lost")
        const books = yield* merchant.balance()
        yield* decide("appeal_needs_response")
        yield* Effect.andThen(leap("7 days"), settled)
        assert.deepInclude(yield* read, { status: "lost", processor_status: "lost" })
        assert.isUndefined(yield* held)
        assert.deepStrictEqual(yield* merchant.balance(), books)
        yield* assertLedgerWhole(sql)
      })
    )

    it.effect("before the report of a loss is under review, and frozen still", () =>
      Effect.gen(function* () {
        const { answer, decide, held, merchant, read, sql } = yield* disputed()
        yield* answer("Tea")
        yield* decide("appeal_needs_response")
        const now = yield* read
        assert.deepInclude(now, { status: "under_review", processor_status: "appeal_needs_response" })
        assert.isTrue(now.funds_frozen)
        assert.deepInclude((yield* held)!, { waits_for: "operator", due_by: now.evidence_due_by })
        yield* decide("lost")
        assert.strictEqual((yield* read).status, "lost")
        assert.strictEqual((yield* merchant.balance()).frozen, 0)
        yield* assertLedgerWhole(sql)
      })
    )
  })

  describe("a test dispute at Stripe", () => {
    for (const [text, outcome] of [
      ["winning_evidence", "won"],
      ["losing_evidence", "lost"]
    ] as const) {
      it.effect(`is ${outcome} by evidence with the text ${text}`, () =>
        Effect.gen(function* () {
          const { control, merchant, no, read, settled, sql } = yield* disputed()
          const given = { evidence: { uncategorized_text: text }, submit: true }
          assert.strictEqual((yield* said(merchant.respond(no, given)))["status"], "under_review")
          yield* control.advance({ seconds: 5 })
          yield* settled
          assert.strictEqual((yield* read).status, outcome)
          yield* assertLedgerWhole(sql)
        })
      )
    }

    it.effect("of the sandbox's own bank has no such text: the field is named", () =>
      Effect.gen(function* () {
        const { merchant } = yield* disputed()
        const made = yield* said(merchant.post("/v1/orders", { amount: 700 }))
        yield* merchant.post(`/v1/test_helpers/orders/${made["trade_no"]}/pay`)
        const opened = yield* said(merchant.dispute(made["trade_no"], {}))
        for (const submit of [false, true]) {
          const given = { evidence: { uncategorized_text: "winning_evidence" }, submit }
          const refused = yield* merchant.respond(opened["dispute_no"], given)
          assertRefused(refused, 400, "invalid_request", "evidence.uncategorized_text")
        }
      })
    )
  })
})
