/** Rows of merchants and of their two environments. They are written rarely: plain statements, and no actor. */
import { FeeByCurrency, FeeSchedule } from "@coffer/model/Fees"
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { QuotaOverrides } from "@coffer/model/Quotas"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Faults } from "../platform/runtime/Faults.ts"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { isoText, jsonText, TimeColumn } from "../platform/runtime/codecs.ts"

const ModeRow = Schema.Struct({
  key_hash: Schema.String,
  signing_secret: Schema.String,
  ip_allowlist: Schema.String,
  default_notify_url: Schema.NullOr(Schema.String)
})
export type ModeRow = typeof ModeRow.Type

const MerchantRow = Schema.Struct({
  merchant_id: MerchantId,
  name: Schema.String,
  approved: Schema.Boolean,
  live_currencies: Schema.Array(Currency),
  fees: FeeSchedule,
  dispute_fee: FeeByCurrency,
  payout_fee: FeeByCurrency,
  quotas: QuotaOverrides,
  created_at: TimeColumn,
  modes: Schema.Struct({ sandbox: ModeRow, live: ModeRow })
})
export type MerchantRow = typeof MerchantRow.Type

const SealedRow = Schema.Struct({ merchant_id: Schema.String, mode: Mode, signing_secret: Schema.String })
export type SealedRow = typeof SealedRow.Type

/** Rows in one page of signing secrets. */
const sealedPage = 500

export class MerchantStore extends Context.Service<
  MerchantStore,
  {
    readonly byId: (merchantId: string) => Effect.Effect<Option.Option<MerchantRow>>
    /** The merchant and environment whose key has this hash. */
    readonly byKeyHash: (
      hash: string
    ) => Effect.Effect<Option.Option<{ readonly merchant: MerchantRow; readonly mode: Mode }>>
    readonly insert: (row: MerchantRow) => Effect.Effect<void>
    /** Applies the patch under a lock on the row. The same transaction notifies all runners. */
    readonly modify: (
      merchantId: string,
      patch: (row: MerchantRow) => MerchantRow
    ) => Effect.Effect<Option.Option<MerchantRow>>
    readonly isEmpty: Effect.Effect<boolean>
    /** The next page of signing secrets that are encrypted in this form, by merchant and environment. */
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
    const { reseal, sealedAs } = makeSigningSecrets(sql)

    return MerchantStore.of({
      byId: (merchantId) => sqlDefects(byId(merchantId)),
      byKeyHash: (hash) => sqlDefects(byKeyHash(hash)),
      insert: (row) => faults.around("Store.write", sqlDefects(insert(row)), () => "merchants"),
      modify: (merchantId, patch) =>
        faults.around("Store.write", sqlDefects(modify(merchantId, patch)), () => "merchants"),
      sealedAs: (form, after) =>
        sqlDefects(sealedAs({ form, merchantId: after?.merchant_id ?? "", mode: after?.mode ?? "" })),
      reseal: (row, fresh) => sqlDefects(reseal(row, fresh)),
      isEmpty: sqlDefects(isEmpty)
    })
  })
)

const makeReads = (sql: SqlClient.SqlClient) => {
  const selected = sql`select m.*, (
      select jsonb_object_agg(mode, to_jsonb(mm) - 'merchant_id' - 'mode') from merchant_modes mm
      where mm.merchant_id = m.merchant_id) as modes
    from merchants m`
  const byId = SqlSchema.findOneOption({
    Request: Schema.String,
    Result: MerchantRow,
    execute: (merchantId) => sql`${selected} where m.merchant_id = ${merchantId}`
  })

  const modeOfHash = SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Schema.Struct({ merchant_id: Schema.String, mode: Mode }),
    execute: (hash) => sql`select merchant_id, mode from merchant_modes where key_hash = ${hash}`
  })
  const byKeyHash = Effect.fnUntraced(function* (hash: string) {
    const owner = yield* modeOfHash(hash)
    if (Option.isNone(owner)) return Option.none()
    const merchant = yield* byId(owner.value.merchant_id)
    return Option.map(merchant, (merchant) => ({ merchant, mode: owner.value.mode }))
  })

  const isEmpty = Effect.map(sql`select 1 from merchants limit 1`, (rows) => rows.length === 0)
  return { byId, byKeyHash, isEmpty }
}

const makeWrites = (sql: SqlClient.SqlClient, byId: ReturnType<typeof makeReads>["byId"]) => {
  const insert = (row: MerchantRow) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`insert into merchants (merchant_id, name, approved, live_currencies, fees, dispute_fee,
            payout_fee, quotas, created_at)
          values (${row.merchant_id}, ${row.name}, ${row.approved}, ${currencies(row)}::text::text[],
            ${jsonText(row.fees)}::text::jsonb, ${jsonText(row.dispute_fee)}::text::jsonb,
            ${jsonText(row.payout_fee)}::text::jsonb, ${jsonText(row.quotas)}::text::jsonb,
            ${isoText(row.created_at)}::text::timestamptz)`
        for (const mode of Mode.literals) {
          const settings = row.modes[mode]
          yield* sql`insert into merchant_modes ${sql.insert({ merchant_id: row.merchant_id, mode, ...settings })}`
        }
      })
    )

  const write = Effect.fnUntraced(function* (row: MerchantRow) {
    yield* sql`update merchants set name = ${row.name}, approved = ${row.approved},
      live_currencies = ${currencies(row)}::text::text[], fees = ${jsonText(row.fees)}::text::jsonb,
      dispute_fee = ${jsonText(row.dispute_fee)}::text::jsonb,
      payout_fee = ${jsonText(row.payout_fee)}::text::jsonb,
      quotas = ${jsonText(row.quotas)}::text::jsonb
      where merchant_id = ${row.merchant_id}`
    for (const mode of Mode.literals) {
      yield* sql`update merchant_modes set ${sql.update(row.modes[mode])}
        where merchant_id = ${row.merchant_id} and mode = ${mode}`
    }
    // Postgres sends it at the commit, so whoever receives it reads the new row.
    yield* sql`select pg_notify(${changedChannel}, ${row.merchant_id})`
  })

  const modify = (merchantId: string, patch: (row: MerchantRow) => MerchantRow) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select 1 from merchants where merchant_id = ${merchantId} for update`
        const row = Option.map(yield* byId(merchantId), patch)
        if (Option.isSome(row)) yield* write(row.value)
        return row
      })
    )

  return { insert, modify }
}

const makeSigningSecrets = (sql: SqlClient.SqlClient) => {
  const sealedAs = SqlSchema.findAll({
    Request: Schema.Struct({ form: Schema.String, merchantId: Schema.String, mode: Schema.String }),
    Result: SealedRow,
    execute: ({ form, merchantId, mode }) => sql`select merchant_id, mode, signing_secret from merchant_modes
      where signing_secret like ${`${form}.%`} and (merchant_id, mode) > (${merchantId}, ${mode})
      order by merchant_id, mode limit ${sealedPage}`
  })
  const reseal = ({ merchant_id, mode, signing_secret }: SealedRow, fresh: string) =>
    Effect.asVoid(sql`update merchant_modes set signing_secret = ${fresh}
      where merchant_id = ${merchant_id} and mode = ${mode} and signing_secret = ${signing_secret}`)

  return { sealedAs, reseal }
}

const currencies = ({ live_currencies }: MerchantRow): string => `{${live_currencies.join(",")}}`
