/** Adyen's notices: what is believed, and what happens to copies, forgeries and notices out of order. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { signedText } from "../../src/channels/adyen/notices.ts"
import { connected, onOneWorld } from "./kit.ts"

onOneWorld((it) => {
  describe("a notice of Adyen", () => {
    it.effect("that comes twice is recorded once, and acknowledged twice", () =>
      Effect.gen(function* () {
        const { begun, settled, shop, simulator } = yield* connected
        simulator.faults.add({ on: "webhook *", kind: "twice" })
        const { made } = yield* begun()
        yield* settled
        assert.deepStrictEqual(yield* shop.events(made.trade_no), ["payment.succeeded"])
        assert.lengthOf(yield* shop.ledger(), 2)
      })
    )

    it.effect("whose signed fields were changed is refused, and moves nothing", () =>
      Effect.gen(function* () {
        const { api, atAdyen, bank, begun, shop, simulator, atRest } = yield* connected
        const { made } = yield* begun()
        const [item] = bank.notices.splice(0)
        const batch = simulator.batchOf([item!], atAdyen.hmacKey)
        const signed = batch.notificationItems[0]!.NotificationRequestItem
        const address = new URL(atAdyen.webhookUrl!).pathname
        const forgeries = [
          { ...signed, amount: { ...signed.amount, value: 1 } },
          { ...signed, amount: { ...signed.amount, currency: "HKD" } },
          { ...signed, pspReference: "AAAAAAAAAAAAAAAA" },
          { ...signed, merchantReference: "TRD_SB_01KDVDNA00M3HDJ23BJA54RTG0" },
          { ...signed, eventCode: "REFUND" },
          { ...signed, success: "false" },
          { ...signed, originalReference: "AAAAAAAAAAAAAAAA" },
          { ...signed, additionalData: {} }
        ]
        for (const forged of forgeries) {
          const body = { live: "false", notificationItems: [{ NotificationRequestItem: forged }] }
          assert.strictEqual((yield* api.call("POST", address, { body })).status, 401, signedText(forged as never))
        }
        yield* atRest
        assert.strictEqual((yield* shop.order(made.trade_no))["status"], "pending")
        const taken = yield* api.call("POST", address, { body: batch })
        assert.deepStrictEqual([taken.status, taken.text], [200, "[accepted]"])
      })
    )

    it.effect("at an address that was not issued, without a body or with another one, is refused", () =>
      Effect.gen(function* () {
        const { api, atAdyen } = yield* connected
        const address = new URL(atAdyen.webhookUrl!).pathname
        assert.strictEqual((yield* api.call("POST", `${address}x`, { body: {} })).status, 404)
        for (const body of [{}, [], { live: "false", notificationItems: [] }, { live: "no" }]) {
          assert.strictEqual((yield* api.call("POST", address, { body })).status, 400)
        }
      })
    )

    it.effect("in a batch of more than a hundred, or of more than half a megabyte, is refused unread", () =>
      Effect.gen(function* () {
        const { api, atAdyen, bank, begun, simulator } = yield* connected
        yield* begun()
        const [item] = bank.notices.splice(0)
        const address = new URL(atAdyen.webhookUrl!).pathname
        const many = simulator.batchOf(
          Array.from({ length: 101 }, () => item!),
          atAdyen.hmacKey
        )
        assert.strictEqual((yield* api.call("POST", address, { body: many })).status, 400)
        const long = simulator.batchOf([{ ...item!, reason: "x".repeat(520 * 1_024) }], atAdyen.hmacKey)
        assert.strictEqual((yield* api.call("POST", address, { body: long })).status, 400)
      })
    )

    it.effect("for another merchant account, or of live money in a sandbox, is acknowledged and not kept", () =>
      Effect.gen(function* () {
        const { api, atAdyen, bank, begun, simulator, sql } = yield* connected
        yield* begun()
        const [item] = bank.notices.splice(0)
        const address = new URL(atAdyen.webhookUrl!).pathname
        const stranger = simulator.batchOf([{ ...item!, merchantAccountCode: "Other" }], atAdyen.hmacKey)
        const live = { ...simulator.batchOf([item!], atAdyen.hmacKey), live: "true" }
        for (const body of [stranger, live]) {
          assert.strictEqual((yield* api.call("POST", address, { body })).text, "[accepted]")
        }
        const rows = yield* sql`select 1 from adyen_notices where psp_reference = ${item!.pspReference}`
        assert.lengthOf(rows, 0)
      })
    )

    it.effect("about an order of another merchant pays nothing", () =>
      Effect.gen(function* () {
        const one = yield* connected
        const other = yield* connected
        const { made } = yield* one.begun()
        const [item] = one.bank.notices.splice(0)
        other.bank.notices.push({ ...item!, merchantAccountCode: other.atAdyen.bank.account })
        yield* other.settled
        assert.strictEqual((yield* one.shop.order(made.trade_no))["status"], "pending")
      })
    )

    it.effect("of a dispute that comes before that of its payment waits for it", () =>
      Effect.gen(function* () {
        const { bank, begun, leap, settled, shop } = yield* connected
        const { made, payment } = yield* begun()
        bank.charge(bank.open(payment!))
        const [paid, ...later] = bank.notices.splice(0)
        bank.notices.push(...later)
        yield* settled
        bank.notices.push(paid!)
        yield* settled
        yield* leap("1 hour")
        const { body } = yield* shop.get(`/v1/disputes?trade_no=${made.trade_no}`)
        assert.deepStrictEqual(
          body.data.data.map((each: { readonly status: string }) => each.status),
          ["needs_response"]
        )
      })
    )

    it.effect("that the database cannot take now is not acknowledged, and comes again", () =>
      Effect.gen(function* () {
        const { begun, settled, shop, simulator } = yield* connected
        simulator.faults.add({ on: "webhook *", kind: "late" })
        const { made } = yield* begun()
        yield* settled
        assert.strictEqual((yield* shop.order(made.trade_no))["status"], "pending")
        yield* settled
        assert.strictEqual((yield* shop.order(made.trade_no))["status"], "paid")
      })
    )

    it.effect("of a payment that Adyen does not get raises the alarm of a contradiction, and takes nothing back", () =>
      Effect.gen(function* () {
        const { api, bank, paid, settled, shop } = yield* connected
        const order = yield* paid()
        const count = Effect.map(api.get("/metrics"), ({ text }) =>
          Number(/coffer_channel_contradictions_total\{mode="sandbox"\S* (\d+)/.exec(text)?.[1])
        )
        const before = yield* count
        const { payment } = order
        bank.notices.push({
          additionalData: {},
          amount: { currency: payment.currency, value: payment.amount },
          eventCode: "CAPTURE_FAILED",
          eventDate: bank.written(),
          merchantAccountCode: bank.account,
          merchantReference: payment.reference,
          originalReference: payment.pspReference,
          pspReference: bank.next("capture"),
          success: "true"
        })
        yield* settled
        assert.strictEqual((yield* count) - before, 1)
        assert.strictEqual((yield* shop.order(order.trade_no))["status"], "paid")
      })
    )
  })
})
