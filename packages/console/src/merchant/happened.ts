/** What came of advancing the sandbox's clock: each kind in words, and the list that has its objects. Pure. */
import type { EventType } from "@coffer/model/EventType"
import { type Language, wordsIn } from "../parts/words.ts"

/** Kinds that a list shows by a filter; the others are listed as events. */
const kinds: {
  readonly [Type in EventType | "webhook_attempts"]?: readonly [page: string, en: string, zh: string]
} = {
  "payment.succeeded": ["/orders?status=paid", "Orders paid", "订单已付款"],
  "payment.failed": ["/orders?status=failed", "Orders failed", "订单失败"],
  "payment.expired": ["/orders?status=expired", "Orders expired", "订单已过期"],
  "refund.succeeded": ["/refunds?status=succeeded", "Refunds succeeded", "退款成功"],
  "refund.failed": ["/refunds?status=failed", "Refunds failed", "退款失败"],
  "dispute.created": ["/disputes", "Disputes opened", "新争议"],
  "dispute.won": ["/disputes?status=won", "Disputes won", "胜诉争议"],
  "dispute.lost": ["/disputes?status=lost", "Disputes lost", "败诉争议"],
  webhook_attempts: ["/deliveries", "Webhook attempts", "Webhook 投递"]
}

export const happenedOf = (type: string, language: Language): { readonly page: string; readonly text: string } => {
  const [page, en, zh] = kinds[type as EventType] ?? [`/events?${new URLSearchParams({ type })}`, type, type]
  return { page, text: wordsIn({ en, zh }, language) }
}
