/**
 * A filter that a list does not know is refused by its name: a misspelt one that is read over would list, or export,
 * everything (silences: P13). Both ways in are asked: a file is answered by the framework, a page by the short path.
 */
import { assert } from "@effect/vitest"
import type { HttpApiEndpoint } from "effect/http-api"
import { endpoints } from "../kit/routes/endpoints.ts"
import { invalid, get, ok, order, page, post, type Row, specified, type World } from "./rows.ts"

const exportable = ["/v1/orders", "/v1/refunds", "/v1/disputes", "/v1/balance_transactions"]
const lists = [
  ...exportable,
  "/v1/events",
  "/v1/logs",
  "/v1/webhook_endpoints",
  "/v1/webhook_deliveries",
  "/v1/ledger/USD/chain"
]

/** Every endpoint that describes parameters, of both APIs: a new list is held to it from its first line. */
const described = endpoints.filter(({ query }) => query !== undefined)

const misspelt = ({ method, path }: HttpApiEndpoint.Top): Row => [
  `${method} ${path}: an unknown parameter is refused by its name`,
  ({ api, merchant }) =>
    api.call(method, `${path.replace(":currency", "USD").replace(/:\w+/, merchant.merchantId)}?staus=paid`, {
      key: merchant.sandboxKey,
      headers: { Authorization: `Bearer ${api.operatorToken}` }
    }),
  invalid("staus")
]

const payouts = (query: string) => (at: World) =>
  at.api.operator("GET", `/merchants/${at.merchant.merchantId}/payouts?mode=sandbox${query}`)

/** As a client that is no plain one: the framework's own way. */
const theLongWay = (path: string) => (at: World) => at.api.get(`/api${path}`, at.merchant.sandboxKey)

specified("filters of lists", [
  ...described.map(misspelt),
  ...lists.flatMap((path): ReadonlyArray<Row> => [
    [
      `${path}: a time that is spelt wrong is refused by its name`,
      get(`${path}?created[gt]=2026-01-01T00:00:00Z`),
      invalid("created[gt]")
    ],
    [
      `${path}: so is a parameter that is given twice and can hold once`,
      get(`${path}?limit=1&limit=2`),
      invalid("limit")
    ]
  ]),
  ...exportable.map((path): Row => [
    `${path}: nothing is exported by a filter that is spelt wrong`,
    get(`${path}?format=csv&staus=paid`),
    invalid("staus")
  ]),
  [
    "a filter that is given twice is refused by its name",
    get("/v1/orders?status=paid&status=failed"),
    invalid("status")
  ],
  ["in an export too", get("/v1/orders?format=csv&status=paid&status=failed"), invalid("status")],
  ["also where it is any text", get("/v1/orders?out_trade_no=1&out_trade_no=2"), invalid("out_trade_no")],
  ["the type of events may be given twice", get("/v1/events?type=payment.succeeded&type=payment.failed"), ok()],
  ["a filter by metadata is known, whatever its key", get("/v1/orders?metadata[a]=1&metadata[b c]=2"), ok()],
  ["metadata without a key is no filter", get("/v1/orders?metadata=1"), invalid("metadata")],
  ["refunds are not filtered by metadata", get("/v1/refunds?metadata[a]=1"), invalid("metadata[a]")],
  ["a filter has one spelling", get("/v1/orders?Status=paid"), invalid("Status")],
  ["the other form of the address knows the same filters", theLongWay("/v1/orders?staus=paid"), invalid("staus")],
  [
    "the value that was sent is not repeated",
    get(`/v1/orders?staus=${"x".repeat(3000)}`),
    {
      ...invalid("staus"),
      also: ({ text }) => assert.notInclude(text, "xxx")
    }
  ],
  ["a long name is cut", get(`/v1/orders?${"s".repeat(3000)}=1`), invalid(`${"s".repeat(100)}…`)],
  ["the balance knows its currency only", get("/v1/balance?curency=HKD"), invalid("curency")],
  ["payouts: the known ones are taken", payouts("&limit=1"), ok((reply) => assert.isAtMost(page(reply).length, 1))],
  ["where no parameter is described, whatever stands there is ignored", get("/v1/orders/paid?status=failed"), ok()],
  ["so it is in a body", order({ staus: "paid" }), { status: 201 }],
  ["and in the address of a write", post("/v1/orders/paid?status=failed", {}), ok()]
])
