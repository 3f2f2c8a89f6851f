/**
 * The secrets of a key, a row each, of a key with scopes and of a main key alike (docs/decisions/0241). The newest has
 * no end. Each earlier one keeps its own end, so that a roll whose answer was lost ends no secret that is in use.
 * Statements for a transaction that has locked the key.
 */
import type { Account } from "@coffer/model/Account"
import { isoText } from "@coffer/model/isoText"
import { oldKeySecretsMax } from "@coffer/model/Limits"
import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { TimeColumn } from "../../platform/runtime/codecs.ts"

/** Of a key with scopes, or of an account's main key. */
export type KeyWithSecrets = { readonly keyId: string } | Account

/** So many old secrets of the key still work that a roll with an overlap would add one too many. */
export class TooManyOldSecrets extends Schema.TaggedError<TooManyOldSecrets>()("TooManyOldSecrets", {}) {}

export interface Rolling {
  readonly now: DateTime.Utc
  /** When the present secret ends; earlier ones end by then, too. */
  readonly endsAt: DateTime.Utc
}

const Ends = Schema.Array(Schema.Struct({ key_id: Schema.NullOr(Schema.String), ends_at: TimeColumn }))
const decodeEnds = Schema.decodeUnknownEffect(Ends)

export const makeKeySecrets = (sql: SqlClient.SqlClient) => {
  const at = (time: DateTime.Utc) => sql`${isoText(time)}::text::timestamptz`
  // Over by the clock of every runner, also of one that is behind.
  const atOnce = sql`to_timestamp(0)`
  const of = (key: KeyWithSecrets) =>
    "keyId" in key ? sql`key_id = ${key.keyId}` : sql`merchant_id = ${key.merchantId} and mode = ${key.mode}`

  const ends = (which: ReturnType<typeof of>, now: DateTime.Utc) =>
    Effect.flatMap(
      sql`select key_id, ends_at from api_key_secrets where ${which} and ends_at > ${at(now)} order by ends_at`,
      decodeEnds
    )
  const add = (key: KeyWithSecrets, hash: string) =>
    "keyId" in key
      ? sql`insert into api_key_secrets (key_hash, key_id) values (${hash}, ${key.keyId})`
      : sql`insert into api_key_secrets (key_hash, merchant_id, mode) values (${hash}, ${key.merchantId}, ${key.mode})`

  return {
    /** The first secret of a new key. */
    add,
    roll: Effect.fnUntraced(function* (key: KeyWithSecrets, hash: string, { endsAt, now }: Rolling) {
      const overlaps = DateTime.isGreaterThan(endsAt, now)
      if (overlaps && (yield* ends(of(key), now)).length >= oldKeySecretsMax) return yield* new TooManyOldSecrets()
      yield* sql`update api_key_secrets set ends_at = least(ends_at, ${overlaps ? at(endsAt) : atOnce})
        where ${of(key)}`
      yield* add(key, hash)
    }),
    endOld: (key: KeyWithSecrets) =>
      sql`update api_key_secrets set ends_at = least(ends_at, ${atOnce}) where ${of(key)} and ends_at is not null`,
    endOne: (hash: string) =>
      sql`update api_key_secrets set ends_at = least(ends_at, ${atOnce}) where key_hash = ${hash}`,
    /** When each old secret ends that still works, the next end first. */
    oldEnds: (key: KeyWithSecrets, now: DateTime.Utc) =>
      Effect.map(ends(of(key), now), (rows) => rows.map(({ ends_at }) => ends_at)),
    /** The same of several keys with scopes. */
    oldEndsOf: (keyIds: ReadonlyArray<string>, now: DateTime.Utc) =>
      Effect.map(ends(sql`key_id = any(${keyIds})`, now), (rows) => {
        const byKey = Map.groupBy(rows, ({ key_id }) => key_id)
        return (keyId: string) => (byKey.get(keyId) ?? []).map(({ ends_at }) => ends_at)
      })
  }
}
