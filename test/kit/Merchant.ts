/**
 * What a merchant in the sandbox does all day, one call each. Every step asserts that it went as it should, so that a
 * test names only what it is about.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Call, Reply } from "./Api.ts"
import type { Running } from "./Service.ts"

// oxlint-disable-next-line no-explicit-any
type Json = Record<string, any>

export interface Books {
  readonly available: number
  readonly frozen: number
  readonly revenue: number
  readonly fee: number
  readonly refund: number
  readonly payout: number
}

export const merchantOf = ({ api, merchant }: Running, key = merchant.sandboxKey) => {
  const post = (path: string, body?: unknown, headers?: Call["headers"]) =>
    api.call("POST", path, {
      key,
      ...(body === undefined ? {} : { body }),
      ...(headers === undefined ? {} : { headers })
    })
  const get = (path: string) => api.get(path, key)
  const done = (code: number) => (reply: Reply) => {
    assert.strictEqual(reply.status, code, reply.text)
    return reply.body.data as Json
  }
  return {
    post,
    get,
    /** An order that is paid. */
    paid: (amount: number, terms: Json = {}, method = "card"): Effect.Effect<Json> =>
      Effect.gen(function* () {
        const { trade_no } = done(201)(yield* post("/v1/orders", { amount, ...terms }))
        return done(200)(yield* post(`/v1/test_helpers/orders/${trade_no}/pay`, { payment_method: method }))
      }),
    order: (ref: string) => Effect.map(get(`/v1/orders/${ref}`), done(200)),
    refund: (body: Json, headers?: Call["headers"]) => post("/v1/refunds", body, headers),
    settle: (ref: string, outcome: "succeeded" | "failed") =>
      post(`/v1/test_helpers/refunds/${ref}/settle`, { outcome }),
    reachable: (reachable: boolean) => Effect.map(post("/v1/test_helpers/channel", { reachable }), done(200)),
    balance: (currency = "USD"): Effect.Effect<Books> =>
      Effect.map(get(`/v1/balance?currency=${currency}`), (reply) => {
        const data = done(200)(reply)
        return {
          available: data["available_balance"],
          frozen: data["frozen_balance"],
          revenue: data["total_revenue"],
          fee: data["total_fee"],
          refund: data["total_refund"],
          payout: data["total_payout"]
        }
      }),
    /** Type, amount, balance before and after of what refers to this, oldest first. */
    ledger: (reference: string): Effect.Effect<ReadonlyArray<readonly [string, number, number, number]>> =>
      Effect.map(get(`/v1/balance_transactions?limit=100&reference_id=${reference}`), (reply) => {
        const { data } = done(200)(reply)
        return data
          .map((row: Json) => [row["type"], row["amount"], row["balance_before"], row["balance_after"]])
          .toReversed()
      }),
    /** Types of the events about this object, oldest first. */
    events: (objectId: string): Effect.Effect<ReadonlyArray<string>> =>
      Effect.map(get(`/v1/events?limit=100&object_id=${objectId}`), (reply) => {
        const { data } = done(200)(reply)
        return data.map((event: Json) => event["type"]).toReversed()
      })
  }
}

export const assertRefused = (reply: Reply, code: number, error: string, param?: string) => {
  assert.deepStrictEqual([reply.status, reply.body.error, reply.body.param], [code, error, param], reply.text)
}
