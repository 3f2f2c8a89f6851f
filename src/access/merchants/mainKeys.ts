/** The main keys of a merchant, one in each environment: reset with an overlap, and their old secrets ended. */
import type { Account } from "@coffer/model/Account"
import { isoText } from "@coffer/model/isoText"
import { Scope } from "@coffer/model/Scopes"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Faults } from "../../platform/runtime/Faults.ts"
import * as oneAtATime from "../../platform/postgres/oneAtATime.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { makeKeySecrets, type Rolling } from "./keySecrets.ts"
import { changedChannel } from "./MerchantStore.ts"
import { type Maker, makeStillGives } from "./stillGives.ts"

export const makeMainKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const faults = yield* Faults
  const secrets = makeKeySecrets(sql)
  const stillGives = makeStillGives(sql)
  const serial = oneAtATime.make(sql)

  /** Of two at once the second sees what the first has written. All runners are notified at the commit. */
  const changing = <A, E>({ merchantId }: Account, change: Effect.Effect<A, E>) =>
    faults.around(
      "Store.write",
      sqlDefects(
        sql
          .withTransaction(
            Effect.gen(function* () {
              yield* sql`select 1 from merchants where merchant_id = ${merchantId} for update`
              const changed = yield* change
              yield* sql`select pg_notify(${changedChannel}, ${merchantId})`
              return changed
            })
          )
          .pipe(serial)
      ),
      () => "merchants"
    )

  return {
    reset: (account: Account, keyHash: string, rolling: Rolling, by: Maker) => {
      const { merchantId, mode } = account
      const gift = { merchant_id: merchantId, mode, scopes: Scope.literals }
      const reset = Effect.andThen(secrets.roll(account, keyHash, rolling), noteReset(sql, account, keyHash, rolling))
      return changing(account, Effect.andThen(reset, stillGives("main_keys.reset", by, gift)))
    },
    endOld: (account: Account) => changing(account, Effect.andThen(secrets.endOld(account), noteEnd(sql, account))),
    oldEnds: (account: Account, now: DateTime.Utc) => sqlDefects(secrets.oldEnds(account, now))
  }
})

/**
 * For runners of the version before, which look for a key in these columns. They have a place for one old key: the
 * first that still works keeps it, since a later one may be of a reset whose answer was lost.
 */
const noteReset = (
  sql: SqlClient.SqlClient,
  { merchantId, mode }: Account,
  keyHash: string,
  { endsAt, now }: Rolling
) => {
  const [at, end] = [sql`${isoText(now)}::text::timestamptz`, sql`${isoText(endsAt)}::text::timestamptz`]
  const previous = DateTime.isGreaterThan(endsAt, now)
    ? sql`previous_key_hash = case when previous_until > ${at} then previous_key_hash else key_hash end,
        previous_until = case when previous_until > ${at} then least(previous_until, ${end}) else ${end} end`
    : sql`previous_key_hash = null, previous_until = null`
  return sql`update merchant_modes set key_hash = ${keyHash}, ${previous}
    where merchant_id = ${merchantId} and mode = ${mode}`
}

const noteEnd = (sql: SqlClient.SqlClient, { merchantId, mode }: Account) =>
  sql`update merchant_modes set previous_key_hash = null, previous_until = null
    where merchant_id = ${merchantId} and mode = ${mode}`
