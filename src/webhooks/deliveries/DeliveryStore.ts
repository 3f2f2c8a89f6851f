/**
 * Rows of deliveries: leased when they are due, and closed or postponed after an attempt. A lease ends by itself, so
 * the rows of a runner that died are due again (docs/architecture.md, section 5). Which lines are leased is not decided
 * here (docs/decisions/0016).
 */
import { isoText } from "@coffer/model/isoText"
import { Mode } from "@coffer/model/Ids"
import { destinationOf } from "@coffer/rules/delivery/route"
import type { Allotted, DueLine } from "@coffer/rules/delivery/places"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { type Backlog, backlogOf, decodeDueSandboxes, type DueSandbox } from "../../platform/postgres/leasedRows.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { type Ended, LeasedDelivery, recordAttempts } from "./deliveryResults.ts"

/** Where a walk through the merchants of one mode continues. */
export interface Position {
  readonly mode: Mode
  /** The last merchant that was read; "" to begin with the first. */
  readonly merchantId: string
  /** By merchant: the last destination that was read, where more are left. */
  readonly destinations: ReadonlyMap<string, string>
}

const WalkRow = Schema.Struct({
  merchant_id: Schema.String,
  /** Whether any delivery of the merchant is due. */
  is_due: Schema.Boolean,
  /** Null in the only row of a merchant whose destinations were not read. */
  destination: Schema.NullOr(Schema.String),
  due: Schema.NullOr(Schema.Int)
})
/** A merchant, and one of its destinations with the deliveries that are due there. */
export type WalkRow = typeof WalkRow.Type

/** Rows that {@link DeliveryStore.oldest} reads at most. */
export const oldestMax = 512
/** One step of a walk ends after so many merchants, or so many with something due. */
export const merchantsMax = 256
export const dueMerchantsMax = 32
/** Destinations of one merchant that a step reads. */
export const destinationsMax = 64
/** Deliveries of one destination that a step counts. */
export const countedMax = 8

/** Rows that one statement changes at most: it has to end in time. */
const changedMax = 10_000

const backlogMax = 10_000

/** Rows are due by the clock of their account, and leases go by real time. */
export interface DueAt {
  readonly now: DateTime.Utc
  readonly unmoved: DateTime.Utc
}

export interface LeaseOptions extends DueAt {
  readonly leaseUntil: DateTime.Utc
  readonly lines: ReadonlyArray<Allotted>
}

/** The lease of one delivery. */
export interface Lease {
  readonly delivery: LeasedDelivery
  readonly leaseUntil: DateTime.Utc
}

export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /** The lines of the deliveries that have been due longest, from `oldestMax` deliveries at most. */
    readonly oldest: (now: DateTime.Utc) => Effect.Effect<ReadonlyArray<DueLine>>
    /** The next merchants after `position`, in the order of their ids. */
    readonly walk: (now: DateTime.Utc, position: Position) => Effect.Effect<ReadonlyArray<WalkRow>>
    /** Leases due deliveries, oldest first within a line. */
    readonly lease: (options: LeaseOptions) => Effect.Effect<ReadonlyArray<LeasedDelivery>>
    /** The lines of a merchant's sandbox in the order of their destinations, the first `destinationsMax` behind one. */
    readonly linesOf: (
      merchantId: string,
      options: DueAt & { readonly after: string }
    ) => Effect.Effect<ReadonlyArray<DueLine>>
    /** When the first is due of each of these sandboxes, leased or not. */
    readonly nextDueOf: (merchantIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DueSandbox>>
    /** Gives back what was leased and not begun: it is due again at once. */
    readonly giveBack: (leases: ReadonlyArray<Lease>) => Effect.Effect<void>
    /**
     * Stores attempts and what follows from them. Leaves out one that another runner has recorded. A delivery that was
     * skipped meanwhile stays so, unless the attempt has succeeded.
     */
    readonly record: (ended: ReadonlyArray<Ended>) => Effect.Effect<void>
    /** The delivery is skipped: its endpoint is gone or disabled. */
    readonly skip: (delivery: LeasedDelivery) => Effect.Effect<void>
    /** The delivery waits, without a time, while its endpoint is paused. */
    readonly hold: (delivery: LeasedDelivery) => Effect.Effect<void>
    /**
     * Makes deliveries due that waited for an endpoint which is no longer paused, up to `changedMax`; of all endpoints,
     * unless one is named. Answers how many.
     */
    readonly release: (now: DateTime.Utc, endpointId?: string) => Effect.Effect<number>
    /** The same for all pending deliveries of an endpoint, up to `changedMax`. */
    readonly skipAll: (endpointId: string) => Effect.Effect<void>
    /** Pending deliveries of an endpoint go to its new address, up to `changedMax`. */
    readonly retarget: (endpointId: string, url: string) => Effect.Effect<void>
    /**
     * The next attempt of a delivery is not made before `until`. False if one is under way: nothing is changed then. A
     * delivery without a next attempt has nothing to put off.
     */
    readonly putOff: (
      id: string,
      time: Pick<DueAt, "unmoved"> & { readonly until: DateTime.Utc }
    ) => Effect.Effect<boolean>
    /** When the next row becomes due, apart from those that are due `now`. */
    readonly nextDue: (now: DateTime.Utc) => Effect.Effect<Option.Option<DateTime.Utc>>
    /** How many deliveries are due, counted up to `backlogMax`, and since when the oldest has been. */
    readonly backlog: (now: DateTime.Utc) => Effect.Effect<Backlog>
  }
>()("@coffer/webhooks/DeliveryStore") {}

export const layer = Layer.effect(
  DeliveryStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const nextDue = makeNextDue(sql)
    const backlog = makeBacklog(sql)
    return DeliveryStore.of({
      oldest: makeOldest(sql),
      walk: (now, position) => sqlDefects(walk(sql, now, position)),
      lease: makeLease(sql),
      ...makeOfSandbox(sql),
      giveBack: (leases) => sqlDefects(giveBack(sql, leases)),
      record: (ended) => sqlDefects(recordAttempts(sql, ended)),
      ...makeChanges(sql),
      nextDue: (now) =>
        sqlDefects(
          Effect.map(
            nextDue(now),
            Option.map(({ at }) => at)
          )
        ),
      backlog
    })
  })
)

/** No runner has leased it. No index holds this condition, so a few leased rows are read and skipped. */
const isFree = (sql: SqlClient.SqlClient, now: DateTime.Utc) =>
  sql`coalesce(leased_until, '-infinity') <= ${DateTime.toDateUtc(now)}`

const makeOldest = (sql: SqlClient.SqlClient) => (now: DateTime.Utc) =>
  sqlDefects(
    Effect.flatMap(
      sql`select mode, merchant_id as "merchantId", destination, count(*)::int4 as due
        from (select mode, merchant_id, destination, next_attempt_at from deliveries
          where status = 'pending' and next_attempt_at <= ${DateTime.toDateUtc(now)} and ${isFree(sql, now)}
          order by next_attempt_at limit ${oldestMax}) as oldest
        group by mode, merchant_id, destination order by min(next_attempt_at)`,
      decodeLines
    )
  )

const decodeLines = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ mode: Mode, merchantId: Schema.String, destination: Schema.String, due: Schema.Int }))
)

/**
 * Probes the index once for each merchant and each destination. So no merchant's backlog is read through to reach the
 * next merchant, and a merchant with many destinations costs others nothing.
 */
const walk = (sql: SqlClient.SqlClient, now: DateTime.Utc, { destinations, merchantId, mode }: Position) => {
  const time = DateTime.toDateUtc(now)
  // A delivery that waits for a paused endpoint has no time.
  const isDue = sql`coalesce(m.next_attempt_at <= ${time}, false)::int4`
  const merchantAfter = (after: string | Statement.Fragment) => sql`select merchant_id, next_attempt_at
    from deliveries where status = 'pending' and mode = ${mode} and merchant_id > ${after}
    order by merchant_id, next_attempt_at limit 1`
  const lineAfter = (after: string | Statement.Fragment) => sql`select destination, next_attempt_at
    from deliveries where status = 'pending' and mode = ${mode} and merchant_id = looked.merchant_id
      and destination > ${after}
    order by destination, next_attempt_at limit 1`
  return Effect.flatMap(
    sql`with recursive merchants as (
      (select merchant_id, next_attempt_at, 1 as steps, 0 as found from (${merchantAfter(merchantId)}) as first)
      union all
      select next.merchant_id, next.next_attempt_at, steps + 1, found + ${isDue}
      from merchants m cross join lateral (${merchantAfter(sql.literal("m.merchant_id"))}) as next
      where steps < ${merchantsMax} and found + ${isDue} < ${dueMerchantsMax}
    ), begun as (
      select * from unnest(${[...destinations.keys()]}::text[], ${[...destinations.values()]}::text[])
        as begun (merchant_id, destination)
    )
    select looked.merchant_id, coalesce(looked.next_attempt_at <= ${time}, false) as is_due,
      lines.destination, lines.due
    from merchants looked left join begun using (merchant_id) left join lateral (
      with recursive lines as (
        (select destination, next_attempt_at, 1 as steps
        from (${lineAfter(sql.literal("coalesce(begun.destination, '')"))}) as first
        where looked.next_attempt_at <= ${time})
        union all
        select next.destination, next.next_attempt_at, steps + 1
        from lines l cross join lateral (${lineAfter(sql.literal("l.destination"))}) as next
        where steps < ${destinationsMax}
      )
      select destination, case when next_attempt_at > ${time} then 0 else (select count(*)::int4 from (
        select 1 from deliveries d where d.status = 'pending' and d.mode = ${mode}
          and d.merchant_id = looked.merchant_id and d.destination = lines.destination
          and d.next_attempt_at <= ${time} and ${isFree(sql, now)} limit ${countedMax}) as few) end as due
      from lines
    ) as lines on true
    order by looked.merchant_id, lines.destination`,
    decodeWalkRows
  )
}

const decodeWalkRows = Schema.decodeUnknownEffect(Schema.Array(WalkRow))

const makeLease =
  (sql: SqlClient.SqlClient) =>
  ({ leaseUntil, lines, now, unmoved }: LeaseOptions) => {
    const column = (name: keyof Allotted) => lines.map((line) => line[name])
    return sqlDefects(
      Effect.flatMap(
        sql`with lines as (
          select * from unnest(${column("mode")}::text[], ${column("merchantId")}::text[],
            ${column("destination")}::text[], ${column("places")}::int4[]) as l (mode, merchant_id, destination, places)
        ), due as (
          select c.id from lines cross join lateral (
            select id from deliveries d where d.status = 'pending' and d.mode = lines.mode
              and d.merchant_id = lines.merchant_id and d.destination = lines.destination
              and d.next_attempt_at <= ${DateTime.toDateUtc(now)} and ${isFree(sql, unmoved)}
            order by d.next_attempt_at limit lines.places for update skip locked
          ) c
        )
        update deliveries d set leased_until = ${DateTime.toDateUtc(leaseUntil)}
        from due, events e where d.id = due.id and e.id = d.event_id
        returning d.id, d.event_id, e.type, d.merchant_id, d.mode, d.endpoint_id, d.url, d.destination, d.attempts,
          d.resend_of is not null as is_manual, e.body, e.packed`,
        decodeLeased
      )
    )
  }

const makeOfSandbox = (sql: SqlClient.SqlClient): Pick<DeliveryStore["Service"], "linesOf" | "nextDueOf"> => ({
  linesOf: (merchantId, { after, now, unmoved }) => {
    const pending = sql`d.status = 'pending' and d.mode = 'sandbox' and d.merchant_id = ${merchantId}`
    const lineAfter = (destination: string | Statement.Fragment) => sql`select destination from deliveries d
      where ${pending} and destination > ${destination} order by destination limit 1`
    return sqlDefects(
      Effect.flatMap(
        sql`with recursive lines as (
          (select destination, 1 as steps from (${lineAfter(after)}) as first)
          union all
          select next.destination, steps + 1
          from lines l cross join lateral (${lineAfter(sql.literal("l.destination"))}) as next
          where steps < ${destinationsMax}
        )
        select 'sandbox' as mode, ${merchantId} as "merchantId", destination, (select count(*)::int4 from (
          select 1 from deliveries d where ${pending} and d.destination = lines.destination
            and d.next_attempt_at <= ${DateTime.toDateUtc(now)} and ${isFree(sql, unmoved)}
          limit ${countedMax}) as few) as due
        from lines order by destination`,
        decodeLines
      )
    )
  },
  nextDueOf: (merchantIds) =>
    sqlDefects(
      Effect.flatMap(
        sql`select sandbox.id as "merchantId", first.at from unnest(${merchantIds}::text[]) as sandbox (id)
          cross join lateral (select next_attempt_at as at from deliveries
            where status = 'pending' and mode = 'sandbox' and merchant_id = sandbox.id
              and next_attempt_at is not null
            order by next_attempt_at limit 1) as first`,
        decodeDueSandboxes
      )
    )
})

/** By id, as results are written. A lease that has ended may be another runner's now, and is left alone. */
const giveBack = (sql: SqlClient.SqlClient, leases: ReadonlyArray<Lease>) => {
  const sorted = leases.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1))
  return Effect.asVoid(sql`update deliveries d set leased_until = null
    from unnest(${sorted.map(({ delivery }) => delivery.id)}::text[],
      ${sorted.map(({ leaseUntil }) => isoText(leaseUntil))}::text[]) as released (id, leased_until)
    where d.id = released.id and d.leased_until = released.leased_until::timestamptz`)
}

const decodeLeased = Schema.decodeUnknownEffect(Schema.Array(LeasedDelivery))

/** Each attempt looks at the settings too, so that nothing depends on these statements, which may be lost. */
const makeChanges = (sql: SqlClient.SqlClient) => {
  const pendingOf = (endpointId: string) => sql`select id from deliveries
    where endpoint_id = ${endpointId} and status = 'pending' order by id limit ${changedMax} for update`
  const skipped = sql`set status = 'skipped', next_attempt_at = null`
  return {
    skip: ({ id }: LeasedDelivery) =>
      sqlDefects(Effect.asVoid(sql`update deliveries ${skipped} where id = ${id} and status = 'pending'`)),
    skipAll: (endpointId: string) =>
      sqlDefects(Effect.asVoid(sql`update deliveries ${skipped} where id in (${pendingOf(endpointId)})`)),
    hold: ({ endpoint_id, id, merchant_id, mode }: LeasedDelivery) =>
      sqlDefects(
        Effect.asVoid(sql`update deliveries set next_attempt_at = null, leased_until = null
          where id = ${id} and status = 'pending' and ${isPaused(sql, { endpoint_id, merchant_id, mode })}`)
      ),
    putOff: (id: string, { unmoved, until }: { readonly unmoved: DateTime.Utc; readonly until: DateTime.Utc }) =>
      sqlDefects(Effect.map(putOff(sql, id, unmoved, DateTime.toDateUtc(until)), (rows) => rows.length === 0)),
    release: (now: DateTime.Utc, endpointId?: string) =>
      sqlDefects(Effect.map(release(sql, now, endpointId), (rows) => rows.length)),
    retarget: (endpointId: string, url: string) =>
      sqlDefects(
        Effect.asVoid(sql`update deliveries set url = ${url}, destination = ${destinationOf(url)}
          where id in (${pendingOf(endpointId)})`)
      )
  }
}

/**
 * The row is locked before its lease is judged, so that this and a lease come one after the other. Answers the row
 * whose attempt is under way.
 */
const putOff = (sql: SqlClient.SqlClient, id: string, unmoved: DateTime.Utc, until: Date) =>
  sql`with pending as materialized (
      select id, ${isFree(sql, unmoved)} as is_free from deliveries
      where id = ${id} and status = 'pending' for update
    ), late as (
      update deliveries d set next_attempt_at = ${until} from pending
      where d.id = pending.id and is_free and d.next_attempt_at < ${until}
    )
    select id from pending where not is_free`

type Named = Pick<LeasedDelivery, "endpoint_id" | "merchant_id" | "mode">

/** By the row of the settings, since this runner's cache may be stale. */
const isPaused = (sql: SqlClient.SqlClient, of: Named | "held") => {
  const [id, settings] =
    of === "held"
      ? [sql`held.endpoint_id`, sql`held.merchant_id || '/' || held.mode`]
      : [sql`${of.endpoint_id}::text`, sql`${`${of.merchant_id}/${of.mode}`}`]
  return sql`exists (select 1 from webhook_settings w where w.id = ${settings}
    and w.endpoints @> jsonb_build_array(jsonb_build_object('id', ${id}, 'status', 'enabled', 'isPaused', true)))`
}

/** Endpoints with waiting deliveries that one statement looks through. */
const endpointsMax = 10_000

/** Goes from one endpoint that something waits for to the next, however much that is. */
const release = (sql: SqlClient.SqlClient, now: DateTime.Utc, endpointId?: string) => {
  const waiting = sql`d.status = 'pending' and d.next_attempt_at is null`
  const after = (which: Statement.Fragment) => sql`select d.endpoint_id, d.merchant_id, d.mode from deliveries d
    where ${waiting} and d.endpoint_id ${which} order by d.endpoint_id limit 1`
  return sql`with recursive held as (
      (select *, 1 as steps from (${after(endpointId === undefined ? sql`> ''` : sql`= ${endpointId}`)}) as first)
      union all
      select next.endpoint_id, next.merchant_id, next.mode, steps + 1
      from held h cross join lateral (${after(sql`> h.endpoint_id`)}) as next
      where steps < ${endpointId === undefined ? endpointsMax : 1}
    ), free as materialized (
      select d.id from held join deliveries d on d.endpoint_id = held.endpoint_id and ${waiting}
      where not ${isPaused(sql, "held")} limit ${changedMax} for update of d skip locked
    )
    update deliveries d set next_attempt_at = ${DateTime.toDateUtc(now)} from free where d.id = free.id returning d.id`
}

const makeNextDue = (sql: SqlClient.SqlClient) =>
  SqlSchema.findOneOption({
    Request: Schema.DateTimeUtcFromDate,
    Result: Schema.Struct({ at: TimeColumn }),
    execute: (now) => sql`select next_attempt_at as at from deliveries
    where status = 'pending' and next_attempt_at > ${now} order by next_attempt_at limit 1`
  })

const makeBacklog = (sql: SqlClient.SqlClient) => (now: DateTime.Utc) => {
  const at = isoText(now)
  return backlogOf(
    sql,
    sql`select next_attempt_at as at, merchant_id, mode from deliveries
      where status = 'pending' and next_attempt_at <= ${at}::text::timestamptz
        and coalesce(leased_until, '-infinity') <= ${at}::text::timestamptz
      order by next_attempt_at limit ${backlogMax}`
  )
}
