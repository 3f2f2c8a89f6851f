/**
 * One request of each kind that writes, with and without an `Idempotency-Key` where that makes a difference: what has
 * to be there first, what is sent, and what it leaves behind when it was done once.
 */
import { Effect } from "effect"
import type { Merchant } from "../Api.ts"
import { operatorWrites } from "./operatorWrites.ts"
import { fileOf, filePart, formOf, headersOfForm, modePart } from "../callers/uploads.ts"
import { webhookWrites } from "./webhookWrites.ts"
import { order, type Post, sold, type Write, write } from "./write.ts"

const disputed = Effect.fnUntraced(function* (post: Post) {
  yield* sold(post)
  return (yield* post("/v1/test_helpers/orders/order/dispute", { amount: 600 })).dispute_no as string
})
const held = Effect.fnUntraced(function* (post: Post) {
  yield* order(post, "order", 1_000, { capture: "manual" })
  yield* post("/v1/test_helpers/orders/order/authorize")
})
const evidence = { product_description: "As described." }

const refundOf = (name: string, method: string) => [
  ...write(
    name,
    "keyed",
    "select 1 from refunds where merchant_id = $1 and status <> 'void' and amount = 600",
    ({ post }) =>
      Effect.map(sold(post, method), (trade_no) => ({ path: "/v1/refunds", body: { trade_no, amount: 600 } })),
    { asksChannel: true }
  ),
  ...write(
    `${name}, by its number`,
    "plain",
    "select 1 from refunds where merchant_id = $1 and status <> 'void' and amount = 600",
    ({ post }) =>
      Effect.map(sold(post, method), (trade_no) => ({
        path: "/v1/refunds",
        body: { trade_no, amount: 600, out_refund_no: "r" }
      })),
    { asksChannel: true }
  )
]

const payoutStep = (step: string, ...before: ReadonlyArray<string>) =>
  write(
    `payout: ${step}`,
    "plain",
    `select 1 from payouts where merchant_id = $1 and status = '${payoutStates[step]}'`,
    Effect.fnUntraced(function* ({ merchant, operate, post }) {
      yield* sold(post)
      const terms = { mode: "sandbox", currency: "USD", amount: 600 }
      const { payout_no } = yield* operate(`/merchants/${merchant.merchantId}/payouts`, terms)
      for (const each of before) yield* operate(`/payouts/${payout_no}/${each}`)
      return { path: `/operator/v1/payouts/${payout_no}/${step}` }
    }),
    { by: "operator" }
  )

const payoutStates: Record<string, string> = {
  approve: "approved",
  reject: "rejected",
  complete: "succeeded",
  fail: "failed"
}

const ofMerchant = ({ merchantId }: Merchant) => `/operator/v1/merchants/${merchantId}`
const withKey = (key: string) => ({ path: "/v1/balance", headers: { "X-Api-Key": key } })

export const writes: ReadonlyArray<Write> = [
  ...write("create order", "keyed", "select 1 from orders where merchant_id = $1", () =>
    Effect.succeed({ path: "/v1/orders", body: { amount: 1_000 } })
  ),
  ...write("create order, by its number", "plain", "select 1 from orders where merchant_id = $1", () =>
    Effect.succeed({ path: "/v1/orders", body: { amount: 1_000, out_trade_no: "order" } })
  ),
  ...write(
    "update order",
    "both",
    `select 1 from orders where merchant_id = $1 and metadata = '{"a": "1"}'`,
    ({ post }) => Effect.as(order(post, "order"), { path: "/v1/orders/order", body: { metadata: { a: "1" } } })
  ),
  ...write("expire", "both", "select 1 from events where merchant_id = $1 and type = 'payment.expired'", ({ post }) =>
    Effect.as(order(post, "order"), { path: "/v1/orders/order/expire" })
  ),
  ...write(
    "pay at checkout",
    "plain",
    "select 1 from ledger where merchant_id = $1 and type = 'payment_credit'",
    ({ post }) =>
      Effect.map(order(post, "order"), ({ checkout_url }) => ({
        path: new URL(checkout_url).pathname,
        form: {
          type: "application/x-www-form-urlencoded",
          raw: "step=pay&method=card&number=4242424242424242&expiry=12%2F40&cvc=123"
        }
      })),
    { by: "buyer" }
  ),
  ...write("pay", "keyed", "select 1 from sandbox_payments where merchant_id = $1", ({ post }) =>
    Effect.as(order(post, "order"), { path: "/v1/test_helpers/orders/order/pay" })
  ),
  ...write("authorize", "keyed", "select 1 from sandbox_payments where merchant_id = $1", ({ post }) =>
    Effect.as(order(post, "order", 1_000, { capture: "manual" }), { path: "/v1/test_helpers/orders/order/authorize" })
  ),
  ...write(
    "capture",
    "both",
    "select 1 from ledger where merchant_id = $1 and type = 'payment_credit' and amount = 600",
    ({ post }) => Effect.as(held(post), { path: "/v1/orders/order/capture", body: { amount: 600 } }),
    { asksChannel: true }
  ),
  ...write(
    "cancel",
    "both",
    "select 1 from events where merchant_id = $1 and type = 'payment.canceled'",
    ({ post }) => Effect.as(held(post), { path: "/v1/orders/order/expire" }),
    { asksChannel: true }
  ),
  ...write(
    "capture at the bank",
    "both",
    "select 1 from ledger where merchant_id = $1 and type = 'payment_credit'",
    ({ post }) => Effect.as(held(post), { path: "/v1/test_helpers/orders/order/capture" })
  ),
  ...refundOf("refund at once", "card"),
  ...refundOf("refund that takes time", "alipay"),
  ...write(
    "update refund",
    "both",
    `select 1 from refunds where merchant_id = $1 and metadata = '{"a": "1"}'`,
    Effect.fnUntraced(function* ({ post }) {
      const trade_no = yield* sold(post)
      yield* post("/v1/refunds", { trade_no, amount: 600, out_refund_no: "r" })
      return { path: "/v1/refunds/r", body: { metadata: { a: "1" } } }
    })
  ),
  ...write(
    "settle refund",
    "both",
    "select 1 from events where merchant_id = $1 and type = 'refund.succeeded'",
    Effect.fnUntraced(function* ({ post }) {
      const trade_no = yield* sold(post, "alipay")
      yield* post("/v1/refunds", { trade_no, amount: 600, out_refund_no: "r" })
      return { path: "/v1/test_helpers/refunds/r/settle", body: { outcome: "succeeded" } }
    })
  ),
  ...write(
    "send receipt",
    "keyed",
    "select 1 from mails where trade_no in (select trade_no from orders where merchant_id = $1)",
    ({ post }) =>
      Effect.as(sold(post), { path: "/v1/orders/order/send_receipt", body: { email: "reader@example.com" } })
  ),
  ...write("create link", "keyed", "select 1 from payment_links where merchant_id = $1", () =>
    Effect.succeed({ path: "/v1/payment_links", body: { amount: 1_000 } })
  ),
  ...write(
    "update link",
    "both",
    "select 1 from payment_links where merchant_id = $1 and status = 'inactive'",
    ({ post }) =>
      Effect.map(post("/v1/payment_links", { amount: 1_000 }), ({ link_id }) => ({
        path: `/v1/payment_links/${link_id}`,
        body: { status: "inactive" }
      }))
  ),
  ...write("create report", "keyed", "select 1 from reports where merchant_id = $1", () =>
    Effect.succeed({ path: "/v1/reports", body: { report: "frozen" } })
  ),
  ...write(
    "save evidence",
    "both",
    `select 1 from dispute_evidence join disputes using (dispute_no)
      where merchant_id = $1 and evidence = '{"product_description": "As described."}'`,
    ({ post }) => Effect.map(disputed(post), (no) => ({ path: `/v1/disputes/${no}/evidence`, body: { evidence } }))
  ),
  ...write(
    "submit evidence",
    "both",
    "select 1 from events where merchant_id = $1 and type = 'dispute.updated'",
    ({ post }) =>
      Effect.map(disputed(post), (no) => ({ path: `/v1/disputes/${no}/evidence`, body: { evidence, submit: true } })),
    { asksChannel: true }
  ),
  ...write(
    "accept dispute",
    "both",
    "select 1 from sandbox_disputes where merchant_id = $1 and state = 'accepted'",
    ({ post }) => Effect.map(disputed(post), (no) => ({ path: `/v1/disputes/${no}/accept` })),
    { asksChannel: true }
  ),
  ...write("charge back", "keyed", "select 1 from disputes where merchant_id = $1", ({ post }) =>
    Effect.as(sold(post), { path: "/v1/test_helpers/orders/order/dispute", body: { amount: 600 } })
  ),
  ...write(
    "resolve dispute",
    "both",
    "select 1 from events where merchant_id = $1 and type = 'dispute.won'",
    ({ post }) =>
      Effect.map(disputed(post), (no) => ({
        path: `/v1/test_helpers/disputes/${no}/resolve`,
        body: { outcome: "won" }
      }))
  ),
  ...write(
    "switch the channel",
    "both",
    "select 1 from sandbox_switches where merchant_id = $1 and not reachable",
    () => Effect.succeed({ path: "/v1/test_helpers/channel", body: { reachable: false } })
  ),
  ...write(
    "advance the clock",
    "keyed",
    "select 1 from sandbox_clocks where merchant_id = $1 and target is null and offset_ms between 3000000 and 3600000",
    () => Effect.succeed({ path: "/v1/test_helpers/clock/advance", body: { by: "1h" } })
  ),
  ...webhookWrites,
  ...write(
    "hand in a file",
    "plain",
    "select distinct size from files where merchant_id = $1",
    () =>
      Effect.succeed({
        path: "/v1/files",
        form: { type: headersOfForm["Content-Type"], raw: formOf(filePart(fileOf("pdf"))) }
      }),
    { opens: ({ url }) => ({ path: new URL(url).pathname, headers: {} }) }
  ),
  ...write(
    "merchant: create",
    "plain",
    "select distinct name from merchants where name = 'Branch of ' || $1",
    ({ merchant: { merchantId } }) =>
      Effect.succeed({ path: "/operator/v1/merchants", body: { name: `Branch of ${merchantId}`, seed: false } }),
    { by: "operator", opens: ({ sandbox_key }) => withKey(sandbox_key) }
  ),
  ...write(
    "merchant: update",
    "plain",
    "select 1 from merchants where merchant_id = $1 and name = 'Renamed'",
    ({ merchant }) => Effect.succeed({ path: ofMerchant(merchant), body: { name: "Renamed" } }),
    { by: "operator" }
  ),
  ...write(
    "merchant: reset key",
    "plain",
    "select 1 from merchant_modes where merchant_id = $1 and mode = 'sandbox'",
    ({ merchant }) => Effect.succeed({ path: `${ofMerchant(merchant)}/keys/sandbox/reset` }),
    { by: "operator", opens: ({ key }) => withKey(key) }
  ),
  ...write(
    "merchant: hand in a file",
    "plain",
    "select distinct size from files where merchant_id = $1",
    ({ merchant }) =>
      Effect.succeed({
        path: `${ofMerchant(merchant)}/files`,
        form: { type: headersOfForm["Content-Type"], raw: formOf(modePart("sandbox"), filePart(fileOf("pdf"))) }
      }),
    { by: "operator", opens: ({ url }) => ({ path: new URL(url).pathname, headers: {} }) }
  ),
  ...write(
    "payout: request",
    "plain",
    "select 1 from payouts where merchant_id = $1",
    ({ merchant, post }) =>
      Effect.as(sold(post, "card", 5_000), {
        path: `${ofMerchant(merchant)}/payouts`,
        body: { mode: "sandbox", currency: "USD", amount: 4_000, reference: "may" }
      }),
    { by: "operator" }
  ),
  ...payoutStep("approve"),
  ...payoutStep("reject"),
  ...payoutStep("complete", "approve"),
  ...payoutStep("fail", "approve"),
  ...operatorWrites
]
