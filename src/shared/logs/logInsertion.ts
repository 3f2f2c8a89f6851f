/** The statement that writes rows of API logs, many at once, and its parameters. */
import type { MerchantId, Mode } from "@coffer/model/Ids"
import { DateTime, Effect } from "effect"
import { limitHiddenFromPlanner, hasTransactionId } from "../../platform/commit/numbered.ts"
import { type Bodies, pack, slicesOf } from "./logBodies.ts"
import type { NewLogRow } from "./LogStore.ts"

// The client cannot infer the type of an array of nulls, so null is sent as an empty text.
const text = (name: keyof Cells) => (row: Cells) => (row[name] as string | null) ?? ""

type Cells = Omit<NewLogRow, keyof Bodies>

const cells: Record<keyof Cells, (row: Cells) => unknown> = {
  request_id: text("request_id"),
  merchant_id: text("merchant_id"),
  mode: text("mode"),
  method: text("method"),
  path: text("path"),
  status: ({ status }) => status,
  error_code: text("error_code"),
  duration_ms: ({ duration_ms }) => duration_ms,
  ip: text("ip"),
  key_id: text("key_id"),
  source: ({ source = "api" }) => source,
  user_agent: text("user_agent"),
  idempotency_key: text("idempotency_key"),
  ignored_fields: text("ignored_fields"),
  created_at: ({ created_at }) => DateTime.toDateUtc(created_at),
  // The client infers different types for small and large numbers, and refuses an array of both.
  ahead_ms: ({ ahead_ms = 0 }) => String(ahead_ms)
}
const columns = Object.keys(cells) as ReadonlyArray<keyof Cells>

const typeOf: Partial<Record<keyof Cells, string>> = {
  status: "integer",
  duration_ms: "integer",
  created_at: "timestamptz",
  ahead_ms: "bigint"
}
const valueOf = (column: keyof Cells): string => {
  if (column in typeOf) return column
  return column === "ignored_fields" ? `nullif(${column}, '')::jsonb` : `nullif(${column}, '')`
}

/** Cells by column; of each row the number of its block, from 1, and its place in it; the blocks. */
export const paramsOf = Effect.fnUntraced(function* (rows: ReadonlyArray<NewLogRow>) {
  const slices = slicesOf(rows)
  const placed = new Map<NewLogRow, readonly [slice: number, place: number]>()
  for (const [slice, { rows }] of slices.entries()) {
    for (const [place, row] of rows.entries()) placed.set(row, [slice + 1, place])
  }
  return [
    ...columns.map((column) => rows.map((row) => cells[column](row))),
    rows.map((row) => placed.get(row)?.[0] ?? 0),
    rows.map((row) => placed.get(row)?.[1] ?? 0),
    slices.map(({ day }) => DateTime.toDateUtc(day)),
    yield* Effect.forEach(slices, ({ rows }) => pack(rows))
  ]
})

const [slice, place, day, bodies] = [1, 2, 3, 4].map((more) => `$${columns.length + more}`)
/** An account whose list has passed some calls before they were written. */
export interface HorizonPassed {
  readonly merchant_id: MerchantId
  readonly mode: Mode
  readonly calls: string
  readonly late: number
}

/** A condition that is true. The statement's commit does not wait for the disk: a crash may lose API logs. */
const withoutFlush = "(select set_config('synchronous_commit', 'off', true)) is not null"

/**
 * One statement, so that no row is without its block. The lock tells a list, when it raises the horizon, that this
 * statement has read it, as in a batch (`commit/numbered.ts`).
 */
export const insertion = `with blocks as materialized (
    select number, nextval('api_log_blocks') as block, day, bodies
    from unnest(${day}::timestamptz[], ${bodies}::bytea[]) with ordinality as given (day, bodies, number)),
  kept as (insert into api_log_bodies (day, block, bodies) select day, block, bodies from blocks),
  rows as materialized (select * from unnest(
    ${columns.map((column, index) => `$${index + 1}::${typeOf[column] ?? "text"}[]`).join(", ")},
    ${slice}::integer[], ${place}::integer[]) as rows (${columns.join(", ")}, slice, place)),
  accounts as materialized (select distinct merchant_id, mode from rows order by merchant_id, mode),
  locked as materialized (select h.merchant_id, h.mode
    from (select * from accounts ${limitHiddenFromPlanner}) as o, list_horizons as h
    where (h.merchant_id, h.mode) = (o.merchant_id, o.mode) and ${hasTransactionId} for key share of h),
  seen as materialized (select merchant_id, mode, (horizon_now(merchant_id, mode)).calls from locked),
  passed as (select request_id, merchant_id, mode, calls from rows join seen using (merchant_id, mode)
    where right(request_id, 26) <= calls),
  written as (insert into api_logs (${columns.join(", ")}, block, place)
    select ${columns.map(valueOf).join(", ")}, blocks.block, case when blocks.block is not null then place end
    from rows left join blocks on blocks.number = rows.slice
    where ${withoutFlush} and request_id not in (select request_id from passed))
  select merchant_id, mode, calls, count(*)::int4 as late from passed group by merchant_id, mode, calls`
