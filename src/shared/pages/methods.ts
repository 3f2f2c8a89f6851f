/** How an order was paid, for buyers. */
import { cardText, methodName, type PaidCard, type PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Language } from "./language.ts"

interface Paid {
  readonly method: PaymentMethod
  readonly card: PaidCard | null
}

/** `Visa •••• 4242`, or `Apple Pay (Visa •••• 4242)`. */
export const paidWith = ({ card, method }: Paid, language: Language): string => {
  if (card === null) return methodName(method, language)
  return method === "card" ? cardText(card) : `${methodName(method, language)} (${cardText(card)})`
}
