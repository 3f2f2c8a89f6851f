/**
 * The bank decides a dispute: won, lost or closed, with the exact rows of the ledger, balances and events (spec: States
 * and transitions, Dispute; Balance transaction; silences: D1, D8 to D10, D13).
 */
import { assert, describe, layer } from "@effect/vitest"
import { MerchantId } from "@coffer/model/Ids"
import { Context, Effect, Layer, Option } from "effect"
import { Disputes } from "../../../src/money/disputes/Disputes.ts"
import { Channel } from "../../../src/shared/channel/Channel.ts"
import { disputed } from "../../kit/stories/disputed.ts"
import { assertRefused, type Books, feeOf } from "../../kit/Merchant.ts"
import { receiver } from "../../kit/Receiver.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/disputeDecision") {}

/** The net of 10.00. */
const net = 1000 - feeOf(1000)
const fee = 1500

const balances = ({ available, fee, frozen }: Books) => [available, frozen, fee]

layer(Layer.effect(Service, start()), { excludeTestServices: true })("disputes", (it) => {
  describe("the bank decides", () => {
    for (const outcome of ["won", "closed"] as const) {
      for (const [status, responds] of [
        ["needs_response", false],
        ["under_review", true]
      ] as const) {
        it.effect(`${outcome}, from ${status}: the amount is given back, dispute.${outcome}`, () =>
          Effect.gen(function* () {
            const dispute = yield* disputed(yield* Service)
            if (responds) yield* dispute.respond({ evidence: { customer_name: "A" }, submit: true })
            const { body, status: code } = yield* dispute.resolve(outcome)
            assert.strictEqual(code, 200)
            const { closed_at, fee: charged, funds_frozen, processor_status, status: after, updated_at } = body.data
            assert.deepStrictEqual([after, processor_status, charged, funds_frozen], [outcome, outcome, null, false])
            assert.strictEqual(closed_at, updated_at)
            assert.deepStrictEqual(yield* dispute.rows, [
              ["dispute_freeze", -1000, net, net - 1000],
              ["dispute_unfreeze", 1000, net - 1000, net]
            ])
            assert.deepStrictEqual(balances(yield* dispute.balance), [net, 0, feeOf(1000)])
            assert.deepStrictEqual(yield* dispute.events, [
              "dispute.created",
              ...(responds ? ["dispute.updated"] : []),
              `dispute.${outcome}`
            ])
            assert.deepStrictEqual(yield* dispute.read, body.data)
            yield* dispute.whole
          })
        )
      }
    }

    it.effect(
      "an earlier decision whose report comes last leaves the bank's last decision as the dispute's status",
      () =>
        Effect.gen(function* () {
          const service = yield* Service
          const { context } = service
          const { merchantId, no, read, rows, whole } = yield* disputed(service)
          const disputes = Context.get(context, Disputes)
          const account = { merchantId: MerchantId.make(merchantId), mode: "sandbox" } as const
          const dispute = yield* disputes.find(account, no)
          const bank = Option.getOrThrow(yield* Context.get(context, Channel).pretendedOf(dispute, dispute.channel))
          const earlier = yield* bank.resolve(dispute, "lost")
          const later = yield* bank.resolve(dispute, "closed")
          yield* disputes.handleReports(later, bank.acknowledge)
          yield* disputes.handleReports(earlier, bank.acknowledge)
          const { processor_status, status } = yield* read
          assert.deepStrictEqual([status, processor_status], ["closed", "closed"])
          assert.deepStrictEqual(
            (yield* rows).map(([type]) => type),
            ["dispute_freeze", "dispute_unfreeze"]
          )
          yield* whole
        })
    )

    for (const responds of [false, true]) {
      it.effect(`lost, from ${responds ? "under_review" : "needs_response"}: deducted from frozen, and a fee`, () =>
        Effect.gen(function* () {
          const dispute = yield* disputed(yield* Service, { amount: 400 })
          if (responds) yield* dispute.respond({ evidence: { customer_name: "A" }, submit: true })
          const { data } = (yield* dispute.resolve("lost")).body
          assert.deepStrictEqual([data.status, data.fee, data.funds_frozen], ["lost", fee, false])
          assert.isString(data.closed_at)
          const frozen = net - 400
          assert.deepStrictEqual(yield* dispute.rows, [
            ["dispute_freeze", -400, net, frozen],
            ["dispute_debit", -400, frozen, frozen],
            ["dispute_fee", -fee, frozen, frozen - fee]
          ])
          assert.deepStrictEqual(balances(yield* dispute.balance), [frozen - fee, 0, feeOf(1000) + fee])
          assert.deepStrictEqual(
            (yield* dispute.events).filter((type) => type !== "dispute.updated"),
            ["dispute.created", "dispute.lost"]
          )
          yield* dispute.whole
        })
      )
    }

    it.effect("lost: every row names the dispute, in the merchant's own currency and at the merchant's own fee", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const dispute = yield* disputed(yield* Service, {}, { currency: "HKD" })
        yield* api.operator("POST", `/merchants/${dispute.merchantId}`, { dispute_fee: { HKD: 7 } })
        assert.strictEqual((yield* dispute.resolve("lost")).body.data.fee, 7)
        const list = yield* api.get(`/v1/balance_transactions?reference_id=${dispute.no}`, dispute.key)
        assert.deepStrictEqual(
          // oxlint-disable-next-line no-explicit-any -- rows as they are answered
          list.body.data.data.map(({ amount, currency, type }: any) => [type, amount, currency]),
          [
            ["dispute_fee", -7, "HKD"],
            ["dispute_debit", -1000, "HKD"],
            ["dispute_freeze", -1000, "HKD"]
          ]
        )
      })
    )

    it.effect("lost where disputes cost nothing: there is a dispute_fee of 0 all the same", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const dispute = yield* disputed(yield* Service)
        yield* api.operator("POST", `/merchants/${dispute.merchantId}`, { dispute_fee: { USD: 0 } })
        assert.strictEqual((yield* dispute.resolve("lost")).body.data.fee, 0)
        assert.deepStrictEqual((yield* dispute.rows).at(-1), ["dispute_fee", 0, net - 1000, net - 1000])
        yield* dispute.whole
      })
    )

    it.effect("won after it was lost: the amount comes back to available, the fee does not", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service, { amount: 400 })
        const lost = (yield* dispute.resolve("lost")).body.data
        const { data } = (yield* dispute.resolve("won")).body
        assert.deepStrictEqual([data.status, data.fee, data.funds_frozen], ["won", fee, false])
        assert.isAtLeast(Date.parse(data.closed_at), Date.parse(lost.closed_at))
        const before = net - 400 - fee
        assert.deepStrictEqual((yield* dispute.rows).at(-1), ["dispute_unfreeze", 400, before, before + 400])
        assert.deepStrictEqual(balances(yield* dispute.balance), [net - fee, 0, feeOf(1000) + fee])
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created", "dispute.lost", "dispute.won"])
        yield* dispute.whole
      })
    )

    it.effect("the same again: nothing more happens", () =>
      Effect.gen(function* () {
        for (const outcome of ["won", "lost", "closed"]) {
          const dispute = yield* disputed(yield* Service)
          const first = yield* dispute.resolve(outcome)
          const rows = yield* dispute.rows
          const second = yield* dispute.resolve(outcome)
          assert.deepStrictEqual(second.body.data, first.body.data)
          assert.deepStrictEqual(yield* dispute.rows, rows)
          assert.deepStrictEqual(yield* dispute.events, ["dispute.created", `dispute.${outcome}`])
        }
      })
    )

    for (const [first, second] of [
      ["won", "lost"],
      ["won", "closed"],
      ["lost", "closed"],
      ["closed", "won"],
      ["closed", "lost"]
    ] as const) {
      it.effect(`${second} after ${first} cannot follow: it is in processor_status alone, and in a metric`, () =>
        Effect.gen(function* () {
          const { api } = yield* Service
          const alarms = Effect.map(api.call("GET", "/metrics"), ({ text }) =>
            Number(/^coffer_channel_contradictions_total\S* (\d+)$/m.exec(text)?.[1] ?? 0)
          )
          const dispute = yield* disputed(yield* Service)
          const before = (yield* dispute.resolve(first)).body.data
          const rows = yield* dispute.rows
          const alarmed = yield* alarms
          const after = (yield* dispute.resolve(second)).body.data
          assert.deepStrictEqual(after, { ...before, processor_status: second, updated_at: after.updated_at })
          assert.deepStrictEqual(yield* dispute.rows, rows)
          assert.deepStrictEqual(yield* dispute.events, ["dispute.created", `dispute.${first}`])
          assert.isAbove(yield* alarms, alarmed)
          yield* dispute.whole
        })
      )
    }

    it.effect("ten times at once, in different ways: one way counts", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        const outcomes = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? "closed" : "lost"))
        yield* Effect.forEach(outcomes, dispute.resolve, { concurrency: "unbounded" })
        const { status } = yield* dispute.read
        assert.include(["closed", "lost"], status)
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created", `dispute.${status}`])
        assert.strictEqual((yield* dispute.balance).frozen, 0)
        yield* dispute.whole
      })
    )

    it.effect("for a dispute that is not there: 404; for an outcome that is none: 400", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { key, resolve } = yield* disputed(yield* Service)
        const path = "/v1/test_helpers/disputes/dsp_none/resolve"
        assertRefused(yield* api.post(path, key, { outcome: "won" }), 404, "dispute_not_found")
        assertRefused(yield* resolve("under_review"), 400, "invalid_request", "outcome")
      })
    )
  })

  describe("events of disputes", () => {
    it.effect("hold the dispute as its endpoint answers it, and go to the order's notify_url alone", () =>
      Effect.gen(function* () {
        const hook = yield* receiver
        const dispute = yield* disputed(yield* Service, {}, { notifyUrl: hook.url })
        const seen = [dispute.opened]
        seen.push((yield* dispute.respond({ evidence: { customer_name: "A" }, submit: true })).body.data)
        seen.push((yield* dispute.resolve("lost")).body.data)
        seen.push((yield* dispute.resolve("won")).body.data)
        const got = []
        for (let count = 0; count < 5; count++) got.push(yield* hook.next)
        const about = got
          .filter(({ event }) => event.type !== "payment.succeeded")
          .toSorted((a, b) => a.event.sequence - b.event.sequence)
        assert.deepStrictEqual(
          about.map(({ event }) => event.type),
          ["dispute.created", "dispute.updated", "dispute.lost", "dispute.won"]
        )
        for (const [index, { event, headers }] of about.entries()) {
          assert.deepStrictEqual(event.data.object, seen[index])
          assert.isUndefined(headers["x-service-endpoint-id"])
          const { amount, currency, dispute_no, status, trade_no } = seen[index]!
          assert.deepInclude(event.data, { amount, currency, dispute_no, status, trade_no })
        }
        const listed = yield* dispute.api.get(`/v1/events?object_id=${dispute.no}`, dispute.key)
        assert.deepStrictEqual(listed.body.data.data, about.map(({ event }) => event).toReversed())
      }).pipe(Effect.scoped)
    )
  })
})
