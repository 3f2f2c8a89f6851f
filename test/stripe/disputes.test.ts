/** Disputes at Stripe: opened, answered with files, conceded, decided. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused } from "../kit/Merchant.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { uploaded } from "../kit/callers/uploads.ts"
import { amount, disputed } from "./disputed.ts"
import { onOneWorld } from "./kit.ts"

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
  })
})
