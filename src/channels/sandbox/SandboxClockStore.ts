/**
 * Rows of clocks of sandboxes that were moved (docs/decisions/0005). The runner that holds a row does the due work of
 * that sandbox and moves its clock. A hold ends by itself, in real time, so another runner continues when one dies.
 */
import { isoText } from "@coffer/model/isoText"
import type { MerchantId } from "@coffer/model/Ids"
import { Context, type DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { clockNewsOf } from "../../access/merchants/clockNews.ts"
import { changedChannel } from "../../access/merchants/MerchantStore.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText, TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"

const ClockRow = Schema.Struct({
  merchant_id: Schema.String,
  offset_ms: Schema.Int,
  target: Schema.NullOr(TimeColumn),
  began: Schema.NullOr(TimeColumn),
  after_event: Schema.String,
  stops: Schema.Int,
  attempts: Schema.Int,
  happened: Schema.Record(Schema.String, Schema.Int),
  request: Schema.NullOr(Schema.String),
  reached: Schema.NullOr(TimeColumn)
})
export type ClockRow = typeof ClockRow.Type

export interface Setting {
  readonly began: DateTime.Utc
  readonly target: DateTime.Utc
  readonly request: string | null
}

/** `channels`: the channels at which the sandbox has an account. */
type Decide<E> = (row: ClockRow, channels: ReadonlyArray<string>) => Effect.Effect<Setting | undefined, E>

/** The work since the last stop. */
export interface Stop {
  readonly offset: number
  readonly attempts: number
}

export class SandboxClockStore extends Context.Service<
  SandboxClockStore,
  {
    readonly find: (merchantId: string) => Effect.Effect<Option.Option<ClockRow>>
    /** Locks the row, and sets the target that `decide` answers, if any. */
    readonly begin: <E>(merchantId: MerchantId, decide: Decide<E>) => Effect.Effect<void, E>
    /** Advancing clocks without a holder. */
    readonly abandoned: (unmoved: DateTime.Utc) => Effect.Effect<ReadonlyArray<string>>
    /** Renews the hold until then. False: the holder has lost it. */
    readonly hold: (merchantId: string, holder: string, times: Hold) => Effect.Effect<boolean>
    /** Ends the hold. True: the clock has a target, so a worker has to continue. */
    readonly release: (merchantId: string, holder: string) => Effect.Effect<boolean>
    /** Moves the clock, and notifies all runners. False: another runner holds it now. */
    readonly move: (merchantId: string, holder: string, stop: Stop) => Effect.Effect<boolean>
    /** The clock has reached its target. */
    readonly arrive: (row: ClockRow, holder: string, attempts: number) => Effect.Effect<void>
    /** Removes answers of idempotency keys that are older than a day by their sandbox's clock, and answers how many. */
    readonly dropKeys: (unmoved: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/sandbox/SandboxClockStore") {}

export interface Hold {
  readonly unmoved: DateTime.Utc
  readonly until: DateTime.Utc
}

export const layer = Layer.effect(
  SandboxClockStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const at = timeIn(sql)

    const shown = sql.csv(Object.keys(ClockRow.fields).map((column) => sql`${sql(column)}`))

    const find = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: ClockRow,
      execute: (merchantId) => sql`select ${shown} from sandbox_clocks where merchant_id = ${merchantId}`
    })
    /** No other transaction changes it until this one ends. */
    const lock = SqlSchema.findOne({
      Request: Schema.String,
      Result: ClockRow,
      execute: (merchantId) => sql`insert into sandbox_clocks (merchant_id) values (${merchantId})
        on conflict (merchant_id) do update set merchant_id = excluded.merchant_id returning ${shown}`
    })

    /** The sandbox's accounts at acquirers; none can be added until the transaction ends. */
    const channelsOf = Effect.fnUntraced(function* (merchantId: MerchantId) {
      const rows = yield* sql<{ readonly channels: ReadonlyArray<string> }>`select
          array(select jsonb_object_keys(channel_accounts)) as channels from merchant_modes
        where merchant_id = ${merchantId} and mode = 'sandbox' for share`
      return rows.flatMap(({ channels }) => channels)
    })

    const begin = <E>(merchantId: MerchantId, decide: Decide<E>) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const row = yield* Effect.catchTags(lock(merchantId), { NoSuchElementError: Effect.die })
          const setting = yield* decide(row, yield* channelsOf(merchantId))
          if (setting === undefined) return
          const { began, request, target } = setting
          yield* sql`update sandbox_clocks set target = ${at(target)}, began = ${at(began)}, stops = 0, attempts = 0,
            happened = '{}', request = ${request}::text, after_event = coalesce((select id from events
              where merchant_id = ${merchantId} and mode = 'sandbox' order by id desc limit 1), '')
            where merchant_id = ${merchantId}`
        })
      )

    const happened = Effect.fnUntraced(function* ({ after_event, merchant_id }: ClockRow) {
      const rows = yield* decodeCounts(
        yield* sql`select type, count(*)::int4 as count from events
          where merchant_id = ${merchant_id} and mode = 'sandbox' and id > ${after_event} group by type order by type`
      )
      return rows.map(({ count, type }) => [type, count] as const)
    })

    return SandboxClockStore.of({
      find: (merchantId) => sqlDefects(find(merchantId)),
      begin: (merchantId, decide) =>
        faults.around("Store.write", sqlDefects(begin(merchantId, decide)), () => "sandbox_clocks"),
      ...makeHolding(sql),
      arrive: (row, holder, attempts) =>
        sqlDefects(
          Effect.gen(function* () {
            const posts = row.attempts + attempts
            const all = Object.fromEntries([
              ...(yield* happened(row)),
              ...(posts === 0 ? [] : [["webhook_attempts", posts] as const])
            ])
            yield* sql`update sandbox_clocks set target = null, reached = target, attempts = ${posts},
              happened = ${jsonText(all)}::text::jsonb where merchant_id = ${row.merchant_id} and holder = ${holder}`
          })
        ),
      dropKeys: (unmoved, limit) =>
        sqlDefects(
          Effect.map(
            // Only a moved clock gives a key a time ahead of real time.
            sql`delete from idempotency_keys where id in (
              select k.id from idempotency_keys k join sandbox_clocks c on c.merchant_id = k.merchant_id
              where k.created_at > ${at(unmoved)} and k.mode = 'sandbox'
                and k.created_at < ${at(unmoved)} + c.offset_ms * interval '1 millisecond' - interval '24 hours'
              limit ${limit} for update of k skip locked) returning id`,
            (rows) => rows.length
          )
        )
    })
  })
)

const timeIn = (sql: SqlClient.SqlClient) => (time: DateTime.Utc) => sql`${isoText(time)}::text::timestamptz`

/** For the worker of a sandbox. */
const makeHolding = (
  sql: SqlClient.SqlClient
): Pick<SandboxClockStore["Service"], "abandoned" | "hold" | "release" | "move"> => {
  const at = timeIn(sql)
  return {
    abandoned: (unmoved) =>
      sqlDefects(
        Effect.map(
          sql<{ readonly merchant_id: string }>`select merchant_id from sandbox_clocks
            where target is not null and coalesce(leased_until, '-infinity') <= ${at(unmoved)} limit ${someMax}`,
          (rows) => rows.map(({ merchant_id }) => merchant_id)
        )
      ),
    hold: (merchantId, holder, { unmoved, until }) =>
      sqlDefects(
        Effect.map(
          sql`update sandbox_clocks set holder = ${holder}, leased_until = ${at(until)}
            where merchant_id = ${merchantId}
              and (holder = ${holder} or coalesce(leased_until, '-infinity') <= ${at(unmoved)}) returning 1`,
          (rows) => rows.length > 0
        )
      ),
    release: (merchantId, holder) =>
      sqlDefects(
        Effect.map(
          sql`update sandbox_clocks set holder = null, leased_until = null
            where merchant_id = ${merchantId} and holder = ${holder} returning target`,
          (rows) => rows.some(({ target }) => target !== null)
        )
      ),
    move: (merchantId, holder, { attempts, offset }) =>
      sqlDefects(
        Effect.map(
          sql`with moved as (update sandbox_clocks set offset_ms = ${offset}, stops = stops + 1,
              attempts = attempts + ${attempts}
              where merchant_id = ${merchantId} and holder = ${holder} returning 1)
            select pg_notify(${changedChannel}, ${clockNewsOf(merchantId, offset)}) from moved`,
          (rows) => rows.length > 0
        )
      )
  }
}

const someMax = 1_000

const decodeCounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ type: Schema.String, count: Schema.Int })))
