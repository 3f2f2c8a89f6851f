/** A conflict of a batch is no error to Postgres, and no line in its log (docs/decisions/0010). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { storeAnswer } from "../../src/shared/idempotency/Answering.ts"
import type { IdempotencyClaim } from "../../src/shared/idempotency/IdempotencyClaim.ts"
import { insertion } from "../../src/money/orders/OrderStore.ts"
import { oneStatement, plan } from "../../src/platform/commit/statements.ts"
import { patiently } from "../../src/platform/runtime/patience.ts"
import { commitAll, noted, number, orderOf, withTransactor } from "../kit/rows/commits.ts"
import { eventually } from "../kit/Process.ts"
import { createdAt } from "../kit/rules/fixtures.ts"

describe("a batch that meets a conflict", () => {
  it.live("a taken key of a set of one row is no error to Postgres", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const batch = plan([{ changes: [insertion(orderOf(1))] }, { changes: [insertion(orderOf(2))] }])
        const { params, text } = oneStatement(batch)
        assert.deepStrictEqual(yield* sql.unsafe(text, params), [{ done: 1, written_0: null, overtaken: null }])
        yield* sql`delete from orders where trade_no = ${number(2)}`
        assert.deepStrictEqual(yield* sql.unsafe(text, params), [{ done: 1, written_0: [number(2)], overtaken: null }])
      })
    )
  )

  it.live("a taken number is no error to Postgres, whatever else is in its set: nothing of the set is written", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* commitAll([[insertion(orderOf(1))]])
        const outcomes = yield* commitAll([
          [insertion(orderOf(2, "cart-1")), insertion(orderOf(3))],
          [insertion(orderOf(4)), insertion(orderOf(5)), noted(1, 1, "beside")],
          // In the batch itself, alone and with others.
          [insertion(orderOf(6, "cart-4")), insertion(orderOf(7))],
          [insertion(orderOf(8, "cart-5"))],
          [insertion(orderOf(9))],
          [insertion(orderOf(10, "cart-9")), insertion(orderOf(11))]
        ])
        assert.deepStrictEqual(outcomes, [
          "AlreadyExists",
          "ok",
          "AlreadyExists",
          "AlreadyExists",
          "ok",
          "AlreadyExists"
        ])
        const rows = yield* sql<{ trade_no: string }>`select trade_no from orders order by trade_no`
        assert.deepStrictEqual(
          rows.map(({ trade_no }) => trade_no),
          [1, 4, 5, 9].map(number)
        )
      })
    )
  )

  it.live("a taken Idempotency-Key is no error to Postgres: nothing of its set is written, and the others are", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const keyed = (id: string, n: number) => {
          const claim = {
            id,
            version: n,
            merchantId: "mer_1",
            mode: "sandbox",
            fingerprint: "f",
            createdAt,
            isNew: true
          }
          return [insertion(orderOf(n)), storeAnswer(claim as IdempotencyClaim, 201, { n })]
        }
        assert.deepStrictEqual(yield* commitAll([keyed("before", 1)]), ["ok"])
        const outcomes = yield* commitAll([
          keyed("before", 2),
          keyed("new", 3),
          // In the batch itself.
          keyed("new", 4),
          [insertion(orderOf(5)), insertion(orderOf(6))]
        ])
        assert.deepStrictEqual(outcomes, ["AlreadyExists", "ok", "AlreadyExists", "ok"])
        const rows = yield* sql<{ trade_no: string }>`select trade_no from orders order by trade_no`
        assert.deepStrictEqual(
          rows.map(({ trade_no }) => trade_no),
          [1, 3, 5, 6].map(number)
        )
        assert.deepStrictEqual(yield* sql`select id, state, data from idempotency_keys order by id`, [
          { id: "before", state: "done", data: '{"n":1}' },
          { id: "new", state: "done", data: '{"n":3}' }
        ])
      })
    )
  )

  it.live("a version that is replaced while a batch waits for the row is no error to Postgres either", () =>
    withTransactor(
      patiently(
        "1 minute",
        "1 minute"
      )(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* commitAll([[insertion(orderOf(1))], [insertion(orderOf(2))]])
          const { params, text } = oneStatement(
            plan([{ changes: [noted(1, 1, "late"), noted(2, 1, "beside"), insertion(orderOf(3))] }])
          )
          const [written, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const other = sql`update orders set version = 2 where trade_no = ${number(1)}`.pipe(
            Effect.andThen(Deferred.succeed(written, undefined)),
            Effect.andThen(Deferred.await(over)),
            sql.withTransaction
          )
          const otherFiber = yield* Effect.forkChild(other)
          yield* Deferred.await(written)
          const late = yield* Effect.forkChild(sql.unsafe(text, params))
          const waiting = sql`select 1 from pg_locks l join pg_stat_activity using (pid)
            where not l.granted and datname = current_database()`
          yield* eventually(
            "the batch to wait",
            Effect.map(waiting, ({ length }) => length > 0)
          )
          yield* Deferred.succeed(over, undefined)
          yield* Fiber.join(otherFiber)
          assert.deepStrictEqual(yield* Fiber.join(late), [
            { done: 0, fit_0: null, fit_1: [number(2)], overtaken: null }
          ])
          assert.deepStrictEqual(yield* sql`select version, metadata from orders order by trade_no`, [
            { version: 2, metadata: {} },
            { version: 1, metadata: {} }
          ])
        })
      )
    )
  )

  it.live("a key of our own that is taken is an error in Postgres' log; the other sets are written all the same", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* commitAll([[insertion(orderOf(1))]])
        const outcomes = yield* commitAll([
          [insertion(orderOf(1, "other")), insertion(orderOf(2))],
          [insertion(orderOf(3)), insertion(orderOf(4))]
        ])
        assert.deepStrictEqual(outcomes, ["AlreadyExists", "ok"])
        assert.strictEqual((yield* sql`select 1 from orders`).length, 3)
      }),
      [/duplicate key value violates unique constraint "orders_pkey"/]
    )
  )
})
