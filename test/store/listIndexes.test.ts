/**
 * Every query of a list, with every filter, on 200,000 rows: Postgres reads as many rows as a page shows, wherever the
 * page lies and however rare or common what is sought. The statements are those that the rooms themselves send.
 */
import { assert, describe, layer } from "@effect/vitest"
import { MerchantId } from "@coffer/model/Ids"
import { Context, Effect, Layer, Stream } from "effect"
import { Statement } from "effect/sql"
import { EventLists } from "../../src/events/EventLists.ts"
import type { Owner } from "../../src/ground/Pages.ts"
import { OrderLists } from "../../src/orders/OrderLists.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { insertEvents, insertLedger, insertOrders } from "../kit/Rows.ts"
import { type Running, start } from "../kit/Service.ts"

/** 2026-01-01T00:00:00Z, and from then on a row every minute. */
const since = 1_767_225_600_000
const step = 60_000
/** One merchant has most of the rows. */
const large = 150_000
const small = 1_000
const smallMerchants = 50

interface Place extends Running {
  readonly owner: Owner
  /** Of the large merchant, by table: an object in the middle of its history. */
  readonly middle: Readonly<Record<string, string>>
}

class Service extends Context.Service<Service, Place>()("test/listIndexes") {}

/** What is rare was long ago: the first 30 rows. */
const rare = (then: string, otherwise: string) => `case when n <= 30 then ${then} else ${otherwise} end`

const place = Effect.gen(function* () {
  const running = yield* start()
  const { merchant, sql } = running
  const strangers = Array.from({ length: smallMerchants }, (_, index) => `mer_${String(index).padStart(26, "0")}`)
  const many = [
    ...strangers.map((merchantId) => ({ merchantId, count: small, since, step })),
    { merchantId: merchant.merchantId, count: large, since, step }
  ]
  for (const one of many) {
    yield* insertOrders(sql, one, {
      status: rare("'failed'", "(array['paid','expired'])[n % 2 + 1]"),
      metadata: `jsonb_build_object('source', (array['web','app'])[n % 2 + 1], 'cart', 'c' || n,
        'campaign', ${rare("'spring'", "'none'")})`
    })
    yield* insertLedger(sql, one, {
      type: rare("'payout_fee'", "(array['payment_credit','fee_debit'])[n % 2 + 1]"),
      currency: rare("'HKD'", "(array['USD','CNY'])[n % 3 / 2 + 1]"),
      reference: "'ref-' || n / 2"
    })
    yield* insertEvents(sql, one, {
      type: rare("'payment.failed'", "(array['payment.succeeded','payment.expired'])[n % 2 + 1]"),
      object: "'obj-' || n / 2"
    })
  }
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
    events: yield* middleOf("events", "id")
  }
  const owner: Owner = { merchantId: MerchantId.make(merchant.merchantId), mode: "sandbox" }
  return { ...running, owner, middle }
})

interface Sent {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}

/** The statements that an effect sends to Postgres. */
const sentBy = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
  const sent: Array<Sent> = []
  yield* Effect.provideService(effect, Statement.CurrentTransformer, (statement) =>
    Effect.sync(() => {
      const [text, params] = statement.compile()
      sent.push({ text, params })
      return statement
    })
  )
  return sent
})

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<Node>
}

const nodesOf = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Rows that were taken from tables and indexes, used or thrown away. */
const rowsRead = (nodes: ReadonlyArray<Node>) =>
  nodes
    .filter((node) => node["Relation Name"] !== undefined)
    .reduce(
      (sum, node) =>
        sum +
        node["Actual Loops"] *
          (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)),
      0
    )

const checkPlans = Effect.fnUntraced(function* <A, E>(what: string, effect: Effect.Effect<A, E>, rowsMax: number) {
  const { sql } = yield* Service
  const sent = yield* sentBy(effect)
  assert.isAbove(sent.length, 0)
  let read = 0
  for (const { params, text } of sent) {
    const [row] = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ readonly Plan: Node }> }>(
      `explain (analyze, timing off, format json) ${text}`,
      params
    )
    const nodes = nodesOf(row!["QUERY PLAN"][0]!.Plan)
    const scans = nodes.filter((node) => node["Node Type"] === "Seq Scan")
    assert.deepStrictEqual(scans, [], `${what}: ${text}`)
    read += rowsRead(nodes)
  }
  assert.isAtMost(read, rowsMax, `${what} read ${read} rows:\n${sent.map(({ text }) => text).join("\n")}`)
})

/** Rows of a page of 20, and the one that says whether there are more. */
const page = 21
/** Rows in the minutes by which an id may be off, on either side of a range. */
const slack = 20

/** Where a page can lie: at the newest end, next to a cursor, in a range of times. */
const positions = (middle: string): ReadonlyArray<readonly [name: string, query: object]> => {
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

/** What a page by the filter may read: so many scans of an index, and what is read once to choose among filters. */
type Case = readonly [filter: object, scans: number, choice?: number]

/** A filter whose rows are all near the start reads at most all of them. */
const orderCases: ReadonlyArray<Case> = [
  [{}, 1],
  [{ status: "paid" }, 1],
  [{ status: "failed" }, 1],
  [{ status: "refunded" }, 1],
  [{ out_trade_no: `row-${since}-1` }, 1],
  [{ out_trade_no: "none", status: "paid" }, 1],
  [{ "metadata[source]": ["web"] }, 2],
  [{ "metadata[campaign]": ["spring"] }, 2],
  [{ "metadata[campaign]": ["none"] }, 2],
  [{ "metadata[cart]": ["c7"] }, 2],
  [{ "metadata[cart]": ["nobody's"] }, 2],
  [{ "metadata[cart]": ["c7"], out_trade_no: `row-${since}-1` }, 2],
  [{ "metadata[source]": ["web"], "metadata[campaign]": ["none"] }, 4, 2_000],
  [{ "metadata[source]": ["web"], "metadata[campaign]": ["spring"] }, 4, 1_030],
  [{ "metadata[source]": ["web"], "metadata[cart]": ["c7"] }, 2, 1_001],
  [{ "metadata[source]": ["web"], status: "failed" }, 2, 1_030],
  [{ "metadata[campaign]": ["spring"], status: "paid" }, 4, 1_030]
]

const ledgerCases: ReadonlyArray<Case> = [
  [{}, 1],
  [{ type: "fee_debit" }, 3],
  [{ type: "payout_fee" }, 3],
  [{ type: "dispute_fee" }, 3],
  [{ currency: "USD" }, 1],
  [{ currency: "HKD" }, 1],
  [{ currency: "CNY", type: "payout_fee" }, 1],
  [{ currency: "HKD", type: "fee_debit" }, 1],
  [{ reference_id: "ref-7" }, 1],
  [{ reference_id: "ref-7", type: "fee_debit", currency: "USD" }, 1]
]

const eventCases: ReadonlyArray<Case> = [
  [{}, 1],
  [{ type: ["payment.succeeded"] }, 1],
  [{ type: ["payment.failed"] }, 1],
  [{ type: ["dispute.won"] }, 1],
  [{ type: ["payment.succeeded", "payment.failed"] }, 2],
  [{ type: ["payment.failed", "refund.failed", "dispute.won"] }, 3],
  // Other merchants have objects of the same name here.
  [{ object_id: "obj-7" }, 6],
  [{ object_id: "obj-7", type: ["payment.failed", "payment.succeeded"] }, 6]
]

layer(Layer.effect(Service, place), { excludeTestServices: true, timeout: "5 minutes" })(
  "on 200,000 rows of 51 merchants",
  (it) => {
    const lists = [
      { table: "orders", cases: orderCases, rooms: OrderLists },
      { table: "ledger", cases: ledgerCases, rooms: Wallets },
      { table: "events", cases: eventCases, rooms: EventLists }
    ] as const

    for (const { cases, table } of lists) {
      describe(table, () => {
        it.effect.each(
          cases.map(([filter, scans, choice]) => ({ name: JSON.stringify(filter), filter, scans, choice }))
        )("a page by $name is read along an index, wherever it lies", ({ choice = 0, filter, scans }) =>
          Effect.gen(function* () {
            const { context, middle, owner } = yield* Service
            for (const [where, position] of positions(middle[table]!)) {
              const query = { ...filter, ...position }
              const sought =
                table === "orders"
                  ? Context.get(context, OrderLists).page(owner, query)
                  : table === "ledger"
                    ? Context.get(context, Wallets).ledger(owner, query)
                    : Context.get(context, EventLists).page(owner, query)
              yield* checkPlans(where, sought, scans * (page + slack) + choice + 1)
            }
          })
        )
      })
    }

    describe("exports", () => {
      const rows = 10_001
      const chunks = 2 * 100

      it.effect.each(
        orderCases.map(([filter, scans, choice]) => ({ name: JSON.stringify(filter), filter, scans, choice }))
      )("orders by $name are counted and read along an index", ({ choice = 0, filter, scans }) =>
        Effect.gen(function* () {
          const { context, owner } = yield* Service
          const exported = Context.get(context, OrderLists).exported(owner, filter)
          const begun = Effect.flatMap(exported, (file) => Stream.runDrain(Stream.take(file.chunks, 2)))
          yield* checkPlans("an export", begun, scans * (rows + chunks) + choice)
        })
      )

      it.effect.each(ledgerCases.map(([filter, scans]) => ({ name: JSON.stringify(filter), filter, scans })))(
        "the ledger by $name is counted and read along an index",
        ({ filter, scans }) =>
          Effect.gen(function* () {
            const { context, owner } = yield* Service
            const exported = Context.get(context, Wallets).ledgerExported(owner, filter)
            const begun = Effect.flatMap(exported, (file) => Stream.runDrain(Stream.take(file.chunks, 2)))
            yield* checkPlans("an export", begun, scans * (rows + chunks))
          })
      )
    })
  }
)
