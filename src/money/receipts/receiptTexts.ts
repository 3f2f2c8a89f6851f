/**
 * The texts of a receipt, the same on the page and in the mail: its words in each language, and its lines for an order.
 * The platform's number is not a line: it is printed small below them, for looking the payment up. Pure.
 */
import { amountPaid as paidOf } from "@coffer/rules/order/Hold"
import type { CreditedOrder } from "@coffer/rules/order/Order"
import { shopsNumber } from "@coffer/rules/order/receipt"
import type { DateTime } from "effect"
import { money, time } from "../../shared/pages/amounts.ts"
import { chinese, type Language } from "../../shared/pages/language.ts"
import { paidWith } from "../../shared/pages/methods.ts"
import type { Shop } from "../../shared/pages/shop.ts"

export interface ReceiptOf {
  readonly order: CreditedOrder
  readonly shop: Shop
  readonly language: Language
}

/** `at`: the value is this time, which a page can show in the buyer's own zone. */
type Line = readonly [name: string, value: string, at?: DateTime.Utc]

export const amountPaid = ({ language, order }: ReceiptOf): string => money(paidOf(order), order.currency, language)

export const receiptLines = ({ language, order, shop }: ReceiptOf): ReadonlyArray<Line> => {
  const texts = receiptTexts[language]
  const { currency, refundedAmount } = order
  const refunded: ReadonlyArray<Line> = [
    [texts.refunded, money(0 - refundedAmount, currency, language)],
    [texts.kept, money(paidOf(order) - refundedAmount, currency, language)]
  ]
  const number = shopsNumber(order)
  return [
    [texts.paidTo, shop.name],
    ...(shop.businessAddress === null ? [] : [[texts.businessAddress, shop.businessAddress] as const]),
    ...(shop.taxId === null ? [] : [[texts.taxId, shop.taxId] as const]),
    ...(order.receipt?.number ? [[texts.number, order.receipt.number] as const] : []),
    [texts.date, time(order.paidAt, language, shop.timeZone), order.paidAt],
    ...(order.subject === null ? [] : [[texts.subject, order.subject] as const]),
    ...(number === undefined ? [] : [[texts.order, number] as const]),
    [texts.method, paidWith(order, language)],
    [texts.amount, money(paidOf(order), currency, language)],
    ...(refundedAmount === 0 ? [] : refunded)
  ]
}

interface ReceiptTexts {
  readonly title: string
  readonly paidTo: string
  readonly businessAddress: string
  readonly taxId: string
  readonly number: string
  readonly date: string
  readonly subject: string
  readonly order: string
  readonly transaction: string
  readonly method: string
  readonly amount: string
  readonly refunded: string
  readonly kept: string
  readonly notTax: string
  readonly sandbox: string
  readonly mailSubject: (merchant: string, amount: string) => string
  readonly mailLead: (merchant: string, amount: string) => string
  readonly view: string
  readonly print: string
  readonly unknown: { readonly heading: string; readonly text: string }
  readonly unreachable: { readonly heading: string; readonly text: string }
  readonly again: string
}

export const receiptTexts: Readonly<Record<Language, ReceiptTexts>> = {
  en: {
    title: "Receipt",
    paidTo: "Paid to",
    businessAddress: "Address",
    taxId: "Tax ID",
    number: "Receipt number",
    date: "Paid on",
    subject: "For",
    order: "Order number",
    transaction: "Transaction",
    method: "Payment method",
    amount: "Amount paid",
    refunded: "Refunded",
    kept: "Net amount paid",
    notTax: "This receipt confirms a payment. It is not a tax invoice.",
    sandbox: "Created in the sandbox: no real money was moved.",
    mailSubject: (merchant, amount) => `Your receipt from ${merchant}: ${amount}`,
    mailLead: (merchant, amount) => `Thank you. You paid ${amount} to ${merchant}.`,
    view: "View or print receipt",
    print: "Print",
    unknown: {
      heading: "Receipt not found",
      text: "The link may be incomplete. Open it again from your email."
    },
    unreachable: { heading: "The receipt can’t be shown right now", text: "Please try again in a moment." },
    again: "Try again"
  },
  zh: {
    title: "付款收据",
    paidTo: "收款方",
    businessAddress: "地址",
    taxId: "税号",
    number: "收据编号",
    date: "付款时间",
    subject: "商品",
    order: "订单号",
    transaction: "交易号",
    method: "支付方式",
    amount: "付款金额",
    refunded: "已退款",
    kept: "退款后实付",
    notTax: "本收据仅作付款凭证，不是税务发票。",
    sandbox: "沙盒环境生成，未发生真实扣款。",
    mailSubject: (merchant, amount) => chinese`${merchant}的付款收据：${amount}`,
    mailLead: (merchant, amount) => chinese`感谢您的付款。您已向${merchant}支付${amount}。`,
    view: "查看或打印收据",
    print: "打印",
    unknown: { heading: "找不到这张收据", text: "链接可能不完整，请从邮件中重新打开。" },
    unreachable: { heading: "暂时无法显示收据", text: "请稍后再试。" },
    again: "重试"
  },
  "zh-Hant": {
    title: "付款收據",
    paidTo: "收款方",
    businessAddress: "地址",
    taxId: "統一編號",
    number: "收據編號",
    date: "付款時間",
    subject: "商品",
    order: "訂單編號",
    transaction: "交易編號",
    method: "付款方式",
    amount: "付款金額",
    refunded: "已退款",
    kept: "退款後實付",
    notTax: "本收據僅作付款憑證，並非稅務發票。",
    sandbox: "於沙盒環境產生，未發生真實扣款。",
    mailSubject: (merchant, amount) => chinese`${merchant}的付款收據：${amount}`,
    mailLead: (merchant, amount) => chinese`感謝您的付款。您已向${merchant}支付${amount}。`,
    view: "查看或列印收據",
    print: "列印",
    unknown: { heading: "找不到這張收據", text: "連結可能不完整，請從郵件中重新開啟。" },
    unreachable: { heading: "暫時無法顯示收據", text: "請稍後再試。" },
    again: "重試"
  }
}
