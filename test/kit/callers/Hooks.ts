/** A merchant's calls about its webhook endpoints, and a receiver's checks of what it is sent. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { Stripe } from "stripe"
import { vi } from "vitest"
import type { Merchant, Reply } from "../Api.ts"
import type { Received } from "../Receiver.ts"
import type { Running } from "../Service.ts"

// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
type Json = any

/** Calls of one merchant in its sandbox, or with the key that is given. */
export const hooksOf = ({ api, sql }: Running, merchant: Merchant, key = merchant.sandboxKey) => {
  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    api.call(method, `/v1/webhook_endpoints${path}`, {
      key,
      ...(body === undefined ? {} : { body }),
      ...(headers === undefined ? {} : { headers })
    })
  const said = (reply: Reply): Json => {
    assert.isBelow(reply.status, 300, reply.text)
    return reply.body.data
  }
  return {
    call,
    create: (body: object) => Effect.map(call("POST", "", body), said),
    update: (id: string, body: object) => Effect.map(call("POST", `/${id}`, body), said),
    remove: (id: string) => Effect.map(call("DELETE", `/${id}`), said),
    rotate: (id: string) => Effect.map(call("POST", `/${id}/rotate_secret`), said),
    retrieve: (id: string) => Effect.map(call("GET", `/${id}`), said),
    list: (query = "") => Effect.map(call("GET", query), said),
    secret: Effect.map(api.get("/v1/webhook_signing_secret", key), said),
    rotateSecret: Effect.map(api.post("/v1/webhook_signing_secret/rotate", key), said),
    /** The single address. */
    single: (url: string | null) =>
      Effect.map(
        api.operator("POST", `/merchants/${merchant.merchantId}`, { sandbox: { default_notify_url: url } }),
        said
      ),
    /** An order that is paid: one event of the type payment.succeeded. */
    paid: (terms: object = {}) =>
      Effect.gen(function* () {
        const { trade_no } = said(yield* api.post("/v1/orders", key, { amount: 1000, ...terms }))
        return said(yield* api.post(`/v1/test_helpers/orders/${trade_no}/pay`, key, {}))
      }),
    /** In the order in which they were written. */
    deliveries: sql<{
      endpoint_id: string | null
      url: string
      status: string
      attempts: number
      failure: string | null
    }>`select d.endpoint_id, d.url, d.status, d.attempts, (select a.failure from delivery_attempts a
        where a.delivery_id = d.id order by a.attempt desc limit 1) as failure
      from deliveries d where d.merchant_id = ${merchant.merchantId} order by d.id`
  }
}

/** Whether the official package takes it as signed with this secret, at the time of the signature. */
export const stripeAccepts = ({ headers, raw }: Received, secret: string): boolean => {
  const header = String(headers["x-service-signature"])
  const at = Number(/t=(\d+)/.exec(header)?.[1]) * 1_000
  try {
    return new Stripe("sk_test_x").webhooks.constructEvent(raw, header, secret, 300, undefined, at).id !== undefined
  } catch {
    return false
  }
}

/** The same by the official package of Standard Webhooks. It compares the time with the clock of this machine. */
export const standardAccepts = ({ headers, raw }: Received, secret: string): boolean => {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  vi.useFakeTimers({ toFake: ["Date"], now: Number(sent["webhook-timestamp"]) * 1_000 })
  try {
    new Webhook(secret).verify(raw, sent)
    return true
  } catch {
    return false
  } finally {
    vi.useRealTimers()
  }
}

/** How many signatures both families of headers carry. */
export const signaturesIn = ({ headers }: Received): readonly [number, number] => [
  String(headers["x-service-signature"]).split("v1=").length - 1,
  String(headers["webhook-signature"]).split(" ").length
]
