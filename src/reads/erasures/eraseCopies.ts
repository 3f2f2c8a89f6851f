/**
 * Removes a buyer from the copies of requests: the stored answers of Idempotency-Keys, and the API logs with their
 * bodies. Texts are found by the numbers of the orders that are erased already, and by the address itself in calls from
 * before the request, since a refused call names no order. A slice is a page of rows in the order of their keys, and
 * one transaction.
 */
import { isoText } from "@coffer/model/isoText"
import { type Eraser, makeEraser, withoutAnyAddress } from "@coffer/rules/erasure"
import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Bodies, pack } from "../../shared/logs/logBodies.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { storableJson } from "../../platform/postgres/storable.ts"
import { jsonText, parseJson } from "../../platform/runtime/codecs.ts"
import { each } from "./buyerWords.ts"
import {
  type Call,
  type CallRow,
  callsOf,
  decoded,
  hasAddress,
  makeNumbersOf,
  makeOwnNumbersOf,
  makeReadCalls,
  type NumbersOf,
  numbersIn,
  openBlocks
} from "./readCalls.ts"

export interface CopiesOf {
  /** Undefined for all merchants. */
  readonly merchantId: string | undefined
  readonly mode: string | undefined
  readonly email: string | undefined
  readonly requestedAt: DateTime.Utc
  /** Only copies of requests that began later. */
  readonly since: DateTime.Utc | undefined
}

export interface Walked {
  readonly erased: number
  /** Where to go on; undefined at the end. */
  readonly place: string | undefined
}

const answersMax = 1_000
const callsMax = 500
export const makeEraseCopies = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const erasedOf = makeNumbersOf(sql, isErasedOrder(sql))
  return { answers: makeAnswers(sql, erasedOf), logs: makeLogs(sql, erasedOf) }
})

/** As a condition on an order `o`. */
const isErasedOrder = (sql: SqlClient.SqlClient) => sql`o.erased_at is not null`

// Stored answers ------------------------------------------------------------------

const AnswerRow = Schema.Struct({ id: Schema.String, data: Schema.NullOr(Schema.String), is_before: Schema.Boolean })
const decodeAnswers = Schema.decodeUnknownEffect(Schema.Array(AnswerRow))

/** Answers that show a secret are sealed, and none of them is about a buyer. */
const makeAnswers =
  (sql: SqlClient.SqlClient, erasedOf: NumbersOf) =>
  (place: string, { email, merchantId, mode, requestedAt, since }: CopiesOf): Effect.Effect<Walked> =>
    Effect.gen(function* () {
      const whose = merchantId === undefined ? sql`true` : sql`merchant_id = ${merchantId} and mode = ${mode ?? ""}`
      const rows = yield* decodeAnswers(
        yield* sql`select id, case when ${whose} and data like '{%' then data end as data,
            created_at <= ${isoText(requestedAt)}::text::timestamptz as is_before
          from idempotency_keys where id > ${place} and ${begunSince(sql, since)} order by id limit ${answersMax}::int4`
      )
      const texts = rows.flatMap(({ data }) => (data === null ? [] : [data]))
      const erased = yield* erasedOf(texts)
      const isErased = (number: string) => erased.has(number)
      const [all, own] = [makeEraser({ email, isErased }), makeEraser({ email: undefined, isErased })]
      const has = hasAddress(email)
      const changed = yield* each(rows, ({ data, id, is_before }) => {
        if (data === null || !(numbersIn(data).some(isErased) || (is_before && has(data)))) return []
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

/** A request that takes a key over is a new one. */
const begunSince = (sql: SqlClient.SqlClient, since: DateTime.Utc | undefined) =>
  since === undefined ? sql`true` : sql`created_at >= ${isoText(since)}::text::timestamptz`

// API logs ------------------------------------------------------------------------

const makeLogs = (sql: SqlClient.SqlClient, erasedOf: NumbersOf) => {
  const readCalls = makeReadCalls(sql)
  const erasedNumbers = makeOwnNumbersOf(sql, isErasedOrder(sql))

  const slice = Effect.fnUntraced(function* (place: string, options: CopiesOf) {
    const { next, rows } = yield* readCalls(place, { ...options, limit: callsMax })
    return { erased: yield* eraseCalls(rows, options), place: next }
  })

  const eraseCalls = Effect.fnUntraced(function* (rows: ReadonlyArray<CallRow>, options: CopiesOf) {
    const blocks = yield* openBlocks(sql, rows, sql`for update of b`)
    const calls = callsOf(rows, blocks)
    const erased = yield* erasedOf(calls.map(({ text }) => text))
    const ownNumbers = yield* erasedNumbers(calls)
    const isErased = (number: string) => erased.has(number) || ownNumbers.has(number)
    const erasers = {
      all: makeEraser({ email: options.email, isErased }),
      own: makeEraser({ email: undefined, isErased })
    }
    const has = hasAddress(options.email)
    let count = 0
    const rewritten = yield* each(calls, (call) => {
      const { idempotency_key, path, request, text, user_agent } = call
      const isTold =
        numbersIn(text).some(isErased) ||
        hasErased(request, isErased) ||
        path.split("/").some((part) => isErased(decoded(part))) ||
        has(`${text} ${user_agent} ${idempotency_key}`)
      return isTold ? [{ call, after: withoutBuyer(call, options, erasers, isErased) }] : []
    })
    for (const { after, call } of rewritten) {
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
      const bodies = yield* pack(pairsOf(values))
      yield* sql`update api_log_bodies set bodies = ${bodies}
        where day = ${DateTime.toDateUtc(day)} and block = ${String(number)}::text::bigint`
    }
    return count
  })

  // Blocks hold calls of several accounts, so another erasure waits until this one has released them.
  return (place: string, options: CopiesOf): Effect.Effect<Walked> =>
    sqlDefects(sql.withTransaction(slice(place, options)))
}

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
  const textOrNull = (value: string | null) => (value === null ? null : text(value))
  const header = {
    path: text(call.path),
    user_agent: textOrNull(call.user_agent),
    idempotency_key:
      isBuyers && call.idempotency_key !== null
        ? withoutAnyAddress(call.idempotency_key)
        : textOrNull(call.idempotency_key)
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
