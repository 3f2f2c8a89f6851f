/** Invented events for `coffer webhooks certify`, about an order that does not exist. */
import { randomBytes } from "node:crypto"
import { DateTime, Effect } from "effect"
import { jsonText } from "./json.ts"

export interface MadeUp {
  readonly id: string
  readonly type: string
  readonly body: string
}

const idOf = (prefix: string) => `${prefix}certify_${randomBytes(8).toString("hex")}`

/** An event about an order of its own, unless another is named. */
export const madeUp = Effect.fnUntraced(function* (
  type: string,
  { tradeNo = idOf("TRD_SB_"), metadata = {} }: { readonly tradeNo?: string; readonly metadata?: object } = {}
) {
  const now = DateTime.formatIso(yield* DateTime.now)
  const id = idOf("evt_")
  const object = {
    object: "order",
    trade_no: tradeNo,
    out_trade_no: tradeNo,
    amount: 1_999,
    refunded_amount: type.startsWith("refund") ? 500 : 0,
    currency: "USD",
    subject: "coffer webhooks certify",
    status: "paid",
    mode: "sandbox",
    metadata,
    paid_at: now,
    created_at: now
  }
  const event = { object: "event", id, type, mode: "sandbox", created_at: now, sequence: 1, data: { object } }
  return { id, type, body: jsonText(event) } satisfies MadeUp
})

export const newTradeNo = Effect.sync(() => idOf("TRD_SB_"))

/** The same JSON in other bytes: with whitespace, and characters outside ASCII escaped. */
export const respelled = ({ body, ...event }: MadeUp): MadeUp => ({
  ...event,
  body: body.replace("{", "{\n  ").replace(/","/g, '", "').replace("coffer webhooks", "coff\\u0065r webhooks")
})
