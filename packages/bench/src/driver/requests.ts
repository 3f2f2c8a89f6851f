/** The requests of each kind of load, as the bytes that go over the wire. */
import { randomUUID } from "node:crypto"

type Target = readonly [key: string, tradeNo: string]

export type Kind =
  | { readonly kind: "create"; readonly keys: ReadonlyArray<string>; readonly keyed: boolean }
  | { readonly kind: "pay"; readonly orders: ReadonlyArray<Target> }
  /** Of orders that cannot be closed any more. */
  | { readonly kind: "expire"; readonly orders: ReadonlyArray<Target> }
  /** Of wallets with nothing in them. */
  | { readonly kind: "payout"; readonly token: string; readonly merchantIds: ReadonlyArray<string> }
  | { readonly kind: "read"; readonly orders: ReadonlyArray<Target> }
  | { readonly kind: "get"; readonly requests: ReadonlyArray<readonly [key: string, path: string]> }

export interface Source {
  /** The next request; undefined when there is none left. */
  readonly next: () => string | undefined
  readonly expected: number
}

const head = (method: string, path: string, right: string, more = "") =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${right}\r\nUser-Agent: coffer-bench\r\n${more}`

const post = (path: string, right: string, body: string, more = "") =>
  head("POST", path, right, `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`)

const merchant = (key: string) => `X-Api-Key: ${key}`

export const sourceOf = (kind: Kind): Source => {
  let count = 0
  switch (kind.kind) {
    case "create": {
      const { keyed, keys } = kind
      const run = randomUUID().slice(0, 8)
      return {
        expected: 201,
        next: () => {
          const number = ++count
          const body =
            `{"amount":${1_000 + (number % 9_000)},"currency":"USD","out_trade_no":"cart-${run}-${number}",` +
            `"subject":"Two books","return_url":"https://shop.example.com/thanks","metadata":{"shelf":"A7"}}`
          const more = keyed ? `Idempotency-Key: ${run}-${number}\r\n` : ""
          return post("/v1/orders", merchant(keys[number % keys.length]!), body, more)
        }
      }
    }
    case "pay": {
      const { orders } = kind
      return {
        expected: 200,
        next: () => {
          const order = orders[count++]
          return (
            order && post(`/v1/test_helpers/orders/${order[1]}/pay`, merchant(order[0]), '{"payment_method":"card"}')
          )
        }
      }
    }
    case "expire": {
      const { orders } = kind
      return {
        expected: 409,
        next: () => {
          const order = orders[count++]
          return order && post(`/v1/orders/${order[1]}/expire`, merchant(order[0]), "{}")
        }
      }
    }
    case "payout": {
      const { merchantIds, token } = kind
      return {
        expected: 400,
        next: () => {
          const id = merchantIds[count++]
          const body = '{"mode":"sandbox","currency":"USD","amount":1000}'
          return id && post(`/operator/v1/merchants/${id}/payouts`, `Authorization: Bearer ${token}`, body)
        }
      }
    }
    case "read": {
      const { orders } = kind
      return {
        expected: 200,
        next: () => {
          // A stride that meets all of them, far from one another.
          const [key, tradeNo] = orders[(count++ * 7_919) % orders.length]!
          return `${head("GET", `/v1/orders/${tradeNo}`, merchant(key))}\r\n`
        }
      }
    }
    case "get": {
      const { requests } = kind
      return {
        expected: 200,
        next: () => {
          const [key, path] = requests[count++ % requests.length]!
          return `${head("GET", path, merchant(key))}\r\n`
        }
      }
    }
  }
}
