/**
 * Rows of shops' own hosts, with the findings of DNS look-ups (docs/decisions/0201). The host that a merchant wants is
 * written with its settings (`merchants/MerchantStore.ts`). Findings are written under a lock, so that only one of two
 * merchants that have proven the same host gets it.
 */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import {
  afterLook,
  Domain,
  DomainMail,
  DomainProblem,
  isProven,
  type Looked,
  mailAfter,
  problemOf
} from "@coffer/rules/shop/domain"
import { Context, type DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { changedChannel } from "../merchants/MerchantStore.ts"
import { type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { hostsMax } from "../../shared/signedUrls/ShopHosts.ts"

const Stored = Schema.Struct({ merchant_id: Schema.String, domain: Domain })
export type Stored = typeof Stored.Type

const Due = Schema.Struct({ merchant_id: Schema.String, host: Schema.String, token: Schema.String })
export type Due = typeof Due.Type

/** A mail that is due, with the current row. */
const DueMail = Schema.Struct({
  merchant_id: Schema.String,
  host: Schema.String,
  mail: DomainMail,
  /** The look-up that caused it. */
  mail_of: TimeColumn,
  unproven_since: Schema.NullOr(TimeColumn),
  problem: Schema.NullOr(DomainProblem)
})
export type DueMail = typeof DueMail.Type

/** A row before and after a look. */
export interface Change {
  readonly merchantId: string
  readonly before: Domain
  readonly after: Domain
}

export class DomainStore extends Context.Service<
  DomainStore,
  DueRows<Due> & {
    readonly find: (merchantId: string) => Effect.Effect<Option.Option<Stored>>
    /**
     * Writes the findings, and notifies all runners. Another merchant that has the host but not its proof loses it.
     * Nothing is written if the merchant has chosen another host meanwhile. `also` runs in the same transaction.
     */
    readonly record: (
      due: Due,
      looked: Looked,
      now: DateTime.Utc,
      also: (changes: ReadonlyArray<Change>) => Effect.Effect<void>
    ) => Effect.Effect<ReadonlyArray<Change>>
    readonly mails: DueRows<DueMail>
    /** The mail was sent, or is given up. A later mail about this host stays. */
    readonly endMail: (mail: DueMail) => Effect.Effect<void>
  }
>()("@coffer/domains/DomainStore") {}

/** The lease of a look-up, which ends long before. */
const lease = "2 minutes"
/** When an unsent mail is retried. */
const mailAgainAfter = "10 minutes"

export const layer = Layer.effect(
  DomainStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const due = leasedRows(
      sql,
      { table: "shop_domains", key: "merchant_id", dueAt: "next_check_at", lease: sql`${lease}::text::interval` },
      Due
    )
    const mails = leasedRows(
      sql,
      {
        table: "shop_domains",
        key: "merchant_id",
        dueAt: "mail_at",
        lease: sql`${mailAgainAfter}::text::interval`
      },
      DueMail
    )
    const find = makeFind(sql)
    const record = makeRecord(sql, find)

    return DomainStore.of({
      ...due,
      find: (merchantId) => sqlDefects(find(merchantId)),
      record: (row, looked, now, also) => sqlDefects(sql.withTransaction(record(row, looked, now, also))),
      mails,
      endMail: ({ mail_of, merchant_id }) =>
        sqlDefects(
          Effect.asVoid(sql`update shop_domains set mail = null, mail_of = null, mail_at = null
            where merchant_id = ${merchant_id} and mail_of = ${isoText(mail_of)}::text::timestamptz`)
        )
    })
  })
)

const makeFind = (sql: SqlClient.SqlClient) =>
  SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Stored,
    execute: (merchantId) =>
      sql`select merchant_id, to_jsonb(d) - 'merchant_id' as domain from shop_domains d
        where merchant_id = ${merchantId}`
  })

const makeRecord = (sql: SqlClient.SqlClient, find: ReturnType<typeof makeFind>) => {
  const holderOf = SqlSchema.findOneOption({
    Request: Schema.Struct({ host: Schema.String, other: Schema.String }),
    Result: Stored,
    execute: ({ host, other }) =>
      sql`select merchant_id, to_jsonb(d) - 'merchant_id' as domain from shop_domains d
        where host = ${host} and verified_at is not null and merchant_id <> ${other}`
  })
  const isFull = Effect.map(
    sql`select 1 from shop_domains where verified_at is not null limit ${hostsMax}`,
    ({ length }) => length >= hostsMax
  )
  const at = (time: DateTime.Utc | null) => sql`${isoTextOrNull(time)}::text::timestamptz`
  const mailOf = ({ after, before }: Change, now: DateTime.Utc) => {
    const mail = mailAfter(before, after)
    if (mail === undefined) return sql``
    return mail === "none"
      ? sql`, mail = null, mail_of = null, mail_at = null`
      : sql`, mail = ${mail}, mail_of = ${at(now)}, mail_at = ${at(now)}`
  }
  const write = (change: Change, now: DateTime.Utc) => {
    const { after, before, merchantId } = change
    return sql`update shop_domains set pending_since = ${at(after.pending_since)}, checked_at = ${at(after.checked_at)},
        verified_at = ${at(after.verified_at)}, unproven_since = ${at(after.unproven_since)},
        problem = ${after.problem}::text, next_check_at = ${at(after.next_check_at)}
        ${mailOf(change, now)}
      where merchant_id = ${merchantId} and token = ${before.token}`
  }

  return Effect.fnUntraced(function* (
    { merchant_id, token }: Due,
    looked: Looked,
    now: DateTime.Utc,
    also: (changes: ReadonlyArray<Change>) => Effect.Effect<void>
  ) {
    yield* sql`select pg_advisory_xact_lock(hashtext('coffer shop_domains'))`
    const found = yield* find(merchant_id)
    if (Option.isNone(found) || found.value.domain.token !== token) return []
    const before = found.value.domain
    const problem = problemOf(looked, before)
    const isNew = problem === undefined && before.verified_at === null
    const holder = isNew ? yield* holderOf({ host: before.host, other: merchant_id }) : Option.none()
    const keeps = Option.isSome(holder) && isProven(looked, holder.value.domain)
    const isWithoutRoom = isNew && Option.isNone(holder) && (yield* isFull)
    const after = afterLook(before, keeps ? "taken" : isWithoutRoom ? "no_room" : problem, now)
    const unseated =
      Option.isSome(holder) && !keeps
        ? [
            {
              merchantId: holder.value.merchant_id,
              before: holder.value.domain,
              after: afterLook(holder.value.domain, "taken", now)
            }
          ]
        : []
    // Only one of two rows with the same host may be verified, so the other one is given up first.
    const changes: ReadonlyArray<Change> = [...unseated, { merchantId: merchant_id, before, after }]
    yield* Effect.forEach(changes, (change) => write(change, now), { discard: true })
    yield* also(changes)
    // Postgres sends the notification at the commit, so its receivers read the new rows.
    for (const { merchantId } of changes) yield* sql`select pg_notify(${changedChannel}, ${merchantId})`
    return changes
  })
}
