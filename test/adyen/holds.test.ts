/**
 * Amounts that Adyen holds: what it is asked for, and what its notices, its reports and its silence say. What every
 * channel owes is in `test/channel/conformance/holds.ts`.
 */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { assertEqualBooks, connected, onOneWorld } from "./kit.ts"

const held = Effect.gen(function* () {
  const world = yield* connected
  const { made, payment } = yield* world.begun({ capture: "manual" })
  yield* world.settled
  const read = world.shop.order(made.trade_no)
  const asked = (kind: string) => [...world.bank.modifications.values()].filter((each) => each.kind === kind)
  const cards = world.sql`select card_last4 from adyen_notices where psp_reference = ${payment!.pspReference}`
  return { ...world, trade_no: made.trade_no, payment: payment!, read, asked, cards }
})

onOneWorld((it) => {
  describe("a hold at Adyen", () => {
    it.effect("is asked for by the links of orders that are captured later, and by no others", () =>
      Effect.gen(function* () {
        const { begun, links } = yield* connected
        for (const capture of ["manual", "automatic"]) {
          const { made } = yield* begun({ capture })
          const [link] = links(made)
          assert.strictEqual(link!.manualCapture, capture === "manual" ? true : undefined)
        }
      })
    )

    it.effect("is captured once Adyen's notice says so; until then the order says what is being captured", () =>
      Effect.gen(function* () {
        const world = yield* held
        const { asked, bank, payment, read, settled, shop, trade_no } = world
        const answer = yield* shop.capture(trade_no, { amount: 1_500 })
        assert.deepInclude(answer.body.data, { status: "authorized", capturing_amount: 1_500 }, answer.text)
        const [capture] = asked("CAPTURE")
        assert.deepStrictEqual([capture!.payment, capture!.amount], [payment, 1_500])
        yield* settled
        assert.strictEqual((yield* read)["status"], "authorized", "no notice has come")
        bank.decide(capture!.pspReference, "done")
        yield* settled
        assert.deepInclude(yield* read, { status: "paid", captured_amount: 1_500, capturing_amount: null })
        yield* assertEqualBooks(world)
      })
    )

    it.effect("keeps its card at the notice until it has ended, and no longer", () =>
      Effect.gen(function* () {
        for (const act of ["capture", "expire"] as const) {
          const { asked, bank, cards, settled, shop, trade_no } = yield* held
          assert.deepStrictEqual(yield* cards, [{ card_last4: "1142" }])
          yield* act === "capture" ? shop.capture(trade_no) : shop.expire(trade_no)
          bank.decide(asked(act === "capture" ? "CAPTURE" : "CANCELLATION")[0]!.pspReference, "done")
          yield* settled
          assert.deepStrictEqual(yield* cards, [{ card_last4: null }], act)
        }
      })
    )

    it.effect("whose capture Adyen refuses stays, with Adyen's words, and the next one captures", () =>
      Effect.gen(function* () {
        const world = yield* held
        const { asked, bank, read, settled, shop, trade_no } = world
        yield* shop.capture(trade_no)
        bank.decide(asked("CAPTURE")[0]!.pspReference, "refused")
        yield* settled
        assert.deepInclude(yield* read, { status: "authorized", capturing_amount: null })
        yield* shop.capture(trade_no, { amount: 900 })
        bank.decide(asked("CAPTURE")[1]!.pspReference, "done")
        yield* settled
        assert.deepInclude(yield* read, { status: "paid", captured_amount: 900 })
        yield* assertEqualBooks(world)
      })
    )

    it.effect("that was captured by hand and never told of at all is paid by the report", () =>
      Effect.gen(function* () {
        const world = yield* connected
        const { bank, begun, leap, shop, simulator } = world
        simulator.faults.add({ on: "webhook *", kind: "lose", times: 1_000, account: bank.account })
        const { made, payment } = yield* begun({ capture: "manual" })
        bank.captureByHand(payment!, 1_200)
        yield* simulator.rest
        bank.closeBatch()
        yield* leap("7 hours")
        assert.deepInclude(yield* shop.order(made.trade_no), { status: "paid", captured_amount: 1_200 })
        yield* assertEqualBooks(world)
      })
    )

    it.effect("that was captured in part agrees with the report", () =>
      Effect.gen(function* () {
        const world = yield* held
        const { bank, leap, payment, settled, sql } = world
        bank.captureByHand(payment, 800)
        yield* settled
        bank.closeBatch()
        yield* leap("12 days")
        yield* Effect.andThen(settled, leap("1 day"))
        const rows = yield* sql`select type, amount::int4, checked_at is not null as checked from adyen_movements
          where payment_id = ${payment.pspReference}`
        assert.deepStrictEqual(rows, [{ type: "Settled", amount: 800, checked: true }])
        assert.deepStrictEqual(yield* sql`select 1 from reconciliation where payment_id = ${payment.pspReference}`, [])
      })
    )

    it.effect("whose release Adyen does not answer is released later, by the same request", () =>
      Effect.gen(function* () {
        for (const kind of ["cut_before", "cut_after", "error_after"] as const) {
          const { asked, bank, leap, read, settled, shop, simulator, trade_no } = yield* held
          simulator.faults.add({ on: "POST /v72/payments/*", kind, times: 2, account: bank.account })
          const first = yield* shop.expire(trade_no)
          assert.deepStrictEqual([first.status, first.body.data?.status], [200, "authorized"], first.text)
          yield* leap("3 minutes")
          assert.lengthOf(asked("CANCELLATION"), 1, kind)
          assert.strictEqual((yield* read)["status"], "authorized")
          bank.decide(asked("CANCELLATION")[0]!.pspReference, "done")
          yield* settled
          assert.strictEqual((yield* read)["status"], "canceled", kind)
        }
      })
    )

    it.effect("that Adyen does not release is over when no card scheme holds it any more", () =>
      Effect.gen(function* () {
        const { asked, bank, cards, jump, read, settled, shop, trade_no } = yield* held
        yield* shop.expire(trade_no)
        bank.decide(asked("CANCELLATION")[0]!.pspReference, "refused")
        yield* settled
        assert.strictEqual((yield* read)["status"], "authorized", "something else may have happened to it")
        yield* jump("39 days")
        assert.strictEqual((yield* read)["status"], "authorized")
        yield* jump("2 days")
        yield* settled
        assert.strictEqual((yield* read)["status"], "canceled")
        assert.deepStrictEqual(yield* cards, [{ card_last4: null }])
      })
    )

    it.effect("keeps the account from being changed for another", () =>
      Effect.gen(function* () {
        const { api, path, simulator } = yield* held
        simulator.account("AQEofAThirdAccount0123456789", "Third", "ab".repeat(32))
        const change = { channel: "adyen", secret_key: "AQEofAThirdAccount0123456789", account: "Third" }
        const refused = yield* api.operator("POST", path, change)
        assert.strictEqual(refused.status, 409, refused.text)
        assert.include(refused.body.message, "1 amounts on hold")
      })
    )

    it.effect(
      "a capture that fails after the order was paid is for a person, and one that is told first is a refusal",
      () =>
        Effect.gen(function* () {
          for (const isFirst of [false, true]) {
            const { asked, bank, read, settled, shop, trade_no } = yield* held
            yield* shop.capture(trade_no)
            const { pspReference } = asked("CAPTURE")[0]!
            bank.decide(pspReference, "done")
            if (!isFirst) yield* settled
            bank.decide(pspReference, "failed")
            if (isFirst) bank.notices.reverse()
            yield* settled
            assert.strictEqual((yield* read)["status"], isFirst ? "authorized" : "paid")
          }
        })
    )

    it.effect("an account that captures by itself may tell of it, and nothing changes", () =>
      Effect.gen(function* () {
        const { bank, paid, settled, shop } = yield* connected
        const order = yield* paid()
        const before = yield* shop.events(order.trade_no)
        bank.tell("CAPTURE", "CAPTURED00000001", order.payment, { originalReference: order.payment.pspReference })
        yield* settled
        assert.deepStrictEqual(yield* shop.events(order.trade_no), before)
        assert.strictEqual((yield* shop.order(order.trade_no))["status"], "paid")
      })
    )
  })
})
