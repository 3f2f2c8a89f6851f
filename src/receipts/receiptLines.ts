/** What a receipt says of an order, line by line, the same on the page and in the mail. Pure. */
import type { SettledOrder } from "@coffer/rules/order/Order"
import { money, time } from "../pages/amounts.ts"
import type { Language } from "../pages/language.ts"
import { methodNames } from "../pages/methods.ts"
import type { Shop } from "../pages/shop.ts"
import { receiptTexts } from "./receiptTexts.ts"

export interface ReceiptOf {
  readonly order: SettledOrder
  readonly shop: Shop
  readonly language: Language
}

type Line = readonly [name: string, value: string]

export const amountPaid = ({ language, order }: ReceiptOf): string => money(order.amount, order.currency, language)

export const receiptLines = ({ language, order, shop }: ReceiptOf): ReadonlyArray<Line> => {
  const texts = receiptTexts[language]
  const { currency, refundedAmount } = order
  const refunded: ReadonlyArray<Line> = [
    [texts.refunded, money(0 - refundedAmount, currency, language)],
    [texts.kept, money(order.amount - refundedAmount, currency, language)]
  ]
  return [
    [texts.paidTo, shop.name],
    ...(order.receipt?.number ? [[texts.number, order.receipt.number] as const] : []),
    [texts.date, time(order.paidAt, language)],
    ...(order.subject === null ? [] : [[texts.subject, order.subject] as const]),
    [texts.order, order.outTradeNo],
    ...(order.outTradeNo === (order.tradeNo as string) ? [] : [[texts.transaction, order.tradeNo] as const]),
    [texts.method, methodNames[language][order.method]],
    [texts.amount, money(order.amount, currency, language)],
    ...(refundedAmount === 0 ? [] : refunded)
  ]
}
