/**
 * Objects of all rooms that need attention: they wait for a person or a program. Newest first. Reads their rows and
 * writes nothing: an object that moves on leaves the list by itself.
 */
import { isoText } from "@coffer/model/isoText"
import { type HeldKind, heldCountMax, heldKinds, type HeldUpQuery } from "@coffer/contract/HeldUp"
import type { Mode } from "@coffer/model/Ids"
import { InvalidField } from "@coffer/rules/InvalidField"
import { idsCreated } from "@coffer/rules/lists/created"
import { type Page, pageOf, type PageRequest, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { isStorable } from "../../platform/postgres/scans.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { span } from "../../platform/runtime/span.ts"
import { HeldRow, type HeldSource, heldSources } from "./heldRows.ts"

export type HeldCounts = Readonly<Record<HeldKind, number>>

export class NeedsAttention extends Context.Service<
  NeedsAttention,
  {
    readonly page: (query: HeldUpQuery) => Effect.Effect<Page<HeldRow>, InvalidField>
    /** Up to {@link heldCountMax} of each kind; ignores `kind` and the page. */
    readonly counts: (query: HeldUpQuery) => Effect.Effect<HeldCounts>
  }
>()("@coffer/needsAttention/NeedsAttention") {}

export const layer = Layer.effect(
  NeedsAttention,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const exists = ({ key, table }: HeldSource, id: string) =>
      Effect.map(sql`select 1 from ${sql(table)} where ${sql(key)} = ${id}`, ({ length }) => length > 0)

    /** The object of the cursor may have moved on meanwhile. */
    const placeOf = Effect.fnUntraced(function* ({ cursor }: PageRequest) {
      if (cursor === undefined) return undefined
      const source = heldSources.find(({ prefix }) => isNumberOf(prefix, cursor.id))
      if (source === undefined || !(yield* exists(source, cursor.id))) {
        return yield* new InvalidField({ param: cursor.param, problem: "is not the id of an object on hold" })
      }
      return { digits: cursor.id.slice(source.prefix.length), rank: rankOf(source) }
    })

    return NeedsAttention.of({
      page: span("NeedsAttention.page")(function* (query) {
        const request = yield* Effect.fromResult(readPageRequest(query))
        const from = yield* placeOf(request)
        return pageOf(yield* rowsOf(sql, { query, request, from }), request)
      }, sqlDefects),
      counts: span("NeedsAttention.counts")(function* (query) {
        const kinds = heldKinds.map((kind) => countOf(sql, query, kind))
        const [row] = yield* decodeCounts(yield* sql`select ${sql.csv(kinds)}`)
        return row
      }, sqlDefects)
    })
  })
)

const bodyPattern = /^[0-9A-HJKMNP-TV-Z]{26}$/
const isNumberOf = (prefix: string, id: string) => id.startsWith(prefix) && bodyPattern.test(id.slice(prefix.length))

const sourcesFor = (mode: Mode | undefined, kind: HeldKind | undefined) =>
  heldSources.filter(
    (source) =>
      (kind === undefined || source.kind === kind) &&
      (mode === undefined || source.mode === undefined || source.mode === mode)
  )

interface Sought {
  readonly query: HeldUpQuery
  readonly request: PageRequest
  readonly from: Place | undefined
}

/** The sort key of a cursor's object: the digits of its number, and then its source. */
interface Place {
  readonly digits: string
  readonly rank: number
}

/** One row more than the page holds, walking away from the cursor. */
const rowsOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, sought: Sought) {
  const { cursor, limit } = sought.request
  const direction = sql.literal(cursor?.param === "ending_before" ? "asc" : "desc")
  const scans = sourcesFor(sought.query.mode, sought.query.kind).map((source) => {
    const { held, key, table } = source
    const conditions = [...holds(sql, sought.query), ...isThere(sql, source, sought)]
    return sql`(select ${sql.literal(columnsOf(source))} from ${from(sql, source)}
      where ${sql.literal(held)} and ${sql.and(conditions)}
      order by ${sql(`${table}.${key}`)} ${direction} limit ${limit + 1})`
  })
  const page = sql`select * from (${sql.join(" union all ", false)(scans)}) as held
    order by place ${direction} limit ${limit + 1}`
  return yield* decodeRows(
    yield* sql`select page.*, coalesce(page.own_error, last.error) as error from (${page}) as page
      left join lateral (select coalesce('answered ' || status_code, failure) as error from delivery_attempts
        where delivery_id = page.id order by attempt desc limit 1) as last on page.kind = 'delivery'
      order by place ${direction}`
  )
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(HeldRow))

const countOf = (sql: SqlClient.SqlClient, query: HeldUpQuery, kind: HeldKind) => {
  const counts = sourcesFor(query.mode, kind).map(
    (source) => sql`(select count(*)::int4 from (select 1 from ${from(sql, source)}
      where ${sql.literal(source.held)} and ${sql.and(holds(sql, query))} limit ${heldCountMax}) as counted)`
  )
  return sql`least(${sql.join(" + ", false)(counts)}, ${heldCountMax}) as ${sql(kind)}`
}

const decodeCounts = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct(Object.fromEntries(heldKinds.map((kind) => [kind, Schema.Int])) as HeldIntegers)])
)
type HeldIntegers = Record<HeldKind, Schema.Int>

const from = (sql: SqlClient.SqlClient, { join = "", table }: HeldSource) => sql`${sql(table)} ${sql.literal(join)}`

/** The merchant's rows. Both environments are named, so that an index by merchant and environment serves. */
const holds = (
  sql: SqlClient.SqlClient,
  { merchant_id: merchantId, mode }: HeldUpQuery
): ReadonlyArray<Statement.Fragment> => {
  if (merchantId !== undefined && !isStorable(merchantId)) return [sql`false`]
  const modes = mode === undefined ? ["sandbox", "live"] : [mode]
  return [
    ...(merchantId === undefined ? [] : [sql`merchant_id = ${merchantId}`]),
    ...(merchantId === undefined && mode === undefined ? [sql`true`] : [sql`mode = any(${modes})`])
  ]
}

/** The range of ids, and the exact range of creation times. */
const isThere = (sql: SqlClient.SqlClient, source: HeldSource, { from: cursor, request }: Sought) => {
  const { isOlderThanRow = false, key, prefix, table } = source
  const { from, to } = request.created
  const { above, below } = idsCreated(prefix, isOlderThanRow ? { from: undefined, to: undefined } : request.created)
  const id = sql(`${table}.${key}`)
  const createdAt = sql(`${table}.created_at`)
  return [
    sql`${id} > ${above}`,
    sql`${id} < ${below}`,
    ...(cursor === undefined ? [] : [isBeyond(sql, source, cursor, request.cursor?.param === "ending_before")]),
    ...(from === undefined ? [] : [sql`${createdAt} >= ${isoText(from)}::timestamptz`]),
    ...(to === undefined ? [] : [sql`${createdAt} <= ${isoText(to)}::timestamptz`])
  ]
}

/** An order and its first mail have the same digits; the place among the sources comes after these. */
const isBeyond = (sql: SqlClient.SqlClient, source: HeldSource, { digits, rank }: Place, isNewer: boolean) => {
  const isNext = isNewer ? rankOf(source) > rank : rankOf(source) < rank
  const comparison = sql.literal((isNewer ? ">" : "<") + (isNext ? "=" : ""))
  return sql`${sql(`${source.table}.${source.key}`)} ${comparison} ${source.prefix + digits}`
}

/** Sources of one prefix have one place: no number is in two of them. */
const rankOf = (source: HeldSource): number => heldSources.findIndex(({ prefix }) => prefix === source.prefix)

/** Each column of a row, in one order for all tables. */
const columnsOf = (source: HeldSource): string => {
  const { columns, key, kind, table } = source
  const {
    amount,
    attempts,
    channel,
    currency,
    due_by,
    error,
    is_answered,
    next_at,
    payments,
    presented,
    stage,
    trade_no,
    updated_at = "updated_at",
    url
  } = columns
  return [
    `'${kind}'::text as kind`,
    `${table}.${key} as id`,
    `right(${table}.${key}, 26) || '${rankOf(source).toString(36)}' as place`,
    "merchant_id",
    "mode",
    `${trade_no ?? "null::text"} as trade_no`,
    `${columns.status ?? "status"}::text as status`,
    "created_at",
    `${updated_at} as updated_at`,
    `${amount ?? "null"}::bigint as amount`,
    `${currency ?? "null"}::text as currency`,
    `${attempts ?? "null"}::int4 as attempts`,
    `${error ?? "null::text"} as own_error`,
    `${next_at ?? "null::timestamptz"} as next_at`,
    `${stage ?? "null::text"} as stage`,
    `${is_answered ?? "null::boolean"} as is_answered`,
    `${due_by ?? "null::timestamptz"} as due_by`,
    `${presented ?? "null"}::text as presented`,
    `${url ?? "null::text"} as url`,
    `${channel ?? "null::text"} as channel`,
    `${payments ?? "null::jsonb"} as payments`
  ].join(", ")
}
