/** Group commit on a real database: what is written together, what fails alone, and in which order. */
import { assert, describe, it } from "@effect/vitest"
import { evolve } from "@coffer/rules/order/decide"
import { walletIdOf } from "@coffer/rules/wallet/Wallet"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { type ChangeSet, insert } from "../../src/platform/commit/Change.ts"
import { Transactor } from "../../src/platform/commit/Transactor.ts"
import { manyMin } from "../../src/platform/commit/waitingSets.ts"
import { insertion } from "../../src/money/orders/OrderStore.ts"
import { Faults } from "../../src/platform/runtime/Faults.ts"
import { ledger } from "../../src/money/wallets/WalletStore.ts"
import { commitAll, noted, number, orderOf, withTransactor } from "../kit/rows/commits.ts"
import { facts, PaymentSucceeded, pendingOrder } from "../kit/rules/fixtures.ts"

describe("a batch", () => {
  it.live("a set whose key is taken fails alone; the sets around it are written", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const outcomes = yield* commitAll([
          [insertion(orderOf(1))],
          [insertion(orderOf(2, "cart-1"))],
          [insertion(orderOf(3))],
          [insertion(orderOf(1, "cart-4"))]
        ])
        assert.deepStrictEqual(outcomes, ["ok", "AlreadyExists", "ok", "AlreadyExists"])
        assert.strictEqual((yield* sql`select 1 from orders`).length, 2)
      })
    )
  )

  it.live("a set is all or nothing: a stale row keeps its other rows out", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* commitAll([[insertion(orderOf(1))], [insertion(orderOf(2))]])
        const outcomes = yield* commitAll([
          [noted(1, 1, "fresh"), insertion(orderOf(3))],
          [noted(2, 7, "stale"), insertion(orderOf(4))]
        ])
        assert.deepStrictEqual(outcomes, ["ok", "StaleVersion"])
        assert.deepStrictEqual(yield* sql`select trade_no, metadata from orders order by trade_no`, [
          { trade_no: number(1), metadata: { note: "fresh" } },
          { trade_no: number(2), metadata: {} },
          { trade_no: number(3), metadata: {} }
        ])
      })
    )
  )

  it.live("updates that follow one another are one write, guarded by the first one's version", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* commitAll([[insertion(orderOf(1))]])
        const outcomes = yield* commitAll([[noted(1, 1, "a")], [noted(1, 2, "b")], [noted(1, 3, "c")]])
        assert.deepStrictEqual(outcomes, ["ok", "ok", "ok"])
        assert.deepStrictEqual(yield* sql`select version, metadata from orders`, [
          { version: 4, metadata: { note: "c" } }
        ])
      })
    )
  )

  it.live("when one of a chain of updates fails, those that build on it fail, and those before it stand", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* commitAll([[insertion(orderOf(1))], [insertion(orderOf(2))]])
        const outcomes = yield* commitAll([
          [noted(1, 1, "a")],
          [noted(1, 2, "b"), noted(2, 9, "stale")],
          [noted(1, 3, "c")]
        ])
        assert.deepStrictEqual(outcomes, ["ok", "StaleVersion", "StaleVersion"])
        assert.deepStrictEqual(yield* sql`select version, metadata from orders where trade_no = ${number(1)}`, [
          { version: 2, metadata: { note: "a" } }
        ])
      })
    )
  )

  it.live("a set is not refused for the sake of one before it that fails", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* commitAll([[insertion(orderOf(1))], [insertion(orderOf(2))]])
        const outcomes = yield* commitAll([
          [insertion(orderOf(1, "other"))],
          [noted(1, 1, "valid")],
          [noted(2, 9, "stale")],
          [noted(2, 1, "valid")]
        ])
        assert.deepStrictEqual(outcomes, ["AlreadyExists", "ok", "StaleVersion", "ok"])
        const notes = yield* sql`select metadata from orders`
        assert.deepStrictEqual(notes, [{ metadata: { note: "valid" } }, { metadata: { note: "valid" } }])
      })
    )
  )

  it.live("a set that was left out for the sake of one that is not written is written after all", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* commitAll([[insertion(orderOf(1))]])
        assert.deepStrictEqual(yield* commitAll([[insertion(orderOf(1))], [noted(1, 1, "valid")]]), [
          "AlreadyExists",
          "ok"
        ])
        assert.deepStrictEqual(yield* sql`select metadata from orders`, [{ metadata: { note: "valid" } }])
      })
    )
  )

  it.live("that is written has its replies after the next one has gone to Postgres, where many wait", () => {
    const steps: Array<string> = []
    let meanwhile: Effect.Effect<unknown> = Effect.void
    const faults = Layer.succeed(Faults, {
      around: (_point, effect) =>
        Effect.suspend(() => {
          steps.push("write")
          return Effect.andThen(meanwhile, effect)
        })
    })
    return withTransactor(
      Effect.gen(function* () {
        const { commit, submit } = yield* Transactor
        const waiting: Array<ReturnType<typeof submit>> = []
        meanwhile = Effect.sync(() => {
          for (let index = 2; index < 2 + manyMin; index++) {
            waiting.push(submit(`lane ${index}`, [insertion(orderOf(index))], 5_000))
          }
          meanwhile = Effect.void
        })
        yield* commit("one lane", [insertion(orderOf(1))])
        steps.push("reply")
        assert.deepStrictEqual(steps, ["write", "write", "reply"])
        for (const written of waiting) yield* written!
        const sql = yield* SqlClient.SqlClient
        assert.strictEqual((yield* sql`select 1 from orders`).length, 1 + manyMin)
      }),
      [],
      faults
    )
  })

  it.live(
    "is written set by set when Postgres refuses one, without those whose callers were told that they are not",
    () => {
      let writes = 0
      let others: Effect.Effect<unknown> = Effect.void
      const faults = Layer.succeed(Faults, {
        // The first write alone takes until the time of another set is over.
        around: (_point, effect) => Effect.suspend(() => (++writes === 2 ? Effect.andThen(others, effect) : effect))
      })
      return withTransactor(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { submit } = yield* Transactor
          const broken = insertion({ ...orderOf(2), amount: 0 as typeof pendingOrder.amount })
          const [first, late, last] = [
            submit("a", [insertion(orderOf(1))], 5_000),
            submit("b", [insertion(orderOf(3))], 1),
            submit("c", [broken], 5_000)
          ].map((written) => Effect.map(Effect.result(written!), Result.isSuccess))
          others = late!
          assert.deepStrictEqual(yield* Effect.all([first!, late!, last!]), [true, false, false])
          assert.deepStrictEqual(yield* sql`select trade_no from orders`, [{ trade_no: number(1) }])
        }),
        Array.from({ length: 4 }, () => /orders_amount_check/),
        faults
      )
    }
  )

  it.live("a set that Postgres refuses fails alone", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const broken = insertion({ ...orderOf(2), amount: 0 as typeof pendingOrder.amount })
        assert.deepStrictEqual(yield* commitAll([[insertion(orderOf(1))], [broken], [insertion(orderOf(3))]]), [
          "ok",
          "NotCommitted",
          "ok"
        ])
        assert.strictEqual((yield* sql`select 1 from orders`).length, 2)
      }),
      // The batch, its parts, and the single set likewise.
      Array.from({ length: 4 }, () => /violates check constraint "orders_amount_check"/)
    )
  )

  it.live("a set has the same outcome alone as beside another", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const outcomesOf = Effect.fnUntraced(function* (from: number, isAlone: boolean) {
          const besides: ReadonlyArray<ChangeSet> = isAlone ? [] : [[insertion(orderOf(from + 9))]]
          const [one, two] = [from + 1, from + 2]
          const outcomes: Array<string> = []
          const sets: ReadonlyArray<ChangeSet> = [
            [insertion(orderOf(one)), insertion(orderOf(two))],
            [noted(one, 1, "a"), noted(two, 1, "b")],
            [noted(one, 2, "c"), noted(two, 1, "stale")],
            [insertion(orderOf(from + 3, `cart-${one}`)), noted(two, 2, "its number is taken")],
            Array.from({ length: 6 }, (_, index) => insertion(orderOf(from + 10 + index)))
          ]
          for (const set of sets) outcomes.push(...(yield* commitAll([set, ...besides])).slice(0, 1))
          return outcomes
        })
        const expected = ["ok", "ok", "StaleVersion", "AlreadyExists", "ok"]
        assert.deepStrictEqual(yield* outcomesOf(100, true), expected)
        assert.deepStrictEqual(yield* outcomesOf(200, false), expected)
        const notes = yield* sql<{ note: string }>`select metadata->>'note' as note from orders
          where metadata ? 'note' order by trade_no`
        assert.deepStrictEqual(
          notes.map(({ note }) => note),
          ["a", "b", "a", "b"]
        )
      })
    )
  )

  it.live("text arrives as it was sent: quotes, backslashes, braces, commas, lines, NULL, emoji", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const hostile = [
          '"',
          "\\",
          "{}",
          "a,b",
          "NULL",
          "null",
          "",
          "😀",
          "'; drop table orders; --",
          '\\"{,}',
          'a "b"\n\tc'
        ]
        const sets = (from: number) =>
          hostile.map((subject, index): ChangeSet => [insertion({ ...orderOf(from + index), subject })])
        yield* commitAll(sets(0))
        for (const set of sets(100)) yield* commitAll([set])
        const rows = yield* sql<{ subject: string }>`select subject from orders order by trade_no`
        assert.deepStrictEqual(
          rows.map(({ subject }) => subject),
          [...hostile, ...hostile]
        )
      })
    )
  )

  it.live(
    "a lane outlives a set that no statement can be made of: its batch ends as unknown, the next is written",
    () =>
      withTransactor(
        Effect.gen(function* () {
          const transactor = yield* Transactor
          const broken = [{ op: "insert", table: "no_such_table", row: {} }] as unknown as ChangeSet
          for (let times = 0; times < 3; times++) {
            const error = yield* Effect.flip(transactor.commit("one lane", broken))
            assert.deepInclude(error, { _tag: "NotCommitted", reason: "unknown" })
          }
          yield* transactor.commit("one lane", [insertion(orderOf(1))])
        })
      )
  )

  it.live("100 writers of one row by two lanes: each version is taken once", () =>
    withTransactor(
      Effect.gen(function* () {
        const transactor = yield* Transactor
        const sql = yield* SqlClient.SqlClient
        yield* commitAll([[insertion(orderOf(1))]])
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, index) => index),
          (index) => Effect.result(transactor.commit(`lane ${index}`, [noted(1, 1, `writer ${index}`)])),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(outcomes.filter(Result.isSuccess).length, 1)
        assert.deepStrictEqual(yield* sql`select version from orders`, [{ version: 2 }])
      })
    )
  )
})

describe("the ledger", () => {
  it.live("refuses to change or remove a row", () =>
    withTransactor(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { amount, currency, merchantId, mode, tradeNo } = pendingOrder
        const walletId = walletIdOf(pendingOrder)
        yield* sql`insert into wallets
          values (${walletId}, 0, 'm', 'sandbox', 'USD', 0, 0, 0, 0, 0, 0, '', '', '2026-01-01')`
        const written = yield* commitAll([
          [
            insertion(evolve(pendingOrder, PaymentSucceeded.make({ facts }))),
            insert(
              ledger,
              {
                id: "LED_1",
                sequence: 1,
                merchantId,
                mode,
                currency,
                type: "payment_credit",
                amount,
                balanceBefore: 0,
                balanceAfter: amount,
                frozenAfter: 0,
                referenceId: tradeNo,
                description: "",
                createdAt: pendingOrder.createdAt,
                previousHash: "",
                hash: ""
              },
              { walletId }
            )
          ]
        ])
        assert.deepStrictEqual(written, ["ok"])
        for (const attempt of [sql`update ledger set amount = 2`, sql`delete from ledger`, sql`truncate ledger`]) {
          assert.isTrue(Result.isFailure(yield* Effect.result(attempt)))
        }
        assert.strictEqual((yield* sql`select 1 from ledger where amount = ${amount}`).length, 1)
      }),
      Array.from({ length: 3 }, () => /permission denied for table ledger/)
    )
  )
})
