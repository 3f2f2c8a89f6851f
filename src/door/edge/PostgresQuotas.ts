/**
 * Counts requests in Postgres, for runners without Redis (docs/decisions/0088). Requests that arrive while a statement
 * is under way are counted by the next one, all keys together. While Postgres does not answer, each runner counts for
 * itself (silences: U2).
 */
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Metric, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { onRealTime } from "../../platform/runtime/realTime.ts"
import { isLost as isDatabaseLost } from "../../platform/postgres/trouble.ts"
import { failures, inTime, makeMemory, QuotaStore, type Taken } from "./QuotaStore.ts"

/** A request waits no longer than this for its count. */
const patience = Duration.millis(250)
/** Between two removals of rows whose window is empty. */
const sweepInterval = "60 seconds"
/** A window is kept in at most this many parts. A request may be refused for up to one part longer than necessary. */
const partsMax = 120

interface Pending {
  readonly key: string
  readonly limit: number
  readonly windowMillis: number
  readonly now: number
  readonly taken: Deferred.Deferred<Taken>
  /** Its request waits no longer. */
  isGone: boolean
}

export const layer = Layer.effect(
  QuotaStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const scope = yield* Effect.scope
    // A count is of many requests, so it runs without the context of the request that starts it.
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const memory = makeMemory()
    let waiting: Array<Pending> = []
    let isCounting = false
    let isLost = false
    let latest = 0

    const countAll = Effect.gen(function* () {
      // So that the requests of one turn of the event loop are counted together.
      yield* Effect.yieldNow
      for (;;) {
        const batch = Map.groupBy(
          waiting.filter(({ isGone }) => !isGone),
          ({ key }) => key
        )
        waiting = []
        if (batch.size === 0) return void (isCounting = false)
        for (const row of yield* count(sql, batch)) answerAll(batch.get(row.key)!, row)
        if (isLost) yield* Effect.logInfo("Postgres counts requests for all runners again")
        isLost = false
      }
    })
    const lost = Effect.fnUntraced(function* (cause: unknown) {
      isCounting = false
      // DatabaseHealth reports that Postgres is away.
      if (isLost || isDatabaseLost(cause)) return
      isLost = true
      yield* Effect.logWarning("Postgres does not count requests; until it does, each runner counts for itself", cause)
    })
    const begin = () => {
      if (isCounting) return
      isCounting = true
      Fiber.runIn(fork(Effect.catch(countAll, lost)), scope)
    }

    const sweep = Effect.suspend(
      () => sql`delete from quota_counts where key in
        (select key from quota_counts where at_ms <= ${String(latest)}::bigint - window_ms for update skip locked)`
    )
    yield* Effect.sleep(sweepInterval).pipe(
      Effect.andThen(Effect.ignore(sweep)),
      Effect.forever,
      onRealTime,
      Effect.forkScoped
    )

    return QuotaStore.of({
      take: (key, limit, windowMillis, now) =>
        Effect.suspend(() => {
          latest = Math.max(latest, now)
          const pending: Pending = { key, limit, windowMillis, now, taken: Deferred.makeUnsafe(), isGone: false }
          waiting.push(pending)
          begin()
          return inTime(Deferred.await(pending.taken), patience).pipe(
            Effect.catch(() => Effect.as(Metric.update(failures, 1), memory.take(key, limit, windowMillis, now))),
            Effect.ensuring(Effect.sync(() => (pending.isGone = true)))
          )
        }),
      used: (keys, windowMillis, now) =>
        Effect.orElseSucceed(inTime(look(sql, keys, windowMillis, now), patience), () => undefined)
    })
  })
)

const Row = Schema.Struct({
  key: Schema.String,
  state: Schema.Struct({
    quota: Schema.Int,
    span: Schema.Int,
    at: Schema.Int,
    granted: Schema.Int,
    moments: Schema.Array(Schema.Int),
    counts: Schema.Array(Schema.Int)
  })
})
type Row = typeof Row.Type
const decode = Schema.decodeUnknownEffect(Schema.Array(Row))

const Looked = Schema.Array(Schema.Struct({ used: Schema.Int }))
const decodeLooked = Schema.decodeUnknownEffect(Looked)

/** A moment is that of the latest request of its part. */
const look = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  keys: ReadonlyArray<string>,
  windowMillis: number,
  now: number
) {
  const rows = yield* sql`select coalesce((select sum(count) from unnest(moments, counts) as part (moment, count)
      where moment > ${String(now - windowMillis)}::bigint), 0)::int4 as used
    from unnest(${[...keys]}::text[]) with ordinality as asked (key, place) left join quota_counts using (key)
    order by place`
  return (yield* decodeLooked(rows)).map(({ used }) => used)
})

const count = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  batch: ReadonlyMap<string, ReadonlyArray<Pending>>
) {
  // In one order on all runners, so that they cannot deadlock.
  const keys = [...batch.keys()].toSorted()
  const numbers = (of: (last: Pending, all: ReadonlyArray<Pending>) => number) =>
    keys.map((key) => String(of(batch.get(key)!.at(-1)!, batch.get(key)!)))
  const params = [
    keys,
    numbers(({ limit }) => limit),
    numbers(({ windowMillis }) => windowMillis),
    numbers(({ now }) => now),
    numbers((_, all) => all.length)
  ]
  return yield* decode(yield* sql.unsafe(statement, params))
})

/**
 * The row decides as it is once its lock is held. A moment leaves the window when all of its part has left. A clock
 * that is behind another runner's is treated as that one; a row more than a window ahead is reset.
 */
const statement = `insert into quota_counts as kept (key, quota, window_ms, at_ms, wanted, granted, moments, counts)
  select key, quota, window_ms, at_ms, wanted, least(wanted, quota), array[at_ms], array[least(wanted, quota)]
  from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
    as requested (key, quota, window_ms, at_ms, wanted)
  on conflict (key) do update set (quota, window_ms, at_ms, wanted, granted, moments, counts) = (
    select excluded.quota, excluded.window_ms, clock.at_ms, excluded.wanted, taken.granted, parts.moments, parts.counts
    from (select case when kept.at_ms > excluded.at_ms + excluded.window_ms then excluded.at_ms
        else greatest(kept.at_ms, excluded.at_ms) end as at_ms) as clock,
      lateral (select coalesce(sum(count), 0)::bigint as used
        from unnest(kept.moments, kept.counts) as old (moment, count)
        where moment > clock.at_ms - excluded.window_ms and moment <= clock.at_ms) as before,
      lateral (select greatest(0, least(excluded.wanted, excluded.quota - before.used)) as granted) as taken,
      lateral (select coalesce(array_agg(moment order by moment), '{}') as moments,
          coalesce(array_agg(count order by moment), '{}') as counts
        from (select max(moment) as moment, sum(count)::bigint as count
          from (select moment, count from unnest(kept.moments, kept.counts) as old (moment, count)
              where moment > clock.at_ms - excluded.window_ms and moment <= clock.at_ms
            union all select clock.at_ms, taken.granted where taken.granted > 0) as all_of_it
          group by moment / greatest(1, excluded.window_ms / ${partsMax}::bigint)) as part) as parts)
  returning key, json_build_object('quota', quota, 'span', window_ms, 'at', at_ms, 'granted', granted,
    'moments', moments, 'counts', counts) as state`

/** Of concurrent requests the first ones are let through. */
const answerAll = (all: ReadonlyArray<Pending>, { state: { at, counts, granted, moments, quota, span } }: Row) => {
  const used = counts.reduce((sum, each) => sum + each, 0)
  /** Until fewer than `limit` are left in the window. */
  const millisUntil = (fewer: number): number => {
    let left = used
    const place = counts.findIndex((each) => (left -= each) < fewer)
    return (moments[place] ?? at) + span - at
  }
  const retryAfterMillis = millisUntil(quota)
  const resetMillis = millisUntil(used)
  for (const [place, { taken }] of all.entries()) {
    const answer =
      place < granted
        ? {
            allowed: true,
            remaining: Math.max(0, quota - used + granted - 1 - place),
            retryAfterMillis: 0,
            resetMillis
          }
        : { allowed: false, remaining: 0, retryAfterMillis, resetMillis: retryAfterMillis }
    Deferred.doneUnsafe(taken, Exit.succeed(answer))
  }
}
