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
  /** Payments by a program that has another API. */
  | { readonly kind: "post"; readonly requests: ReadonlyArray<readonly [path: string, body: string]> }
  /** One minor unit each, until the money is used up. */
  | { readonly kind: "refund"; readonly orders: ReadonlyArray<Target> }
  | { readonly kind: "read"; readonly orders: ReadonlyArray<Target> }
  | { readonly kind: "get"; readonly requests: ReadonlyArray<readonly [key: string, path: string]> }
  /** Keyed creates, payments, reads, refunds and lists, of orders that it made itself. */
  | { readonly kind: "mix"; readonly keys: ReadonlyArray<string> }

export interface Request {
  readonly text: string
  /** The status that is expected. */
  readonly expected: number
  /** Called with the body of an expected answer. */
  readonly answered?: (body: () => string) => void
}

export interface Source {
  /** The next request; undefined when there is none left. */
  readonly next: () => Request | undefined
  /** How many are left, if the source is finite. */
  readonly left?: () => number
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
      return onceEach(kind.orders, payment)
    case "post":
      return onceEach(kind.requests, posting)
    case "refund":
      return inTurn(kind.orders, 1, refund)
    case "read":
      // The stride visits all of them, far apart.
      return inTurn(kind.orders, 7_919, reading)
    case "get":
      return inTurn(kind.requests, 1, getting)
    case "mix":
      return mixed(kind.keys)
  }
}

const payment = ([key, tradeNo]: Target): Request => ({
  text: post(`/v1/test_helpers/orders/${tradeNo}/pay`, merchant(key), '{"payment_method":"card"}'),
  expected: 200
})

const posting = ([path, body]: readonly [string, string]): Request => ({
  text: post(path, "Accept: application/json", body),
  expected: 200
})

const refund = ([key, tradeNo]: Target): Request => ({
  text: post("/v1/refunds", merchant(key), `{"trade_no":"${tradeNo}","amount":1,"reason":"too late"}`),
  expected: 201
})

const reading = ([key, tradeNo]: Target): Request => ({
  text: get(`/v1/orders/${tradeNo}`, merchant(key)),
  expected: 200
})

const getting = ([key, path]: Target): Request => ({ text: get(path, merchant(key)), expected: 200 })

const creates = ({ count = Infinity, keyed, keys }: Extract<Kind, { readonly kind: "create" }>) => {
  const run = randomUUID().slice(0, 8)
  let number = 0
  return {
    next: (): (Request & { readonly key: string }) | undefined => {
      if (number === count) return undefined
      number++
      const key = keys[number % keys.length]!
      const body =
        `{"amount":${1_000 + (number % 9_000)},"currency":"USD","out_trade_no":"cart-${run}-${number}",` +
        `"subject":"Two books","return_url":"https://shop.example.com/thanks","metadata":{"shelf":"A7"}}`
      const more = keyed ? `Idempotency-Key: ${run}-${number}\r\n` : ""
      return { text: post("/v1/orders", merchant(key), body, more), expected: 201, key }
    }
  }
}

/** One request for each item. */
const onceEach = <Item>(items: ReadonlyArray<Item>, request: (item: Item) => Request): Source => {
  let count = 0
  return {
    next: () => {
      const item = items[count++]
      return item === undefined ? undefined : request(item)
    },
    left: () => Math.max(0, items.length - count)
  }
}

/** Endless: every `stride`th item, again and again. */
const inTurn = <Item>(items: ReadonlyArray<Item>, stride: number, request: (item: Item) => Request): Source => {
  let count = 0
  return { next: () => request(items[(count++ * stride) % items.length]!) }
}

/** Twenty requests: 6 keyed creates, 6 reads, 5 payments, 2 lists, 1 refund. */
const pattern = "crpcrlpcrpcrfpcrlpcr"
/** How many orders are remembered for payments, and for reads and refunds. The others expire. */
const rememberedMax = 10_000
/** Refunds and reads begin with this many paid orders, so that none is refunded twice concurrently. */
const paidMin = 200

const mixed = (keys: ReadonlyArray<string>): Source => {
  const orders = creates({ kind: "create", keys, keyed: true })
  const unpaid: Array<Target> = []
  const paid: Array<Target> = []
  let [count, paidCount, listed, refunded, read] = [0, 0, 0, 0, 0]

  const create = (): Request => {
    const request = orders.next()!
    return {
      ...request,
      answered: (body) => {
        unpaid.push([request.key, JSON.parse(body()).data.trade_no])
        if (unpaid.length > rememberedMax) unpaid.shift()
      }
    }
  }
  const pay = (): Request => {
    const order = unpaid.shift()
    if (order === undefined) return create()
    return { ...payment(order), answered: () => (paid[paidCount++ % rememberedMax] = order) }
  }
  const ofPaid = (number: number, request: (order: Target) => Request): Request =>
    paid.length < paidMin ? create() : request(paid[number % paid.length]!)

  const next = (): Request => {
    switch (pattern[count++ % pattern.length]) {
      case "r":
        return ofPaid(7_919 * read++, reading)
      case "p":
        return pay()
      case "l":
        return getting([keys[listed++ % keys.length]!, "/v1/orders"])
      case "f":
        return ofPaid(refunded++, refund)
      default:
        return create()
    }
  }
  return { next }
}
