/** Stripe's books beside ours, each night: differences are rows that the operator sees, and nothing is mended. */
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect } from "effect"
import { assertRefused } from "../kit/Merchant.ts"
import { ownersConnection } from "../kit/Service.ts"
import { connected } from "./kit.ts"

const listed = Effect.fnUntraced(function* ({ api }: World, query = "") {
  const { body, status, text } = yield* api.operator("GET", `/reconciliation${query}`)
  assert.strictEqual(status, 200, text)
  return body.data.data as ReadonlyArray<Record<string, unknown>>
})

type World = Effect.Success<ReturnType<typeof connected>>

/** So much later the books are compared, once. */
const compared = (world: World, time: Duration.Input) =>
  Effect.gen(function* () {
    yield* world.sql`update stripe_polls set due_at = '9999-12-31', movements_due_at = '9999-12-31'`
    yield* world.leap(time)
    yield* world.sql`update stripe_polls set movements_due_at = 'epoch'`
    yield* world.leap("61 minutes")
  })

describe("the nightly reconciliation", () => {
  it.live("finds nothing where payments, refunds, disputes and a payment that went back are in both books", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      const { api, choose, control, merchant, order, paid, sessions, settled, simulator } = world
      yield* paid({ amount: 9_000 })
      const refunded = yield* paid()
      yield* merchant.refund({ trade_no: refunded["trade_no"], amount: 500 })
      yield* control.refund_fates({ fates: ["pends"] })
      yield* merchant.refund({ trade_no: refunded["trade_no"], amount: 300 })
      const lost = yield* paid()
      const charge = simulator.all("charge").find(({ payment_intent }) => payment_intent === lost["payment_id"])!
      yield* control.open_dispute({ charge: charge.id })
      const second = yield* order()
      yield* choose(second)
      yield* merchant.post(`/v1/test_helpers/orders/${second.trade_no}/pay`)
      yield* control.pay({ session: sessions(second)[0]!.id })
      yield* settled
      yield* compared(world, "27 hours")
      yield* compared(world, "24 hours")
      assert.deepStrictEqual(yield* listed(world), [])
      const rows = yield* world.sql<{ type: string; fee: number }>`select type, fee::int4 as fee from stripe_movements
        where checked_at is not null order by created_at, type`
      assert.includeMembers(
        rows.map(({ type }) => type),
        ["charge", "refund", "adjustment"]
      )
      assert.isAbove(rows.find(({ type }) => type === "charge")!.fee, 0, "Stripe's own fee is recorded")
      assert.match((yield* api.get("/metrics")).text, /^coffer_reconciliation_differences(\{[^}]*\})? 0$/m)
    })
  )

  it.live("shows a refund that was made at Stripe alone, until both books say the same", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      const order = yield* world.paid()
      const books = yield* world.merchant.balance()
      const foreign = yield* Effect.promise(() =>
        world.stripe.refunds.create({ payment_intent: order["payment_id"], amount: 700 })
      )
      yield* world.settled
      yield* compared(world, "27 hours")
      const [difference, ...others] = yield* listed(world, "?status=open")
      assert.lengthOf(others, 0)
      const { currency, merchant_id, ours, payment_id, status, theirs, trade_no } = difference!
      assert.deepStrictEqual(
        { currency, merchant_id, ours, payment_id, status, theirs, trade_no },
        {
          currency: "USD",
          merchant_id: world.merchant.merchantId,
          ours: 2_000,
          payment_id: order["payment_id"],
          status: "open",
          theirs: 1_300,
          trade_no: order["trade_no"]
        }
      )
      assert.match((yield* world.api.get("/metrics")).text, /^coffer_reconciliation_differences(\{[^}]*\})? 1$/m)
      assert.deepStrictEqual(yield* world.merchant.balance(), books, "nothing is mended")
      yield* world.control.fail_refund({ refund: foreign.id })
      yield* compared(world, "25 hours")
      assert.deepStrictEqual(yield* listed(world, "?status=open"), [])
      const [agreed] = yield* listed(world, `?merchant_id=${world.merchant.merchantId}`)
      assert.deepStrictEqual([agreed!["id"], agreed!["status"]], [difference!["id"], "agreed"])
      assert.deepStrictEqual(yield* listed(world, "?merchant_id=mer_00000000000000000000000000"), [])
      assertRefused(yield* world.api.operator("GET", "/reconciliation?status=x"), 400, "invalid_request", "status")
    })
  )

  it.live("shows a payment of ours that Stripe does not have", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      const order = yield* world.paid()
      const owner = yield* ownersConnection(world.database)
      yield* owner`update orders set payment_id = 'pi_elsewhere' where trade_no = ${order["trade_no"]}`
      yield* compared(world, "27 hours")
      yield* compared(world, "24 hours")
      const rows = (yield* listed(world)).map(({ ours, payment_id, theirs }) => [payment_id, ours, theirs])
      assert.sameDeepMembers(rows, [
        ["pi_elsewhere", 2_000, 0],
        [order["payment_id"], 0, 2_000]
      ])
    })
  )

  it.live("that Stripe does not answer is done later", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      yield* world.paid()
      yield* world.control.fault({ on: "GET /v1/balance_transactions", kind: "error_before", times: 1_000 })
      yield* compared(world, "27 hours")
      assert.deepStrictEqual(yield* world.sql`select 1 from stripe_movements`, [])
      yield* world.control.clear_faults({})
      yield* compared(world, "61 minutes")
      assert.lengthOf(yield* world.sql`select 1 from stripe_movements`, 1)
    })
  )
})
