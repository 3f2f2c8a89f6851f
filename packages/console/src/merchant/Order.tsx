/** The page of an order: its story, its refunds, and what can be done about it. */
import type { OrderResource } from "@coffer/contract/Orders"
import { act, shown } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { Act, TextField } from "../parts/act.tsx"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { Amount, amountText, Copy, minorOf, State, Time, typedOf } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { Story } from "./Story.tsx"

const texts = {
  en: {
    orders: "Orders",
    refund: "Refund",
    expire: "Expire",
    receipt: "Send receipt",
    checkout: "Checkout page",
    amount: "Amount",
    reason: "Reason",
    refundSays: "The buyer gets it back by the same way. It cannot be taken back.",
    atMost: "At most",
    number: "Your number of the refund",
    expireSays: "The checkout page takes no payment any more. It cannot be taken back.",
    receiptSays: "The receipt is sent by mail.",
    email: "To",
    subject: "Subject",
    ownNumber: "Your number",
    fee: "Fee",
    net: "Net",
    refunded: "Refunded",
    method: "Method",
    payment: "Payment",
    created: "Created",
    paid: "Paid",
    expires: "Expires",
    refundable: "Refundable until",
    receiptTo: "Receipt to",
    receiptNo: "Receipt",
    metadata: "Metadata",
    events: "Events go to"
  },
  zh: {
    orders: "订单",
    refund: "退款",
    expire: "使过期",
    receipt: "发送收据",
    checkout: "收银台页面",
    amount: "金额",
    reason: "原因",
    refundSays: "款项将原路退回买家，无法撤销。",
    atMost: "最多",
    number: "您的退款编号",
    expireSays: "收银台页面将不再接受付款，无法撤销。",
    receiptSays: "收据将通过邮件发送。",
    email: "收件人",
    subject: "标题",
    ownNumber: "您的编号",
    fee: "手续费",
    net: "净额",
    refunded: "已退款",
    method: "支付方式",
    payment: "支付号",
    created: "创建时间",
    paid: "付款时间",
    expires: "过期时间",
    refundable: "可退款至",
    receiptTo: "收据邮箱",
    receiptNo: "收据",
    metadata: "元数据",
    events: "事件发送至"
  }
}
type Texts = typeof texts.en

const Order = ({ number }: { readonly number: string }) => {
  const { api, base } = useAccount()
  const words = useWords(texts)
  const order = useAtom(api.query("orders", "retrieve", { params: { ref: number }, reactivityKeys: shown }))
  return (
    <ObjectPage
      result={order}
      back={[`${base}/orders`, words.orders]}
      number={number}
      head={({ data: { amount, currency, status } }) => (
        <>
          <Amount minor={amount} currency={currency} /> <State of={status} />
        </>
      )}
      acts={({ data }) => <Acts order={data} words={words} />}
      facts={({ data }) => factsOf(data, words)}
    >
      {({ data }) => <Story number={data.trade_no} currency={data.currency} />}
    </ObjectPage>
  )
}

const factsOf = (order: OrderResource, words: Texts) => [
  [words.subject, order.subject ?? "–"] as const,
  [words.ownNumber, <code key="n">{order.out_trade_no}</code>] as const,
  [words.fee, <Amount key="f" minor={order.fee} currency={order.currency} />] as const,
  [words.net, <Amount key="t" minor={order.net_amount} currency={order.currency} />] as const,
  [words.refunded, <Amount key="r" minor={order.refunded_amount} currency={order.currency} />] as const,
  [words.method, order.payment_method ?? "–"] as const,
  [words.payment, order.payment_id === null ? "–" : <code key="p">{order.payment_id}</code>] as const,
  [words.created, <Time key="c" at={order.created_at} />] as const,
  [words.paid, <Time key="d" at={order.paid_at} />] as const,
  [words.expires, <Time key="e" at={order.expires_at} />] as const,
  ...(order.refundable_until === null
    ? []
    : [[words.refundable, <Time key="u" at={order.refundable_until} />] as const]),
  [words.receiptTo, order.receipt_email ?? "–"] as const,
  [words.events, order.notify_url ?? "–"] as const,
  ...Object.entries(order.metadata).map(([name, value]) => [`${words.metadata}: ${name}`, value] as const)
]

const Acts = ({ order, words }: { readonly order: OrderResource; readonly words: Texts }) => {
  const { api, may } = useAccount()
  const language = useLanguage()
  const { amount, currency, refunded_amount, status, trade_no } = order
  const left = amount - refunded_amount
  const refundOf = (typed: FormData) => {
    const text = (name: string) => String(typed.get(name) ?? "").trim()
    return {
      trade_no,
      amount: minorOf(text("amount")) ?? 0,
      ...(text("out_refund_no") === "" ? {} : { out_refund_no: text("out_refund_no") }),
      ...(text("reason") === "" ? {} : { reason: text("reason") })
    }
  }
  return (
    <>
      {may("refunds:write") && (status === "paid" || status === "partially_refunded") && (
        <Act
          name={words.refund}
          isPrimary
          says={words.refundSays}
          fields={
            <>
              <TextField
                label={`${words.amount} (${currency})`}
                name="amount"
                isRequired
                inputMode="decimal"
                initial={typedOf(left)}
                hint={`${words.atMost} ${amountText(left, currency, language)}`}
              />
              <TextField label={words.number} name="out_refund_no" initial={`rf-${crypto.randomUUID().slice(0, 8)}`} />
              <TextField label={words.reason} name="reason" maxLength={500} />
            </>
          }
          run={(typed) =>
            act(
              api,
              api.use((client) => client.refunds.create({ payload: refundOf(typed) as never }))
            )
          }
          code={(typed) => ({
            method: "POST",
            path: "/v1/refunds",
            body: refundOf(typed),
            sdk: "coffer.refunds.create"
          })}
        />
      )}
      {may("orders:write") && status === "pending" && (
        <>
          <a className="button" href={order.checkout_url} target="_blank" rel="noreferrer">
            {words.checkout}
          </a>
          <Copy text={order.checkout_url} label={words.checkout} />
          <Act
            name={words.expire}
            isDangerous
            says={words.expireSays}
            run={() =>
              act(
                api,
                api.use((client) => client.orders.expire({ params: { ref: trade_no } }))
              )
            }
            code={() => ({
              method: "POST",
              path: `/v1/orders/${trade_no}/expire`,
              sdk: "coffer.orders.expire",
              args: [trade_no]
            })}
          />
        </>
      )}
    </>
  )
}

export default Order
