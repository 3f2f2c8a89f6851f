/** The specification's section List conventions, and each list's own filters (Endpoints). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Reply } from "../kit/Api.ts"
import { get, invalid, logged, ok, order, page, post, type Row, since, specified, type World } from "./rows.ts"

const rich = (path: string) => (at: World) => at.api.get(path, at.rich.sandboxKey)

/** Every list with its cursor's field. */
const lists = [
  ["/v1/orders", "trade_no", "csv"],
  ["/v1/refunds", "refund_no", "csv"],
  ["/v1/disputes", "dispute_no", "csv"],
  ["/v1/payment_links", "link_id", "no csv"],
  ["/v1/balance_transactions", "id", "csv"],
  ["/v1/ledger/USD/chain", "id", "no csv"],
  ["/v1/events", "id", "no csv"],
  ["/v1/logs", "request_id", "no csv"],
  ["/v1/webhook_deliveries", "id", "no csv"]
] as const

/** Asks for a page with a cursor taken from the three newest, which come along. */
const beside =
  (path: string, id: string, cursor: "starting_after" | "ending_before", place: number) =>
  (at: World): Effect.Effect<Reply> =>
    Effect.gen(function* () {
      const key = at.rich.sandboxKey
      // A list of logs needs some, and each look at it makes another.
      for (let count = 0; count < 3; count++) yield* at.api.get("/v1/balance", key)
      yield* logged(at)
      const three = page(yield* at.api.get(`${path}?limit=3`, key))
      const next = yield* at.api.get(`${path}?limit=1&${cursor}=${three[place]![id]}`, key)
      assert.deepStrictEqual(
        page(next).map((item) => item[id]),
        [three[1]![id]]
      )
      return next
    })

/** The n-th order is over n minor units. */
const amounts =
  (...expected: ReadonlyArray<number>) =>
  (reply: Reply) =>
    assert.deepStrictEqual(
      page(reply).map(({ amount }) => amount),
      [...expected]
    )
const second = (number: number) => since / 1_000 + number

const ofEachList = lists.flatMap(([path, id, csv]): ReadonlyArray<Row> => [
  [`${path}: the next page starts after its last object's ${id}`, beside(path, id, "starting_after", 0), ok()],
  [`${path}: the page before ends before its first object's ${id}`, beside(path, id, "ending_before", 2), ok()],
  [
    `${path}: not both at once`,
    (at) =>
      Effect.flatMap(rich(`${path}?limit=1`)(at), (reply) => {
        const cursor = String(page(reply)[0]?.[id] ?? "req_01KAJ4ZB9N3C7X5M1QG8WTEP6K")
        return rich(`${path}?starting_after=${cursor}&ending_before=${cursor}`)(at)
      }),
    invalid("ending_before")
  ],
  [
    `${path}: a cursor is the id of one of its objects`,
    rich(`${path}?starting_after=nothing`),
    invalid("starting_after")
  ],
  [
    `${path}: the body is object, resource, has_more, url and data`,
    rich(path),
    ok(({ body }) => {
      assert.containsAllKeys(body.data, ["object", "resource", "has_more", "url", "data"])
      assert.deepStrictEqual([body.data.object, body.data.url], ["list", path])
      assert.isTrue(page({ body } as Reply).every(({ object }) => object === body.data.resource))
    })
  ],
  [
    `${path}: newest first`,
    rich(path),
    ok((reply) => {
      const times = page(reply).map(({ created_at }) => String(created_at))
      assert.deepStrictEqual(times, times.toSorted().toReversed())
    })
  ],
  [
    `${path}: of this merchant only`,
    (at) => Effect.flatMap(at.api.newMerchant(), ({ sandboxKey }) => at.api.get(path, sandboxKey)),
    ok((reply) => assert.deepStrictEqual(page(reply), []))
  ],
  csv === "csv"
    ? [
        `${path}: has a CSV form`,
        rich(`${path}?format=csv`),
        ok(({ headers }) => assert.match(headers.get("content-type") ?? "", /^text\/csv; *charset=utf-8/i))
      ]
    : [`${path}: has no CSV form`, rich(`${path}?format=csv`), invalid("format")]
])

specified("the specification: List conventions", [
  ...ofEachList,
  ["created[gte] is ISO 8601", rich("/v1/orders?created[gte]=2026-01-01T00:01:40Z"), ok(amounts(101))],
  ["or Unix seconds", rich(`/v1/orders?created[gte]=${second(100)}`), ok(amounts(101))],
  ["created[lte] is ISO 8601", rich("/v1/orders?created[lte]=2026-01-01T00:00:00.000Z"), ok(amounts(1))],
  ["or Unix seconds", rich(`/v1/orders?created[lte]=${second(0)}`), ok(amounts(1))],
  ["and nothing else", get("/v1/orders?created[gte]=yesterday"), invalid("created[gte]")],
  [
    "both make a range, ends included",
    rich(`/v1/orders?created[gte]=${second(10)}&created[lte]=${second(12)}`),
    ok(amounts(13, 12, 11))
  ],
  [
    "has_more tells whether there are more: a full page may be the last",
    rich(`/v1/orders?limit=3&created[lte]=${second(2)}`),
    ok(({ body }) => assert.deepStrictEqual([body.data.data.length, body.data.has_more], [3, false]))
  ],
  ["and a page may have followers", rich("/v1/orders?limit=100"), ok(({ body }) => assert.isTrue(body.data.has_more))],
  [
    "a file begins with the byte order mark of UTF-8",
    (at) =>
      Effect.flatMap(rich("/v1/orders?format=csv")(at), (reply) =>
        Effect.map(
          Effect.promise(() =>
            fetch(`${at.baseUrl}/v1/orders?format=csv`, { headers: { "X-Api-Key": at.rich.sandboxKey } }).then((csv) =>
              csv.arrayBuffer()
            )
          ),
          (bytes) => ({ ...reply, text: Buffer.from(bytes.slice(0, 3)).toString("hex") })
        )
      ),
    ok(({ text }) => assert.strictEqual(text, "efbbbf"))
  ],
  [
    "its amounts are numbers with two decimals",
    rich(`/v1/orders?format=csv&created[lte]=${second(0)}`),
    ok(({ text }) => assert.strictEqual(text.split("\r\n")[1]!.split(",")[3], "0.01"))
  ],
  [
    "its text that begins with =, +, - or @ has a single quote in front",
    rich(`/v1/orders?format=csv&created[lte]=${second(0)}`),
    ok(({ text }) => assert.strictEqual(text.split("\r\n")[1]!.split(",")[8], "'=1+1"))
  ],
  [
    "it ignores limit and starting_after, and applies the other filters",
    rich(`/v1/orders?format=csv&limit=1&starting_after=x&created[gte]=${second(50)}`),
    ok(({ text }) => assert.strictEqual(text.trimEnd().split("\r\n").length, 1 + 51))
  ],
  ["another format is refused", get("/v1/orders?format=xml"), invalid("format")],
  [
    "orders are filtered by status, out_trade_no and metadata",
    get("/v1/orders?status=paid&out_trade_no=paid&metadata[a]=1"),
    ok((reply) => assert.strictEqual(page(reply).length, 1))
  ],
  ["out_trade_no is exact", get("/v1/orders?out_trade_no=pai"), ok((reply) => assert.isEmpty(page(reply)))],
  [
    "all metadata filters have to match",
    get("/v1/orders?metadata[a]=1&metadata[b]=2"),
    ok((reply) => assert.isEmpty(page(reply)))
  ],
  ["an unknown status is refused", get("/v1/orders?status=open"), invalid("status")],
  [
    "balance transactions are filtered by type",
    get("/v1/balance_transactions?type=fee_debit"),
    ok((reply) =>
      assert.deepStrictEqual(
        page(reply).map(({ type }) => type),
        ["fee_debit"]
      )
    )
  ],
  [
    "by reference_id",
    (at) => get(`/v1/balance_transactions?reference_id=${at.paid}`)(at),
    ok((reply) =>
      assert.deepStrictEqual(
        page(reply).map(({ type }) => type),
        ["fee_debit", "payment_credit"]
      )
    )
  ],
  ["and by currency", get("/v1/balance_transactions?currency=HKD"), ok((reply) => assert.isEmpty(page(reply)))],
  [
    "an update does not move an order in the list",
    (at) =>
      Effect.gen(function* () {
        yield* order({ out_trade_no: "newer" })(at)
        yield* post(`/v1/orders/${at.paid}`, { metadata: { z: "1" } })(at)
        return yield* get("/v1/orders?limit=1")(at)
      }),
    ok((reply) => assert.strictEqual(page(reply)[0]!["out_trade_no"], "newer"))
  ]
])
