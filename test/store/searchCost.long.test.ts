/**
 * The search of a merchant's people among 100,000 orders: no word makes Postgres read more rows than the search's
 * bounds. The times are printed, not asserted (docs/decisions/0236).
 */
import { assert, it } from "@effect/vitest"
import { MerchantId } from "@coffer/model/Ids"
import { Context, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { AccountSearch } from "../../src/reads/lookup/AccountSearch.ts"
import { explained, rowsRead, scansIn } from "../kit/rows/plans.ts"
import { insertOrders, settled } from "../kit/rows/Rows.ts"
import { ownersConnection, start } from "../kit/Service.ts"

const count = 100_000

const texts = [
  "book",
  "b",
  "unicorn",
  "nothing",
  "reader99999",
  "reader7@shop7.example.com",
  "example",
  "volume 77 books reader",
  "500.00",
  "book 500.00",
  "eader99 volume",
  "500.00 600.00 nothing@example.com a b c d e f",
  "TRD_SB_00000000000000000000000000"
]

/** The newest orders, those of an address, those of two amounts, and some by number. */
const rowsMax = 10_000 + 2_000 + 2 * 2_000 + 100

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const begun = performance.now()
    const value = yield* effect
    return { value, millis: Math.round(performance.now() - begun) }
  })

const insertTo = (sql: SqlClient.SqlClient, merchantId: string) =>
  insertOrders(
    sql,
    { merchantId, count, since: Date.now() - 86_400_000 * 50, step: 40_000 },
    {
      status: "'paid'",
      subject: "case when n = 7 then 'A rare unicorn' else 'Two books, volume ' || (n % 1000) end",
      receipt_email: "'reader' || n || '@shop' || (n % 50) || '.example.com'"
    }
  )

it.live(
  "no word makes a search read more rows than its bounds",
  () =>
    Effect.gen(function* () {
      const running = yield* start()
      const { find } = Context.get(running.context, AccountSearch)
      const merchantId = MerchantId.make(running.merchant.merchantId)
      const owner = yield* ownersConnection(running.database)
      yield* insertTo(running.sql, merchantId)
      yield* settled(owner)
      const figures = []
      for (const text of texts) {
        const search = find({ merchantId, mode: "sandbox" }, text)
        const times = []
        for (let again = 0; again < 6; again++) times.push((yield* timed(search)).millis)
        const { plans, result } = yield* explained(running.sql, search)
        const read = rowsRead(scansIn(plans).filter((scan) => scan["Relation Name"] === "orders"))
        figures.push({
          text,
          found: result.length,
          "rows read": read,
          "best, ms": Math.min(...times),
          times: times.join(" ")
        })
        assert.isAtMost(read, rowsMax, `${text}: ${JSON.stringify(plans, null, 1)}`)
      }
      console.table(figures)
    }),
  420_000
)
