/**
 * Reads API logs with their bodies, page by page, and finds those about a buyer: by the numbers of orders and of their
 * objects, by the merchant's own numbers, and by the address. For erasures and archives.
 */
import { firstIdBody, prefixes } from "@coffer/model/Ids"
import { wholeAddress } from "@coffer/rules/wholeAddress"
import { DateTime, Effect, Option, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { allOf } from "../../shared/logs/logBodies.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText, TimeColumn } from "../../platform/runtime/codecs.ts"

/** Numbers that one statement looks up. */
const numbersMax = 5_000

export interface CallsOf {
  /** Undefined for all merchants. */
  readonly merchantId: string | undefined
  readonly mode: string | undefined
  readonly limit: number
  /** Only calls that began later. */
  readonly since?: DateTime.Utc | undefined
}

const CallRow = Schema.Struct({
  merchant_id: Schema.String,
  mode: Schema.String,
  request_id: Schema.String,
  method: Schema.String,
  path: Schema.String,
  status: Schema.Int,
  error_code: Schema.NullOr(Schema.String),
  duration_ms: Schema.Int,
  ip: Schema.NullOr(Schema.String),
  user_agent: Schema.NullOr(Schema.String),
  ignored_fields: Schema.Unknown,
  idempotency_key: Schema.NullOr(Schema.String),
  created_at: TimeColumn,
  block: Schema.NullOr(Schema.Int),
  place: Schema.NullOr(Schema.Int)
})
export type CallRow = typeof CallRow.Type
const decodeCalls = Schema.decodeUnknownEffect(Schema.Array(CallRow))
const BlockRow = Schema.Struct({ day: TimeColumn, block: Schema.Int, bodies: Schema.Uint8Array })
const decodeBlocks = Schema.decodeUnknownEffect(Schema.Array(BlockRow))
const Account = Schema.Struct({ merchant_id: Schema.String, mode: Schema.String })
const decodeAccounts = Schema.decodeUnknownEffect(Schema.Array(Account))
const OwnNumber = Schema.Struct({ out_trade_no: Schema.String })
const decodeOwnNumbers = Schema.decodeUnknownEffect(Schema.Array(OwnNumber))

/** A call with its bodies as they are kept. */
export interface Call extends CallRow {
  readonly request: unknown
  readonly response: unknown
  /** The path and both bodies. */
  readonly text: string
}

/** A page of calls, in the order of their numbers. A place is the account and the number of its last call. */
export const makeReadCalls = (sql: SqlClient.SqlClient) => {
  /** The account of this place, and the last call before it. */
  const firstAccount = Effect.fnUntraced(function* (place: string, { merchantId, mode }: CallsOf) {
    if (merchantId !== undefined) return { merchant_id: merchantId, mode: mode ?? "", after: place.split("/")[2] ?? "" }
    const [merchant_id = "", ofMode = "", after = ""] = place.split("/")
    const since = after === "" ? sql`>` : sql`>=`
    const [account] = yield* decodeAccounts(
      yield* sql`select merchant_id, mode from merchant_modes
        where (merchant_id, mode) ${since} (${merchant_id}, ${ofMode})
        order by merchant_id, mode limit 1`
    )
    return account === undefined ? undefined : { ...account, after }
  })

  return Effect.fnUntraced(function* (place: string, options: CallsOf) {
    const account = yield* firstAccount(place, options)
    if (account === undefined) return { rows: [], next: undefined }
    const rows = yield* decodeCalls(
      yield* sql`select merchant_id, mode, request_id, method, path, status, error_code, duration_ms, ip, user_agent,
          idempotency_key, ignored_fields, created_at, block, place
        from api_logs where merchant_id = ${account.merchant_id} and mode = ${account.mode}
          and request_id > ${account.after} and request_id >= ${firstCall(options.since)}
        order by request_id limit ${options.limit}::int4`
    )
    const name = `${account.merchant_id}/${account.mode}/`
    if (rows.length === options.limit) return { rows, next: name + rows.at(-1)!.request_id }
    return { rows, next: options.merchantId === undefined ? name : undefined }
  })
}

const firstCall = (since: DateTime.Utc | undefined) =>
  prefixes.request + (since === undefined ? "" : firstIdBody(DateTime.toEpochMillis(since)))

export interface Block {
  readonly day: DateTime.Utc
  readonly values: Array<unknown>
  isChanged: boolean
}

/** The blocks of these calls; `locked` may say that their rows are locked. */
export const openBlocks = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  calls: ReadonlyArray<CallRow>,
  locked: Statement.Fragment
) {
  const days = new Map<number, DateTime.Utc>()
  for (const { block, created_at } of calls) if (block !== null) days.set(block, DateTime.removeTime(created_at))
  const blocks = new Map<number, Block>()
  if (days.size === 0) return blocks
  const rows = yield* decodeBlocks(
    yield* sql`select b.day, b.block, b.bodies
      from unnest(${[...days.values()].map(DateTime.toDateUtc)}::timestamptz[],
        ${[...days.keys()].map(String)}::bigint[])
        as n (day, block) join api_log_bodies b on b.day = n.day and b.block = n.block
      order by b.day, b.block ${locked}`
  )
  for (const { block, bodies, day } of rows)
    blocks.set(block, { day, values: [...(yield* allOf(bodies))], isChanged: false })
  return blocks
})

export const callsOf = (rows: ReadonlyArray<CallRow>, blocks: ReadonlyMap<number, Block>): ReadonlyArray<Call> =>
  rows.map((row) => {
    const values = row.block === null ? undefined : blocks.get(row.block)?.values
    const at = 2 * (row.place ?? 0)
    const [request, response] = [values?.[at] ?? null, values?.[at + 1] ?? null]
    return { ...row, request, response, text: `${row.path} ${jsonText([request, response])}` }
  })

// Owners of calls -----------------------------------------------------------------

export type NumbersOf = (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>

export const numbersIn = ((): ((text: string) => ReadonlyArray<string>) => {
  const { delivery, dispute, event, refund, tradeNo } = prefixes
  const pattern = new RegExp(
    `(?:${[tradeNo.sandbox, tradeNo.live, refund, dispute, event, delivery].join("|")})[0-9A-HJKMNP-TV-Z]{26}`,
    "g"
  )
  return (text) => text.match(pattern) ?? []
})()

/** Whether a text, such as JSON, has the address. Most have not, and need not be read any further. */
export const hasAddress = (email: string | undefined): ((text: string) => boolean) =>
  email === undefined ? () => false : wholeAddress(email).isIn

/**
 * Which numbers in these texts are of certain orders, or of what belongs to them. `which`: a condition on an order `o`.
 */
export const makeNumbersOf = (sql: SqlClient.SqlClient, which: Statement.Fragment): NumbersOf =>
  Effect.fnUntraced(function* (texts) {
    const { delivery, dispute, event, refund, tradeNo } = prefixes
    const numbers = [...new Set(texts.flatMap(numbersIn))]
    const found = new Set<string>()
    for (let from = 0; from < numbers.length; from += numbersMax) {
      const some = numbers.slice(from, from + numbersMax)
      const of = (prefix: string) => some.filter((number) => number.startsWith(prefix))
      const rows = yield* sql<{ readonly number: string }>`
        select o.trade_no as number from orders o
          where o.trade_no = any(${of(tradeNo.live)}::text[]) and ${which}
        union all select r.refund_no from refunds r join orders o using (trade_no)
          where r.refund_no = any(${of(refund)}::text[]) and ${which}
        union all select d.dispute_no from disputes d join orders o using (trade_no)
          where d.dispute_no = any(${of(dispute)}::text[]) and ${which}
        union all select e.id from events e join orders o using (trade_no)
          where e.id = any(${of(event)}::text[]) and ${which}
        union all select d.id from deliveries d join events e on e.id = d.event_id join orders o using (trade_no)
          where d.id = any(${of(delivery)}::text[]) and ${which}`
      for (const { number } of rows) found.add(number)
    }
    return found
  }, sqlDefects)

/** The merchant's own numbers of these orders, where a call names no number of ours. */
export const makeOwnNumbersOf = (sql: SqlClient.SqlClient, which: Statement.Fragment) =>
  Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
    const numbers = new Set<string>()
    for (const { path, request } of calls) {
      const named = /^\/v1\/orders\/([^/]+)/.exec(path)?.[1]
      if (named !== undefined) numbers.add(decoded(named))
      if (typeof request === "object" && request !== null && "out_trade_no" in request) {
        numbers.add(String(request.out_trade_no))
      }
    }
    const account = calls[0]
    if (account === undefined || numbers.size === 0) return new Set<string>()
    const found = yield* decodeOwnNumbers(
      yield* sql`select out_trade_no from orders o where merchant_id = ${account.merchant_id} and mode = ${account.mode}
      and out_trade_no = any(${[...numbers].filter((number) => !number.includes("\u0000"))}::text[])
      and ${which}`
    )
    return new Set(found.map(({ out_trade_no }) => out_trade_no))
  })

export const decoded = (part: string) => Option.getOrElse(decodePart(part), () => part)
const decodePart = Option.liftThrowable(decodeURIComponent)
