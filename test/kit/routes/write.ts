/** How one kind of write is described: its scene, what is sent, and what it leaves behind when it was done once. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Merchant, Reply } from "../Api.ts"
import type { Running } from "../Service.ts"

/** A service that takes requests. */
export type Caller = Pick<Running, "api" | "database">

/** A request that can be sent to any process on the same database. */
export interface Asked {
  readonly method: "POST" | "DELETE"
  readonly path: string
  readonly headers: Record<string, string>
  readonly raw: string | Uint8Array
}

export interface Write {
  readonly name: string
  /** The channel is asked between two commits. */
  readonly asksChannel: boolean
  readonly isKeyed: boolean
  /** Sets the scene for a merchant of its own, and says what is to be sent. */
  readonly prepare: (service: Caller, merchant: Merchant) => Effect.Effect<Asked>
  /** The pattern that a merchant's books must show once, counted; by its id. */
  readonly left: string
  /**
   * The thing to which the answer gives access, such as a new key or the address of a file. That of the last answer
   * must work.
   */
  readonly opens: ((data: Json) => Pick<Asked, "path" | "headers">) | undefined
}

// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
type Json = any

export const send = ({ api }: Caller, { headers, method, path, raw }: Asked): Effect.Effect<Reply> =>
  api.call(method, path, { raw, headers })

type Scene = (
  at: Caller & { readonly post: Post; readonly operate: Post; readonly merchant: Merchant }
) => Effect.Effect<{
  readonly path: string
  readonly body?: object
  /** Sent instead of a body. */
  readonly form?: { readonly type: string; readonly raw: string | Uint8Array }
}>
export type Post = (path: string, body?: object) => Effect.Effect<Reply["body"]>

interface Kind {
  readonly asksChannel?: boolean
  readonly method?: Asked["method"]
  readonly by?: "merchant" | "operator" | "buyer"
  readonly opens?: Write["opens"]
}

export const write = (
  name: string,
  keyed: "keyed" | "plain" | "both",
  left: string,
  scene: Scene,
  { asksChannel = false, by = "merchant", method = "POST", opens }: Kind = {}
): ReadonlyArray<Write> =>
  (keyed === "both" ? ([true, false] as const) : [keyed === "keyed"]).map((isKeyed) => ({
    name: isKeyed ? `${name}, keyed` : name,
    asksChannel,
    isKeyed,
    left,
    opens,
    prepare: Effect.fnUntraced(function* (service, merchant) {
      const { api } = service
      const done = ({ body, status, text }: Reply) => {
        assert.isBelow(status, 300, text)
        return body.data
      }
      const post: Post = (path, body = {}) => Effect.map(api.post(path, merchant.sandboxKey, body), done)
      const operate: Post = (path, body = {}) => Effect.map(api.operator("POST", path, body), done)
      const { body = {}, form, path } = yield* scene({ ...service, post, operate, merchant })
      const { raw, type } = form ?? { raw: JSON.stringify(body), type: "application/json" }
      const owners = {
        merchant: { "X-Api-Key": merchant.sandboxKey },
        operator: { Authorization: `Bearer ${api.operatorToken}` },
        buyer: {}
      }
      const key = isKeyed ? { "Idempotency-Key": "k" } : {}
      return { method, path, raw, headers: { "Content-Type": type, ...owners[by], ...key } as Record<string, string> }
    })
  }))

export const order = (post: Post, name: string, amount = 1_000, more: object = {}) =>
  post("/v1/orders", { amount, out_trade_no: name, ...more })

/** An order that is paid, with the number `order`. */
export const sold = Effect.fnUntraced(function* (post: Post, method = "card", amount = 1_000) {
  const { trade_no } = yield* order(post, "order", amount)
  yield* post("/v1/test_helpers/orders/order/pay", { payment_method: method })
  return trade_no as string
})
