/**
 * API logs in archives, with their bodies as they are kept: all of an account, or those that tell of a buyer. A list
 * that an account has read keeps the buyer's objects alone. Calls have no index by buyer, so all are looked through.
 */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import {
  type Call,
  callsOf,
  decoded,
  makeNumbersOf,
  makeOwnNumbersOf,
  makeReadCalls,
  mayHave,
  numbersIn,
  openBlocks
} from "../erasures/readCalls.ts"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { jsonText } from "../platform/runtime/codecs.ts"
import type { ReadPage } from "./Exports.ts"

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

    ofBuyer: (email: string, account: Account | undefined): ReadPage => {
      // A call may name another merchant's order, of which its sender learns nothing here.
      const whose =
        account === undefined ? sql`true` : sql`o.merchant_id = ${account.merchantId} and o.mode = ${account.mode}`
      const which = sql`lower(o.receipt_email) = lower(${email}::text) and ${whose}`
      const numbersOf = makeNumbersOf(sql, which)
      const ownNumbersOf = makeOwnNumbersOf(sql, which)
      const hasAddress = mayHave(email)
      return (after) =>
        Effect.gen(function* () {
          const { calls, next } = yield* page(after, account, lookedAtMax)
          const numbers = yield* numbersOf(calls.map(({ text }) => text))
          const own = yield* ownNumbersOf(calls)
          const tells = (text: string) => numbersIn(text).some((number) => numbers.has(number)) || hasAddress(text)
          const lines = calls.flatMap((call) => {
            const kept = partOf(call, tells, own)
            return kept === undefined ? [] : [lineOf(kept)]
          })
          const parts = Array.from({ length: Math.ceil(lines.length / linesMax) }, (_, part) =>
            lines.slice(part * linesMax, (part + 1) * linesMax)
          )
          return { files: parts.map((part) => ["logs", part] as const), next }
        }).pipe(sqlDefects)
    }
  }
}

/** The call as far as it tells of the buyer; undefined if it does not. */
const partOf = (call: Call, tells: (text: string) => boolean, own: ReadonlySet<string>): Call | undefined => {
  const { idempotency_key, path, request, response, text, user_agent } = call
  const isAbout =
    path.split("/").some((part) => own.has(decoded(part))) ||
    (isObject(request) && typeof request["out_trade_no"] === "string" && own.has(request["out_trade_no"])) ||
    tells(`${path} ${jsonText(request)} ${user_agent} ${idempotency_key}`)
  const listed = listedIn(response)
  if (listed === undefined) return isAbout || tells(text) ? call : undefined
  const items = listed.data.filter((item) => tells(jsonText(item)))
  if (!isAbout && items.length === 0) return undefined
  return { ...call, response: { ...listed.answer, data: { ...listed.list, data: items } } }
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
