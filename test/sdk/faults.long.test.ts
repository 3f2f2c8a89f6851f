/**
 * The SDK over a network that fails: every pair of faults, one after the other, on creates that only their
 * Idempotency-Key tells apart. Each is done once, and its caller is told.
 */
import { assert, layer } from "@effect/vitest"
import type { Coffer } from "@coffer/sdk"
import { Context, Effect, Layer } from "effect"
import { type Fault, faults, faultyLine } from "../kit/faults/FaultyLine.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { allOf, clientOf, testClock } from "../kit/callers/sdk.ts"
import { type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/sdk/faults") {}

const pairs = faults.flatMap((first) => faults.map((second) => [first, second] as const))

/** A client whose tries end when the line stays silent, and which waits between two until the line is quiet. */
const onFaultyLine = Effect.fnUntraced(function* (running: Running) {
  const line = yield* faultyLine(running.baseUrl, () => clock.expire())
  const clock = testClock(line.idle)
  return { line, coffer: clientOf({ ...running, baseUrl: line.url }, { clock }) }
})

/** The calls one after the other, each with its own faults. */
const throughFaults = <T>(
  line: { readonly plan: (...faults: ReadonlyArray<Fault>) => void; readonly idle: () => Promise<void> },
  call: (n: number) => PromiseLike<T>
) =>
  Effect.promise(async () => {
    const answers: Array<T> = []
    for (const [n, pair] of pairs.entries()) {
      line.plan(...pair)
      answers.push(await call(n))
      await line.idle()
    }
    return answers
  })

const ofOne = (coffer: Coffer) => coffer.orders.create({ amount: 100_000 })

layer(Layer.effect(Service, start()), { excludeTestServices: true })("over a network that fails", (it) => {
  it.effect("an order is created once for each call, and the call has it", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const merchant = yield* running.api.newMerchant()
      const { coffer, line } = yield* onFaultyLine({ ...running, merchant })
      const orders = yield* throughFaults(line, () => ofOne(coffer))
      const rows = yield* running.sql<{ trade_no: string }>`
        select trade_no from orders where merchant_id = ${merchant.merchantId}`
      assert.sameMembers(
        rows.map(({ trade_no }) => trade_no),
        orders.map(({ trade_no }) => trade_no)
      )
      assert.strictEqual(new Set(orders.map(({ trade_no }) => trade_no)).size, pairs.length)
      assert.strictEqual(line.reached.size, pairs.length, "one key for each call")
      assert.isAbove(Math.max(...line.reached.values()), 2, "the service has met repeats")
    })
  )

  it.effect("money is refunded once for each call, and the ledger is whole", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const merchant = yield* running.api.newMerchant()
      const { coffer, line } = yield* onFaultyLine({ ...running, merchant })
      const { trade_no } = yield* Effect.promise(async () => {
        const order = await ofOne(coffer)
        return coffer.testHelpers.orders.pay(order.trade_no)
      })
      const refunds = yield* throughFaults(line, (n) => coffer.refunds.create({ trade_no, amount: n + 1 }))
      assert.strictEqual(new Set(refunds.map(({ refund_no }) => refund_no)).size, pairs.length)
      const order = yield* Effect.promise(() => coffer.orders.get(trade_no))
      assert.strictEqual(order.refunded_amount, (pairs.length * (pairs.length + 1)) / 2)
      assert.strictEqual((yield* running.sql`select 1 from refunds where trade_no = ${trade_no}`).length, pairs.length)
      yield* assertLedgerWhole(running.sql)
    })
  )

  it.effect("a list that is read to its end has each object once", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const merchant = yield* running.api.newMerchant()
      const { coffer, line } = yield* onFaultyLine({ ...running, merchant })
      const read = yield* Effect.promise(async () => {
        const made: Array<string> = []
        for (const _ of faults) made.push((await ofOne(coffer)).trade_no)
        line.plan(...faults.flatMap((fault): ReadonlyArray<Fault> => [fault, "pass"]))
        const listed = await allOf(coffer.orders.list({ limit: 1 }))
        return { made, listed: listed.map(({ trade_no }) => trade_no) }
      })
      assert.deepStrictEqual(read.listed, read.made.toReversed())
    })
  )

  it.effect(
    "a call that hears nothing in the end says under which key the same may be sent again, and then it is done once",
    () =>
      Effect.gen(function* () {
        const running = yield* Service
        const merchant = yield* running.api.newMerchant()
        const { coffer, line } = yield* onFaultyLine({ ...running, merchant })
        line.plan("silence", "lose", "refuse")
        const failed = yield* Effect.flip(
          Effect.tryPromise({
            try: () => coffer.orders.create({ amount: 1_000 }, { maxRetries: 2 }),
            catch: (error) => error as { readonly idempotencyKey: string; readonly code: string }
          })
        )
        assert.strictEqual(failed.code, "connection_lost")
        const { idempotencyKey } = failed
        const again = yield* Effect.promise(() =>
          coffer.orders.create({ amount: 1_000 }, { idempotencyKey }).withResponse()
        )
        assert.isTrue(again.isReplayed)
        const rows = yield* running.sql`select trade_no from orders where merchant_id = ${merchant.merchantId}`
        assert.deepStrictEqual(rows, [{ trade_no: again.data.trade_no }])
      })
  )
})
