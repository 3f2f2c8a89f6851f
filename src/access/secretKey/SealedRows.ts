/**
 * The rows with encrypted texts, part by part, and how a page of each is encrypted again. Other secrets that
 * `SECRET_KEY` protects are not stored, or do not change with it (docs/decisions/0017).
 */
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Endpoint, StoredSecrets } from "@coffer/rules/webhooks/Settings"
import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Channel } from "../../shared/channel/Channel.ts"
import { ChannelAccounts } from "../../shared/channel/ChannelAccount.ts"
import { sealedFor } from "../../shared/idempotency/Answering.ts"
import { changedChannel } from "../merchants/MerchantStore.ts"
import { useOf } from "../merchants/signingSecrets.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"
import type { Secrets } from "../../platform/runtime/Secrets.ts"

export interface Page {
  /** The last key of the page; undefined when there is none after the given one. */
  readonly last: string | undefined
  /** Texts that were encrypted again. */
  readonly resealed: number
}

export interface Part {
  readonly name: "webhook_settings" | "idempotency_keys" | "merchant_modes" | "erasures"
  /** Encrypts the next page of rows again, in the caller's transaction. */
  readonly page: (after: string) => Effect.Effect<Page, SqlError.SqlError | Schema.SchemaError>
}

/** A row has up to some forty secrets. */
const settingsMax = 200
const answersMax = 2_000

const Secret = Schema.toEncoded(StoredSecrets)
const Settings = Schema.Struct({
  id: Schema.String,
  merchantId: MerchantId,
  mode: Mode,
  signing: Secret,
  endpoints: Schema.Array(Schema.toEncoded(Endpoint))
})
const decodeSettings = Schema.decodeUnknownEffect(Schema.Array(Settings))

const Accounts = Schema.Struct({ merchantId: MerchantId, mode: Mode, accounts: ChannelAccounts })
const decodeOwners = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ merchantId: MerchantId })))
const decodeAccounts = Schema.decodeUnknownEffect(Schema.Array(Accounts))

const Answer = Schema.Struct({ id: Schema.String, sealed: Schema.NullOr(Schema.String) })
const decodeAnswers = Schema.decodeUnknownEffect(Schema.Array(Answer))

export const parts = (
  sql: SqlClient.SqlClient,
  secrets: Secrets["Service"],
  channel: Channel["Service"]
): ReadonlyArray<Part> => [
  settingsPart(sql, secrets),
  answersPart(sql, secrets),
  accountsPart(sql, secrets, channel),
  erasuresPart(sql, secrets)
]

/** Counts encrypted texts, and skips texts that none of our keys decrypts. */
const makeResealer = (secrets: Secrets["Service"]) => {
  const reseal = Option.liftThrowable(secrets.reseal)
  let resealed = 0
  const unreadable: Array<string> = []
  return {
    again: (sealed: string, use: string): string => {
      const fresh = reseal(sealed, use)
      if (Option.isNone(fresh)) unreadable.push(use)
      if (Option.isNone(fresh) || fresh.value === undefined) return sealed
      resealed++
      return fresh.value
    },
    count: () => resealed,
    complain: Effect.suspend(() =>
      unreadable.length === 0
        ? Effect.void
        : Effect.logError("secrets cannot be decrypted with any key").pipe(
            Effect.annotateLogs({ count: unreadable.length, first: unreadable[0] })
          )
    )
  }
}

const settingsPart = (sql: SqlClient.SqlClient, secrets: Secrets["Service"]): Part => ({
  name: "webhook_settings",
  page: Effect.fnUntraced(function* (after: string) {
    const rows = yield* decodeSettings(
      yield* sql`select id, merchant_id as "merchantId", mode, signing, endpoints from webhook_settings
        where id > ${after} order by id limit ${settingsMax}::int4 for update`
    )
    const { again, complain, count } = makeResealer(secrets)
    const stored = (secret: typeof Secret.Type, use: string): typeof Secret.Type => ({
      ...secret,
      current: again(secret.current, use),
      old: secret.old.map((old) => ({ ...old, secret: again(old.secret, use) }))
    })
    for (const row of rows) {
      const before = count()
      const signing = stored(row.signing, useOf(row, null))
      const endpoints = row.endpoints.map((endpoint) => ({
        ...endpoint,
        secrets: stored(endpoint.secrets, useOf(row, endpoint.id))
      }))
      if (count() === before) continue
      // With the version, so that a change that was decided on the row before is decided again.
      yield* sql`update webhook_settings set version = version + 1, signing = ${jsonText(signing)}::text::jsonb,
        endpoints = ${jsonText(endpoints)}::text::jsonb where id = ${row.id}`
    }
    yield* complain
    return { last: rows.at(-1)?.id, resealed: count() }
  })
})

/** Answers that show a secret are encrypted; all others are JSON. They are kept for a day. */
const answersPart = (sql: SqlClient.SqlClient, secrets: Secrets["Service"]): Part => ({
  name: "idempotency_keys",
  page: Effect.fnUntraced(function* (after: string) {
    const rows = yield* decodeAnswers(
      yield* sql`select id, case when data not like '{%' then data end as sealed from idempotency_keys
        where id > ${after} order by id limit ${answersMax}::int4`
    )
    const { again, complain, count } = makeResealer(secrets)
    for (const { id, sealed } of rows) {
      if (sealed === null) continue
      const fresh = again(sealed, sealedFor(id))
      if (fresh !== sealed) {
        yield* sql`update idempotency_keys set data = ${fresh} where id = ${id} and data = ${sealed}`
      }
    }
    yield* complain
    return { last: rows.at(-1)?.id, resealed: count() }
  })
})

/** The addresses of buyers who are being erased: each is encrypted until that is done. */
const erasuresPart = (sql: SqlClient.SqlClient, secrets: Secrets["Service"]): Part => ({
  name: "erasures",
  page: Effect.fnUntraced(function* (after: string) {
    const rows = yield* decodeAnswers(
      yield* sql`select erasure_no as id, sealed from erasures
        where status = 'running' and erasure_no > ${after} order by erasure_no limit ${answersMax}::int4`
    )
    const { again, complain, count } = makeResealer(secrets)
    for (const { id, sealed } of rows) {
      if (sealed === null) continue
      const fresh = again(sealed, sealedForErasure(id))
      yield* sql`update erasures set sealed = ${fresh} where erasure_no = ${id} and sealed = ${sealed}`
    }
    yield* complain
    return { last: rows.at(-1)?.id, resealed: count() }
  })
})

/** The purpose for which `src/reads/erasures`, which is wired above this room, encrypts an address. */
export const sealedForErasure = (erasureNo: string) => `erasures/${erasureNo}`

/** The keys of accounts at channels. A change of a merchant's settings locks the same row of `merchants`. */
const accountsPart = (sql: SqlClient.SqlClient, secrets: Secrets["Service"], channel: Channel["Service"]): Part => ({
  name: "merchant_modes",
  page: Effect.fnUntraced(function* (after: string) {
    const merchants = yield* decodeOwners(
      yield* sql`select distinct merchant_id as "merchantId" from merchant_modes
        where channel_accounts <> '{}' and merchant_id > ${after} order by 1 limit ${settingsMax}::int4`
    )
    const ids = merchants.map(({ merchantId }) => merchantId)
    // A statement of its own, so that the next one sees the writes of the lock's last holder.
    yield* sql`select 1 from merchants where merchant_id = any(${ids}::text[]) order by merchant_id for update`
    const rows = yield* decodeAccounts(
      yield* sql`select merchant_id as "merchantId", mode, channel_accounts as accounts from merchant_modes
        where merchant_id = any(${ids}::text[]) and channel_accounts <> '{}'`
    )
    const { again, complain, count } = makeResealer(secrets)
    for (const { accounts, merchantId, mode } of rows) {
      const before = count()
      const unknown = Object.keys(accounts).filter((name) => channel.all().every((each) => each.name !== name))
      if (unknown.length > 0)
        yield* Effect.logError(`accounts cannot be decrypted without their channels ${unknown.join(", ")}`)
      const resealed = channel.reseal({ merchantId, mode }, accounts, again)
      if (count() === before) continue
      yield* sql`update merchant_modes set channel_accounts = ${jsonText(resealed)}::text::jsonb
        where merchant_id = ${merchantId} and mode = ${mode}`
      yield* sql`select pg_notify(${changedChannel}, ${merchantId})`
    }
    yield* complain
    return { last: ids.at(-1), resealed: count() }
  })
})
