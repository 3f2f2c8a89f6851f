/** A merchant of its own with a paid order, what the buyer's bank makes of it, and what a test asks about it. */
import { Effect } from "effect"
import { assertLedgerWhole } from "../ledger.ts"
import { merchantOf, said } from "../Merchant.ts"
import type { Running } from "../Service.ts"

export interface Terms {
  readonly amount?: number
  readonly method?: string
  readonly notifyUrl?: string
  readonly currency?: string
}

/** One order, of 10.00 USD and paid by card unless told otherwise. */
export const sold = Effect.fnUntraced(function* (running: Running, terms: Terms = {}) {
  const { api, atRest, sql } = running
  const { merchantId, sandboxKey: key } = yield* api.newMerchant()
  const { amount = 1000, currency = "USD", method = "card", notifyUrl } = terms
  const shop = merchantOf(running, key)
  const notified = notifyUrl === undefined ? {} : { notify_url: notifyUrl }
  const order = yield* shop.paid(amount, { currency, out_trade_no: "1", ...notified }, method)
  const tradeNo: string = order["trade_no"]
  return {
    api,
    key,
    merchantId,
    tradeNo,
    shop,
    open: (body: object = {}) => shop.dispute(tradeNo, body),
    refund: (body: object = {}) => shop.refund({ trade_no: tradeNo, ...body }),
    balance: shop.balance(currency),
    /** The ledger's rows after the payment's two. */
    rows: Effect.map(shop.ledger(), (rows) => rows.slice(2)),
    /** The events since the payment, once the workers have nothing to do. */
    events: Effect.andThen(
      atRest,
      Effect.map(shop.events(), (types) => types.filter((type) => type !== "payment.succeeded"))
    ),
    whole: assertLedgerWhole(sql)
  }
})

/** {@link sold}, and the buyer disputes it. */
export const disputed = Effect.fnUntraced(function* (running: Running, body: object = {}, terms: Terms = {}) {
  const at = yield* sold(running, terms)
  const opened = yield* said(at.open(body))
  const no: string = opened["dispute_no"]
  const path = `/v1/disputes/${no}`
  return {
    ...at,
    no,
    path,
    opened,
    read: said(at.shop.get(path)),
    evidence: said(at.shop.get(`${path}/evidence`)),
    respond: (evidence: object, headers?: Record<string, string>) => at.shop.respond(no, evidence, headers),
    accept: (headers?: Record<string, string>) => at.shop.accept(no, headers),
    resolve: (outcome: string) => at.shop.resolve(no, outcome)
  }
})
