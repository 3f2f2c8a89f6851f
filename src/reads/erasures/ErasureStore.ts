/**
 * Rows of erasures: the request, the progress, and which orders wait. A row stays as the record of the erasure. Plain
 * statements: an erasure has no owner, and its version fences two runners that work on it at once.
 */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { erasurePrefix } from "@coffer/model/Ids"
import { erasuresMax } from "@coffer/model/Limits"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, type DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type Backlog, backOff, leasedRows, type Outcomes } from "../../platform/postgres/leasedRows.ts"
import * as numbersInOrder from "../../platform/postgres/numbersInOrder.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { along, equals } from "../../platform/postgres/scans.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText, TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"

/** The steps of the work, one after the other. */
export const Step = Schema.Literals(["address", "orders", "named", "mails", "links", "held", "answers", "logs"])
export type Step = typeof Step.Type

export const countNames = ["orders", "refunds", "disputes", "files", "mails", "events", "attempts"] as const
/** Found only by looking through all of them. */
export const walkedNames = ["payment_links", "answers", "logs"] as const
export type Counts = Readonly<Partial<Record<(typeof countNames | typeof walkedNames)[number] | "passes", number>>>

const Counted = Schema.Record(Schema.String, Schema.Int)

export const ErasureRow = Schema.Struct({
  erasure_no: Schema.String,
  version: Schema.Int,
  /** Null where a buyer of all merchants is erased. */
  merchant_id: Schema.NullOr(Schema.String),
  mode: Schema.NullOr(Schema.String),
  trade_no: Schema.NullOr(Schema.String),
  email_hash: Schema.NullOr(Schema.String),
  sealed: Schema.NullOr(Schema.String),
  requested_by: Schema.String,
  status: Schema.Literals(["running", "done"]),
  step: Step,
  place: Schema.String,
  fresh: Schema.Int,
  counts: Counted,
  requested_at: TimeColumn,
  done_at: Schema.NullOr(TimeColumn),
  /** When the look through copies of requests began; null before. */
  walked_from: Schema.NullOr(TimeColumn),
  /** Whether this is the second look. */
  is_late: Schema.Boolean
})
export type ErasureRow = typeof ErasureRow.Type
const decode = Schema.decodeUnknownEffect(Schema.Array(ErasureRow))
const one = (rows: ReadonlyArray<unknown>) => Effect.map(decode(rows), ([row]) => Option.fromNullishOr(row))

export interface NewErasure extends Pick<ErasureRow, "trade_no" | "email_hash" | "requested_by" | "requested_at"> {
  readonly account: Account | undefined
  /** The address, sealed for the erasure of this number. */
  readonly sealedFor: (erasureNo: string) => string | null
}

/** The work of a slice: the next place, and when to go on. */
export interface Progress extends Pick<
  ErasureRow,
  "step" | "place" | "status" | "done_at" | "walked_from" | "is_late"
> {
  readonly counts: Counts
  /** All copies of requests have been looked through. */
  readonly isWalked: boolean
  readonly dueAt: DateTime.Utc | null
}

/** Orders that wait, and those that were erased since copies of requests were looked through. */
export interface Standing {
  readonly held: number
  readonly fresh: number
}

export interface HeldOrder {
  readonly trade_no: string
  readonly reason: string
}

/** Where the work begins: one order is known, and an address may first have to be found by its hash. */
const stepOf = ({ trade_no }: NewErasure, sealed: string | null): Step =>
  trade_no !== null ? "held" : sealed === null ? "address" : "orders"

export class ErasureStore extends Context.Service<
  ErasureStore,
  {
    /**
     * The new erasure, or the one under way for the same buyer. None: the account has reached its limit of erasures
     * under way.
     */
    readonly begin: (erasure: NewErasure) => Effect.Effect<Option.Option<ErasureRow>>
    readonly find: (erasureNo: string, account?: Account) => Effect.Effect<Option.Option<ErasureRow>>
    readonly page: (request: PageRequest, account?: Account) => Effect.Effect<Page<ErasureRow>, InvalidField>
    /** At most one of each merchant and mode, across all runners: they take turns, those due longest first. */
    readonly leaseDue: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<ErasureRow>>
    readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
    readonly backlog: (now: DateTime.Utc) => Effect.Effect<Backlog>
    readonly note: (outcomes: Outcomes) => Effect.Effect<void>
    /** The erasure afterwards. None: another runner has taken it over. */
    readonly save: (erasure: ErasureRow, progress: Progress) => Effect.Effect<Option.Option<ErasureRow>>
    /** The address was found by its hash. */
    readonly seal: (erasure: ErasureRow, sealed: string) => Effect.Effect<void>
    readonly standing: (erasureNo: string) => Effect.Effect<Standing>
    /** Orders that wait, by number. */
    readonly held: (erasureNo: string, after: string, limit: number) => Effect.Effect<ReadonlyArray<HeldOrder>>
  }
>()("@coffer/erasures/ErasureStore") {}

export const layer = Layer.effect(
  ErasureStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const table = { table: "erasures", key: "erasure_no" }
    const lease = backOff(sql, "attempts", { soon: 30, late: 600, often: 1_000_000 })
    const queue = { ...table, dueAt: "due_at", lease, attempts: "attempts", error: "error", isOwned: true }
    const due = leasedRows(sql, queue, ErasureRow)
    const pages = Pages.make(sql, {
      table: { name: "erasures", key: "erasure_no", row: ErasureRow, read: (row: ErasureRow) => row },
      prefixOf: () => erasurePrefix,
      called: "an erasure"
    })
    const of = (account: Account | undefined) =>
      account === undefined ? [] : [equals(sql, "merchant_id", account.merchantId), equals(sql, "mode", account.mode)]

    const turns = makeTurns(sql, lease)
    const begin = yield* makeBegin(sql)
    return ErasureStore.of({
      begin: (erasure) => faults.around("Store.write", sqlDefects(begin(erasure)), () => "erasures"),
      find: (erasureNo, account) =>
        sqlDefects(
          Effect.flatMap(
            sql`select * from erasures where ${sql.and([equals(sql, "erasure_no", erasureNo), ...of(account)])}`,
            one
          )
        ),
      page: (request, account) =>
        pages.page(account ?? "installation", request, {
          ...(account === undefined ? {} : { path: along({}) }),
          createdAt: sql`requested_at`,
          filters: []
        }),
      leaseDue: (now, limit) => sqlDefects(Effect.flatMap(turns.lease(now, limit), decode)),
      nextDue: sqlDefects(turns.next),
      backlog: due.backlog,
      note: (outcomes) => Effect.andThen(turns.end([...outcomes.keys()]), due.noteOutcomes(outcomes)),
      save: (erasure, { counts, done_at, dueAt, is_late, isWalked, place, status, step, walked_from }) =>
        sqlDefects(
          Effect.flatMap(
            sql`update erasures set version = version + 1, step = ${step}, place = ${place},
              fresh = case when ${isWalked}::boolean then 0 else fresh end,
              counts = added_counts(counts, ${jsonText(counts)}::text::jsonb), status = ${status},
              sealed = case when ${status} = 'done' then null else sealed end,
              done_at = ${isoTextOrNull(done_at)}::text::timestamptz,
              walked_from = ${isoTextOrNull(walked_from)}::text::timestamptz, is_late = ${is_late}::boolean,
              due_at = ${isoTextOrNull(dueAt)}::text::timestamptz
              where erasure_no = ${erasure.erasure_no} and version = ${erasure.version}::int4 returning *`,
            one
          )
        ),
      seal: (erasure, sealed) =>
        sqlDefects(
          Effect.asVoid(
            sql`update erasures set sealed = ${sealed}
              where erasure_no = ${erasure.erasure_no} and version = ${erasure.version}::int4`
          )
        ),
      standing: (erasureNo) =>
        sqlDefects(
          Effect.map(
            sql<Standing>`select fresh, (select count(*)::int4 from erasure_orders o
              where o.erasure_no = e.erasure_no) as held from erasures e where erasure_no = ${erasureNo}`,
            ([row]) => row!
          )
        ),
      held: (erasureNo, after, limit) =>
        sqlDefects(
          Effect.map(
            sql<HeldOrder>`select trade_no, reason from erasure_orders
              where erasure_no = ${erasureNo} and trade_no > ${after} order by trade_no limit ${limit}::int4`,
            (rows) => rows
          )
        )
    })
  })
)

const decodeTimes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ at: TimeColumn })))

/**
 * Erasures of one merchant take turns, so that many use no more CPU than one: an erasure scans all rows.
 */
const makeTurns = (sql: SqlClient.SqlClient, lease: Statement.Fragment) => {
  const ofSame = (one: string) => sql`o.status = 'running'
    and coalesce(o.merchant_id, '') = coalesce(${sql(`${one}.merchant_id`)}, '')
    and coalesce(o.mode, '') = coalesce(${sql(`${one}.mode`)}, '')`
  return {
    lease: (now: DateTime.Utc, limit: number) => {
      const at = sql`${isoText(now)}::text::timestamptz`
      return sql.withTransaction(
        Effect.andThen(
          // Of two runners the second sees what the first has leased.
          sql`select pg_advisory_xact_lock(hashtext('coffer turns of erasures'))`,
          sql`update erasures set attempts = attempts + 1, due_at = ${at} + ${lease}, leased_until = ${at} + ${lease}
            where erasure_no in (select erasure_no from (
              select distinct on (coalesce(e.merchant_id, ''), coalesce(e.mode, '')) e.erasure_no, e.due_at
              from erasures e where e.due_at <= ${at}
                and not exists (select from erasures o where ${ofSame("e")} and o.leased_until > ${at})
              order by coalesce(e.merchant_id, ''), coalesce(e.mode, ''), e.due_at, e.erasure_no) as firsts
              order by due_at limit ${limit}::int4)
            returning *`
        )
      )
    },
    end: (numbers: ReadonlyArray<string>) =>
      Effect.ignore(sql`update erasures set leased_until = null where erasure_no = any(${[...numbers]}::text[])`, {
        log: "Warn"
      }),
    next: Effect.map(
      Effect.flatMap(
        sql`select greatest(e.due_at, (select max(o.leased_until) from erasures o where ${ofSame("e")})) as at
          from erasures e where e.due_at is not null order by 1 limit 1`,
        decodeTimes
      ),
      ([first]) => Option.fromNullishOr(first?.at)
    )
  }
}

/** Begins an erasure, unless one is at work for the same buyer. */
const makeBegin = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const numbered = numbersInOrder.make(sql, yield* NewIds, {
    table: "erasures",
    key: "erasure_no",
    prefix: erasurePrefix
  })
  const running = ({ account, email_hash, trade_no }: NewErasure) =>
    sql`select * from erasures where status = 'running' and coalesce(merchant_id, '') = ${account?.merchantId ?? ""}
      and coalesce(mode, '') = ${account?.mode ?? ""} and coalesce(email_hash, '') = ${email_hash ?? ""}
      and coalesce(trade_no, '') = ${trade_no ?? ""}`

  const isFull = ({ account }: NewErasure) =>
    account === undefined
      ? Effect.succeed(false)
      : Effect.map(
          sql`select from erasures where status = 'running' and merchant_id = ${account.merchantId}
            and mode = ${account.mode} limit ${erasuresMax}::int4`,
          ({ length }) => length === erasuresMax
        )

  // Numbers have one writer at a time, so no other erasure is begun between the check and the insert.
  const begin = (erasure: NewErasure) =>
    numbered(
      Effect.fnUntraced(function* (erasureNo) {
        const [known] = yield* decode(yield* running(erasure))
        if (known !== undefined) return Option.some(known)
        if (yield* isFull(erasure)) return Option.none()
        const { account, email_hash, requested_at, requested_by, sealedFor, trade_no } = erasure
        const at = sql`${isoText(requested_at)}::text::timestamptz`
        const sealed = sealedFor(erasureNo)
        const rows = yield* sql`insert into erasures (erasure_no, version, merchant_id, mode, trade_no, email_hash,
            sealed, requested_by, status, step, requested_at, due_at)
          values (${erasureNo}, 1, ${account?.merchantId ?? null}, ${account?.mode ?? null}, ${trade_no},
            ${email_hash}, ${sealed}, ${requested_by}, 'running',
            ${stepOf(erasure, sealed)}, ${at}, ${at}) returning *`
        if (trade_no !== null) yield* sql`insert into erasure_orders values (${erasureNo}, ${trade_no}, 'begun')`
        return yield* one(rows)
      })
    )
  return begin
})
