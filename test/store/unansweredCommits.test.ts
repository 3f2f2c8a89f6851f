/**
 * A commit whose answer is lost (docs/decisions/0264). The batch is written again, and where that meets a conflict its
 * own rows say what has happened.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { insertion } from "../../src/money/orders/OrderStore.ts"
import { type ChangeSet, insert } from "../../src/platform/commit/Change.ts"
import { layer, Transactor } from "../../src/platform/commit/Transactor.ts"
import * as Wakeups from "../../src/platform/commit/Wakeups.ts"
import * as ListHorizon from "../../src/platform/postgres/ListHorizon.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import * as NewIds from "../../src/platform/runtime/NewIds.ts"
import { idempotencyKeys, type IdempotencyKey } from "../../src/shared/idempotency/IdempotencyClaim.ts"
import { type Cable, cable } from "../kit/servers/Cable.ts"
import { noted, number, orderOf } from "../kit/rows/commits.ts"
import { createdAt, pendingOrder } from "../kit/rules/fixtures.ts"
import { connect, eventually } from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"

interface World {
  readonly wire: Cable
  /** Another connection, beside the wire. */
  readonly sql: SqlClient.SqlClient
  /** Commits these sets at once, in one lane; how each ends. */
  readonly commit: (...sets: ReadonlyArray<ChangeSet>) => Effect.Effect<ReadonlyArray<string>>
}

const world = <E>(use: (world: World) => Effect.Effect<unknown, E>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const wire = yield* cable(url)
      const transactor = layer.pipe(
        Layer.provide([Wakeups.layer, Faults.layer, NewIds.layer, ListHorizon.layer]),
        Layer.provide(Postgres.layer({ url: Redacted.make(wire.url), connections: 10, name: "test" }))
      )
      const { commit } = Context.get(yield* Layer.build(transactor), Transactor)
      const outcomeOf = (set: ChangeSet) =>
        Effect.map(
          Effect.result(commit("one lane", set)),
          Result.match({
            onSuccess: () => "ok",
            onFailure: (error) => (error._tag === "NotCommitted" ? error.reason : error._tag)
          })
        )
      yield* use({
        wire,
        sql: yield* connect(url),
        commit: (...sets) => Effect.forEach(sets, outcomeOf, { concurrency: "unbounded" })
      })
    })
  )

/** The answer to the next batch with this text is lost, as its connection is. */
const written = (wire: Cable, text: string) => wire.loseAnswer(text, "SELECT 1")

const keyOf = (data: string): IdempotencyKey => ({
  id: "key",
  version: 4711,
  merchantId: pendingOrder.merchantId,
  mode: pendingOrder.mode,
  fingerprint: "f",
  createdAt,
  state: "done",
  leaseUntil: null,
  run: null,
  status: 200,
  data
})

describe("a batch whose commit was not answered", () => {
  it.live("is answered as written when it is, and nothing is written twice", () =>
    world(({ commit, sql, wire }) =>
      Effect.gen(function* () {
        written(wire, "insert into orders")
        const sets = [[insertion(orderOf(1))], [insertion(orderOf(2)), insertion(orderOf(3))]]
        assert.deepStrictEqual(yield* commit(...sets), ["ok", "ok"])
        assert.strictEqual((yield* sql`select 1 from orders`).length, 3)
      })
    )
  )

  it.live("is written when it is not", () =>
    world(({ commit, sql, wire }) =>
      Effect.gen(function* () {
        wire.cutAt("insert into orders")
        const waiting = yield* Effect.forkChild(commit([insertion(orderOf(1))], [insertion(orderOf(2))]))
        yield* Effect.yieldNow
        yield* Effect.andThen(
          eventually(
            "the wire to be cut",
            Effect.sync(() => wire.isCut())
          ),
          Effect.sync(wire.heal)
        )
        assert.deepStrictEqual(yield* Fiber.join(waiting), ["ok", "ok"])
        assert.strictEqual((yield* sql`select 1 from orders`).length, 2)
      })
    )
  )

  it.live("of updates that follow one another is answered as written when the last one's row is there", () =>
    world(({ commit, sql, wire }) =>
      Effect.gen(function* () {
        yield* commit([insertion(orderOf(1))])
        written(wire, "update orders")
        assert.deepStrictEqual(yield* commit([noted(1, 1, "a")], [noted(1, 2, "b")], [noted(1, 3, "c")]), [
          "ok",
          "ok",
          "ok"
        ])
        assert.deepStrictEqual(yield* sql`select version, metadata from orders`, [
          { version: 4, metadata: { note: "c" } }
        ])
      })
    )
  )

  it.live("has an unknown end when another writer has changed its only row since", () =>
    world(({ commit, sql, wire }) =>
      Effect.gen(function* () {
        yield* commit([insertion(orderOf(1))])
        wire.cutAt("update orders")
        const waiting = yield* Effect.forkChild(commit([noted(1, 1, "ours")]))
        yield* eventually(
          "the wire to be cut",
          Effect.sync(() => wire.isCut())
        )
        yield* sql`update orders set version = 2, metadata = '{"note": "theirs"}'`
        wire.heal()
        assert.deepStrictEqual(yield* Fiber.join(waiting), ["unknown"])
        assert.deepStrictEqual(yield* sql`select version, metadata from orders`, [
          { version: 2, metadata: { note: "theirs" } }
        ])
      })
    )
  )

  it.live("is refused as a lost race when a row of its own is not there and another writer was first", () =>
    world(({ commit, sql, wire }) =>
      Effect.gen(function* () {
        yield* commit([insertion(orderOf(1))])
        wire.cutAt("update orders")
        const waiting = yield* Effect.forkChild(commit([noted(1, 1, "ours"), insertion(orderOf(2))]))
        yield* eventually(
          "the wire to be cut",
          Effect.sync(() => wire.isCut())
        )
        yield* sql`update orders set version = 2`
        wire.heal()
        assert.deepStrictEqual(yield* Fiber.join(waiting), ["StaleVersion"])
        assert.strictEqual((yield* sql`select 1 from orders`).length, 1)
      })
    )
  )

  it.live("knows its claim of a key from that of another request with the same key", () =>
    world(({ commit, sql, wire }) =>
      Effect.gen(function* () {
        written(wire, "insert into idempotency_keys")
        assert.deepStrictEqual(yield* commit([insert(idempotencyKeys, keyOf("ours"))]), ["ok"])
        yield* sql`delete from idempotency_keys`
        // Once more, with the statement prepared anew: another request is first.
        wire.cutAt("insert into idempotency_keys")
        const waiting = yield* Effect.forkChild(
          commit([insert(idempotencyKeys, keyOf("ours")), insert(idempotencyKeys, { ...keyOf("ours"), id: "other" })])
        )
        yield* eventually(
          "the wire to be cut",
          Effect.sync(() => wire.isCut())
        )
        yield* sql`insert into idempotency_keys (id, version, merchant_id, mode, fingerprint, created_at, state)
          select 'key', 7, ${pendingOrder.merchantId}, ${pendingOrder.mode}, 'f', now(), 'released'`
        wire.heal()
        assert.deepStrictEqual(yield* Fiber.join(waiting), ["AlreadyExists"])
      })
    )
  )

  it.live("that is still under way on its old session is waited for, and not written beside itself", () =>
    world(({ commit, sql, wire }) =>
      Effect.gen(function* () {
        yield* commit([insertion(orderOf(1))])
        const waiting = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select 1 from orders where trade_no = ${number(1)} for update`
            const waiting = yield* Effect.forkDetach(commit([noted(1, 1, "ours"), insertion(orderOf(2))]))
            yield* eventually(
              "the batch to wait for the lock",
              Effect.map(
                sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
                ({ length }) => length > 0
              )
            )
            // Postgres does not notice that its client is gone while it waits, and goes on when the lock is free.
            wire.cut()
            wire.heal()
            return waiting
          })
        )
        assert.deepStrictEqual(yield* Fiber.join(waiting), ["ok"])
        assert.deepStrictEqual(yield* sql`select trade_no, version from orders order by trade_no`, [
          { trade_no: number(1), version: 2 },
          { trade_no: number(2), version: 1 }
        ])
      })
    )
  )

  it.live("that a list has overtaken since is answered as written when it is", () =>
    world(({ commit, sql, wire }) =>
      Effect.gen(function* () {
        const { merchantId, mode } = pendingOrder
        wire.cutAt("insert into orders")
        const waiting = yield* Effect.forkChild(commit([insertion(orderOf(1)), insertion(orderOf(2))]))
        yield* eventually(
          "the wire to be cut",
          Effect.sync(() => wire.isCut())
        )
        yield* sql`update list_horizons set shown = '00000000000000000000000009'
          where merchant_id = ${merchantId} and mode = ${mode}`
        const [row] = yield* sql`select 1 from list_horizons where merchant_id = ${merchantId} and mode = ${mode}`
        if (row === undefined)
          yield* sql`insert into list_horizons (merchant_id, mode, shown, calls)
            values (${merchantId}, ${mode}, '00000000000000000000000009', '')`
        wire.heal()
        assert.deepStrictEqual(yield* Fiber.join(waiting), ["overtaken"])
        assert.strictEqual((yield* sql`select 1 from orders`).length, 0)

        written(wire, "insert into orders")
        yield* sql`update list_horizons set shown = ''`
        const raised = yield* Effect.forkChild(commit([insertion(orderOf(3)), insertion(orderOf(4))]))
        assert.deepStrictEqual(yield* Fiber.join(raised), ["ok"])
      })
    )
  )
})
