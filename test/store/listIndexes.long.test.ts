/**
 * Every query of a list, with every filter, on very many rows: Postgres reads as many rows as a page shows, wherever
 * the page is and however rare or common the filter. The statements are those that the rooms themselves send.
 * API logs, which have a partition per day, are in `logPlans.test.ts`.
 */
import { assert, describe, layer } from "@effect/vitest"
import type { EventQuery } from "@coffer/contract/Events"
import { MerchantId } from "@coffer/model/Ids"
import { Context, Effect, Layer, Stream } from "effect"
import { Disputes } from "../../src/money/disputes/Disputes.ts"
import { EventLists } from "../../src/webhooks/events/EventLists.ts"
import type { Account } from "@coffer/model/Account"
import type { Exported } from "../../src/platform/postgres/Pages.ts"
import { Links } from "../../src/money/links/Links.ts"
import { OrderLists } from "../../src/money/orders/OrderLists.ts"
import { Reports } from "../../src/reads/reports/Reports.ts"
import { Refunds } from "../../src/money/refunds/Refunds.ts"
import { Wallets } from "../../src/money/wallets/Wallets.ts"
import { Deliveries } from "../../src/webhooks/deliveries/Deliveries.ts"
import { DeliveryStore } from "../../src/webhooks/deliveries/DeliveryStore.ts"
import { explained, rowsRead, scansIn } from "../kit/rows/plans.ts"
import {
  insertDisputes,
  insertEvents,
  insertLedger,
  insertLinks,
  insertOrders,
  insertPastDeliveries,
  insertRefunds,
  settled
} from "../kit/rows/Rows.ts"
import { ownersConnection, type Running, start } from "../kit/Service.ts"
import { rounds } from "../kit/run/soak.ts"
import {
  deliveryCases,
  disputeCases,
  eventCases,
  ledgerCases,
  linkCases,
  named,
  orderCases,
  refundCases,
  since
} from "./listCases.ts"

/** A row every minute. */
const step = 60_000
/** One merchant has most of the rows: more than an export may have of each kind. */
const large = rounds(42_000, 150_000)
const small = rounds(200, 1_000)
const smallMerchants = 50

interface Place extends Running {
  readonly account: Account
  /** For the large merchant, by table: an object in the middle of its history. */
  readonly middle: Readonly<
    Record<"orders" | "ledger" | "events" | "refunds" | "disputes" | "links" | "deliveries", string>
  >
}

class Service extends Context.Service<Service, Place>()("test/listIndexes") {}

/**
 * Nothing is where an average would expect it: of the large merchant the newest half has only `now`, the older half has
 * as many `formerly`, and the 30 oldest rows are what is `rare`.
 */
const history = (now: string, formerly: string, rare: string) =>
  `case when n <= 30 then '${rare}' when n <= ${large / 2} and n % 2 = 0 then '${formerly}' else '${now}' end`

const place = Effect.gen(function* () {
  const running = yield* start()
  const { merchant, sql } = running
  const strangers = Array.from({ length: smallMerchants }, (_, index) => `mer_${String(index).padStart(26, "0")}`)
  // A link names an existing merchant.
  yield* sql.unsafe(
    `insert into merchants select (jsonb_populate_record(m, jsonb_build_object('merchant_id', stranger))).*
      from merchants m, unnest($2::text[]) as stranger where m.merchant_id = $1`,
    [merchant.merchantId, strangers]
  )
  // The others are later, so that the newest rows of a table are none of the large merchant's.
  const many = [
    { merchantId: merchant.merchantId, count: large, since, step },
    ...strangers.map((merchantId) => ({ merchantId, count: small, since: since + large * step, step }))
  ]
  // As the numbers of objects are: no two merchants have the same.
  const ofNobodyElse = ({ merchantId }: { readonly merchantId: string }) =>
    merchantId === merchant.merchantId ? "" : `-${merchantId}`
  for (const one of many) {
    yield* insertOrders(sql, one, {
      status: history("expired", "paid", "failed"),
      receipt_email: `${history("now", "formerly", "rare")} || '@shop.example'`,
      payment_method: history("card", "alipay", "wechat_pay"),
      metadata: `jsonb_build_object('source', ${history("app", "web", "fax")}, 'cart', 'c' || n, 'shop', 's1')`
    })
    yield* insertLedger(sql, one, {
      type: history("payment_credit", "fee_debit", "payout_fee"),
      currency: history("USD", "CNY", "HKD"),
      reference: `'ref-' || n / 2 || '${ofNobodyElse(one)}'`
    })
    yield* insertEvents(sql, one, {
      type: history("payment.expired", "payment.succeeded", "payment.failed"),
      object: `'obj-' || n / 2 || '${ofNobodyElse(one)}'`
    })
  }
  for (const one of many) {
    yield* insertPastDeliveries(sql, one, {
      status: history("succeeded", "skipped", "failed"),
      endpoint: `nullif(${history("whe_now", "whe_formerly", "none")}, 'none')`
    })
    yield* insertRefunds(sql, one, { status: history("void", "succeeded", "reserved") })
    yield* insertLinks(sql, one)
    yield* insertDisputes(sql, one, { status: history("won", "lost", "needs_response") })
  }
  yield* settled(yield* ownersConnection(running.database))
  const middleOf = (table: string, id: string) =>
    Effect.map(
      sql.unsafe<{ id: string }>(
        `select ${id} as id from ${table} where merchant_id = $1 order by created_at offset ${large / 2} limit 1`,
        [merchant.merchantId]
      ),
      ([row]) => row!.id
    )
  const middle = {
    orders: yield* middleOf("orders", "trade_no"),
    ledger: yield* middleOf("ledger", "id"),
    events: yield* middleOf("events", "id"),
    refunds: yield* middleOf("refunds", "refund_no"),
    disputes: yield* middleOf("disputes", "dispute_no"),
    links: yield* middleOf("payment_links", "link_id"),
    deliveries: yield* middleOf("deliveries", "id")
  }
  const account: Account = { merchantId: MerchantId.make(merchant.merchantId), mode: "sandbox" }
  return { ...running, account, middle }
})

const checkPlans = Effect.fnUntraced(function* <A, E>(what: string, effect: Effect.Effect<A, E>, rowsMax: number) {
  const { sql } = yield* Service
  const { plans } = yield* explained(sql, effect)
  assert.isAbove(plans.length, 0)
  const why = () => `${what}: ${JSON.stringify(plans, null, 1)}`
  const scans = scansIn(plans)
  assert.isFalse(
    scans.some((node) => node["Node Type"] === "Seq Scan"),
    `a sequential scan: ${why()}`
  )
  assert.isAtMost(rowsRead(scans), rowsMax, `rows read: ${why()}`)
})

/** Rows of a page of 20, and the row that shows whether more follow. */
const page = 21
/** Rows in the minutes by which an id may be off, on either side of a range. */
const slack = 20

type Position = Pick<EventQuery, "starting_after" | "ending_before" | "created[gte]" | "created[lte]">

/** Where a page can be: at the newest end, next to a cursor, in a range of times. */
const positions = (middle: string): ReadonlyArray<readonly [name: string, query: Position]> => {
  const half = since / 1000 + (large / 2) * (step / 1000)
  return [
    ["the newest", {}],
    ["after a cursor", { starting_after: middle }],
    ["before a cursor", { ending_before: middle }],
    ["created until then", { "created[lte]": String(half) }],
    ["created from the start", { "created[gte]": String(since / 1000), "created[lte]": String(half) }],
    ["created on one day", { "created[gte]": String(half), "created[lte]": String(half + 86_400) }]
  ]
}

layer(Layer.effect(Service, place), { excludeTestServices: true })(
  `on ${large + smallMerchants * small} rows of 51 merchants`,
  (it) => {
    const inEachPlace = Effect.fnUntraced(function* <Query, A, E>(
      middle: string,
      { choice, filter, scans }: { readonly filter: Query; readonly scans: number; readonly choice: number },
      read: (query: Query & Position) => Effect.Effect<A, E>
    ) {
      for (const [where, position] of positions(middle)) {
        yield* checkPlans(where, read({ ...filter, ...position }), scans * (page + slack) + choice + 1)
      }
    })

    it.effect.each(named(orderCases))("a page of orders by $name is read along an index, wherever it lies", (one) =>
      Effect.gen(function* () {
        const { context, middle, account } = yield* Service
        const lists = Context.get(context, OrderLists)
        yield* inEachPlace(middle.orders, one, (query) => lists.page(account, query))
      })
    )

    it.effect.each(named(ledgerCases))(
      "a page of the ledger by $name is read along an index, wherever it lies",
      (one) =>
        Effect.gen(function* () {
          const { context, middle, account } = yield* Service
          const wallets = Context.get(context, Wallets)
          yield* inEachPlace(middle.ledger, one, (query) => wallets.ledger(account, query))
        })
    )

    it.effect.each(named(eventCases))("a page of events by $name is read along an index, wherever it lies", (one) =>
      Effect.gen(function* () {
        const { context, middle, account } = yield* Service
        const lists = Context.get(context, EventLists)
        yield* inEachPlace(middle.events, one, (query) => lists.page(account, query))
      })
    )

    it.effect.each(named(refundCases))("a page of refunds by $name is read along an index, wherever it lies", (one) =>
      Effect.gen(function* () {
        const { context, middle, account } = yield* Service
        const refunds = Context.get(context, Refunds)
        yield* inEachPlace(middle.refunds, one, (query) => refunds.page(account, query))
      })
    )

    it.effect.each(named(disputeCases))("a page of disputes by $name is read along an index, wherever it lies", (one) =>
      Effect.gen(function* () {
        const { context, middle, account } = yield* Service
        const disputes = Context.get(context, Disputes)
        yield* inEachPlace(middle.disputes, one, (query) => disputes.page(account, query))
      })
    )

    it.effect.each(named(linkCases))(
      "a page of payment links by $name is read along an index, wherever it lies",
      (one) =>
        Effect.gen(function* () {
          const { context, middle, account } = yield* Service
          const links = Context.get(context, Links)
          yield* inEachPlace(middle.links, one, (query) => links.page(account, query))
        })
    )

    it.effect.each(named(deliveryCases))(
      "a page of deliveries by $name is read along an index, wherever it lies",
      (one) =>
        Effect.gen(function* () {
          const { context, middle, account } = yield* Service
          const deliveries = Context.get(context, Deliveries)
          yield* inEachPlace(middle.deliveries, one, (query) => deliveries.page(account, query))
        })
    )

    it.effect("what is still to come for an endpoint is found by an index", () =>
      Effect.gen(function* () {
        const { context } = yield* Service
        const store = Context.get(context as Context.Context<DeliveryStore>, DeliveryStore)
        yield* checkPlans("skipped", store.skipAll("whe_now"), 0)
        yield* checkPlans("moved", store.retarget("whe_now", "https://b.example/"), 0)
      })
    )

    it.effect("a day's statement and its fees are read along an index, wherever the day lies", () =>
      Effect.gen(function* () {
        const { context, account } = yield* Service
        const reports = Context.get(context, Reports)
        const perDay = 86_400_000 / step
        for (const day of ["2026-01-02", "2026-01-15", "2026-01-29"]) {
          // The rows of the day, and the newest row before it and in it for each of three wallets.
          yield* checkPlans(day, reports.answer(account, { report: "statement", from: day }), perDay + 6)
          // The order behind each row is looked up, and none exists.
          yield* checkPlans(day, reports.answer(account, { report: "fees", from: day }), perDay)
        }
      })
    )

    describe("exports", () => {
      const rows = 10_001
      const begun = <Row, E>(exported: Effect.Effect<Exported<Row>, E>) =>
        Effect.flatMap(exported, ({ chunks }) => Stream.runDrain(Stream.take(chunks, 2)))

      it.effect.each(named(orderCases))(
        "of orders by $name count and read along an index",
        ({ choice, filter, scans }) =>
          Effect.gen(function* () {
            const { context, account } = yield* Service
            const file = Context.get(context, OrderLists).exported(account, filter)
            yield* checkPlans("an export", begun(file), scans * (rows + 2 * 100) + choice)
          })
      )

      it.effect.each(named(ledgerCases))("of the ledger by $name count and read along an index", ({ filter, scans }) =>
        Effect.gen(function* () {
          const { context, account } = yield* Service
          const file = Context.get(context, Wallets).ledgerExported(account, filter)
          yield* checkPlans("an export", begun(file), scans * (rows + 2 * 100))
        })
      )
    })
  }
)
