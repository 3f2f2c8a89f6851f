/** The workflows of money whose every write is a place to die at. Each is one request, after what has to be there. */
import type { Reply } from "../play/Runners.ts"

export interface Request {
  readonly path: string
  readonly body?: object
  /** An `Idempotency-Key`, where the operation takes one. */
  readonly key?: string
  /** As the operator, and not with the merchant's key. */
  readonly isOperators?: boolean
  /** Read in place of sending it again: a buyer who pays or complains again does it twice. */
  readonly reads?: string
}

type Data = Readonly<Record<string, unknown>>
/** Sends a request that must go well, and gives its data. */
type Send = (request: Request) => Promise<Data>

export interface Workflow {
  readonly name: string
  readonly prepare: (send: Send, merchantId: string) => Promise<Request>
}

const terms = { amount: 2_000, currency: "USD", subject: "An order" }
const order = async (send: Send) => (await send({ path: "/v1/orders", body: terms, key: "made" }))["trade_no"] as string
const paid = async (send: Send, method = "card") => {
  const tradeNo = await order(send)
  await send({ path: `/v1/test_helpers/orders/${tradeNo}/pay`, body: { payment_method: method } })
  return tradeNo
}
const refund = (tradeNo: string): Request => ({
  path: "/v1/refunds",
  key: "refund",
  body: { trade_no: tradeNo, out_refund_no: "refund", amount: 500 }
})
const helper = (tradeNo: string, act: string, body: object = {}): Request => ({
  path: `/v1/test_helpers/orders/${tradeNo}/${act}`,
  body,
  reads: `/v1/orders/${tradeNo}`
})
const manual = async (send: Send) =>
  (await send({ path: "/v1/orders", body: { ...terms, capture: "manual" }, key: "made" }))["trade_no"] as string
const held = async (send: Send) => {
  const tradeNo = await manual(send)
  await send(helper(tradeNo, "authorize"))
  return tradeNo
}
const disputed = async (send: Send) => {
  const tradeNo = await paid(send)
  const { dispute_no: no } = await send({ path: `/v1/test_helpers/orders/${tradeNo}/dispute`, body: {} })
  return no as string
}

export const workflows: ReadonlyArray<Workflow> = [
  { name: "an order is created", prepare: async () => ({ path: "/v1/orders", body: terms, key: "create" }) },
  {
    name: "a buyer pays",
    prepare: async (send) => helper(await order(send), "pay")
  },
  {
    name: "an order is updated",
    prepare: async (send) => ({ path: `/v1/orders/${await order(send)}`, body: { metadata: { a: "b" } }, key: "note" })
  },
  {
    name: "an order is expired by its merchant",
    prepare: async (send) => ({ path: `/v1/orders/${await order(send)}/expire`, key: "expire" })
  },
  { name: "a payment by card is refunded", prepare: async (send) => refund(await paid(send)) },
  {
    name: "a payment by Alipay is refunded, which the bank settles later",
    prepare: async (send) => refund(await paid(send, "alipay"))
  },
  {
    name: "the bank settles a refund",
    prepare: async (send) => {
      const { refund_no: no } = await send(refund(await paid(send, "alipay")))
      return { path: `/v1/test_helpers/refunds/${String(no)}/settle`, body: { outcome: "succeeded" } }
    }
  },
  {
    name: "a buyer agrees to a payment that is captured later",
    prepare: async (send) => helper(await manual(send), "authorize")
  },
  {
    name: "a part of what is held is captured",
    prepare: async (send) => ({ path: `/v1/orders/${await held(send)}/capture`, body: { amount: 500 }, key: "capture" })
  },
  {
    name: "what is held is released by the merchant",
    prepare: async (send) => ({ path: `/v1/orders/${await held(send)}/expire`, key: "cancel" })
  },
  { name: "the bank captures by itself", prepare: async (send) => helper(await held(send), "capture") },
  { name: "a buyer disputes a payment", prepare: async (send) => helper(await paid(send), "dispute") },
  {
    name: "a dispute is accepted",
    prepare: async (send) => ({ path: `/v1/disputes/${await disputed(send)}/accept`, key: "accept" })
  },
  {
    name: "a payout is requested",
    prepare: async (send, merchantId) => {
      await paid(send)
      const body = { mode: "sandbox", currency: "USD", amount: 1_000, reference: "payout" }
      return { path: `/operator/v1/merchants/${merchantId}/payouts`, body, isOperators: true }
    }
  },
  {
    name: "a payment link is created",
    prepare: async () => ({ path: "/v1/payment_links", key: "link", body: { ...terms } })
  }
]

/** Whether a later try could not be answered in another way. */
export const isFinal = ({ headers, status, text }: Reply) =>
  status === 409
    ? text.includes('"error":"conflict"') && headers["retry-after"] === undefined
    : status !== 0 && status < 500 && status !== 429
