/**
 * API logs in archives, with their bodies as they are kept: all of an account, or those that tell of a buyer, without
 * the words about others. Of a list that an account has read only the buyer's objects are kept. Calls have no index by
 * buyer, so all are looked through.
 */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { makeArchivist } from "@coffer/rules/erasure"
import { Array, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { each } from "../erasures/buyerWords.ts"
import {
  type Call,
  callsOf,
  decoded,
  hasAddress,
  makeNumbersOf,
  makeOwnNumbersOf,
  makeReadCalls,
  numbersIn,
  openBlocks
} from "../erasures/readCalls.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"
import type { ReadPage } from "./rowPages.ts"

/** Calls of a page: an account's all become lines of one file. */
const linesMax = 250
const lookedAtMax = 1_000

export const makeCallPages = (sql: SqlClient.SqlClient) => {
  const readCalls = makeReadCalls(sql)
  const page = Effect.fnUntraced(function* (after: string, account: Account | undefined, limit: number) {
    const { next, rows } = yield* readCalls(after, { merchantId: account?.merchantId, mode: account?.mode, limit })
    return { next, calls: callsOf(rows, yield* openBlocks(sql, rows, sql``)) }
  })

  return {
    ofAccount:
      (account: Account): ReadPage =>
      (after) =>
        Effect.map(page(after, account, linesMax), ({ calls, next }) => ({
          files: [["logs", calls.map((call) => lineOf(call))] as const],
          next
        })).pipe(sqlDefects),

    /** `own`: the buyer's orders, which have been read before. */
    ofBuyer: (email: string, account: Account | undefined, own: ReadonlySet<string>): ReadPage => {
      // A call may name another merchant's order; its sender must learn nothing about that order here.
      const which = () => sql`o.trade_no = any(${[...own]}::text[])`
      const has = hasAddress(email)
      return (after) =>
        Effect.gen(function* () {
          const { calls, next } = yield* page(after, account, lookedAtMax)
          const numbers = yield* makeNumbersOf(sql, which())(calls.map(({ text }) => text))
          const ownNumbers = yield* makeOwnNumbersOf(sql, which())(calls)
          const { answer, request, text } = makeArchivist(
            email,
            (number) => numbers.has(number) || ownNumbers.has(number)
          )
          const tells = (some: string) => numbersIn(some).some((number) => numbers.has(number)) || has(some)
          const lines = yield* each(calls, (call) => {
            const kept = partOf(call, tells, ownNumbers)
            if (kept === undefined) return []
            const textOrNull = (value: string | null) => (value === null ? null : text(value))
            return [
              lineOf({
                ...kept.call,
                path: text(call.path),
                user_agent: textOrNull(call.user_agent),
                idempotency_key: textOrNull(call.idempotency_key),
                request: request(kept.call.request, kept.isAbout),
                response: answer(kept.call.response, kept.isAbout)
              })
            ]
          })
          return { files: Array.chunksOf(lines, linesMax).map((part) => ["logs", part] as const), next }
        }).pipe(sqlDefects)
    }
  }
}

/**
 * The part of the call that is about the buyer; undefined if there is none. `isAbout`: the call names an order of the
 * buyer.
 */
const partOf = (
  call: Call,
  tells: (text: string) => boolean,
  own: ReadonlySet<string>
): { readonly call: Call; readonly isAbout: boolean } | undefined => {
  const { idempotency_key, path, request, response, text, user_agent } = call
  const isAbout =
    path.split("/").some((part) => own.has(decoded(part)) || numbersIn(part).some(tells)) ||
    (isObject(request) && typeof request["out_trade_no"] === "string" && own.has(request["out_trade_no"]))
  const isTold = isAbout || tells(`${path} ${jsonText(request)} ${user_agent} ${idempotency_key}`)
  const listed = listedIn(response)
  if (listed === undefined) return isTold || tells(text) ? { call, isAbout } : undefined
  const items = listed.data.filter((item) => tells(jsonText(item)))
  if (!isTold && items.length === 0) return undefined
  return { call: { ...call, response: { ...listed.answer, data: { ...listed.list, data: items } } }, isAbout }
}

/** The objects of a list. */
const listedIn = (answer: unknown) => {
  if (!isObject(answer) || !isObject(answer["data"]) || !Array.isArray(answer["data"]["data"])) return undefined
  return { answer, list: answer["data"], data: answer["data"]["data"] as ReadonlyArray<unknown> }
}
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const lineOf = ({ block: _, created_at, place: __, request, response, text: ___, ...call }: Call): string =>
  jsonText({ ...call, created_at: isoText(created_at), request_body: request, response_body: response })
