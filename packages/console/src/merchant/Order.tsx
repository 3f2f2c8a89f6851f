/** The page of an order: its story, its refunds and disputes, its receipt, and what its status allows. */
import type { DisputeResource } from "@coffer/contract/Disputes"
import type { OrderResource } from "@coffer/contract/Orders"
import { cardText } from "@coffer/model/PaymentMethod"
import type { RefundResource } from "@coffer/contract/Refunds"
import { refunds as refundsDeclared } from "@coffer/resources/returns"
import { shown } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { columnsOf } from "../parts/declared.tsx"
import { type Column, type List, Rows } from "../parts/ListPage.tsx"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { Amount, Method, State, Time } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { disputeColumns, disputeTexts } from "./Disputes.tsx"
import { isWeb } from "./find.ts"
import { OrderActs } from "./OrderActs.tsx"
import { StatusTable } from "./StatusTable.tsx"
import { Story } from "./Story.tsx"

const texts = {
  en: {
    orders: "Orders",
    subject: "Subject",
    ownNumber: "Order reference",
    fee: "Fee",
    net: "Net",
    refunded: "Refunded",
    method: "Method",
    card: "Card",
    payment: "Payment",
    created: "Created",
    paid: "Paid",
    expires: "Expires",
    refundable: "Refundable until",
    receiptTo: "Receipt email",
    receiptNo: "Receipt",
    receiptSent: "Receipt sent",
    receiptFailed: "Receipt not sent",
    open: "Open",
    metadata: "Metadata",
    events: "Events sent to",
    refunds: "Refunds",
    disputes: "Disputes",
    language: "Buyer's language"
  },
  zh: {
    orders: "订单",
    subject: "商品标题",
    ownNumber: "商户订单号",
    fee: "手续费",
    net: "净额",
    refunded: "已退款",
    method: "支付方式",
    card: "银行卡",
    payment: "付款单号",
    created: "创建时间",
    paid: "付款时间",
    expires: "过期时间",
    refundable: "可退款至",
    receiptTo: "收据邮箱",
    receiptNo: "收据",
    receiptSent: "收据发送时间",
    receiptFailed: "收据发送失败",
    open: "打开",
    metadata: "元数据",
    events: "事件发送至",
    refunds: "退款",
    disputes: "争议",
    language: "买家语言"
  }
}
type Texts = typeof texts.en

const Order = ({ number }: { readonly number: string }) => {
  const { api, base } = useAccount()
  const words = useWords(texts)
  const order = useAtom(api.query("orders", "get", { params: { ref: number }, reactivityKeys: shown }))
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
      acts={({ data }) => <OrderActs order={data} />}
      facts={({ data }) => factsOf(data, words)}
    >
      {({ data }) => (
        <>
          {data.paid_at !== null && <Parts number={data.trade_no} words={words} />}
          <Story number={data.trade_no} currency={data.currency} />
          <StatusTable status={data.status} />
        </>
      )}
    </ObjectPage>
  )
}

const factsOf = (order: OrderResource, words: Texts) => [
  [words.subject, order.subject ?? "–"] as const,
  [words.ownNumber, <code key="n">{order.out_trade_no}</code>] as const,
  [words.fee, <Amount key="f" minor={order.fee} currency={order.currency} />] as const,
  [words.net, <Amount key="t" minor={order.net_amount} currency={order.currency} />] as const,
  [words.refunded, <Amount key="r" minor={order.refunded_amount} currency={order.currency} />] as const,
  [words.method, <Method key="m" of={order.payment_method} />] as const,
  ...(order.paid_card === null ? [] : [[words.card, cardText(order.paid_card)] as const]),
  [words.payment, order.payment_id === null ? "–" : <code key="p">{order.payment_id}</code>] as const,
  [words.created, <Time key="c" at={order.created_at} />] as const,
  [words.paid, <Time key="d" at={order.paid_at} />] as const,
  ...(order.status === "pending" ? [[words.expires, <Time key="e" at={order.expires_at} />] as const] : []),
  ...(order.refundable_until === null
    ? []
    : [[words.refundable, <Time key="u" at={order.refundable_until} />] as const]),
  ...receiptFacts(order, words),
  [words.events, order.notify_url ?? "–"] as const,
  ...(order.locale === null ? [] : [[words.language, order.locale] as const]),
  ...Object.entries(order.metadata).map(([name, value]) => [`${words.metadata}: ${name}`, value] as const)
]

const receiptFacts = (order: OrderResource, words: Texts) => {
  const { receipt_email, receipt_failure_reason, receipt_number, receipt_sent_at, receipt_url } = order
  return [
    [words.receiptTo, receipt_email ?? "–"] as const,
    ...(receipt_url === null || !isWeb(receipt_url)
      ? []
      : [
          [
            words.receiptNo,
            <a key="o" href={receipt_url} target="_blank" rel="noreferrer">
              {receipt_number ?? words.open}
            </a>
          ] as const
        ]),
    ...(receipt_sent_at === null ? [] : [[words.receiptSent, <Time key="s" at={receipt_sent_at} />] as const]),
    ...(receipt_failure_reason === null ? [] : [[words.receiptFailed, receipt_failure_reason] as const])
  ]
}

/** The newest refunds and disputes of the order; its story has all of them. */
const Parts = ({ number, words }: { readonly number: string; readonly words: Texts }) => {
  const { api, base } = useAccount()
  const language = useLanguage()
  const about = { query: { trade_no: number, limit: "100" } as never, reactivityKeys: shown }
  const refunds = useAtom(api.query("refunds", "list", about))
  const disputes = useAtom(api.query("disputes", "list", about))
  const disputeWords = useWords(disputeTexts)
  return (
    <>
      <Loaded result={refunds} lines={1}>
        {(answer) => (
          <Part
            title={words.refunds}
            columns={columnsOf<RefundResource>(refundsDeclared, language).filter(({ id }) => id !== "trade_no")}
            rows={(answer as never as Listed<RefundResource>).data.data}
            keyOf={({ refund_no }) => refund_no}
            hrefOf={({ refund_no }) => `${base}/refunds/${refund_no}`}
          />
        )}
      </Loaded>
      <Loaded result={disputes} lines={1}>
        {(answer) => (
          <Part
            title={words.disputes}
            columns={disputeColumns(disputeWords, language).filter(({ id }) => id !== "trade_no")}
            rows={(answer as never as Listed<DisputeResource>).data.data}
            keyOf={({ dispute_no }) => dispute_no}
            hrefOf={({ dispute_no }) => `${base}/disputes/${dispute_no}`}
          />
        )}
      </Loaded>
    </>
  )
}

interface Listed<Row> {
  readonly data: { readonly data: ReadonlyArray<Row> }
}

const Part = <Row,>(
  props: Pick<List<Row>, "hrefOf" | "keyOf" | "title"> & {
    readonly columns: ReadonlyArray<Column<Row>>
    readonly rows: ReadonlyArray<Row>
  }
) => {
  const { columns, rows, title } = props
  if (rows.length === 0) return null
  return (
    <section className="stack part">
      <h2>{title}</h2>
      <Rows list={props} columns={columns.filter(({ isHidden }) => isHidden !== true)} rows={rows} />
    </section>
  )
}

export default Order
