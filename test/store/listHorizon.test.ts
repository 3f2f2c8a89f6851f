/** How far lists may show what an account has, while somebody else's transaction is under way (docs/decisions/0050). */
import { MerchantId } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { looking, paramsOf } from "../../src/platform/commit/numbered.ts"
import * as Horizons from "../../src/platform/postgres/ListHorizon.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { eventually } from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"

const account: Account = { merchantId: MerchantId.make(`mer_${"0".repeat(26)}`), mode: "sandbox" }
const number = (index: number) => String(index).padStart(26, "0")

/** One runner's knowledge of horizons. */
const horizonOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    Layer.build(Layer.provide(Layer.fresh(Horizons.layer), Layer.succeed(SqlClient.SqlClient, sql))),
    Context.get(Horizons.ListHorizon)
  )

/** Two runners that list, and a connection of the service for a batch that has looked at the horizon. */
const inDatabase = Effect.gen(function* () {
  const url = yield* freshDatabase
  const connection = Layer.build(Postgres.layer({ url: Redacted.make(url), connections: 4, name: "test" }))
  const sql = Context.get(yield* connection, SqlClient.SqlClient)
  yield* sql`insert into list_horizons (merchant_id, mode) values (${account.merchantId}, ${account.mode})`
  const shown = Effect.map(
    sql<{ shown: string }>`select shown from list_horizons where merchant_id = ${account.merchantId}`,
    ([row]) => row!.shown
  )
  return { sql, shown, one: yield* horizonOf(sql), two: yield* horizonOf(sql) }
})

/** Looks as a batch does, and stands until it is let go. */
const standingBatch = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [looked, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const batch = yield* Effect.forkScoped(
    sql`set local idle_in_transaction_session_timeout = 0`.pipe(
      Effect.andThen(sql.unsafe(looking, paramsOf([{ ...account, lowest: number(1) }]))),
      Effect.andThen(Deferred.succeed(looked, undefined)),
      Effect.andThen(Deferred.await(over)),
      sql.withTransaction
    )
  )
  yield* Deferred.await(looked)
  return { end: Effect.andThen(Deferred.succeed(over, undefined), Fiber.join(batch)) }
})

describe("a list that has something new", () => {
  it.live("waits for a batch that has looked at the horizon before, and for no other", () =>
    Effect.gen(function* () {
      const { one, shown, sql } = yield* inDatabase
      const batch = yield* standingBatch(sql)
      const list = yield* Effect.forkChild(one.settle("shown", account, number(5)), { startImmediately: true })
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
      // It has waited in vain: the batch stands.
      assert.isTrue(Exit.hasDies(yield* Effect.exit(one.settle("shown", account, number(5)))))
      yield* batch.end
      assert.strictEqual(yield* one.settle("shown", account, number(5)), number(5))
    })
  )

  it.live("that waits in vain shows no more than was settled, however far other lists have raised the horizon", () =>
    Effect.gen(function* () {
      const { one, shown, sql, two } = yield* inDatabase
      assert.strictEqual(yield* two.settle("shown", account, number(2)), number(2))
      const batch = yield* standingBatch(sql)
      const first = yield* Effect.forkChild(Effect.exit(one.settle("shown", account, number(5))), {
        startImmediately: true
      })
      yield* eventually(
        "the horizon to be raised",
        Effect.map(shown, (upTo) => upTo === number(5))
      )
      assert.strictEqual(yield* two.settle("shown", account, number(4)), number(2))
      assert.strictEqual(two.settled("shown", account), number(2))
      // It has listed nothing of this account yet, and says so instead of an empty list.
      assert.isTrue(Exit.hasDies(yield* Fiber.join(first)))
      yield* batch.end
      assert.strictEqual(yield* two.settle("shown", account, number(4)), number(5))
      assert.strictEqual(yield* one.settle("shown", account, number(5)), number(5))
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
        // It finds no horizon, so that no lock has given it the number.
        Effect.andThen(
          sql.unsafe(looking, numbers),
          sql<{ has: boolean }>`select pg_current_xact_id_if_assigned() is not null as has`
        )
      )
      assert.isTrue(row?.has)
    })
  )
})
