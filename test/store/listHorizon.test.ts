/** How far lists may show an account's rows, while another transaction is under way (docs/decisions/0050). */
import { MerchantId, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Deferred, Effect, Exit, Fiber, identity, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rowOf } from "../../src/shared/logs/logRow.ts"
import * as LogStore from "../../src/shared/logs/LogStore.ts"
import { insertion } from "../../src/money/orders/OrderStore.ts"
import { NotCommitted } from "../../src/platform/commit/Change.ts"
import { readHorizons, paramsOf } from "../../src/platform/commit/numbered.ts"
import * as Transactors from "../../src/platform/commit/Transactor.ts"
import * as Wakeups from "../../src/platform/commit/Wakeups.ts"
import type { DatabaseHealth } from "../../src/platform/postgres/DatabaseHealth.ts"
import * as Horizons from "../../src/platform/postgres/ListHorizon.ts"
import * as Pages from "../../src/platform/postgres/Pages.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import * as NewIds from "../../src/platform/runtime/NewIds.ts"
import { noted, orderOf } from "../kit/rows/commits.ts"
import { callOf } from "../kit/rows/logStore.ts"
import { eventually } from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"

/** The account whose orders the kit makes. */
const account: Account = { merchantId: MerchantId.make(`mer_${"0".repeat(25)}1`), mode: "sandbox" }
/** Its horizon is read before that of the other. */
const firstAccount: Account = { ...account, merchantId: MerchantId.make(`mer_${"0".repeat(26)}`) }
const number = (index: number) => String(index).padStart(26, "0")

/** One runner's knowledge of horizons. */
const horizonOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    Layer.build(Layer.provide(Layer.fresh(Horizons.layer), Layer.succeed(SqlClient.SqlClient, sql))),
    Context.get(Horizons.ListHorizon)
  )

/** Two runners that list, and a connection of the service for a batch that has read the horizon. */
const inDatabase = Effect.gen(function* () {
  const url = yield* freshDatabase
  const connections = yield* Layer.build(Postgres.layer({ url: Redacted.make(url), connections: 8, name: "test" }))
  const sql = Context.get(connections, SqlClient.SqlClient)
  for (const { merchantId, mode } of [firstAccount, account]) {
    yield* sql`insert into list_horizons (merchant_id, mode) values (${merchantId}, ${mode})`
  }
  const shown = Effect.map(
    sql<{ shown: string }>`select shown from list_horizons where merchant_id = ${account.merchantId}`,
    ([row]) => row!.shown
  )
  return {
    connections: Layer.succeedContext(connections),
    sql,
    shown,
    one: yield* horizonOf(sql),
    two: yield* horizonOf(sql)
  }
})

/** The transactor of another runner. */
const transactorOn = (connections: Layer.Layer<DatabaseHealth | SqlClient.SqlClient | Postgres.Exclusive>) =>
  Transactors.layer.pipe(
    Layer.provide([Wakeups.layer, Faults.layer, NewIds.layer, Layer.fresh(Horizons.layer)]),
    Layer.provide(connections),
    Layer.build,
    Effect.map(Context.get(Transactors.Transactor))
  )

/** A transaction that stays open after this statement until it is released. */
const standing = Effect.fnUntraced(function* <E>(sql: SqlClient.SqlClient, statement: Effect.Effect<unknown, E>) {
  const [done, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const transaction = yield* Effect.forkScoped(
    sql`set local idle_in_transaction_session_timeout = 0`.pipe(
      Effect.andThen(statement),
      Effect.andThen(Deferred.succeed(done, undefined)),
      Effect.andThen(Deferred.await(over)),
      sql.withTransaction
    )
  )
  yield* Deferred.await(done)
  return { end: Effect.andThen(Deferred.succeed(over, undefined), Fiber.join(transaction)) }
})

/** Reads the horizon as a batch does, and stays open. */
const standingBatch = (sql: SqlClient.SqlClient) =>
  standing(sql, sql.unsafe(readHorizons, paramsOf([{ ...account, lowest: number(1) }])))

/** A statement waits for a lock: it sees what was committed before. */
const aStatementWaits = (sql: SqlClient.SqlClient) =>
  eventually(
    "a statement to wait for a lock",
    Effect.map(
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      ({ length }) => length > 0
    )
  )

/** Raises the horizon to this number while a batch is open, as a list of another runner does. */
const raisedBeside = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { raise }: Horizons.ListHorizon["Service"],
  of: Horizons.Numbered,
  body: string
) {
  const batch = yield* standingBatch(sql)
  const list = yield* Effect.forkChild(raise(of, account, body), { startImmediately: true })
  yield* eventually(
    "the horizon to be raised",
    Effect.map(
      sql`select from list_horizons where merchant_id = ${account.merchantId} and ${sql(of)} = ${body}`,
      ({ length }) => length > 0
    )
  )
  yield* batch.end
  assert.strictEqual(yield* Fiber.join(list), body)
})

describe("a list that has something new", () => {
  it.live("waits for a batch that has looked at the horizon before, and for no other", () =>
    Effect.gen(function* () {
      const { one, shown, sql } = yield* inDatabase
      const batch = yield* standingBatch(sql)
      const list = yield* Effect.forkChild(one.raise("shown", account, number(5)), { startImmediately: true })
      yield* eventually(
        "the horizon to be raised",
        Effect.map(shown, (upTo) => upTo === number(5))
      )
      const later = yield* standingBatch(sql)
      assert.isUndefined(list.pollUnsafe())
      yield* batch.end
      assert.strictEqual(yield* Fiber.join(list), number(5))
      yield* later.end
    })
  )

  it.live("waits for the batch that began last, while the horizon was raised and not committed yet", () =>
    Effect.gen(function* () {
      const { one, sql } = yield* inDatabase
      const [raised, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      // As another list raises it. No transaction with a later number than the batch's ends before the list looks.
      const raising = yield* Effect.forkChild(
        sql`update list_horizons set shown = ${number(5)}`.pipe(
          Effect.andThen(Deferred.succeed(raised, undefined)),
          Effect.andThen(Deferred.await(over)),
          sql.withTransaction
        )
      )
      yield* Deferred.await(raised)
      const batch = yield* standingBatch(sql)
      yield* Deferred.succeed(over, undefined)
      yield* Fiber.join(raising)
      // Its wait ended without success: the batch is still blocked.
      assert.isTrue(Exit.hasDies(yield* Effect.exit(one.raise("shown", account, number(5)))))
      yield* batch.end
      assert.strictEqual(yield* one.raise("shown", account, number(5)), number(5))
    })
  )

  it.live("that waits in vain shows no more than is certain, however far other lists have raised the horizon", () =>
    Effect.gen(function* () {
      const { one, shown, sql, two } = yield* inDatabase
      assert.strictEqual(yield* two.raise("shown", account, number(2)), number(2))
      const batch = yield* standingBatch(sql)
      const first = yield* Effect.forkChild(Effect.exit(one.raise("shown", account, number(5))), {
        startImmediately: true
      })
      yield* eventually(
        "the horizon to be raised",
        Effect.map(shown, (upTo) => upTo === number(5))
      )
      assert.strictEqual(yield* two.raise("shown", account, number(4)), number(2))
      assert.strictEqual(two.raisedTo("shown", account), number(2))
      // It has listed nothing of this account yet, and fails instead of showing an empty list.
      assert.isTrue(Exit.hasDies(yield* Fiber.join(first)))
      yield* batch.end
      assert.strictEqual(yield* two.raise("shown", account, number(4)), number(5))
      assert.strictEqual(yield* one.raise("shown", account, number(5)), number(5))
    })
  )
})

// silences: P24
describe("a reader who continues from the number in a create's answer, which no list has shown", () => {
  it.live("loses no row from its first list on: an earlier number that is written then is made again", () =>
    Effect.gen(function* () {
      const { connections, one, sql } = yield* inDatabase
      const orders = Pages.make(
        sql,
        {
          table: { name: "orders", key: "trade_no", row: Schema.Struct({ trade_no: Schema.String }), read: identity },
          prefixOf: () => prefixes.tradeNo.sandbox,
          called: "an order"
        },
        one
      )
      // The reader's own runner has an earlier order in its queue.
      one.awaits("shown", () => number(3))
      const { commit } = yield* transactorOn(connections)
      yield* commit("lane", [insertion(orderOf(5))])
      const cursor = { param: "ending_before", id: orderOf(5).tradeNo } as const
      const request = { limit: 10, cursor, created: { from: undefined, to: undefined } }
      const page = orders.page(account, request, { filters: [] })
      assert.deepStrictEqual(yield* page, { data: [], hasMore: false })
      const told = yield* Effect.flip(commit("lane", [insertion(orderOf(3))]))
      assert.deepStrictEqual({ ...told }, { ...new NotCommitted({ reason: "overtaken" }) })
      one.awaits("shown", () => undefined)
      yield* commit("lane", [insertion(orderOf(6))])
      assert.deepStrictEqual((yield* page).data, [{ trade_no: orderOf(6).tradeNo }])
    })
  )
})

describe("a batch that looks at the horizon", () => {
  it.live("has a number by which lists can wait for it, before it has read the horizon", () =>
    Effect.gen(function* () {
      const { sql } = yield* inDatabase
      const numbers = paramsOf([
        { ...account, merchantId: MerchantId.make(`mer_${"1".repeat(26)}`), lowest: number(1) }
      ])
      const [row] = yield* sql.withTransaction(
        // It finds no horizon, so no lock has given it the number.
        Effect.andThen(
          sql.unsafe(readHorizons, numbers),
          sql<{ has: boolean }>`select pg_current_xact_id_if_assigned() is not null as has`
        )
      )
      assert.isTrue(row?.has)
    })
  )
})

describe("a horizon that was raised beside a batch, after another statement had begun", () => {
  it.live("overtakes a batch that has waited for a row since, and looks then", () =>
    Effect.gen(function* () {
      const { connections, one, sql } = yield* inDatabase
      const { commit } = yield* transactorOn(connections)
      yield* commit("lane", [insertion(orderOf(1))])
      const row = yield* standing(sql, sql`select from orders for update`)
      const late = yield* Effect.forkScoped(Effect.flip(commit("lane", [noted(1, 1, "late"), insertion(orderOf(3))])), {
        startImmediately: true
      })
      yield* aStatementWaits(sql)
      yield* raisedBeside(sql, one, "shown", number(5))
      yield* row.end
      assert.deepStrictEqual({ ...(yield* Fiber.join(late)) }, { ...new NotCommitted({ reason: "overtaken" }) })
    })
  )

  it.live("overtakes API logs that have waited for another account's list since, and are looked at then", () =>
    Effect.gen(function* () {
      const { connections, one, sql } = yield* inDatabase
      const layers = LogStore.layer.pipe(
        Layer.provide([NewIds.layer, Layer.fresh(Horizons.layer)]),
        Layer.provide(connections)
      )
      const { insert } = Context.get(yield* Layer.build(layers), LogStore.LogStore)
      const at = yield* DateTime.now
      const rows = [callOf(2, { ...firstAccount, at }), callOf(3, { ...account, at }), callOf(6, { ...account, at })]
      const row = yield* standing(
        sql,
        sql`select from list_horizons where merchant_id = ${firstAccount.merchantId} for update`
      )
      const late = yield* Effect.forkScoped(insert(rows.map(rowOf)), { startImmediately: true })
      yield* aStatementWaits(sql)
      yield* raisedBeside(sql, one, "calls", number(5))
      yield* row.end
      assert.strictEqual(yield* Fiber.join(late), 1)
      assert.deepStrictEqual(
        yield* sql`select request_id from api_logs order by request_id`,
        [2, 6].map((index) => ({ request_id: `req_${number(index)}` }))
      )
    })
  )
})
