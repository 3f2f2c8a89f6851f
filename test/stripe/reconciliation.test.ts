/** Stripe's books beside ours, each night: differences are rows that the operator sees, and nothing is mended. */
import { assert, describe, it } from "@effect/vitest"
import { start as simulate } from "@coffer/simulator/start"
import { Context, DateTime, type Duration, Effect, Exit, Layer, Scope } from "effect"
import { MerchantId } from "@coffer/model/Ids"
import { Reconciliation } from "../../src/channels/stripe/Reconciliation.ts"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import { SqlClient } from "effect/sql"
import { assertRefused } from "../kit/Merchant.ts"
import { freePort, freshDatabase, ownersConnection, start as startService } from "../kit/Service.ts"
import { begins, connected, paceless, quick, secretKey } from "./kit.ts"

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

/** Each hour of the day before, and this one. */
const windows = 25

/** `nightWith`: something happens after Stripe's books were read, and before they are compared with ours. */
const readingTwice = Effect.gen(function* () {
  const night = { left: 0, then: Effect.void as Effect.Effect<unknown> }
  const around: Faults.Faults["Service"]["around"] = (point, effect, detailOf) =>
    point === "StripeClient.call" && detailOf?.() === "balanceTransactions.list"
      ? Effect.tap(effect, () => (--night.left === 0 ? night.then : Effect.void))
      : effect
  const world = yield* connected({ faults: Layer.succeed(Faults.Faults, { around }) })
  yield* world.sql`update stripe_polls set due_at = '9999-12-31', movements_due_at = '9999-12-31'`
  const account = { merchantId: MerchantId.make(world.merchant.merchantId), mode: "sandbox" } as const
  const nightWith = (then: Effect.Effect<unknown, unknown>) =>
    Effect.gen(function* () {
      Object.assign(night, { left: windows, then: Effect.catchCause(then, Effect.die) })
      yield* Context.get(world.context, Reconciliation).reconcile(account, yield* DateTime.now, null)
      assert.isAtMost(night.left, 0, "it has happened")
      return yield* listed(world)
    }).pipe(Effect.provideContext(world.context))
  return { ...world, nightWith }
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
      const inPart = yield* paid({ capture: "manual" })
      assert.strictEqual((yield* merchant.capture(inPart["trade_no"], { amount: 1_234 })).status, 200)
      yield* paid({ capture: "manual" })
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

  it.live("is begun by an operator's call, which says how far the books are compared", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      const path = `${world.channelPath}/reconciliation`
      yield* world.paid()
      yield* world.sql`update stripe_polls set movements_due_at = '9999-12-31'`
      yield* world.leap("27 hours")
      const before = (yield* world.api.operator("GET", path)).body.data
      assert.strictEqual(before.next_at, "9999-12-31T00:00:00.000Z")
      const begun = yield* world.api.operator("POST", path)
      assert.deepStrictEqual([begun.status, begun.body.data.compared_until], [202, before.compared_until])
      yield* world.leap("1 minute")
      const after = (yield* world.api.operator("GET", path)).body.data
      assert.isTrue(after.compared_until > before.compared_until)
      assert.isTrue(after.next_at < before.next_at)
    })
  )

  it.live("is about payments whose orders an operator finds by their numbers at Stripe", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      const { payment_id, trade_no } = yield* world.paid()
      const { body } = yield* world.api.operator("GET", `/search?number=${payment_id}`)
      assert.deepStrictEqual(
        body.data.data.map((one: Record<string, unknown>) => [one["id"], one["field"]]),
        [[trade_no, "payment_id"]]
      )
    })
  )

  it.live("is not begun a second time while one is under way, nor where the merchant has no account", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      yield* world.sql`update stripe_polls set movements_due_at = '2026-01-01T00:30:00Z'`
      const path = `${world.channelPath}/reconciliation`
      assert.strictEqual((yield* world.api.operator("POST", path)).body.data.next_at, "2026-01-01T00:30:00.000Z")
      const live = path.replace("sandbox", "live")
      assertRefused(yield* world.api.operator("POST", live), 409, "conflict")
      const { body } = yield* world.api.operator("GET", live)
      assert.deepStrictEqual([body.data.compared_until, body.data.next_at], [null, null])
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

  it.live("finds nothing where Stripe does meanwhile what our books have said for long", () =>
    Effect.gen(function* () {
      const { control, leap, merchant, nightWith, paid, stripe } = yield* readingTwice
      const order = yield* paid()
      yield* control.fault({ on: "POST /v1/refunds", kind: "error_kept_before" })
      const refund = yield* merchant.refund({ trade_no: order["trade_no"], amount: 300 })
      assert.strictEqual(refund.body.data.status, "pending")
      yield* leap("5 hours")
      const made = Effect.promise(() => stripe.refunds.create({ payment_intent: order["payment_id"], amount: 300 }))
      assert.deepStrictEqual(yield* nightWith(made), [])
    })
  )

  it.live("leaves for the next night what our books have begun meanwhile, and Stripe has not", () =>
    Effect.gen(function* () {
      const { control, leap, merchant, nightWith, paid, sql } = yield* readingTwice
      const order = yield* paid()
      yield* leap("5 hours")
      const begun = Effect.gen(function* () {
        yield* control.fault({ on: "POST /v1/refunds", kind: "cut_before", times: 2 })
        const refund = yield* merchant.refund({ trade_no: order["trade_no"], amount: 300 })
        assert.strictEqual(refund.body.data.status, "pending")
      })
      assert.deepStrictEqual(yield* nightWith(begun), [])
      yield* leap("5 hours")
      yield* leap("5 hours")
      assert.deepStrictEqual(yield* nightWith(Effect.void), [])
      const checked = yield* sql`select 1 from stripe_movements where checked_at is not null`
      assert.lengthOf(checked, 2, "the payment and its refund")
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

  it.live(
    "compares in the order's currency what Stripe has exchanged, at whatever rate, and finds what is missing",
    () =>
      Effect.gen(function* () {
        const world = yield* connected()
        const { api, control, merchant, paid, settled, simulator, stripe } = world
        const rate = (rate: number) => control.exchange({ from: "usd", to: "hkd", rate })
        const disputed = (order: Record<string, unknown>, amount: number) =>
          Effect.suspend(() => {
            const { id } = simulator.all("charge").find(({ payment_intent }) => payment_intent === order["payment_id"])!
            return Effect.andThen(control.open_dispute({ charge: id, amount }), settled)
          })
        yield* rate(7.8)
        yield* paid({ amount: 9_000 })
        const order = yield* paid()
        yield* rate(7.7)
        yield* merchant.refund({ trade_no: order["trade_no"], amount: 333 })
        const sentBack = yield* merchant.refund({ trade_no: order["trade_no"], amount: 77 })
        assert.strictEqual(sentBack.status, 201, sentBack.text)
        yield* rate(7.9)
        yield* control.fail_refund({ refund: simulator.all("refund").at(-1)!.id })
        yield* disputed(yield* paid(), 1_111)
        const inPart = yield* paid({ capture: "manual" })
        assert.strictEqual((yield* merchant.capture(inPart["trade_no"], { amount: 1_234 })).status, 200)
        const won = yield* paid()
        yield* disputed(won, 500)
        yield* rate(7.6)
        yield* control.decide_dispute({ dispute: simulator.all("dispute").at(-1)!.id, outcome: "won" })
        yield* settled
        yield* compared(world, "27 hours")
        assert.deepStrictEqual(yield* listed(world), [])
        const [charge] = simulator.all("balance_transaction")
        assert.deepStrictEqual([charge!.currency, charge!.exchange_rate], ["hkd", 7.8])
        const { entries } = (yield* merchant.get(`/v1/orders/${order["trade_no"]}/timeline`)).body.data
        assert.isDefined(entries, "its fee stays in the channel's currency")

        yield* Effect.promise(() => stripe.refunds.create({ payment_intent: won["payment_id"], amount: 1 }))
        yield* compared(world, "27 hours")
        const [difference, ...others] = yield* listed(world, "?status=open")
        assert.lengthOf(others, 0)
        assert.deepInclude(difference, { currency: "USD", ours: 2_000, theirs: 1_999, channel_fee_currency: "HKD" })
        assert.match((yield* api.get("/metrics")).text, /^coffer_reconciliation_differences(\{[^}]*\})? 1$/m)
      })
  )

  it.live("does not take an amount in a third currency for the same", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      const order = yield* world.paid()
      yield* compared(world, "27 hours")
      assert.deepStrictEqual(yield* listed(world), [])
      const owner = yield* ownersConnection(world.database)
      yield* owner`update stripe_movements set currency = 'jpy', checked_at = null`
      yield* compared(world, "24 hours")
      const [difference] = yield* listed(world, "?status=open")
      assert.deepInclude(difference, { payment_id: order["payment_id"], ours: 2_000, theirs: 2_000 })
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

describe("a comparison of the books", () => {
  it.live("resumes after a restart, and reads only the last time window twice", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const read: Array<string> = []
      const watch = (call: string) => void (call.startsWith("GET /v1/balance_transactions") && read.push(call))
      const { control } = yield* simulate({ port, chargeBookedAfter: 0, standsAt: begins / 1_000, watch })
      const database = yield* freshDatabase
      const env = { ...paceless, STRIPE_API: `http://127.0.0.1:${port}` }
      const process = (at: number) => startService({ clock: "test", begins: at, database, env, beneath: quick })
      const place = (sql: SqlClient.SqlClient) =>
        Effect.map(
          sql<{ place: Date | null }>`select movements_place as place from stripe_polls`,
          ([row]) => row!.place
        )

      const first = yield* Scope.make()
      const service = yield* Scope.provide(process(begins), first)
      const account = { channel: "stripe", secret_key: secretKey, webhook_secret: "whsec_ofNobody" }
      const path = `/merchants/${service.merchant.merchantId}/channels/sandbox`
      assert.strictEqual((yield* service.api.operator("POST", path, account)).status, 200)
      yield* service.atRest
      yield* control.fault({ on: "GET /v1/balance_transactions", kind: "error_before", skip: 10 })
      yield* service.sql`update stripe_polls set due_at = '9999-12-31', movements_due_at = 'epoch'`
      yield* service.leap("1 second")
      assert.lengthOf(read, 11, "Stripe failed at the eleventh window")
      assert.isNotNull(yield* place(service.sql))
      yield* Scope.close(first, Exit.void)

      // The lease of the process that is gone is over.
      const after = yield* process(begins + 61 * 60_000)
      yield* after.settle
      assert.isNull(yield* place(after.sql))
      assert.isAtMost(read.length, windows + 4)
    })
  )

  it.live("that was interrupted resumes where it stopped", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const world = yield* connected({ simulator: { watch: (call) => void asked.push(call) } })
      const reads = () => asked.filter((call) => call.startsWith("GET /v1/balance_transactions")).length
      yield* world.control.fault({ on: "GET /v1/balance_transactions", kind: "error_before", skip: 10 })
      const before = reads()
      yield* world.sql`update stripe_polls set due_at = '9999-12-31', movements_due_at = 'epoch'`
      yield* world.leap("1 second")
      assert.strictEqual(reads() - before, 11)
      const ended = Effect.map(
        world.sql`select movements_place is null as ended from stripe_polls`,
        ([row]) => row!["ended"]
      )
      assert.isFalse(yield* ended)
      yield* world.leap("61 minutes")
      assert.isTrue(yield* ended)
      assert.isAtMost(reads() - before, windows + 4)
    })
  )
})
