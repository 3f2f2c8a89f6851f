/**
 * Events of Stripe to handle (`stripe_events`), and until when the events of each account were fetched
 * (`stripe_polls`); migration 0196. An event is stored once, whether it came by webhook or poll.
 */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Context, DateTime, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { backOffAfterWork, type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { storableText } from "../../platform/postgres/storable.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { stripeChannel } from "./payment.ts"

/** The subject of an event: which of Stripe's objects has to be looked at. */
export const EventKind = Schema.Literals(["session", "refund", "dispute", "attempt"])
export type EventKind = typeof EventKind.Type

export interface StripeNotice {
  readonly eventId: string
  readonly type: string
  readonly kind: EventKind
  readonly objectId: string
  readonly createdAt: DateTime.Utc
  /** Our order or refund that the object names; empty: it names none, null: unknown. */
  readonly names: string | null
  /** The object's status when the event was made. */
  readonly shows: string | null
}

const EventRow = Schema.Struct({
  id: Schema.String,
  merchant_id: MerchantId,
  mode: Mode,
  event_id: Schema.String,
  type: Schema.String,
  kind: EventKind,
  object_id: Schema.String,
  names: Schema.NullOr(Schema.String),
  shows: Schema.NullOr(Schema.String),
  received_at: TimeColumn,
  attempts: Schema.Int
})
export type EventRow = typeof EventRow.Type

const PollRow = Schema.Struct({ id: Schema.String, merchant_id: MerchantId, mode: Mode, since: TimeColumn })
export type PollRow = typeof PollRow.Type

/** Merchants that share one connected account. */
const sharingMax = 100

export class StripeEventStore extends Context.Service<
  StripeEventStore,
  DueRows<EventRow> & {
    /** Merchants with this connected account in one environment, at most a hundred. */
    readonly merchantsOf: (mode: Mode, account: string) => Effect.Effect<ReadonlyArray<MerchantId>>
    /** Whether it is new. */
    readonly insert: (account: Account, notice: StripeNotice, now: DateTime.Utc) => Effect.Effect<boolean>
    readonly done: (id: string) => Effect.Effect<void>
    /** Accounts whose events are to be fetched; new accounts are among them. */
    readonly leasePolls: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<PollRow>>
    readonly polled: (id: string, since: DateTime.Utc) => Effect.Effect<void>
    /** Records a webhook of the account, with a whole event or a thin one. False: it could not be written. */
    readonly arrived: (account: Account, kind: "whole" | "thin", now: DateTime.Utc) => Effect.Effect<boolean>
    readonly nextPoll: Effect.Effect<Option.Option<DateTime.Utc>>
    /** Removes handled events that were received before, at most `limit`. */
    readonly dropHandled: (before: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/stripe/StripeEventStore") {}

/** The backoff of an event that could not be handled, in seconds, doubled each time. */
const again = { soon: 10, late: 3_600 }

/** How often the events of an account are polled: more often while no webhook has come within a day. */
const pollEvery = { usually: "3 minutes", withoutWebhooks: "1 minute" }
/** A new account is polled from before it was set, since a buyer may have paid already. */
const firstPoll = { hours: 1 }

export const layer = Layer.effect(
  StripeEventStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const write = <A>(effect: Effect.Effect<A>) => faults.around("Store.write", effect, () => "stripe_events")
    const events = leasedRows(
      sql,
      { table: "stripe_events", key: "id", dueAt: "due_at", ...backOffAfterWork(sql, "attempts", again) },
      EventRow
    )
    const polls = leasedRows(
      sql,
      {
        table: "stripe_polls",
        key: "id",
        dueAt: "due_at",
        only: sql`true`,
        lease: sql`case when webhook_at > due_at - interval '1 day' then ${pollEvery.usually}::text::interval
          else ${pollEvery.withoutWebhooks}::text::interval end`
      },
      PollRow
    )

    return StripeEventStore.of({
      ...events,
      merchantsOf: makeMerchantsOf(sql),
      insert: ({ merchantId, mode }, notice, now) =>
        write(
          sqlDefects(
            Effect.map(
              sql`insert into stripe_events (id, merchant_id, mode, event_id, type, kind, object_id, names,
                  shows, created_at, received_at, due_at)
                values (${`${merchantId}/${mode}/${notice.eventId}`}, ${merchantId}, ${mode}, ${notice.eventId},
                  ${notice.type}, ${notice.kind}, ${notice.objectId}, ${notice.names}::text, ${notice.shows}::text,
                  ${isoText(notice.createdAt)}::text::timestamptz,
                  ${isoText(now)}::text::timestamptz, ${isoText(now)}::text::timestamptz)
                on conflict do nothing returning 1`,
              (rows) => rows.length > 0
            )
          )
        ),
      leasePolls: Effect.fnUntraced(function* (now, limit) {
        const at = isoText(now)
        const since = isoText(DateTime.subtract(now, firstPoll))
        yield* sqlDefects(sql`insert into stripe_polls (id, merchant_id, mode, since, due_at, movements_since)
          select merchant_id || '/' || mode, merchant_id, mode, ${since}::text::timestamptz, ${at}::text::timestamptz,
            ${since}::text::timestamptz
          from merchant_modes where channel_accounts <> '{}' and channel_accounts -> ${stripeChannel}::text is not null
          on conflict do nothing`)
        return yield* polls.leaseDue(now, limit)
      }),
      polled: (id, since) =>
        write(
          sqlDefects(sql`update stripe_polls set since = greatest(since, ${isoText(since)}::text::timestamptz)
          where id = ${id}`)
        ),
      arrived: ({ merchantId, mode }, kind, now) =>
        sqlDefects(
          Effect.map(
            sql`update stripe_polls set ${sql(kind === "thin" ? "thin_at" : "webhook_at")} =
                ${isoText(now)}::text::timestamptz
              where id = ${`${merchantId}/${mode}`} returning 1`,
            ({ length }) => length > 0
          )
        ),
      nextPoll: polls.nextDue,

      dropHandled: (before, limit) =>
        sqlDefects(
          Effect.map(
            sql`delete from stripe_events where id in (select id from stripe_events
              where due_at is null and received_at < ${isoText(before)}::text::timestamptz limit ${limit}) returning 1`,
            ({ length }) => length
          )
        )
    })
  })
)

const makeMerchantsOf =
  (sql: SqlClient.SqlClient): StripeEventStore["Service"]["merchantsOf"] =>
  (mode, account) =>
    sqlDefects(
      Effect.map(
        sql<{ readonly merchant_id: MerchantId }>`select merchant_id from merchant_modes
          where channel_accounts->'stripe'->'own'->>'account' = ${storableText(account)} and mode = ${mode}
          order by merchant_id limit ${sharingMax}`,
        (rows) => rows.map(({ merchant_id }) => merchant_id)
      )
    )
