/**
 * Takes a buyer out of the copies of requests: the stored answers of Idempotency-Keys, and the API logs with their
 * bodies. Texts are found by the numbers of orders that were erased before. The address itself is looked for
 * too, in calls from before the request, since a refused call names no order. A slice is a page of rows in the order of
 * their keys, and one transaction.
 */
import { retentionDays } from "@coffer/contract/Logs"
import { prefixes } from "@coffer/model/Ids"
import { type Eraser, makeEraser } from "@coffer/rules/erasure"
import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { allOf, type Bodies, packed } from "../logs/logBodies.ts"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { storableJson } from "../platform/postgres/storable.ts"
import { isoText, jsonText, parseJson, TimeColumn } from "../platform/runtime/codecs.ts"

export interface CopiesOf {
  /** Undefined for all merchants. */
  readonly merchantId: string | undefined
  readonly mode: string | undefined
  readonly email: string | undefined
  readonly requestedAt: DateTime.Utc
  readonly now: DateTime.Utc
}

export interface Walked {
  readonly erased: number
  /** Where to go on; undefined at the end. */
  readonly place: string | undefined
}

const answersMax = 2_000
const callsMax = 1_000
/** Numbers that one statement looks up. */
const numbersMax = 5_000

export const makeEraseCopies = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const erasedOf = makeErasedOf(sql)
  return { answers: makeAnswers(sql, erasedOf), logs: makeLogs(sql, erasedOf) }
})

type ErasedOf = (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>

/** Which numbers in these texts are of erased orders, or of what belongs to them. */
const makeErasedOf = (sql: SqlClient.SqlClient): ErasedOf => {
  const { delivery, dispute, event, refund, tradeNo } = prefixes
  const pattern = new RegExp(
    `(?:${[tradeNo.sandbox, tradeNo.live, refund, dispute, event, delivery].join("|")})[0-9A-HJKMNP-TV-Z]{26}`,
    "g"
  )
  return Effect.fnUntraced(function* (texts) {
    const numbers = [...new Set(texts.flatMap((text) => text.match(pattern) ?? []))]
    const erased = new Set<string>()
    for (let from = 0; from < numbers.length; from += numbersMax) {
      const some = numbers.slice(from, from + numbersMax)
      const of = (prefix: string) => some.filter((number) => number.startsWith(prefix))
      const rows = yield* sql<{ readonly number: string }>`
        select o.trade_no as number from orders o
          where o.trade_no = any(${of(tradeNo.live)}::text[]) and o.erased_at is not null
        union all select r.refund_no from refunds r join orders o using (trade_no)
          where r.refund_no = any(${of(refund)}::text[]) and o.erased_at is not null
        union all select d.dispute_no from disputes d join orders o using (trade_no)
          where d.dispute_no = any(${of(dispute)}::text[]) and o.erased_at is not null
        union all select e.id from events e join orders o using (trade_no)
          where e.id = any(${of(event)}::text[]) and o.erased_at is not null
        union all select d.id from deliveries d join events e on e.id = d.event_id join orders o using (trade_no)
          where d.id = any(${of(delivery)}::text[]) and o.erased_at is not null`
      for (const { number } of rows) erased.add(number)
    }
    return erased
  }, sqlDefects)
}

// Stored answers ------------------------------------------------------------------

const AnswerRow = Schema.Struct({ id: Schema.String, data: Schema.NullOr(Schema.String), is_before: Schema.Boolean })
const decodeAnswers = Schema.decodeUnknownEffect(Schema.Array(AnswerRow))

/** Answers that show a secret are sealed, and none of them is about a buyer. */
const makeAnswers =
  (sql: SqlClient.SqlClient, erasedOf: ErasedOf) =>
  (place: string, { email, merchantId, mode, requestedAt }: CopiesOf): Effect.Effect<Walked> =>
    Effect.gen(function* () {
      const whose = merchantId === undefined ? sql`true` : sql`merchant_id = ${merchantId} and mode = ${mode ?? ""}`
      const rows = yield* decodeAnswers(
        yield* sql`select id, case when ${whose} and data like '{%' then data end as data,
            created_at <= ${isoText(requestedAt)}::text::timestamptz as is_before
          from idempotency_keys where id > ${place} order by id limit ${answersMax}::int4`
      )
      const texts = rows.flatMap(({ data }) => (data === null ? [] : [data]))
      const erased = yield* erasedOf(texts)
      const isErased = (number: string) => erased.has(number)
      const [all, own] = [makeEraser({ email, isErased }), makeEraser({ email: undefined, isErased })]
      const changed = rows.flatMap(({ data, id, is_before }) => {
        if (data === null) return []
        const after = jsonText((is_before ? all : own).answer(Option.getOrNull(parseJson(data))))
        return after === data ? [] : [{ id, data, after }]
      })
      if (changed.length > 0) {
        yield* sql`update idempotency_keys k set data = changed.after
          from unnest(${changed.map(({ id }) => id)}::text[], ${changed.map(({ data }) => data)}::text[],
            ${changed.map(({ after }) => after)}::text[]) as changed (id, data, after)
          where k.id = changed.id and k.data = changed.data`
      }
      return { erased: changed.length, place: rows.length < answersMax ? undefined : rows.at(-1)!.id }
    }).pipe(sqlDefects)

// API logs ------------------------------------------------------------------------

const CallRow = Schema.Struct({
  merchant_id: Schema.String,
  mode: Schema.String,
  request_id: Schema.String,
  path: Schema.String,
  user_agent: Schema.NullOr(Schema.String),
  idempotency_key: Schema.NullOr(Schema.String),
  created_at: TimeColumn,
  block: Schema.NullOr(Schema.Int),
  place: Schema.NullOr(Schema.Int)
})
type CallRow = typeof CallRow.Type
const decodeCalls = Schema.decodeUnknownEffect(Schema.Array(CallRow))
const BlockRow = Schema.Struct({ day: TimeColumn, block: Schema.Int, bodies: Schema.Uint8Array })
const decodeBlocks = Schema.decodeUnknownEffect(Schema.Array(BlockRow))
const Account = Schema.Struct({ merchant_id: Schema.String, mode: Schema.String })
const decodeAccounts = Schema.decodeUnknownEffect(Schema.Array(Account))
const OwnNumber = Schema.Struct({ out_trade_no: Schema.String })
const decodeOwnNumbers = Schema.decodeUnknownEffect(Schema.Array(OwnNumber))

/** A call with its bodies as they are kept. */
interface Call extends CallRow {
  readonly request: unknown
  readonly response: unknown
}

const makeLogs = (sql: SqlClient.SqlClient, erasedOf: ErasedOf) => {
  /** The account of this place, and the first call after it. A place is the account and the number of its last call. */
  const firstAccount = Effect.fnUntraced(function* (place: string, { merchantId, mode }: CopiesOf) {
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

  const slice = Effect.fnUntraced(function* (place: string, options: CopiesOf) {
    const account = yield* firstAccount(place, options)
    if (account === undefined) return { erased: 0, place: undefined }
    const oldest = DateTime.removeTime(DateTime.subtract(options.now, { days: retentionDays }))
    const rows = yield* decodeCalls(
      yield* sql`select merchant_id, mode, request_id, path, user_agent, idempotency_key, created_at, block, place
        from api_logs where merchant_id = ${account.merchant_id} and mode = ${account.mode}
          and request_id > ${account.after} and created_at >= ${isoText(oldest)}::text::timestamptz
        order by request_id limit ${callsMax}::int4`
    )
    const erased = yield* eraseCalls(rows, options)
    const name = `${account.merchant_id}/${account.mode}/`
    if (rows.length === callsMax) return { erased, place: name + rows.at(-1)!.request_id }
    return { erased, place: options.merchantId === undefined ? name : undefined }
  })

  const eraseCalls = Effect.fnUntraced(function* (rows: ReadonlyArray<CallRow>, options: CopiesOf) {
    const blocks = yield* openBlocks(sql, rows)
    const calls = rows.map((row): Call => {
      const values = row.block === null ? undefined : blocks.get(row.block)?.values
      const at = 2 * (row.place ?? 0)
      return { ...row, request: values?.[at] ?? null, response: values?.[at + 1] ?? null }
    })
    const erased = yield* erasedOf(
      calls.flatMap(({ path, request, response }) => [path, jsonText([request, response])])
    )
    const ownNumbers = yield* erasedNumbers(sql, calls)
    const isErased = (number: string) => erased.has(number) || ownNumbers.has(number)
    const erasers = {
      all: makeEraser({ email: options.email, isErased }),
      own: makeEraser({ email: undefined, isErased })
    }
    let count = 0
    for (const call of calls) {
      const after = withoutBuyer(call, options, erasers, isErased)
      if (after.header !== undefined) yield* writeHeader(sql, call, after.header)
      const isChanged = !isSame(call, after)
      if (isChanged || after.header !== undefined) count++
      const block = isChanged && call.block !== null ? blocks.get(call.block) : undefined
      if (block === undefined) continue
      block.values[2 * (call.place ?? 0)] = after.request
      block.values[2 * (call.place ?? 0) + 1] = after.response
      block.isChanged = true
    }
    for (const [number, { day, isChanged, values }] of blocks) {
      if (!isChanged) continue
      const bodies = yield* packed(pairsOf(values))
      yield* sql`update api_log_bodies set bodies = ${bodies}
        where day = ${DateTime.toDateUtc(day)} and block = ${String(number)}::text::bigint`
    }
    return count
  })

  // Blocks have calls of several accounts: another erasure waits for this one's.
  return (place: string, options: CopiesOf): Effect.Effect<Walked> =>
    sqlDefects(sql.withTransaction(slice(place, options)))
}

interface Block {
  readonly day: DateTime.Utc
  readonly values: Array<unknown>
  isChanged: boolean
}

/** The blocks of these calls, locked. */
const openBlocks = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, calls: ReadonlyArray<CallRow>) {
  const days = new Map<number, DateTime.Utc>()
  for (const { block, created_at } of calls) if (block !== null) days.set(block, DateTime.removeTime(created_at))
  const blocks = new Map<number, Block>()
  if (days.size === 0) return blocks
  const rows = yield* decodeBlocks(
    yield* sql`select b.day, b.block, b.bodies
      from unnest(${[...days.values()].map(DateTime.toDateUtc)}::timestamptz[],
        ${[...days.keys()].map(String)}::bigint[])
        as n (day, block) join api_log_bodies b on b.day = n.day and b.block = n.block
      order by b.day, b.block for update of b`
  )
  for (const { block, bodies, day } of rows)
    blocks.set(block, { day, values: [...(yield* allOf(bodies))], isChanged: false })
  return blocks
})

/** The merchant's own numbers of orders that were erased, where a call names no number of ours. */
const erasedNumbers = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, calls: ReadonlyArray<Call>) {
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
    yield* sql`select out_trade_no from orders where merchant_id = ${account.merchant_id} and mode = ${account.mode}
      and out_trade_no = any(${[...numbers].filter((number) => !number.includes("\u0000"))}::text[])
      and erased_at is not null`
  )
  return new Set(found.map(({ out_trade_no }) => out_trade_no))
})

const decoded = (part: string) => Option.getOrElse(decodePart(part), () => part)
const decodePart = Option.liftThrowable(decodeURIComponent)

interface Header extends Pick<CallRow, "path" | "user_agent" | "idempotency_key"> {}
interface ErasedCall extends Pick<Call, "request" | "response"> {
  readonly header?: Header
}

const withoutBuyer = (
  call: Call,
  { requestedAt }: CopiesOf,
  { all, own }: { readonly all: Eraser; readonly own: Eraser },
  isErased: (number: string) => boolean
): ErasedCall => {
  const isAbout =
    call.path.split("/").some((part) => isErased(decoded(part))) ||
    hasErased(call.request, isErased) ||
    (call.path === "/v1/orders" && hasErased(dataOf(call.response), isErased)) ||
    (call.path === "/v1/refunds" && hasErased(dataOf(call.response), isErased))
  const isBefore = DateTime.isLessThanOrEqualTo(call.created_at, requestedAt)
  const eraser = isAbout || isBefore ? all : own
  const request = eraser.answer(call.request)
  // A refused call names no order, and has the address.
  const isBuyers = isAbout || jsonText(request) !== jsonText(call.request)
  const { text } = eraser
  const textOrNull = (given: string | null) => (given === null ? null : text(given))
  const header = {
    path: text(call.path),
    user_agent: textOrNull(call.user_agent),
    idempotency_key: textOrNull(call.idempotency_key)
  }
  const isHeaderChanged =
    header.path !== call.path ||
    header.user_agent !== call.user_agent ||
    header.idempotency_key !== call.idempotency_key
  return {
    request: isBuyers && call.request !== null ? eraser.request(call.request) : request,
    response: eraser.answer(call.response, isAbout),
    ...(isHeaderChanged ? { header } : {})
  }
}

const dataOf = (response: unknown): unknown =>
  typeof response === "object" && response !== null && "data" in response ? response.data : undefined

/** True: the object itself has an erased number. */
const hasErased = (value: unknown, isErased: (number: string) => boolean): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).some((field) => typeof field === "string" && isErased(field))

const isSame = (call: Call, after: ErasedCall): boolean =>
  jsonText([call.request, call.response]) === jsonText([after.request, after.response])

const writeHeader = (sql: SqlClient.SqlClient, call: CallRow, header: Header) =>
  sql`update api_logs set path = ${header.path}, user_agent = ${header.user_agent},
      idempotency_key = ${header.idempotency_key}
    where merchant_id = ${call.merchant_id} and mode = ${call.mode} and request_id = ${call.request_id}
      and created_at = ${DateTime.toDateUtc(call.created_at)}`

/** As they are packed: two values for each call. */
const pairsOf = (values: ReadonlyArray<unknown>): ReadonlyArray<Bodies> =>
  Array.from({ length: values.length / 2 }, (_, place) => ({
    request_body: textOf(values[2 * place]),
    response_body: textOf(values[2 * place + 1])
  }))
const textOf = (value: unknown) => (value === null || value === undefined ? null : storableJson(value as object))
