/** The order that a visit to a payment link makes (spec: Payment link; silences: L4, L6). Pure. */
import { OutTradeNo, type TradeNo } from "@coffer/model/Ids"
import { linkKey } from "@coffer/model/Metadata"
import type { PaymentLink } from "@coffer/rules/link/PaymentLink"
import type { Order } from "@coffer/rules/order/Order"
import { newOrder } from "../orders/newOrder.ts"

interface Visit {
  readonly tradeNo: TradeNo
  readonly ordinal: number
}

export const orderOfVisit = (link: PaymentLink, { ordinal, tradeNo }: Visit): Order => {
  const terms = {
    amount: link.amount,
    currency: link.currency,
    out_trade_no: OutTradeNo.make(`${link.linkId}_${ordinal}`),
    metadata: { ...link.metadata, [linkKey]: link.linkId },
    ...(link.subject === null ? {} : { subject: link.subject }),
    ...(link.notifyUrl === null ? {} : { notify_url: link.notifyUrl }),
    ...(link.returnUrl === null ? {} : { return_url: link.returnUrl })
  }
  return newOrder(link, terms, tradeNo)
}
