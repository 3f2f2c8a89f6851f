/**
 * The fence, tested directly: rows are written behind this runner's back, as by another runner that believes it owns
 * them too (docs/decisions/0002). `twoRunners.test.ts` and `movedShard.test.ts` have two real processes.
 */
import { assert, describe, it } from "@effect/vitest"
import { PaymentId, TradeNo } from "@coffer/model/Ids"
import { evolve } from "@coffer/rules/order/decide"
import { type Order, OrderEvent } from "@coffer/rules/order/Order"
import { post } from "@coffer/rules/wallet/post"
import { walletIdOf } from "@coffer/rules/wallet/Wallet"
import { Context, DateTime, Effect, Layer, Option, Predicate, Result } from "effect"
import { pack } from "../../src/webhooks/events/eventBodies.ts"
import { type ChangeSet, insert } from "../../src/platform/commit/Change.ts"
import { Faults } from "../../src/platform/runtime/Faults.ts"
import { NewIds } from "../../src/platform/runtime/NewIds.ts"
import { rowStatement } from "../../src/platform/commit/statements.ts"
import { sha256 } from "../../src/platform/runtime/Secrets.ts"
import { events } from "../../src/webhooks/events/eventRows.ts"
import { OrderStore, replacement } from "../../src/money/orders/OrderStore.ts"
import { postingChanges, WalletStore } from "../../src/money/wallets/WalletStore.ts"
import { facts } from "../kit/rules/fixtures.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { assertBooksWhole } from "../kit/Process.ts"
import { type Running, start } from "../kit/Service.ts"

const startCounting = Effect.gen(function* () {
  const refused = { times: 0 }
  /** Runs before every commit; empty until a test sets it. */
  const before = { commit: Effect.void as Effect.Effect<unknown> }
  const layer = Layer.succeed(Faults, {
    around: (point, effect) =>
      Effect.andThen(
        Effect.suspend(() => (point === "Transactor.write" ? before.commit : Effect.void)),
        Effect.tap(effect, (outcome) =>
          Effect.sync(() => {
            if (Predicate.isTagged(outcome, "Conflict")) refused.times++
          })
        )
      )
  })
  return { service: yield* start({ faults: layer }), refused, before }
})

const newOrder = ({ api, merchant }: Running) =>
  Effect.map(api.post("/v1/orders", merchant.sandboxKey, { amount: 1000 }), ({ body }) =>
    TradeNo.make(body.data.trade_no)
  )

const annotate = ({ api, merchant }: Running, tradeNo: TradeNo, note: string) =>
  api.post(`/v1/orders/${tradeNo}`, merchant.sandboxKey, { metadata: { [note]: "1" } })

const pay = ({ api, merchant }: Running, tradeNo: TradeNo) =>
  api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, merchant.sandboxKey, {})

/** Replaces the order's row past this runner, and writes what else belongs to it. */
const writeElsewhere = Effect.fnUntraced(function* (
  { context, sql }: Running,
  tradeNo: TradeNo,
  change: (order: Order) => Order,
  others: (order: Order) => Effect.Effect<ChangeSet> = () => Effect.succeed([])
) {
  const stored = Option.getOrThrow(yield* Context.get(context, OrderStore).load(tradeNo))
  const order = change(stored.state)
  const changes = [replacement(stored, order, yield* DateTime.now), ...(yield* others(order))]
  const statements = changes.map(rowStatement)
  yield* sql.withTransaction(Effect.forEach(statements, ({ params, text }) => sql.unsafe(text, params)))
}, Effect.orDie)

/** The whole of a payment past this runner: order, wallet, ledger and event. */
const payElsewhere = (service: Running, tradeNo: TradeNo) =>
  writeElsewhere(
    service,
    tradeNo,
    (order) =>
      evolve(
        order,
        OrderEvent.cases.PaymentSucceeded.make({ facts: { ...facts, paymentId: PaymentId.make(`pay_${tradeNo}`) } })
      ),
    Effect.fnUntraced(function* (order) {
      const now = yield* DateTime.now
      const ids = Context.get(service.context, NewIds)
      const wallet = yield* Context.get(service.context, WalletStore).open(order, now)
      const movement = { referenceId: tradeNo, description: "" }
      const movements = [
        { ...movement, type: "payment_credit", amount: facts.amount },
        { ...movement, type: "fee_debit", amount: -facts.fee }
      ] as const
      const means = { now, idBody: yield* ids.body, digest: sha256 }
      const posting = Result.getOrThrow(post(wallet, { movements, reserve: 0 }, means))
      const event = insert(events, {
        id: yield* ids.next("evt_"),
        merchantId: order.merchantId,
        mode: order.mode,
        type: "payment.succeeded",
        objectId: tradeNo,
        tradeNo,
        packed: pack("{}"),
        createdAt: now
      })
      return [...postingChanges(wallet, posting.wallet, posting.rows), event]
    })
  )

/** When the other runner writes: this one's snapshot is old, or its latest decision is. */
const moments = [
  ["before a command", ({ elsewhere }: { readonly elsewhere: Effect.Effect<void> }) => elsewhere],
  [
    "while a command is decided",
    ({
      before,
      elsewhere
    }: {
      readonly before: { commit: Effect.Effect<unknown> }
      readonly elsewhere: Effect.Effect<void>
    }) =>
      Effect.sync(() => {
        before.commit = Effect.suspend(() => {
          before.commit = Effect.void
          return elsewhere
        })
      })
  ]
] as const

for (const [when, at] of moments) {
  describe(`what another runner writes ${when} is not overwritten`, () => {
    it.live("so that a note and the other runner's note are both kept", () =>
      Effect.gen(function* () {
        const { before, service } = yield* startCounting
        const tradeNo = yield* newOrder(service)
        yield* annotate(service, tradeNo, "before")
        const noted = (order: Order) => ({ ...order, metadata: { ...order.metadata, elsewhere: "1" } })
        yield* at({ before, elsewhere: writeElsewhere(service, tradeNo, noted) })

        const reply = yield* annotate(service, tradeNo, "after")
        assert.strictEqual(reply.status, 200)
        assert.deepStrictEqual(reply.body.data.metadata, { before: "1", elsewhere: "1", after: "1" })
        const rows = yield* service.sql`select version, metadata from orders`
        assert.deepStrictEqual(rows, [{ version: 4, metadata: reply.body.data.metadata }])
      })
    )

    it.live("so that a payment of an order that the other runner has closed is not credited: it goes back", () =>
      Effect.gen(function* () {
        const { before, service } = yield* startCounting
        const tradeNo = yield* newOrder(service)
        yield* annotate(service, tradeNo, "before")
        const closed = (order: Order) => evolve(order, OrderEvent.cases.OrderExpired.make({}))
        yield* at({ before, elsewhere: writeElsewhere(service, tradeNo, closed) })

        const reply = yield* pay(service, tradeNo)
        assert.deepStrictEqual([reply.status, reply.body.data.status], [200, "expired"])
        assert.deepStrictEqual(yield* service.sql`select id from ledger`, [])
        yield* service.atRest
        assert.strictEqual((yield* service.sql`select 1 from sandbox_refunds`).length, 1)
      })
    )

    it.live("so that an order that the other runner was paid for is not credited twice", () =>
      Effect.gen(function* () {
        const { before, service } = yield* startCounting
        const tradeNo = yield* newOrder(service)
        yield* annotate(service, tradeNo, "before")
        yield* at({ before, elsewhere: payElsewhere(service, tradeNo) })

        const reply = yield* pay(service, tradeNo)
        assert.deepStrictEqual([reply.status, reply.body.data.status], [200, "paid"])
        assert.strictEqual((yield* service.sql`select 1 from ledger`).length, 2)
        yield* service.atRest
        assert.strictEqual((yield* service.sql`select 1 from sandbox_refunds`).length, 1)
        yield* assertBooksWhole(service.sql)
      })
    )
  })
}

describe("a stale version is refused, and the command is decided again", () => {
  it.live("so that payments on a wallet follow on what the other runner has posted, those that were queued too", () =>
    Effect.gen(function* () {
      const { refused, service } = yield* startCounting
      yield* pay(service, yield* newOrder(service))
      yield* payElsewhere(service, yield* newOrder(service))

      const orders = yield* Effect.replicateEffect(newOrder(service), 20)
      const replies = yield* Effect.forEach(orders, (tradeNo) => pay(service, tradeNo), { concurrency: "unbounded" })
      for (const { body, status } of replies) assert.deepStrictEqual([status, body.data.status], [200, "paid"])
      assert.isAbove(refused.times, 0)
      yield* assertBooksWhole(service.sql)
      const wallets = yield* service.sql`select wallet_id, sequence from wallets`
      const account = { merchantId: service.merchant.merchantId, mode: "sandbox", currency: "USD" } as const
      assert.deepStrictEqual(wallets, [{ wallet_id: walletIdOf(account as never), sequence: 44 }])
    })
  )

  it.live("so that a payout is not refused for want of money that the other runner has posted", () =>
    Effect.gen(function* () {
      const { service } = yield* startCounting
      yield* pay(service, yield* newOrder(service))
      const payout = service.api.operator("POST", `/merchants/${service.merchant.merchantId}/payouts`, {
        mode: "sandbox",
        currency: "USD",
        amount: 1_500
      })
      assert.strictEqual((yield* payout).status, 400)
      yield* payElsewhere(service, yield* newOrder(service))

      assert.strictEqual((yield* payout).status, 201)
      yield* assertLedgerWhole(service.sql)
    })
  )

  it.live("once: when the row has moved again the caller has to retry, and nothing was written", () =>
    Effect.gen(function* () {
      const { before, refused, service } = yield* startCounting
      const tradeNo = yield* newOrder(service)
      before.commit = service.sql`update orders set version = version + 1 where trade_no = ${tradeNo}`.pipe(
        Effect.orDie
      )
      const reply = yield* annotate(service, tradeNo, "lost")
      assert.deepStrictEqual([reply.status, reply.body.error, refused.times], [503, "internal_error", 2])
      assert.strictEqual(reply.headers.get("retry-after"), "1")

      before.commit = Effect.void
      assert.deepStrictEqual((yield* annotate(service, tradeNo, "kept")).body.data.metadata, { kept: "1" })
      assert.strictEqual(refused.times, 2)
    })
  )
})
