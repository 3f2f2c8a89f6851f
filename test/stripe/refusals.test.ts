/**
 * A request that Stripe refuses for good ends, and the merchant reads why: refunds, evidence, concessions (silences:
 * S8).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { CurrentRecord, type RequestRecord } from "../../src/shared/http/CurrentRequest.ts"
import { refundRefusals } from "../../src/money/refunds/refundRefusals.ts"
import { ChannelRefused } from "../../src/money/refunds/Refunds.ts"
import { assertRefused, said } from "../kit/Merchant.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { uploaded } from "../kit/callers/uploads.ts"
import { connected } from "./kit.ts"

const amount = 2_000

describe("a refund that Stripe refuses for good", () => {
  it.live("after its first answer was lost is failed with Stripe's reason, and the money is the merchant's again", () =>
    Effect.gen(function* () {
      const { control, merchant, paid, pass, simulator, sql, stripe } = yield* connected()
      yield* paid({ amount: 5_000 })
      const order = yield* paid({ amount })
      const before = yield* merchant.balance()
      yield* control.fault({ on: "POST /v1/refunds", kind: "cut_before", times: 2 })
      const asked = yield* said(merchant.refund({ trade_no: order["trade_no"], out_refund_no: "R-1" }))
      assert.strictEqual(asked["status"], "pending")
      yield* control.clear_faults({})
      yield* Effect.promise(() => stripe.refunds.create({ payment_intent: order["payment_id"], amount: 1_500 }))
      yield* pass("3 minutes")
      const after = yield* said(merchant.get("/v1/refunds/R-1"))
      assert.strictEqual(after["status"], "failed")
      assert.include(after["failure_reason"], "greater than unrefunded amount")
      assert.include(yield* merchant.events(), "refund.failed")
      assert.deepStrictEqual(yield* merchant.balance(), before)
      assert.lengthOf(simulator.all("refund"), 1)
      yield* assertLedgerWhole(sql)
    })
  )

  it.effect("says so by a word of ours, also where Stripe's own reason is one word of ours for something else", () =>
    Effect.gen(function* () {
      const record = { requestId: "req" } as RequestRecord
      const refused = refundRefusals.ChannelRefused(new ChannelRefused({ words: "just_paid" }))
      const { message } = yield* Effect.flip(Effect.provideService(refused, CurrentRecord, record))
      assert.include(message, "just_paid")
      assert.strictEqual(record.reason, "channel_refused")
    })
  )

  it.live("immediately is 502 with Stripe's reason, and the number may be used again", () =>
    Effect.gen(function* () {
      const { merchant, paid, stripe } = yield* connected()
      yield* paid({ amount: 5_000 })
      const order = yield* paid({ amount })
      yield* Effect.promise(() => stripe.refunds.create({ payment_intent: order["payment_id"], amount: 1_500 }))
      const refund = (more: object) => merchant.refund({ trade_no: order["trade_no"], out_refund_no: "R-1", ...more })
      const refused = yield* refund({})
      assertRefused(refused, 502, "processor_error")
      assert.include(refused.body.message, "greater than unrefunded amount")
      assert.strictEqual((yield* refund({ amount: 500 })).status, 201)
    })
  )
})

describe("a refund whose connection was cut, and whose second call is refused at the door", () => {
  for (const { fault, what } of [
    { what: "for its key", fault: { kind: "error_before", status: 401 } },
    { what: "for its rights", fault: { kind: "error_before", status: 403 } },
    { what: "for its number", fault: { kind: "rate_limited" } }
  ] as const) {
    it.live(`${what} is pending, since the first may have been made, and goes once`, () =>
      Effect.gen(function* () {
        const { control, merchant, paid, pass, simulator, sql } = yield* connected()
        yield* paid({ amount: 5_000 })
        const order = yield* paid({ amount })
        // Its webhook does not come in time.
        yield* control.hold_webhooks({})
        yield* control.fault({ on: "POST /v1/refunds", kind: "cut_after" })
        yield* control.fault({ on: "POST /v1/refunds", ...fault })
        const asked = yield* said(merchant.refund({ trade_no: order["trade_no"], out_refund_no: "R-1" }))
        assert.strictEqual(asked["status"], "pending")
        yield* control.clear_faults({})
        yield* pass("3 minutes")
        assert.strictEqual((yield* said(merchant.get("/v1/refunds/R-1")))["status"], "succeeded")
        assert.lengthOf(simulator.all("refund"), 1)
        yield* assertLedgerWhole(sql)
      })
    )
  }
})

describe("an answer to a dispute that Stripe refuses", () => {
  const disputed = Effect.gen(function* () {
    const world = yield* connected()
    const order = yield* world.paid({ amount })
    const charge = world.simulator.all("charge").find(({ payment_intent }) => payment_intent === order["payment_id"])!
    const { id } = yield* world.control.open_dispute({ charge: charge.id })
    yield* world.settled
    const read = said(world.merchant.get(`/v1/disputes/${id}`))
    return { ...world, id, read }
  })

  it.live("because of a file is 409 with Stripe's message, stays a draft, and is not resent automatically", () =>
    Effect.gen(function* () {
      const world = yield* disputed
      const { id, merchant, pass, read, simulator } = world
      const file = yield* uploaded(world, merchant.merchantId, "sandbox", 6_000_000)
      const body = { evidence: { product_description: "Tea" }, files: [{ type: "receipt", url: file }], submit: true }
      yield* said(merchant.respond(id, { evidence: body.evidence }))
      const refused = yield* merchant.respond(id, body)
      assertRefused(refused, 409, "conflict")
      assert.include(refused.body.message, "at most 5000000 bytes")
      assert.strictEqual((yield* read)["status"], "needs_response")
      yield* pass("1 hour")
      assert.lengthOf(simulator.all("file"), 0)
      const draft = yield* said(merchant.get(`/v1/disputes/${id}/evidence`))
      assert.strictEqual(draft["evidence"].product_description, "Tea")
      assert.strictEqual((yield* merchant.respond(id, { ...body, files: [] })).body.data.status, "under_review")
    })
  )

  it.live("because it was decided meanwhile is 409, and the dispute ends as Stripe says", () =>
    Effect.gen(function* () {
      const { control, id, merchant, read } = yield* disputed
      yield* control.hold_webhooks({})
      yield* control.decide_dispute({ dispute: id, outcome: "won" })
      assertRefused(yield* merchant.accept(id), 409, "conflict")
      assert.strictEqual((yield* read)["status"], "won")
    })
  )
})
