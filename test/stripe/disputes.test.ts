/** Disputes at Stripe: opened, answered with files, conceded, decided. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused } from "../kit/Merchant.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { uploaded } from "../kit/callers/uploads.ts"
import { amount, disputed } from "./disputed.ts"
import { onOneWorld, sharedWorld } from "./kit.ts"

onOneWorld((it) => {
  describe("a dispute at Stripe", () => {
    it.effect("is opened with Stripe's number, reason and deadline, and its amount is frozen", () =>
      Effect.gen(function* () {
        const { atStripe, before, merchant, opened, sold, sql } = yield* disputed()
        assert.deepStrictEqual(
          [opened.status, opened.amount, opened.reason, opened.trade_no, opened.processor_status],
          ["needs_response", amount, "fraudulent", sold["trade_no"], "needs_response"]
        )
        assert.strictEqual(Date.parse(opened.evidence_due_by) / 1_000, atStripe().evidence_details.due_by)
        const books = yield* merchant.balance()
        assert.deepStrictEqual([books.available, books.frozen], [before.available - amount, amount])
        yield* assertLedgerWhole(sql)
      })
    )

    it.effect("evidence goes to Stripe with its files, once, and is under review", () =>
      Effect.gen(function* () {
        const world = yield* disputed()
        const { atStripe, control, merchant, no } = world
        const file = yield* uploaded(world, merchant.merchantId)
        const evidence = {
          evidence: { product_description: "Tea", customer_name: "Ann" },
          files: [
            { type: "receipt", url: file },
            { type: "receipt", url: file }
          ]
        }
        assert.strictEqual((yield* merchant.respond(no, evidence)).body.data.status, "needs_response")
        assert.isNull(atStripe().evidence.product_description, "a draft stays with us")
        yield* control.fault({ on: "POST /v1/disputes/*", kind: "error_after" })
        const sent = yield* merchant.respond(no, { ...evidence, submit: true })
        assert.deepStrictEqual([sent.status, sent.body.data.status], [200, "under_review"])
        const seen = atStripe()
        assert.strictEqual(seen.evidence_details.submission_count, 1)
        assert.deepStrictEqual([seen.evidence.product_description, seen.evidence.customer_name], ["Tea", "Ann"])
        assert.match(String(seen.evidence.receipt), /^file_/)
        assert.match(String(seen.evidence.uncategorized_file), /^file_/)
        assert.lengthOf(world.simulator.all("file"), 1, "one file, in two places")
      })
    )

    it.effect("won gives the money back, lost takes it with the merchant's own fee", () =>
      Effect.gen(function* () {
        const won = yield* disputed()
        yield* won.decide("won")
        assert.strictEqual((yield* won.read).status, "won")
        assert.strictEqual((yield* won.merchant.balance()).available, won.before.available)
        yield* assertLedgerWhole(won.sql)
        const lost = yield* disputed()
        yield* lost.decide("lost")
        const after = yield* lost.read
        assert.deepStrictEqual([after.status, after.processor_status], ["lost", "lost"])
        const books = yield* lost.merchant.balance()
        assert.deepStrictEqual([books.available, books.frozen], [lost.before.available - amount - after.fee, 0])
        yield* assertLedgerWhole(lost.sql)
      })
    )

    it.effect("conceded is closed at Stripe, and lost once that is reported", () =>
      Effect.gen(function* () {
        const { atStripe, control, merchant, no, pass, read, settled } = yield* disputed()
        yield* control.fault({ on: "POST /v1/disputes/*/close", kind: "error_after" })
        const accepted = yield* merchant.accept(no)
        assert.strictEqual(accepted.status, 200, accepted.text)
        assert.strictEqual(atStripe().status, "lost")
        yield* settled
        yield* pass("1 minute")
        assert.strictEqual((yield* read).status, "lost")
      })
    )

    it.effect("without webhooks the reconciler opens it and hears its end", () =>
      Effect.gen(function* () {
        const { control, merchant, paid, pass, simulator } = yield* sharedWorld
        const order = yield* paid({ amount })
        yield* control.fault({ on: "webhook *", kind: "lose", times: 100 })
        const [charge] = simulator.all("charge")
        const { id } = yield* control.open_dispute({ charge: charge!.id })
        yield* pass("4 minutes")
        const [opened] = (yield* merchant.get(`/v1/disputes?trade_no=${order["trade_no"]}`)).body.data.data
        assert.strictEqual(opened.processor_dispute_id, id)
        yield* control.decide_dispute({ dispute: id, outcome: "won" })
        yield* pass("4 minutes")
        assert.strictEqual((yield* merchant.get(`/v1/disputes/${id}`)).body.data.status, "won")
      })
    )

    for (const step of ["evidence", "accept"] as const) {
      it.effect(`${step} with an unknown outcome is shown as it stands, and is not undone`, () =>
        Effect.gen(function* () {
          const { atStripe, control, merchant, no, pass, read } = yield* disputed()
          const path = step === "accept" ? "POST /v1/disputes/*/close" : "POST /v1/disputes/*"
          yield* control.fault({ on: path, kind: "error_after" })
          yield* control.fault({ on: "* /v1/disputes*", kind: "error_before", skip: 1, times: 100 })
          const body = { evidence: { product_description: "Tea" }, submit: true }
          const told = yield* step === "accept" ? merchant.accept(no) : merchant.respond(no, body)
          assert.deepStrictEqual([told.status, told.body.data.status], [200, "needs_response"])
          const other = yield* merchant.respond(no, { evidence: { product_description: "Coffee" } })
          assertRefused(other, 409, "conflict")
          yield* control.clear_faults({})
          yield* pass("3 minutes")
          assert.strictEqual((yield* read).status, step === "accept" ? "lost" : "under_review")
          assert.strictEqual(atStripe().evidence_details.submission_count, step === "accept" ? 0 : 1)
        })
      )
    }

    it.effect("when Stripe is not reached, evidence is 502 and may be sent again", () =>
      Effect.gen(function* () {
        const { atStripe, control, merchant, no } = yield* disputed()
        yield* control.fault({ on: "GET /v1/disputes/*", kind: "error_before" })
        const body = { evidence: { product_description: "Tea" }, submit: true }
        assertRefused(yield* merchant.respond(no, body), 502, "processor_error")
        assert.strictEqual((yield* merchant.respond(no, body)).body.data.status, "under_review")
        assert.strictEqual(atStripe().evidence_details.submission_count, 1)
      })
    )
  })
})
