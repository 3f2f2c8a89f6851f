/** The specification's section Metadata, on orders; refunds and links take the same field. */
import { assert } from "@effect/vitest"
import type { Reply } from "../kit/Api.ts"
import { created, get, inTurn, invalid, ok, order, page, post, specified } from "./rows.ts"

const keys = (count: number, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index + from}`, ""]))

const kept = (metadata: object) => (reply: Reply) => assert.deepStrictEqual(reply.body.data.metadata, metadata)
const update = (outTradeNo: string, metadata: unknown) => post(`/v1/orders/${outTradeNo}`, { metadata })

specified("the specification: Metadata", [
  ["pairs are stored and returned", order({ metadata: { b: "2", a: "1" } }), created(kept({ a: "1", b: "2" }))],
  [
    "they stay with the order",
    inTurn(order({ out_trade_no: "stays", metadata: { a: "1" } }), get("/v1/orders/stays")),
    ok(kept({ a: "1" }))
  ],
  [
    "they are in what webhooks deliver",
    (at) => get(`/v1/events?object_id=${at.paid}`)(at),
    ok((reply) => {
      const [{ data }] = page(reply) as [{ data: { object: { metadata: object } } }]
      assert.deepStrictEqual(data.object.metadata, { a: "1" })
    })
  ],
  ["at most 50 keys", order({ metadata: keys(51) }), invalid("metadata")],
  ["50 keys are allowed", order({ metadata: keys(50) }), created()],
  [
    "an update may not bring more than 50 together",
    inTurn(order({ out_trade_no: "full", metadata: keys(50) }), update("full", keys(1, 50))),
    invalid("metadata")
  ],
  [
    "and may bring one for one that goes",
    inTurn(order({ out_trade_no: "swap", metadata: keys(50) }), update("swap", { k0: null, k50: "" })),
    ok(({ body }) => assert.strictEqual(Object.keys(body.data.metadata).length, 50))
  ],
  ["a key has at least 1 character", order({ metadata: { "": "x" } }), invalid("metadata.")],
  ["a key may have 40 characters", order({ metadata: { ["💸".repeat(40)]: "x" } }), created()],
  [
    "a key has at most 40 characters",
    order({ metadata: { ["k".repeat(41)]: "x" } }),
    invalid(`metadata.${"k".repeat(41)}`)
  ],
  ["a value may have 500 characters", order({ metadata: { k: "💸".repeat(500) } }), created()],
  ["a value has at most 500 characters", order({ metadata: { k: "x".repeat(501) } }), invalid("metadata.k")],
  ["a value may be empty", order({ metadata: { k: "" } }), created(kept({ k: "" }))],
  ["a value is text: no number", order({ metadata: { k: 1 } }), invalid("metadata.k")],
  ["no boolean", order({ metadata: { k: true } }), invalid("metadata.k")],
  ["nothing is nested", order({ metadata: { k: { a: "b" } } }), invalid("metadata.k")],
  ["no list either", order({ metadata: { k: ["a"] } }), invalid("metadata.k")],
  ["the whole is an object", order({ metadata: "a=b" }), invalid("metadata")],
  [
    "an update writes the keys it sends, and the others stay",
    inTurn(order({ out_trade_no: "merged", metadata: { a: "1", b: "1" } }), update("merged", { b: "2", c: "3" })),
    ok(kept({ a: "1", b: "2", c: "3" }))
  ],
  ["null deletes a key", inTurn(update("merged", { a: null })), ok(kept({ b: "2", c: "3" }))],
  ["null for a key that is not there changes nothing", update("merged", { x: null }), ok(kept({ b: "2", c: "3" }))],
  ["an empty object changes nothing", update("merged", {}), ok(kept({ b: "2", c: "3" }))],
  ["null for the whole clears it", update("merged", null), ok(kept({}))],
  [
    "it makes no order the same: two with equal metadata are two",
    inTurn(order({ metadata: { cart: "7" } }), order({ metadata: { cart: "7" } }), get("/v1/orders?metadata[cart]=7")),
    ok((reply) => assert.strictEqual(page(reply).length, 2))
  ]
])
