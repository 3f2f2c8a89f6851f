/**
 * Orders sorted by amount among very many: no filter makes Postgres read more rows than the bound, wherever the range
 * ends. The times are printed, not asserted (docs/decisions/0246).
 */
import { assert, it } from "@effect/vitest"
import type { OrderQuery } from "@coffer/contract/Orders"
import { MerchantId } from "@coffer/model/Ids"
import { Context, Effect } from "effect"
import { OrderLists } from "../../src/money/orders/OrderLists.ts"
import { sortedRows } from "../../src/platform/postgres/Pages.ts"
import { explained, rowsRead, scansIn } from "../kit/rows/plans.ts"
import { insertOrders, settled } from "../kit/rows/Rows.ts"
import { ownersConnection, start } from "../kit/Service.ts"

const count = 300_000

const cases: Readonly<Record<string, OrderQuery>> = {
  all: {},
  "a common status": { status: "paid" },
  "a rare status": { status: "failed" },
  "two filters with hardly an order in common": { status: "paid", payment_method: "alipay" },
  "a wide range of amounts": { "amount[gte]": "1000" },
  "an early range": { "created[lte]": new Date(Date.now() - 30 * 86_400_000).toISOString() }
}

/** The rows of the range are counted before and after the horizon is raised, and then sorted. */
const rowsMax = 3 * sortedRows + 500 + 2 * 500

it.live(
  "no filter makes a page by amount read more rows than its bound",
  () =>
    Effect.gen(function* () {
      const running = yield* start()
      const { page } = Context.get(running.context, OrderLists)
      const account = { merchantId: MerchantId.make(running.merchant.merchantId), mode: "sandbox" } as const
      const many = { merchantId: account.merchantId, count, since: Date.now() - 86_400_000 * 50, step: 14_000 }
      yield* insertOrders(running.sql, many, {
        status: "case when n % 1000 = 0 then 'failed' else 'paid' end",
        paid_at: "case when n % 1000 = 0 then null else to_timestamp(millis / 1000.0) end",
        payment_method: "case when n % 1000 = 0 then null when n % 50000 = 7 then 'alipay' else 'card' end"
      })
      yield* settled(yield* ownersConnection(running.database))
      const figures = []
      for (const [name, query] of Object.entries(cases)) {
        const search = page(account, { ...query, sort: "-amount" })
        const times = []
        for (let again = 0; again < 5; again++) {
          const begun = performance.now()
          yield* search
          times.push(Math.round(performance.now() - begun))
        }
        const { plans } = yield* explained(running.sql, search)
        const read = rowsRead(scansIn(plans).filter((scan) => scan["Relation Name"] === "orders"))
        figures.push({ name, "rows read": read, times: times.join(" ") })
        assert.isAtMost(read, rowsMax, `${name}: ${JSON.stringify(plans, null, 1)}`)
      }
      console.table(figures)
    }),
  420_000
)
