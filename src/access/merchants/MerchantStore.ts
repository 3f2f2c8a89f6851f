/** Rows of merchants and of their two environments. They are written rarely: plain statements, and no owner. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { MerchantQuery } from "@coffer/contract/Operator"
import { FeeByCurrency, FeeSchedule } from "@coffer/model/Fees"
import { MerchantId, Mode, prefixes } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { OfferedMethods } from "@coffer/model/PaymentMethod"
import { QuotaOverrides } from "@coffer/model/Quotas"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Domain } from "@coffer/rules/shop/domain"
import { DefaultEndpoint, Endpoint, StoredSecrets } from "@coffer/rules/webhooks/Settings"
import { Context, type DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { ChannelAccounts } from "../../shared/channel/ChannelAccount.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import * as numbersInOrder from "../../platform/postgres/numbersInOrder.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { isStorable } from "../../platform/postgres/scans.ts"
import * as oneAtATime from "../../platform/postgres/oneAtATime.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { jsonText, TimeColumn } from "../../platform/runtime/codecs.ts"
import { makeKeySecrets } from "./keySecrets.ts"
import { KeyOwner, scopedKeyOf, type SentKey } from "./ScopedKey.ts"
import { settingsIdOf } from "./webhookSettings.ts"

const ModeRow = Schema.Struct({
  ip_allowlist: Schema.String,
  default_notify_url: Schema.NullOr(Schema.String),
  /** Kept when the address is removed. */
  default_endpoint: Schema.NullOr(DefaultEndpoint),
  /** Null while every method is offered. */
  payment_methods: Schema.NullOr(OfferedMethods),
  /** The confirmed addresses for mails; only in the sandbox. */
  mail_recipients: Schema.Array(Schema.String),
  /** Its accounts at acquirers. */
  channel_accounts: ChannelAccounts,
  /** A row of its own, which `src/webhooks/deliveries` changes. */
  webhooks: Schema.Struct({ signing: StoredSecrets, endpoints: Schema.Array(Endpoint) })
})
export type ModeRow = typeof ModeRow.Type

const MerchantRow = Schema.Struct({
  merchant_id: MerchantId,
  name: Schema.String,
  /** The name of its file. */
  logo: Schema.NullOr(Schema.String),
  support_email: Schema.NullOr(Schema.String),
  support_url: Schema.NullOr(Schema.String),
  terms_url: Schema.NullOr(Schema.String),
  privacy_url: Schema.NullOr(Schema.String),
  business_address: Schema.NullOr(Schema.String),
  tax_id: Schema.NullOr(Schema.String),
  /** `#rrggbb`, in small letters. */
  accent_color: Schema.NullOr(Schema.String),
  contact_email: Schema.NullOr(Schema.String),
  time_zone: Schema.String,
  /** Its host for checkout; a row of its own. */
  domain: Schema.NullOr(Domain),
  approved: Schema.Boolean,
  live_currencies: Schema.Array(Currency),
  fees: FeeSchedule,
  dispute_fee: FeeByCurrency,
  payout_fee: FeeByCurrency,
  quotas: QuotaOverrides,
  suspended_at: Schema.NullOr(TimeColumn),
  closed_at: Schema.NullOr(TimeColumn),
  note: Schema.NullOr(Schema.String),
  created_at: TimeColumn,
  modes: Schema.Struct({ sandbox: ModeRow, live: ModeRow })
})
export type MerchantRow = typeof MerchantRow.Type

/** A key that was sent, with its merchant and mode. */
export interface FoundKey extends SentKey {
  readonly merchant: MerchantRow
  readonly mode: Mode
}

const SealedRow = Schema.Struct({ id: Schema.String, merchantId: MerchantId, mode: Mode, current: Schema.String })
export type SealedRow = typeof SealedRow.Type

/** Rows in one page of signing secrets. */
const sealedPage = 500

/** A new merchant, with the hash of its first key in each environment. */
interface NewRows {
  readonly merchant: MerchantRow
  readonly keyHashes: Readonly<Record<Mode, string>>
}

export class MerchantStore extends Context.Service<
  MerchantStore,
  {
    readonly byId: (merchantId: string) => Effect.Effect<Option.Option<MerchantRow>>
    /** The merchant and environment of the key with this hash, and the key if it has scopes: it may have ended. */
    readonly byKeyHash: (hash: string) => Effect.Effect<Option.Option<FoundKey>>
    /** Whether a key with this hash was a merchant's, and has ended. */
    readonly wasKey: (hash: string) => Effect.Effect<boolean>
    readonly insert: <A extends NewRows>(make: (merchantId: MerchantId) => Effect.Effect<A>) => Effect.Effect<A>
    /**
     * Applies the patch under a lock on the row. The same transaction notifies all runners. `check` runs after the
     * write, in the transaction, and rolls it back if it fails.
     */
    readonly modify: <E = never>(
      merchantId: string,
      patch: (row: MerchantRow) => MerchantRow,
      check?: Effect.Effect<void, E>
    ) => Effect.Effect<Option.Option<MerchantRow>, E>
    /** Whether the clock of its sandbox was moved, or is advancing. */
    readonly isClockMoved: (merchantId: string) => Effect.Effect<boolean>
    readonly isEmpty: Effect.Effect<boolean>
    /** Sandboxes whose clock is ahead, and by how many milliseconds. */
    readonly movedClocks: Effect.Effect<ReadonlyArray<MovedSandbox>>
    /** The same for one merchant. */
    readonly movedClock: (merchantId: string) => Effect.Effect<ReadonlyArray<MovedSandbox>>
    /** Newest first. */
    readonly page: (request: PageRequest, query: MerchantQuery) => Effect.Effect<Page<MerchantRow>, InvalidField>
    /** The next page of accounts' secrets that are encrypted in this form, by merchant and environment. */
    readonly sealedAs: (form: string, after?: SealedRow) => Effect.Effect<ReadonlyArray<SealedRow>>
    /** Stores `fresh` as the secret of the row, unless the secret has changed meanwhile. */
    readonly reseal: (row: SealedRow, fresh: string) => Effect.Effect<void>
  }
>()("@coffer/merchants/MerchantStore") {}

/** NOTIFY channel: the merchant whose settings changed. */
export const changedChannel = "coffer_merchants"

export const layer = Layer.effect(
  MerchantStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const { byId, byKeyHash, isEmpty } = makeReads(sql)
    const { insert, modify } = makeWrites(sql, byId)
    const numbered = numbersInOrder.make(sql, yield* NewIds, {
      table: "merchants",
      key: "merchant_id",
      prefix: prefixes.merchant
    })
    const { reseal, sealedAs } = makeSigningSecrets(sql)

    return MerchantStore.of({
      byId: (merchantId) => sqlDefects(byId(merchantId)),
      byKeyHash: (hash) => sqlDefects(byKeyHash(hash)),
      wasKey: (hash) =>
        sqlDefects(
          Effect.map(
            sql`select 1 from ended_keys where key_hash = ${hash}
              union all select 1 from api_key_secrets where key_hash = ${hash}`,
            ({ length }) => length > 0
          )
        ),
      insert: (make) => {
        const write = (id: string) => Effect.tap(make(MerchantId.make(id)), insert)
        return faults.around("Store.write", sqlDefects(numbered(write)), () => "merchants")
      },
      modify: (merchantId, patch, check) =>
        faults.around("Store.write", sqlDefects(modify(merchantId, patch, check)), () => "merchants"),
      isClockMoved: (merchantId) =>
        Effect.map(
          sqlDefects(sql`select 1 from sandbox_clocks
            where merchant_id = ${merchantId} and (offset_ms > 0 or target is not null)`),
          ({ length }) => length > 0
        ),
      sealedAs: (form, after) => sqlDefects(sealedAs({ form, after: after?.id ?? "" })),
      reseal: (row, fresh) => sqlDefects(reseal(row, fresh)),
      isEmpty: sqlDefects(isEmpty),
      movedClocks: selectMovedClocks(sql, sql``),
      movedClock: (merchantId) => selectMovedClocks(sql, sql`and merchant_id = ${merchantId}`),
      page: makePage(sql)
    })
  })
)

const selectMerchants = (sql: SqlClient.SqlClient) => sql`select m.*, (
    select jsonb_object_agg(mode, to_jsonb(mm) - 'merchant_id' - 'mode'
        || jsonb_build_object('webhooks', jsonb_build_object('signing', w.signing, 'endpoints', w.endpoints)))
      from merchant_modes mm join webhook_settings w using (merchant_id, mode)
      where mm.merchant_id = m.merchant_id) as modes,
    (select to_jsonb(d) - 'merchant_id' from shop_domains d where d.merchant_id = m.merchant_id) as domain
  from merchants m`

const makeReads = (sql: SqlClient.SqlClient) => {
  const byId = SqlSchema.findOneOption({
    Request: Schema.String,
    Result: MerchantRow,
    execute: (merchantId) => sql`${selectMerchants(sql)} where m.merchant_id = ${merchantId}`
  })

  const ownerOfHash = SqlSchema.findOneOption({
    Request: Schema.String,
    Result: KeyOwner,
    execute: (hash) =>
      sql`select coalesce(k.merchant_id, s.merchant_id) as merchant_id, coalesce(k.mode, s.mode) as mode, s.ends_at,
          k.key_id, k.scopes, k.ip_allowlist, k.expires_at, k.revoked_at
        from api_key_secrets s left join api_keys k using (key_id) where s.key_hash = ${hash}`
  })
  const byKeyHash = Effect.fnUntraced(function* (hash: string) {
    const owner = yield* ownerOfHash(hash)
    if (Option.isNone(owner)) return Option.none()
    const merchant = yield* byId(owner.value.merchant_id)
    const { ends_at, mode } = owner.value
    return Option.map(merchant, (merchant): FoundKey => ({ merchant, mode, key: scopedKeyOf(owner.value), ends_at }))
  })

  const isEmpty = Effect.map(sql`select 1 from merchants limit 1`, (rows) => rows.length === 0)
  return { byId, byKeyHash, isEmpty }
}

/** The settings of a page are read in one more statement: lists filter only by columns of `merchants`. */
const makePage = (sql: SqlClient.SqlClient): MerchantStore["Service"]["page"] => {
  const pages = Pages.make(sql, {
    table: { name: "merchants", key: "merchant_id", row: ListedRow, read: ({ merchant_id }) => merchant_id },
    prefixOf: () => prefixes.merchant,
    called: "a merchant"
  })
  const byIds = SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: MerchantRow,
    execute: (ids) => sql`${selectMerchants(sql)} where m.merchant_id = any(${ids})`
  })
  const statuses = {
    unapproved: sql`not approved and suspended_at is null and closed_at is null`,
    approved: sql`approved and suspended_at is null and closed_at is null`,
    suspended: sql`suspended_at is not null and closed_at is null`,
    closed: sql`closed_at is not null`
  }
  return Effect.fnUntraced(function* (request, { search, status }) {
    const named = search === undefined ? [] : [contains(sql, search)]
    const filters = [...named, ...(status === undefined ? [] : [statuses[status]])]
    const page = yield* pages.page("installation", request, { filters })
    const found = new Map((yield* sqlDefects(byIds(page.data))).map((row) => [row.merchant_id as string, row]))
    return { ...page, data: page.data.flatMap((id) => found.get(id) ?? []) }
  })
}

const MovedSandbox = Schema.Struct({ merchantId: Schema.String, offset: Schema.Int })
export type MovedSandbox = typeof MovedSandbox.Type

const selectMovedClocks = (sql: SqlClient.SqlClient, also: Statement.Fragment) =>
  sqlDefects(
    Effect.flatMap(
      sql`select merchant_id as "merchantId", offset_ms as offset from sandbox_clocks where offset_ms > 0 ${also}`,
      decodeClocks
    )
  )
const decodeClocks = Schema.decodeUnknownEffect(Schema.Array(MovedSandbox))

const ListedRow = Schema.Struct({ merchant_id: Schema.String })

const contains = (sql: SqlClient.SqlClient, text: string) =>
  isStorable(text) ? sql`position(lower(${text}) in lower(name)) > 0` : sql`false`

const writeMode = (sql: SqlClient.SqlClient, row: MerchantRow, mode: Mode) => {
  const { channel_accounts, default_endpoint, default_notify_url, ip_allowlist } = row.modes[mode]
  const { mail_recipients, payment_methods } = row.modes[mode]
  const endpoint = default_endpoint === null ? null : jsonText(default_endpoint)
  return sql`update merchant_modes set ip_allowlist = ${ip_allowlist}, default_notify_url = ${default_notify_url},
    default_endpoint = ${endpoint}::text::jsonb,
    payment_methods = ${payment_methods === null ? null : textArray(payment_methods)}::text::text[],
    mail_recipients = ${textArray(mail_recipients)}::text::text[],
    channel_accounts = ${jsonText(channel_accounts)}::text::jsonb
    where merchant_id = ${row.merchant_id} and mode = ${mode}`
}

const makeWrites = (sql: SqlClient.SqlClient, byId: ReturnType<typeof makeReads>["byId"]) => {
  const secrets = makeKeySecrets(sql)
  const insert = ({ keyHashes, merchant: row }: NewRows) =>
    Effect.gen(function* () {
      yield* sql`insert into merchants (merchant_id, name, approved, live_currencies, fees, dispute_fee,
            payout_fee, quotas, created_at)
          values (${row.merchant_id}, ${row.name}, ${row.approved}, ${textArray(row.live_currencies)}::text::text[],
            ${jsonText(row.fees)}::text::jsonb, ${jsonText(row.dispute_fee)}::text::jsonb,
            ${jsonText(row.payout_fee)}::text::jsonb, ${jsonText(row.quotas)}::text::jsonb,
            ${isoText(row.created_at)}::text::timestamptz)`
      for (const mode of Mode.literals) {
        const { webhooks, ...settings } = row.modes[mode]
        const id = settingsIdOf({ merchantId: row.merchant_id, mode })
        yield* secrets.add({ merchantId: row.merchant_id, mode }, keyHashes[mode])
        yield* sql`insert into merchant_modes (merchant_id, mode, key_hash, ip_allowlist, default_notify_url)
            values (${row.merchant_id}, ${mode}, ${keyHashes[mode]}, ${settings.ip_allowlist},
              ${settings.default_notify_url})`
        yield* sql`insert into webhook_settings (id, version, merchant_id, mode, signing, endpoints)
            values (${id}, 1, ${row.merchant_id}, ${mode}, ${jsonText(webhooks.signing)}::text::jsonb,
              ${jsonText(webhooks.endpoints)}::text::jsonb)`
      }
    })

  const write = Effect.fnUntraced(function* (row: MerchantRow) {
    yield* sql`update merchants set name = ${row.name}, approved = ${row.approved},
      live_currencies = ${textArray(row.live_currencies)}::text::text[], fees = ${jsonText(row.fees)}::text::jsonb,
      dispute_fee = ${jsonText(row.dispute_fee)}::text::jsonb,
      payout_fee = ${jsonText(row.payout_fee)}::text::jsonb,
      quotas = ${jsonText(row.quotas)}::text::jsonb, logo = ${row.logo}, support_email = ${row.support_email},
      support_url = ${row.support_url}, terms_url = ${row.terms_url}, privacy_url = ${row.privacy_url},
      business_address = ${row.business_address}, tax_id = ${row.tax_id},
      accent_color = ${row.accent_color}, contact_email = ${row.contact_email}, time_zone = ${row.time_zone},
      note = ${row.note},
      suspended_at = ${row.suspended_at === null ? null : isoText(row.suspended_at)}::text::timestamptz,
      closed_at = ${row.closed_at === null ? null : isoText(row.closed_at)}::text::timestamptz
      where merchant_id = ${row.merchant_id}`
    for (const mode of Mode.literals) yield* writeMode(sql, row, mode)
    // Postgres sends it at the commit, so its receivers read the new row.
    yield* sql`select pg_notify(${changedChannel}, ${row.merchant_id})`
  })

  const replace = Effect.fnUntraced(function* (before: MerchantRow, row: MerchantRow) {
    yield* write(row)
    if (row.domain !== before.domain) yield* writeDomain(sql, row)
    for (const mode of Mode.literals) {
      if (before.modes[mode].default_endpoint !== null || row.modes[mode].default_endpoint === null) continue
      // An endpoint that was numbered without the new address has to be decided again.
      const id = settingsIdOf({ merchantId: row.merchant_id, mode })
      yield* sql`update webhook_settings set version = version + 1 where id = ${id}`
    }
  })

  const serial = oneAtATime.make(sql)
  const modify = <E = never>(
    merchantId: string,
    patch: (row: MerchantRow) => MerchantRow,
    check: Effect.Effect<void, E> = Effect.void
  ) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const settings = Mode.literals.map((mode) => settingsIdOf({ merchantId: MerchantId.make(merchantId), mode }))
          yield* sql`select 1 from merchants where merchant_id = ${merchantId} for update`
          // A single address is numbered after the endpoints, which the merchant may be changing.
          yield* sql`select 1 from webhook_settings where id = any(${settings}) order by id for update`
          // A look-up of the host may be writing its findings.
          yield* sql`select 1 from shop_domains where merchant_id = ${merchantId} for update`
          const before = yield* byId(merchantId)
          const row = Option.map(before, patch)
          if (Option.isSome(before) && Option.isSome(row)) yield* replace(before.value, row.value)
          yield* check
          return row
        })
      )
      .pipe(serial)

  return { insert, modify }
}

/** The host that a merchant wants now, or none. `domains/DomainStore.ts` writes the findings of a look-up. */
const writeDomain = (sql: SqlClient.SqlClient, { domain, merchant_id }: MerchantRow) => {
  if (domain === null) return sql`delete from shop_domains where merchant_id = ${merchant_id}`
  const { checked_at, host, next_check_at, pending_since, problem, token, unproven_since, verified_at } = domain
  const at = (time: DateTime.Utc | null) => sql`${isoTextOrNull(time)}::text::timestamptz`
  return sql`insert into shop_domains (merchant_id, host, token, pending_since, checked_at, verified_at,
      unproven_since, problem, next_check_at)
    values (${merchant_id}, ${host}, ${token}, ${at(pending_since)}, ${at(checked_at)}, ${at(verified_at)},
      ${at(unproven_since)}, ${problem}::text, ${at(next_check_at)})
    on conflict (merchant_id) do update set host = excluded.host, token = excluded.token,
      pending_since = excluded.pending_since, checked_at = excluded.checked_at, verified_at = excluded.verified_at,
      unproven_since = excluded.unproven_since, problem = excluded.problem, next_check_at = excluded.next_check_at,
      mail_at = case when shop_domains.token = excluded.token then shop_domains.mail_at end`
}

const makeSigningSecrets = (sql: SqlClient.SqlClient) => {
  const sealedAs = SqlSchema.findAll({
    Request: Schema.Struct({ form: Schema.String, after: Schema.String }),
    Result: SealedRow,
    execute: ({ after, form }) =>
      sql`select id, merchant_id as "merchantId", mode, signing->>'current' as current from webhook_settings
        where signing->>'current' like ${`${form}.%`} and id > ${after} order by id limit ${sealedPage}`
  })
  const reseal = ({ current, id }: SealedRow, fresh: string) =>
    Effect.asVoid(sql`update webhook_settings set version = version + 1,
      signing = jsonb_set(signing, '{current}', to_jsonb(${fresh}::text))
      where id = ${id} and signing->>'current' = ${current}`)

  return { sealedAs, reseal }
}

/** For words without quotes and commas. */
const textArray = (words: ReadonlyArray<string>): string => `{${words.join(",")}}`
