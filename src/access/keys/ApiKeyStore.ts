/**
 * Rows of keys with scopes and of their secrets. They are written rarely: plain statements, and no owner. Each change
 * of what a call needs notifies all runners in its transaction, as a change of the merchant does.
 */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { ApiKeyId, apiKeyPrefix, MerchantId } from "@coffer/model/Ids"
import { scopedKeysMax } from "@coffer/model/Limits"
import { rowFields } from "@coffer/resources/listed"
import { apiKeys } from "@coffer/resources/merchants"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { makeKeySecrets, type Rolling, type TooManyOldSecrets } from "../merchants/keySecrets.ts"
import { changedChannel } from "../merchants/MerchantStore.ts"
import { type Maker, type MakerLeft, makeStillGives } from "../merchants/stillGives.ts"
import { arrayLiteral } from "../../platform/postgres/arrayLiteral.ts"
import * as numbersInOrder from "../../platform/postgres/numbersInOrder.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { along } from "../../platform/postgres/scans.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"

export const ApiKey = Schema.Struct(rowFields(apiKeys, TimeColumn))
export type ApiKey = typeof ApiKey.Type

/** The environment has reached its limit of active keys. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", {}) {}

/** A key of a merchant. */
export interface KeyOf {
  readonly merchantId: string
  readonly keyId: string
}

/** When a key was last used, and from where. */
export interface Use {
  readonly keyId: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly ip: string
}

export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    readonly find: (key: KeyOf) => Effect.Effect<Option.Option<ApiKey>>
    /** Newest first. */
    readonly page: (account: Account, request: PageRequest) => Effect.Effect<Page<ApiKey>, InvalidField>
    readonly insert: (
      make: (keyId: ApiKeyId) => ApiKey,
      keyHash: string,
      now: DateTime.Utc,
      by: Maker
    ) => Effect.Effect<ApiKey, MakerLeft | TooManyKeys>
    /** None if the key has ended. */
    readonly update: (
      key: KeyOf,
      change: Pick<ApiKey, "name" | "ip_allowlist">,
      now: DateTime.Utc,
      by: Maker
    ) => Effect.Effect<Option.Option<ApiKey>, MakerLeft>
    /** Adds the newest secret; the others end at `endsAt` at the latest. None if the key has ended. */
    readonly roll: (
      key: KeyOf,
      keyHash: string,
      rolling: Rolling,
      by: Maker
    ) => Effect.Effect<Option.Option<ApiKey>, MakerLeft | TooManyOldSecrets>
    /** Ends all secrets but the newest. None if the key has ended. */
    readonly endPrevious: (key: KeyOf, now: DateTime.Utc) => Effect.Effect<Option.Option<ApiKey>>
    /** The revoked key, with the time of its first revocation. */
    readonly revoke: (key: KeyOf, now: DateTime.Utc) => Effect.Effect<Option.Option<ApiKey>>
    /** When each old secret of these keys ends that still works, the next end first. */
    readonly oldEndsOf: (
      keyIds: ReadonlyArray<string>,
      now: DateTime.Utc
    ) => Effect.Effect<(keyId: string) => ReadonlyArray<DateTime.Utc>>
    readonly noteUses: (uses: ReadonlyArray<Use>) => Effect.Effect<void>
  }
>()("@coffer/keys/ApiKeyStore") {}

/** The condition for an active key. */
const isActive = (sql: SqlClient.SqlClient, now: DateTime.Utc) =>
  sql`revoked_at is null and (expires_at is null or expires_at > ${isoText(now)}::text::timestamptz)`

export const layer = Layer.effect(
  ApiKeyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const writing = <A, E>(write: Effect.Effect<A, E>) => faults.around("Store.write", write, () => "api_keys")
    const insert = makeInsert(sql, yield* NewIds)
    const secrets = makeKeySecrets(sql)
    const stillGives = makeStillGives(sql)
    // Numbers rise in the order of commits, so the list needs no horizon.
    const pages = Pages.make(sql, {
      table: { name: "api_keys", key: "key_id", row: ApiKey, read: (row) => row },
      prefixOf: () => apiKeyPrefix,
      called: "a key of this merchant in this environment"
    })
    const ofKey = ({ keyId, merchantId }: KeyOf) => sql`key_id = ${keyId} and merchant_id = ${merchantId}`
    const one = (statement: Statement.Statement<object>) =>
      Effect.map(Effect.flatMap(statement, decodeKeys), ([key]) => Option.fromNullishOr(key))
    const announce = ({ merchantId }: KeyOf) => sql`select pg_notify(${changedChannel}, ${merchantId})`
    /** A text that cannot be a number is not looked up: Postgres refuses a text with NUL. */
    const changing = <E>(key: KeyOf, change: Effect.Effect<Option.Option<ApiKey>, E>) =>
      isKeyOf(key) ? sql.withTransaction(Effect.tap(change, () => announce(key))) : Effect.succeedNone

    return ApiKeyStore.of({
      find: (key) =>
        isKeyOf(key) ? sqlDefects(one(sql`select * from api_keys where ${ofKey(key)}`)) : Effect.succeedNone,
      page: (account, request) => pages.page(account, request, { path: along({}), filters: [] }),
      insert: (make, keyHash, now, by) => writing(sqlDefects(insert(make, keyHash, now, by))),
      update: (key, { ip_allowlist, name }, now, by) => {
        const updated = one(sql`update api_keys set name = ${name}, ip_allowlist = ${ip_allowlist}
          where ${ofKey(key)} and ${isActive(sql, now)} returning *`)
        const change = Effect.tap(updated, (found) =>
          Option.isSome(found) ? stillGives("api_keys.update", by, found.value) : Effect.void
        )
        return writing(sqlDefects(changing(key, change)))
      },
      roll: (key, keyHash, rolling, by) => {
        const { endsAt, now } = rolling
        const rolled = one(
          sql`update api_keys set rolled_at = ${isoText(now)}::text::timestamptz, rolled_by = ${by.email},
              previous_until = ${isoText(endsAt)}::text::timestamptz
            where ${ofKey(key)} and ${isActive(sql, now)} returning *`
        )
        const change = Effect.tap(rolled, (found) =>
          Option.isSome(found)
            ? Effect.andThen(stillGives("api_keys.roll", by, found.value), secrets.roll(key, keyHash, rolling))
            : Effect.void
        )
        return writing(sqlDefects(changing(key, change)))
      },
      endPrevious: (key, now) => {
        const ended = one(sql`update api_keys set previous_until = null
          where ${ofKey(key)} and ${isActive(sql, now)} returning *`)
        const change = Effect.tap(ended, (found) =>
          Option.isSome(found) ? Effect.asVoid(secrets.endOld(key)) : Effect.void
        )
        return writing(sqlDefects(changing(key, change)))
      },
      revoke: (key, now) =>
        writing(
          sqlDefects(
            changing(
              key,
              one(sql`update api_keys set revoked_at = coalesce(revoked_at, ${isoText(now)}::text::timestamptz)
                where ${ofKey(key)} returning *`)
            )
          )
        ),
      oldEndsOf: (keyIds, now) => sqlDefects(secrets.oldEndsOf(keyIds, now)),
      noteUses: (uses) => sqlDefects(noteUses(sql, uses))
    })
  })
)

const isKeyId = Schema.is(ApiKeyId)
const isMerchantId = Schema.is(MerchantId)
const isKeyOf = ({ keyId, merchantId }: KeyOf) => isKeyId(keyId) && isMerchantId(merchantId)

const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(ApiKey))
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))

/** The lock for numbers also makes the count exact. */
const makeInsert = (sql: SqlClient.SqlClient, ids: NewIds["Service"]) => {
  const stillGives = makeStillGives(sql)
  const numbered = numbersInOrder.make(sql, ids, { table: "api_keys", key: "key_id", prefix: apiKeyPrefix })
  return (make: (keyId: ApiKeyId) => ApiKey, keyHash: string, now: DateTime.Utc, by: Maker) =>
    numbered(
      Effect.fnUntraced(function* (id: string) {
        const key = make(ApiKeyId.make(id))
        const [{ count }] = yield* decodeCount(
          yield* sql`select count(*)::int4 as count from api_keys
            where merchant_id = ${key.merchant_id} and mode = ${key.mode} and ${isActive(sql, now)}`
        )
        if (count >= scopedKeysMax) return yield* new TooManyKeys()
        // A concurrent removal of the person either shows this key in its list, or prevents it.
        yield* stillGives("api_keys.create", by, key)
        yield* sql`insert into api_keys
            (key_id, merchant_id, mode, name, scopes, ip_allowlist, created_at, expires_at, created_by)
          values (${id}, ${key.merchant_id}, ${key.mode}, ${key.name}, ${arrayLiteral(key.scopes)}::text::text[],
            ${key.ip_allowlist}, ${isoText(key.created_at)}::text::timestamptz,
            ${isoTextOrNull(key.expires_at)}::text::timestamptz, ${key.created_by})`
        yield* makeKeySecrets(sql).add({ keyId: id }, keyHash)
        return key
      })
    )
}

/** The latest use that any runner saw is kept. Locked rows are skipped, and updated the next time. */
const noteUses = (sql: SqlClient.SqlClient, uses: ReadonlyArray<Use>) => {
  const values = sql`unnest(${uses.map(({ keyId }) => keyId)}::text[],
    ${uses.map(({ at }) => isoText(DateTime.makeUnsafe(at)))}::text[],
    ${uses.map(({ ip }) => ip)}::text[]) as given (key_id, at, ip)`
  return sql`with held as (select k.key_id, given.at::timestamptz as at, nullif(given.ip, '') as ip
      from api_keys k join ${values} using (key_id)
      where k.last_used_at is null or k.last_used_at < given.at::timestamptz for update of k skip locked)
    update api_keys k set last_used_at = held.at, last_used_ip = held.ip from held where k.key_id = held.key_id`
}
