/** The specification's section Limits, at the edge of each: the last value that is taken, and the first that is not. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Reply } from "../kit/Api.ts"
import { created, get, invalid, ok, order, specified, type World } from "./rows.ts"

/** A merchant whose quotas were never raised. */
const fresh = (send: (at: World, key: string) => Effect.Effect<Reply>) => (at: World) =>
  Effect.flatMap(at.api.newMerchant("Fresh", "default"), ({ sandboxKey }) => send(at, sandboxKey))

const policy = (text: string) => (reply: Reply) => assert.strictEqual(reply.headers.get("ratelimit-policy"), text)

const lengthOf = (count: number) => (reply: Reply) => assert.strictEqual(reply.body.data.data.length, count)

const rich = (query: string) => (at: World) => at.api.get(`/v1/orders${query}`, at.rich.sandboxKey)

specified("the specification: Limits", [
  [
    "writes are 120 a minute",
    fresh((at, key) => at.api.post("/v1/orders", key, { amount: 1 })),
    created(policy('"writes";q=120;w=60'))
  ],
  ["reads are 600 a minute", fresh((at, key) => at.api.get("/v1/balance", key)), ok(policy('"reads";q=600;w=60'))],
  [
    "CSV exports are 10 a minute, with a quota of their own",
    fresh((at, key) => at.api.get("/v1/orders?format=csv", key)),
    ok(policy('"csv";q=10;w=60'))
  ],
  ["amount is at least 1", order({ amount: 0 }), invalid("amount")],
  ["amount may be 1", order({ amount: 1 }), created()],
  ["amount may be 100000000000", order({ amount: 100_000_000_000 }), created()],
  ["amount is at most 100000000000", order({ amount: 100_000_000_001 }), invalid("amount")],
  ["amount is no text", order({ amount: "100" }), invalid("amount")],
  ["amount has no decimals", order({ amount: 100.5 }), invalid("amount")],
  ["amount is required", order({ amount: undefined }), invalid("amount")],
  ["out_trade_no has at least 1 character", order({ out_trade_no: "" }), invalid("out_trade_no")],
  [
    "out_trade_no has at most 128 characters, and a longer one is not cut",
    order({ out_trade_no: "x".repeat(129) }),
    invalid("out_trade_no")
  ],
  [
    "out_trade_no may have 128 characters, counted as people do",
    order({ out_trade_no: "💸".repeat(128) }),
    created(({ body }) => assert.strictEqual(body.data.out_trade_no, "💸".repeat(128)))
  ],
  ["subject has at most 255 characters", order({ subject: "x".repeat(256) }), invalid("subject")],
  ["subject may have 255 characters", order({ subject: "💸".repeat(255) }), created()],
  ["a page has at least 1 object", get("/v1/orders?limit=0"), invalid("limit")],
  ["a page may have 1", rich("?limit=1"), ok(lengthOf(1))],
  ["a page has 20 unless told otherwise", rich(""), ok(lengthOf(20))],
  ["a page may have 100", rich("?limit=100"), ok(lengthOf(100))],
  ["a page has at most 100 objects", get("/v1/orders?limit=101"), invalid("limit")],
  [
    "checkout is valid for 24 hours after creation",
    order({}),
    created(({ body }) =>
      assert.strictEqual(Date.parse(body.data.expires_at) - Date.parse(body.data.created_at), 86_400_000)
    )
  ],
  ["API logs are kept for 30 days", get("/v1/logs"), ok(({ body }) => assert.strictEqual(body.data.retention_days, 30))]
])
