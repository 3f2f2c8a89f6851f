/**
 * How many rows of each kind an erasure would change: finds the same rows and writes none. It runs within a request, so
 * large tables are only scanned in part.
 */
import type { Account } from "@coffer/model/Account"
import { type DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { makeBuyerRows, makeCount } from "./buyerRows.ts"
import { belonging, type KindName } from "./buyerWords.ts"
import type { Counts } from "./ErasureStore.ts"
import { makeEraseRows } from "./eraseRows.ts"
import { isOwnOf, makeOrderRows } from "./orderRows.ts"

/** Rows of a table that are scanned for the address. */
const lookedAtMax = 10_000

export interface DryRunOf {
  readonly account: Account | undefined
  readonly email: string | undefined
  readonly now: DateTime.Utc
  readonly tradeNo: string | null
}

export const makeDryRun = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = makeBuyerRows(sql)
  const count = makeCount(sql)
  const reads = makeOrderRows(sql)
  const erase = yield* makeEraseRows

  /** Orders that are not found by their own address, and name the buyer. */
  const named = Effect.fnUntraced(function* ({ account, email, now }: DryRunOf & { readonly email: string }) {
    const tables: ReadonlyArray<KindName> = ["orders", ...belonging]
    const options = { account, email, until: now, after: "", limit: lookedAtMax }
    const found = yield* Effect.forEach(tables, (name) => rows.byWords(name, options))
    const all = [...new Set(found.flatMap(({ tradeNos }) => tradeNos))]
    const own = new Set(yield* rows.ownOf(options, all))
    const tradeNos = all.filter((tradeNo) => !own.has(tradeNo))
    const orders = yield* reads.orders(tradeNos, sql``)
    const belongings = yield* reads.belongings(tradeNos, now, true)
    const counts = yield* erase({ email, now, isDry: true }, orders, belongings)
    // Files are removed with the buyer's own orders, which are recognized by their texts.
    const mine = orders.filter(isOwnOf(email)).map(({ trade_no }) => trade_no)
    const disputes = belongings.disputes.filter(({ trade_no }) => mine.includes(trade_no))
    const names = yield* reads.files(disputes.map(({ id }) => id))
    const kept = yield* Effect.filter(names, (name) => reads.isNamedElsewhere(name, mine))
    const files = names.length - kept.length
    return { counts: { ...counts, files }, isCapped: found.some(({ last }) => last !== undefined) }
  })

  return Effect.fnUntraced(function* (options: DryRunOf) {
    const { counts, isCapped } = yield* count(options)
    const { email } = options
    if (email === undefined) return { counts, isCapped }
    const others = yield* named({ ...options, email })
    const sum = Object.fromEntries(
      Object.entries(counts).map(([name, number]) => [name, number + (others.counts[name as "orders"] ?? 0)])
    ) as Counts
    return { counts: sum, isCapped: isCapped || others.isCapped }
  }, sqlDefects)
})
