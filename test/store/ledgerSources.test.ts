/** A movement has its source, or Postgres refuses it (docs/decisions/0027). */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, type Scope } from "effect"
import type { SqlClient, SqlError as Errors } from "effect/sql"
import { busyDay } from "../kit/stories/busyDay.ts"
import { freshDatabase, ownersConnection, start } from "../kit/Service.ts"

type SqlError = Errors.SqlError

interface Kept {
  readonly sql: SqlClient.SqlClient
  readonly poor: string
  /** Locks all of these tables until the scope closes. */
  readonly lock: (tables: ReadonlyArray<string>) => Effect.Effect<void, SqlError, Scope.Scope>
}

class Books extends Context.Service<Books, Kept>()("test/ledgerSources/Books") {}

const books = Layer.effect(
  Books,
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const { poor } = yield* Effect.scoped(Effect.flatMap(start({ database, clock: "test" }), busyDay))
    const other = yield* ownersConnection(database)
    const lock = Effect.fnUntraced(function* (tables: ReadonlyArray<string>) {
      const locked = yield* Deferred.make<void>()
      const holding = other.withTransaction(
        other`set local idle_in_transaction_session_timeout = 0`.pipe(
          Effect.andThen(other.unsafe(`lock table ${tables.join(", ")} in access exclusive mode`)),
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Effect.never)
        )
      )
      yield* Effect.forkScoped(holding)
      yield* Deferred.await(locked)
    })
    return { sql: yield* ownersConnection(database), poor, lock }
  })
)

/** The source of each movement, and a state of it that leads to no such movement; undefined: every state does. */
const types: Readonly<Record<string, readonly [table: string, key: string, before: string | undefined]>> = {
  payment_credit: ["orders", "trade_no", "paid_at = null"],
  fee_debit: ["orders", "trade_no", "paid_at = null"],
  refund_freeze: ["refunds", "refund_no", "status = 'reserved'"],
  refund_debit: ["refunds", "refund_no", "status = 'pending'"],
  refund_unfreeze: ["refunds", "refund_no", "status = 'succeeded'"],
  dispute_freeze: ["disputes", "dispute_no", undefined],
  dispute_debit: ["disputes", "dispute_no", "status = 'under_review'"],
  dispute_fee: ["disputes", "dispute_no", "status = 'under_review'"],
  dispute_unfreeze: ["disputes", "dispute_no", "status = 'lost'"],
  payout_freeze: ["payouts", "payout_no", undefined],
  payout_success: ["payouts", "payout_no", "status = 'approved'"],
  payout_fee: ["payouts", "payout_no", "status = 'approved'"],
  payout_unfreeze: ["payouts", "payout_no", "status = 'approved'"]
}

layer(books, { excludeTestServices: true })("a movement", (it) => {
  it.effect("of every type that there is has a row in the table of this test", () =>
    Effect.gen(function* () {
      const { sql } = yield* Books
      const found = yield* sql<{ type: string }>`select distinct type from ledger`
      assert.sameMembers(
        found.map(({ type }) => type),
        Object.keys(types)
      )
    })
  )

  describe("and its wallet", () => {
    it.effect("which never has promised less than nothing", () =>
      Effect.gen(function* () {
        const { sql } = yield* Books
        const { reason } = yield* Effect.flip(sql`update wallets set reserved = -1`)
        assert.match(String(reason.cause), /wallets_reserved_check/)
        const said = yield* sql`select 1 from pg_constraint
          where conrelid = 'wallets'::regclass and pg_get_constraintdef(oid) like '%reserved >= 0%'`
        assert.lengthOf(said, 1, "said once")
      })
    )
  })

  for (const [type, [table, key, before]] of Object.entries(types)) {
    describe(type, () => {
      /** Removes the movement, does something, and makes it again, changed. Nothing of it stays. */
      const again = Effect.fnUntraced(function* (changed: string, meanwhile?: (source: string) => string) {
        const { poor, sql } = yield* Books
        const attempt = Effect.gen(function* () {
          // A statement that waits for a lock fails by that limit, before the limit of its duration.
          yield* sql`set local lock_timeout = '3s'`
          yield* sql`create temporary table taken on commit drop as
            select * from ledger where type = ${type} order by id limit 1`
          const [row] = yield* sql<{ reference_id: string }>`select reference_id from taken`
          yield* sql`alter table ledger disable trigger ledger_is_final`
          yield* sql`delete from ledger where id in (select id from taken)`
          yield* sql`alter table ledger enable trigger ledger_is_final`
          if (meanwhile !== undefined) yield* sql.unsafe(meanwhile(row!.reference_id))
          yield* sql.unsafe(`update taken set ${changed.replaceAll("$poor", poor)}`)
          yield* sql`update taken set wallet_id = concat_ws('/', merchant_id, mode, currency)
            where wallet_id not like 'in/%'`
          // The wallet that the movement goes to exists.
          yield* sql`create temporary table purse on commit drop as select * from wallets limit 1`
          yield* sql`update purse set wallet_id = (select wallet_id from taken)`
          yield* sql`insert into wallets select * from purse on conflict do nothing`
          yield* sql`insert into ledger select * from taken`
          return yield* Effect.fail("taken" as const)
        })
        const said = yield* Effect.flip(sql.withTransaction(attempt))
        return said === "taken" ? said : String(said.reason.cause)
      })
      const refused = /nothing that moves .* is there, or it has moved it already/

      it.effect("is taken when its source is there", () =>
        Effect.gen(function* () {
          assert.strictEqual(yield* again("type = type"), "taken")
        })
      )

      for (const [what, changed] of [
        ["of another amount", "amount = amount + 1"],
        ["in another wallet than its own", "wallet_id = 'in/another/wallet'"],
        ["of another merchant", "merchant_id = '$poor'"],
        ["of another currency", "currency = 'CNY'"],
        ["of the live environment", "mode = 'live'"],
        ["because of something that is not there", "reference_id = 'nothing'"],
        ["of a type that is not there", "type = 'gift'"]
      ] as const) {
        it.effect(`is refused ${what}`, () =>
          Effect.gen(function* () {
            assert.match(yield* again(changed), refused)
          })
        )
      }

      it.effect("is refused when its source is in a temporary table of the session", () =>
        Effect.gen(function* () {
          const temporary = (source: string) => `do $$ begin
            create temporary table ${table} on commit drop as select * from ${table};
            update ${table} set ${key} = 'nothing' where ${key} = '${source}';
          end $$`
          assert.match(yield* again("reference_id = 'nothing'", temporary), refused)
        })
      )

      it.effect("is refused if the session defines its own operators", () =>
        Effect.gen(function* () {
          const operators = () => `do $$ begin
            create schema own;
            create function own.yes(bigint, bigint) returns boolean language sql return true;
            create operator own.= (leftarg = bigint, rightarg = bigint, function = own.yes);
            set local search_path = own, public, pg_catalog;
          end $$`
          assert.match(yield* again("amount = amount + 1", operators), refused)
        })
      )

      it.effect("is refused a second time", () =>
        Effect.gen(function* () {
          const twice = yield* again(
            "type = type",
            (source) =>
              `insert into ledger select 'LED_7ZZZZZZZZZZZZZZZZZZZZZZZZZ', wallet_id, sequence + 1000, ${rest} from taken
              where reference_id = '${source}'`
          )
          assert.match(twice, refused)
        })
      )

      it.effect("waits for no lock on a table that it does not come from", () =>
        Effect.gen(function* () {
          const { lock } = yield* Books
          yield* lock([...new Set(Object.values(types).map(([each]) => each))].filter((each) => each !== table))
          assert.strictEqual(yield* again("type = type"), "taken")
        }).pipe(Effect.scoped)
      )

      if (before !== undefined) {
        it.effect(`is refused while its source has ${before}`, () =>
          Effect.gen(function* () {
            const undone = (source: string) => `update ${table} set ${before} where ${key} = '${source}'`
            assert.match(yield* again("type = type", undone), refused)
          })
        )
      }
    })
  }
})

/** After id, wallet and sequence. */
const rest = `merchant_id, mode, currency, type, amount, balance_before, balance_after, frozen_after, reference_id,
  description, created_at, previous_hash, hash`
