/** The requests of each kind of load, as the bytes that go over the wire. */
import { randomUUID } from "node:crypto"

type Target = readonly [key: string, tradeNo: string]

export type Kind =
  /** `count`: how many of them; without it there is no end. */
  | {
      readonly kind: "create"
      readonly keys: ReadonlyArray<string>
      readonly keyed: boolean
      readonly count?: number
    }
  | { readonly kind: "pay"; readonly orders: ReadonlyArray<Target> }
  /** One minor unit each, as often as the money lasts. */
  | { readonly kind: "refund"; readonly orders: ReadonlyArray<Target> }
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

const get = (path: string, right: string) => `${head("GET", path, right)}\r\n`

const merchant = (key: string) => `X-Api-Key: ${key}`

export const sourceOf = (kind: Kind): Source => {
  switch (kind.kind) {
    case "create":
      return creates(kind)
    case "pay":
      return onceEach(kind.orders, 200, ([key, tradeNo]) =>
        post(`/v1/test_helpers/orders/${tradeNo}/pay`, merchant(key), '{"payment_method":"card"}')
      )
    case "refund":
      return refunds(kind)
    case "read":
      // The stride meets all of them, far from one another.
      return inTurn(kind.orders, 7_919, ([key, tradeNo]) => get(`/v1/orders/${tradeNo}`, merchant(key)))
    case "get":
      return inTurn(kind.requests, 1, ([key, path]) => get(path, merchant(key)))
  }
}

const creates = ({ count = Infinity, keyed, keys }: Extract<Kind, { readonly kind: "create" }>): Source => {
  const run = randomUUID().slice(0, 8)
  let number = 0
  return {
    expected: 201,
    next: () => {
      if (number === count) return undefined
      number++
      const body =
        `{"amount":${1_000 + (number % 9_000)},"currency":"USD","out_trade_no":"cart-${run}-${number}",` +
        `"subject":"Two books","return_url":"https://shop.example.com/thanks","metadata":{"shelf":"A7"}}`
      const more = keyed ? `Idempotency-Key: ${run}-${number}\r\n` : ""
      return post("/v1/orders", merchant(keys[number % keys.length]!), body, more)
    }
  }
}

const refunds = ({ orders }: Extract<Kind, { readonly kind: "refund" }>): Source => {
  let count = 0
  return {
    expected: 201,
    next: () => {
      const [key, tradeNo] = orders[count++ % orders.length]!
      return post("/v1/refunds", merchant(key), `{"trade_no":"${tradeNo}","amount":1,"reason":"too late"}`)
    }
  }
}

/** One request for each item, and then none. */
const onceEach = <Item>(items: ReadonlyArray<Item>, expected: number, request: (item: Item) => string): Source => {
  let count = 0
  return {
    expected,
    next: () => {
      const item = items[count++]
      return item === undefined ? undefined : request(item)
    }
  }
}

/** Reads without end: every `stride`th item, over and over. */
const inTurn = <Item>(items: ReadonlyArray<Item>, stride: number, request: (item: Item) => string): Source => {
  let count = 0
  return { expected: 200, next: () => request(items[(count++ * stride) % items.length]!) }
}
