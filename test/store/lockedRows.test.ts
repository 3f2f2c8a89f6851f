/**
 * A change set at a lock of another session, and the other change sets meanwhile. These tests take
 * real time, so all of them wait at once.
 */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer, Redacted, Result, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { ChangeSet, CommitError } from "../../src/platform/commit/Change.ts"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import * as NewIds from "../../src/platform/runtime/NewIds.ts"
import * as ListHorizon from "../../src/platform/postgres/ListHorizon.ts"
import * as Wakeups from "../../src/platform/commit/Wakeups.ts"
import { layer, Transactor } from "../../src/platform/commit/Transactor.ts"
import { insertion, replacement } from "../../src/money/orders/OrderStore.ts"
import { pendingOrder } from "../kit/rules/fixtures.ts"
import { eventually } from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"

const now = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")
const number = (index: number) => `TRD_SB_${String(index).padStart(26, "0")}` as typeof pendingOrder.tradeNo
const orderOf = (index: number) => ({
  ...pendingOrder,
  tradeNo: number(index),
  outTradeNo: `cart-${index}` as typeof pendingOrder.outTradeNo
})
const noted = (index: number, version: number, note: string) =>
  replacement({ state: orderOf(index), version }, { ...orderOf(index), metadata: { note } }, now)

interface World {
  readonly sql: SqlClient.SqlClient
  readonly stalledMillis: () => number
  readonly commit: (lane: string, set: ChangeSet) => Effect.Effect<string>
  /** The same with so many milliseconds until its caller is answered. */
  readonly commitWithin: (millis: number, lane: string, set: ChangeSet) => Effect.Effect<string>
  /** Runs the statement in a transaction that stays open until `release`. */
  readonly hold: (statement: string) => Effect.Effect<Effect.Effect<void>>
}

const world = <E>(use: (world: World) => Effect.Effect<unknown, E, Scope.Scope>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const postgres = Postgres.layer({ url: Redacted.make(url), connections: 10, name: "test" })
      const services = yield* Layer.build(
        layer.pipe(
          Layer.provide([Wakeups.layer, Faults.layer, NewIds.layer, ListHorizon.layer]),
          Layer.provideMerge(postgres)
        )
      )
      return yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const transactor = yield* Transactor
        const scope = yield* Effect.scope
        const outcomeOf = (committed: Effect.Effect<void, CommitError>) =>
          Effect.map(
            Effect.result(committed),
            Result.match({
              onSuccess: () => "ok",
              onFailure: (error) => (error._tag === "NotCommitted" ? error.reason : error._tag)
            })
          )
        const commit = (lane: string, set: ChangeSet) => outcomeOf(transactor.commit(lane, set))
        const commitWithin = (millis: number, lane: string, set: ChangeSet) =>
          Effect.suspend(() => outcomeOf(transactor.submit(lane, set, millis)!))
        const hold = Effect.fnUntraced(function* (statement: string) {
          const held = yield* Deferred.make<void>()
          const end = yield* Deferred.make<void>()
          const holding = sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`set local idle_in_transaction_session_timeout = 0`
              yield* sql.unsafe(statement)
              yield* Deferred.succeed(held, undefined)
              yield* Deferred.await(end)
            })
          )
          const fiber = yield* Effect.forkIn(holding, scope)
          yield* Deferred.await(held)
          return Effect.andThen(Deferred.succeed(end, undefined), Effect.exit(Fiber.join(fiber))).pipe(Effect.asVoid)
        })
        return yield* use({ sql, commit, commitWithin, hold, stalledMillis: transactor.stalledMillis })
      }).pipe(Effect.provideContext(services))
    })
  )

const lockOrder = (index: number) => `select 1 from orders where trade_no = '${number(index)}' for update`
/** Forty lane keys, so that both lanes have some. */
const many = Array.from({ length: 40 }, (_, index) => 100 + index)

describe.concurrent("a row that somebody else has locked", () => {
  it.live("keeps only the sets that need it from being written; those end when their time is over", () =>
    world(({ commit, hold, sql }) =>
      Effect.gen(function* () {
        yield* commit("a", [insertion(orderOf(1))])
        const release = yield* hold(lockOrder(1))
        const blocked = yield* Effect.forkScoped(commit("a", [noted(1, 1, "blocked")]))
        const outcomes = yield* Effect.forEach(many, (index) => commit(`lane ${index}`, [insertion(orderOf(index))]), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual([...new Set(outcomes)], ["ok"])
        assert.isUndefined(blocked.pollUnsafe(), "still waiting for its lock")
        assert.strictEqual(yield* Fiber.join(blocked), "overloaded")
        // Known to be blocked, it delays no other set the second time: no batch waits for the lock again.
        const again = yield* Effect.forkScoped(commit("a", [noted(1, 1, "again")]))
        assert.strictEqual(yield* commit("b", [insertion(orderOf(2))]), "ok")
        yield* release
        assert.strictEqual(yield* Fiber.join(again), "ok")
        assert.strictEqual((yield* sql`select 1 from orders`).length, 42)
      })
    )
  )

  it.live("is one merchant's trouble: the runner does not count as one that cannot write", () =>
    world(({ commit, hold, stalledMillis }) =>
      Effect.gen(function* () {
        yield* commit("a", [insertion(orderOf(1))])
        const release = yield* hold(lockOrder(1))
        assert.strictEqual(yield* commit("a", [noted(1, 1, "blocked")]), "overloaded")
        assert.strictEqual(stalledMillis(), 0)
        yield* release
      })
    )
  )

  it.live("is waited for: when it is free in time the sets are written, in the order of their lane", () =>
    world(({ commit, hold, sql }) =>
      Effect.gen(function* () {
        yield* commit("a", [insertion(orderOf(1))])
        const release = yield* hold(lockOrder(1))
        const waiting = yield* Effect.forkScoped(
          Effect.forEach([1, 2, 3], (version) => commit("a", [noted(1, version, `note ${version}`)]), {
            concurrency: "unbounded"
          })
        )
        yield* Effect.sleep("1500 millis")
        const late = yield* Effect.forkScoped(commit("a", [noted(1, 4, "note 4")]))
        yield* Effect.sleep("100 millis")
        yield* release
        assert.deepStrictEqual(yield* Fiber.join(waiting), ["ok", "ok", "ok"])
        assert.strictEqual(yield* Fiber.join(late), "ok")
        assert.deepStrictEqual(yield* sql`select version, metadata from orders`, [
          { version: 5, metadata: { note: "note 4" } }
        ])
      })
    )
  )

  it.live("does not keep the rest of its lane: a set that does not need the row is decided again", () =>
    world(({ commit, hold }) =>
      Effect.gen(function* () {
        yield* commit("a", [insertion(orderOf(1))])
        const release = yield* hold(lockOrder(1))
        const outcomes = yield* Effect.all(
          [commit("a", [noted(1, 1, "blocked")]), commit("a", [insertion(orderOf(2))])],
          { concurrency: 2 }
        )
        assert.deepStrictEqual(outcomes, ["overloaded", "ok"])
        yield* release
      })
    )
  )

  it.live("a set whose caller was told that it is not written is not written later", () =>
    world(({ commit, hold, sql }) =>
      Effect.gen(function* () {
        yield* commit("a", [insertion(orderOf(1))])
        const release = yield* hold("lock table orders in exclusive mode")
        const outcome = yield* commit("a", [noted(1, 1, "refused")])
        assert.strictEqual(outcome, "overloaded")
        yield* release
        assert.strictEqual(yield* commit("a", [noted(1, 1, "next")]), "ok")
        assert.deepStrictEqual(yield* sql`select version, metadata from orders`, [
          { version: 2, metadata: { note: "next" } }
        ])
      })
    )
  )

  it.live("a set that waits for its turn behind others is not written once its caller was told that it is not", () =>
    world(({ commit, commitWithin, hold }) =>
      Effect.gen(function* () {
        const ahead = [1, 2, 3, 4]
        yield* Effect.forEach([...ahead, 5], (index) => commit(`lane ${index}`, [insertion(orderOf(index))]))
        const held = yield* Effect.forEach([...ahead, 5], (index) => hold(lockOrder(index)))
        const others = yield* Effect.forEach(ahead, (index) =>
          Effect.forkScoped(commit(`lane ${index}`, [noted(index, 1, "other")]), { startImmediately: true })
        )
        // A second for the batch that meets the locks, one for the first two attempts, and one for those of the others.
        assert.strictEqual(yield* commitWithin(2_600, "lane 5", [noted(5, 1, "late")]), "overloaded")
        yield* held[4]!
        yield* Effect.forEach(others, Fiber.join)
        assert.strictEqual(yield* commit("lane 5", [noted(5, 1, "next")]), "ok")
        yield* Effect.all(held)
      })
    )
  )
})

describe.concurrent("a lock that no row of ours shows", () => {
  it.live("a key that an open transaction has taken keeps half of the others waiting at most, and for a while", () =>
    world(({ commit, hold, sql }) =>
      Effect.gen(function* () {
        yield* commit("a", [insertion(orderOf(1))])
        const release = yield* hold(
          `insert into orders select (jsonb_populate_record(o, jsonb_build_object('trade_no', '${number(2)}',
            'out_trade_no', 'cart-2'))).* from orders o`
        )
        const outcomes = yield* Effect.forEach(
          [2, ...many.slice(0, 3)],
          (index) =>
            commit("one lane", [insertion(orderOf(index))]).pipe(Effect.map((outcome) => [index, outcome] as const)),
          { concurrency: "unbounded" }
        )
        assert.include(["overloaded", "unknown"], new Map(outcomes).get(2))
        yield* release
        yield* eventually(
          "writing to go on",
          Effect.map(commit("one lane", [insertion(orderOf(99))]), (outcome) => outcome === "ok")
        )
        assert.isAtLeast((yield* sql`select 1 from orders`).length, 2)
      })
    )
  )
})
