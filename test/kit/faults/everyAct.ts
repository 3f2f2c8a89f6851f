/** What the merchants of `sdkLoad.ts` do: each kind of request of a merchant, a buyer and an operator. */
import { operatorToken } from "../Service.ts"
import type { Act, Merchant } from "./sdkLoad.ts"

const paid = async ({ coffer, done, shop }: Merchant, own: string) => {
  const order = await coffer.orders.create({ amount: 1_000, out_trade_no: `o${own}`, notify_url: shop.notifyUrl })
  done("create", order.trade_no, `o${own}`)
  const settled = await coffer.testHelpers.orders.pay(order.trade_no)
  done("pay", settled.trade_no)
  return settled
}

const acts: ReadonlyArray<Act> = [
  async (merchant, own) => {
    const { coffer } = merchant
    const order = await paid(merchant, own)
    await coffer.orders.update(order.trade_no, { metadata: { note: own } })
    await coffer.orders.get(order.trade_no)
    await coffer.orders.timeline(order.trade_no)
  },
  async (merchant, own) => {
    const { raw, shop, done, coffer } = merchant
    const body = { amount: 1_000, out_trade_no: `o${own}` }
    const made = await raw("POST", "/v1/orders", body, { "X-Api-Key": shop.key })
    if (made.status > 201) throw new Error(`a create without a key: ${made.status} ${made.text}`)
    const tradeNo: string = JSON.parse(made.text).data.trade_no
    done("create", tradeNo, `o${own}`)
    await coffer.orders.expire(tradeNo)
  },
  async (merchant, own) => {
    const { coffer, done } = merchant
    const order = await paid(merchant, own)
    const refund = await coffer.refunds.create({ trade_no: order.trade_no, amount: 300, out_refund_no: `r${own}` })
    done("refund", refund.refund_no)
    await coffer.refunds.get(refund.refund_no)
  },
  async (merchant, own) => {
    const { coffer, done } = merchant
    const order = await paid(merchant, own)
    const dispute = await coffer.testHelpers.orders.dispute(order.trade_no, { amount: 300 })
    done("dispute", dispute.dispute_no)
    await coffer.disputes.submitEvidence(dispute.dispute_no, { evidence: { product_description: "a lamp" } })
    await coffer.testHelpers.disputes.resolve(dispute.dispute_no, { outcome: "won" })
  },
  async ({ coffer, done, draw, raw }) => {
    const link = await coffer.paymentLinks.create({ amount: 100, max_uses: 3 })
    done("link", link.link_id)
    for (let buyer = 0; buyer < 2; buyer++) {
      const ip = `198.51.${draw(256)}.${draw(256)}`
      await raw("GET", new URL(link.url).pathname, undefined, { "X-Forwarded-For": ip })
    }
    await coffer.paymentLinks.get(link.link_id)
  },
  async ({ coffer }) => {
    await coffer.orders.list({ limit: 20 })
    await coffer.orders.list({ limit: 5, status: "paid" })
    await coffer.refunds.list({ limit: 20 })
    await coffer.disputes.list({ limit: 20 })
    await coffer.paymentLinks.list({ limit: 20 })
  },
  async ({ coffer }) => {
    const { data } = await coffer.events.list({ limit: 20 })
    if (data.length > 0) await coffer.events.get(data[0]!.event_id)
    await coffer.webhookDeliveries.list({ limit: 20 })
    await coffer.balance.get()
    await coffer.ledger.list({ limit: 20 })
    await coffer.apiLogs.list({ limit: 5 })
    await coffer.reports.frozen()
  },
  async ({ coffer, shop }) => {
    const made = await coffer.webhookEndpoints.create({ url: shop.notifyUrl, enabled_events: ["payment.failed"] })
    await coffer.webhookEndpoints.update(made.id, { description: "of an upgrade" })
    await coffer.webhookEndpoints.list()
    await coffer.webhookEndpoints.delete(made.id)
  },
  async (merchant, own) => {
    const { raw, shop } = merchant
    await paid(merchant, own)
    const operator = { Authorization: `Bearer ${operatorToken}` }
    const terms = { mode: "sandbox", currency: "USD", amount: 100, reference: `k${own}` }
    const path = `/operator/v1/merchants/${shop.merchantId}/payouts`
    const { status, text } = await raw("POST", path, terms, operator)
    // Others may have taken what there is.
    if (status === 402 || status === 400) return
    if (status > 201) throw new Error(`a payout: ${status} ${text}`)
    const { payout_no } = JSON.parse(text).data
    for (const step of ["approve", "complete"]) {
      const done = await raw("POST", `/operator/v1/payouts/${payout_no}/${step}`, {}, operator)
      if (done.status > 202) throw new Error(`${step} of a payout: ${done.status} ${done.text}`)
    }
  }
]

/** Each kind of request that a merchant, a buyer and an operator send. */
export const anyAct: Act = (merchant, own) => acts[merchant.draw(acts.length)]!(merchant, own)

/** An order that is authorized, and captured in part. */
export const capturing: Act = async ({ coffer, done }, own) => {
  const order = await coffer.orders.create({ amount: 1_000, out_trade_no: `o${own}`, capture: "manual" })
  done("create", order.trade_no, `o${own}`)
  await coffer.testHelpers.orders.authorize(order.trade_no)
  const captured = await coffer.orders.capture(order.trade_no, { amount: 700 })
  done("pay", captured.trade_no)
}
