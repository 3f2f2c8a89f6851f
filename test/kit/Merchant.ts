/**
 * The acts of a merchant in the sandbox, its buyers and their banks, one call each. `paid`, `order`, `reachable` and
 * those that read the books assert that they went as they should, so that a test names only what it is about; the
 * others give the reply.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Call, Reply } from "./Api.ts"
import type { Running } from "./Service.ts"

// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
export type Json = Record<string, any>

export interface Books {
  readonly available: number
  readonly frozen: number
  readonly revenue: number
  readonly fee: number
  readonly refund: number
  readonly payout: number
}

/** The acquiring fee of the default schedule. */
export const feeOf = (amount: number) => Math.floor((amount * 290 + 5_000) / 10_000) + 30

type Headers = Call["headers"]

/** `send`: how each of its requests is sent, where a reply is not simply waited for. */
export const merchantOf = (
  { api, merchant }: Pick<Running, "api" | "merchant">,
  key = merchant.sandboxKey,
  send: (call: Effect.Effect<Reply>) => Effect.Effect<Reply> = (call) => call
) => {
  const post = (path: string, body?: unknown, headers?: Headers) =>
    send(
      api.call("POST", path, {
        key,
        ...(body === undefined ? {} : { body }),
        ...(headers === undefined ? {} : { headers })
      })
    )
  const get = (path: string) => send(api.get(path, key))
  const helper = (path: string, body?: unknown) => post(`/v1/test_helpers/${path}`, body)
  const listed = (path: string): Effect.Effect<ReadonlyArray<Json>> =>
    Effect.map(get(path), (reply) => done(200)(reply)["data"].toReversed())
  return {
    post,
    get,
    /** An order that is paid. */
    paid: (amount: number, terms: Json = {}, method = "card"): Effect.Effect<Json> =>
      Effect.gen(function* () {
        const { trade_no } = done(201)(yield* post("/v1/orders", { amount, ...terms }))
        return done(200)(yield* helper(`orders/${trade_no}/pay`, { payment_method: method }))
      }),
    /** An order whose amount is held. */
    authorized: (amount: number, terms: Json = {}): Effect.Effect<Json> =>
      Effect.gen(function* () {
        const { trade_no } = done(201)(yield* post("/v1/orders", { amount, capture: "manual", ...terms }))
        return done(200)(yield* helper(`orders/${trade_no}/authorize`, {}))
      }),
    capture: (ref: string, body: Json = {}, headers?: Headers) => post(`/v1/orders/${ref}/capture`, body, headers),
    /** What the bank does with a hold by itself. */
    bankCaptures: (ref: string, body: Json = {}) => helper(`orders/${ref}/capture`, body),
    expire: (ref: string) => post(`/v1/orders/${ref}/expire`),
    order: (ref: string) => Effect.map(get(`/v1/orders/${ref}`), done(200)),
    refund: (body: Json, headers?: Headers) => post("/v1/refunds", body, headers),
    settle: (ref: string, outcome: "succeeded" | "failed") => helper(`refunds/${ref}/settle`, { outcome }),
    /** The buyer goes to the bank. */
    dispute: (ref: string, body: object = {}) => helper(`orders/${ref}/dispute`, body),
    respond: (no: string, evidence: object, headers?: Headers) =>
      post(`/v1/disputes/${no}/evidence`, evidence, headers),
    accept: (no: string, headers?: Headers) => post(`/v1/disputes/${no}/accept`, undefined, headers),
    resolve: (no: string, outcome: string) => helper(`disputes/${no}/resolve`, { outcome }),
    reachable: (reachable: boolean) => Effect.map(helper("channel", { reachable }), done(200)),
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
    /** Type, amount, balance before and after, oldest first: of what refers to this, or of all. */
    ledger: (reference?: string): Effect.Effect<ReadonlyArray<readonly [string, number, number, number]>> =>
      Effect.map(
        listed(`/v1/balance_transactions?limit=100${reference === undefined ? "" : `&reference_id=${reference}`}`),
        (rows) => rows.map((row) => [row["type"], row["amount"], row["balance_before"], row["balance_after"]])
      ),
    /** Types of the events, oldest first: about this object, or of all. */
    events: (objectId?: string): Effect.Effect<ReadonlyArray<string>> =>
      Effect.map(listed(`/v1/events?limit=100${objectId === undefined ? "" : `&object_id=${objectId}`}`), (events) =>
        events.map((event) => event["type"])
      )
  }
}

const done = (code: number) => (reply: Reply) => {
  assert.strictEqual(reply.status, code, reply.text)
  return reply.body.data as Json
}

/** The data of a reply that must have gone well. */
export const said = (call: Effect.Effect<Reply>): Effect.Effect<Json> =>
  Effect.map(call, (reply) => {
    assert.isBelow(reply.status, 300, reply.text)
    return reply.body.data
  })

export const assertRefused = (reply: Reply, code: number, error: string, param?: string) => {
  assert.deepStrictEqual([reply.status, reply.body.error, reply.body.param], [code, error, param], reply.text)
}
