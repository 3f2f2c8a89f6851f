/**
 * The fence without the accident: rows are written past their actors, as another runner would that believes it owns
 * them too (docs/decisions/0002). What two real processes do is in `twoRunners.test.ts`.
 */
import { assert, describe, it } from "@effect/vitest"
import { PaymentId, TradeNo } from "@coffer/model/Ids"
import { evolve } from "@coffer/rules/order/evolve"
import { type Order, OrderEvent } from "@coffer/rules/order/Order"
import { post } from "@coffer/rules/wallet/post"
import { walletIdOf } from "@coffer/rules/wallet/Wallet"
import { Context, DateTime, Effect, Layer, Option, Predicate, Result } from "effect"
import { packed } from "../../src/events/eventBodies.ts"
import { type ChangeSet, insert } from "../../src/platform/commit/Change.ts"
import { Faults } from "../../src/platform/runtime/Faults.ts"
import { NewIds } from "../../src/platform/runtime/NewIds.ts"
import { Transactor } from "../../src/platform/commit/Transactor.ts"
import { sha256 } from "../../src/platform/runtime/Secrets.ts"
import { events } from "../../src/events/eventRows.ts"
import { OrderStore, replacement } from "../../src/orders/OrderStore.ts"
import { posted, WalletStore } from "../../src/wallets/WalletStore.ts"
import { facts } from "../kit/fixtures.ts"
import { assertBooksWhole } from "../kit/Process.ts"
import { type Running, start } from "../kit/Service.ts"

const startCounting = Effect.gen(function* () {
  const refused = { times: 0 }
  /** Runs before every write; nothing until a test puts something there. */
  const before = { write: Effect.void as Effect.Effect<unknown> }
  const layer = Layer.succeed(Faults, {
    around: (_, effect) =>
      Effect.andThen(
        Effect.suspend(() => before.write),
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

/** Replaces the order's row past its actor, and writes what else belongs to it. */
const writeElsewhere = Effect.fnUntraced(function* (
  { context }: Running,
  tradeNo: TradeNo,
  change: (order: Order) => Order,
  others: (order: Order) => Effect.Effect<ChangeSet> = () => Effect.succeed([])
) {
  const stored = Option.getOrThrow(yield* Context.get(context, OrderStore).load(tradeNo))
  const order = change(stored.order)
  const changes = [replacement(stored, order, yield* DateTime.now), ...(yield* others(order))]
  yield* Context.get(context, Transactor).commit("elsewhere", changes)
})

/** The whole of a payment past both actors: order, wallet, ledger and event. */
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
        packed: packed("{}"),
        createdAt: now
      })
      return [...posted(wallet, posting.wallet, posting.rows), event]
    })
  )

describe("a stale version is refused, the actor reloads and decides anew", () => {
  it.live("so that a note and the other runner's note are both kept", () =>
    Effect.gen(function* () {
      const { refused, service } = yield* startCounting
      const tradeNo = yield* newOrder(service)
      yield* annotate(service, tradeNo, "before")
      yield* writeElsewhere(service, tradeNo, (order) => ({
        ...order,
        metadata: { ...order.metadata, elsewhere: "1" }
      }))
      assert.strictEqual(refused.times, 0)

      const reply = yield* annotate(service, tradeNo, "after")
      assert.deepStrictEqual([reply.status, refused.times], [200, 1])
      assert.deepStrictEqual(reply.body.data.metadata, { before: "1", elsewhere: "1", after: "1" })
      const rows = yield* service.sql`select version, metadata from orders`
      assert.deepStrictEqual(rows, [{ version: 4, metadata: reply.body.data.metadata }])
    })
  )

  it.live("so that a payment of an order that the other runner has closed is not credited: it goes back", () =>
    Effect.gen(function* () {
      const { refused, service } = yield* startCounting
      const tradeNo = yield* newOrder(service)
      yield* annotate(service, tradeNo, "before")
      yield* writeElsewhere(service, tradeNo, (order) => evolve(order, OrderEvent.cases.OrderExpired.make({})))

      const reply = yield* pay(service, tradeNo)
      assert.deepStrictEqual([reply.status, reply.body.data.status, refused.times], [200, "expired", 1])
      assert.deepStrictEqual(yield* service.sql`select id from ledger`, [])
      yield* service.atRest
      assert.strictEqual((yield* service.sql`select 1 from sandbox_refunds`).length, 1)
    })
  )

  it.live("so that an order that the other runner was paid for is not credited twice", () =>
    Effect.gen(function* () {
      const { refused, service } = yield* startCounting
      const tradeNo = yield* newOrder(service)
      yield* annotate(service, tradeNo, "before")
      yield* payElsewhere(service, tradeNo)

      const reply = yield* pay(service, tradeNo)
      assert.deepStrictEqual([reply.status, reply.body.data.status, refused.times], [200, "paid", 1])
      assert.strictEqual((yield* service.sql`select 1 from ledger`).length, 2)
      yield* service.atRest
      assert.strictEqual((yield* service.sql`select 1 from sandbox_refunds`).length, 1)
      yield* assertBooksWhole(service.sql)
    })
  )

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
      const owner = { merchantId: service.merchant.merchantId, mode: "sandbox", currency: "USD" } as const
      assert.deepStrictEqual(wallets, [{ wallet_id: walletIdOf(owner as never), sequence: 44 }])
    })
  )

  it.live("once: when the row has moved again the caller is told to come back, and nothing was written", () =>
    Effect.gen(function* () {
      const { before, refused, service } = yield* startCounting
      const tradeNo = yield* newOrder(service)
      before.write = service.sql`update orders set version = version + 1 where trade_no = ${tradeNo}`.pipe(Effect.orDie)
      const reply = yield* annotate(service, tradeNo, "lost")
      assert.deepStrictEqual([reply.status, reply.body.error, refused.times], [503, "internal_error", 2])
      assert.strictEqual(reply.headers.get("retry-after"), "1")

      before.write = Effect.void
      assert.deepStrictEqual((yield* annotate(service, tradeNo, "kept")).body.data.metadata, { kept: "1" })
      assert.strictEqual(refused.times, 2)
    })
  )
})
