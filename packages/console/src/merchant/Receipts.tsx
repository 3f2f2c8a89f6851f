/** Receipts: paid orders, the recipient of each receipt, and sending it again. */
import type { OrderQuery, OrderResource } from "@coffer/contract/Orders"
import { orders } from "@coffer/resources/orders"
import { accountApi, type AccountApi } from "../api/accountApi.ts"
import { act } from "../api/acts.ts"
import { sent } from "../api/sent.ts"
import type { BulkAct } from "../parts/BulkActs.tsx"
import { columnsOf, filtersOf } from "../parts/declared.tsx"
import { type ListBy, ListPage } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { stateChoices } from "../parts/stateWords.ts"
import { State, Time } from "../parts/values.tsx"
import { type Language, useLanguage, useWords } from "../parts/words.ts"
import { isWeb } from "../parts/address.ts"
import { type Reader, useReader } from "./reader.ts"

const texts = {
  en: {
    title: "Receipts",
    says: "Every paid order has a receipt, which is emailed automatically. Filter by status to find orders with refunds.",
    open: "Open",
    send: "Send receipts",
    unpaid: "No receipt yet",
    noEmail: "No email address",
    sendSays:
      "Emails the receipt of each order with an email address again. Limited to five emails an hour for each order.",
    emptyTitle: "No receipts yet",
    empty: "A receipt is created when an order is paid. If the order has a `receipt_email`, it is sent automatically."
  },
  zh: {
    title: "收据",
    says: "每个已付款订单都有收据，付款后自动通过邮件发送。有退款的订单可按状态筛选。",
    open: "打开",
    send: "发送收据",
    unpaid: "还没有收据",
    noEmail: "没有邮箱",
    sendSays: "向每个有邮箱的订单再次发送收据。每个订单每小时最多发送五次。",
    emptyTitle: "还没有收据",
    empty: "订单付款后会生成收据。如果订单设置了 `receipt_email`，收据会自动发送。"
  }
}
type Texts = typeof texts.en
type Row = OrderResource

const dash = <span className="soft">–</span>

/** The receipts are orders, of which other fields are shown. */
const receipts = {
  fields: orders.fields,
  listing: {
    ...orders.listing,
    list: {
      amount: "shown",
      receipt_number: "shown",
      receipt_email: "wide",
      receipt_sent_at: "shown",
      receipt_failure_reason: "hidden",
      out_trade_no: "wide",
      paid_at: "wide"
    }
  }
} as const

const columns = (words: Texts, language: Language) =>
  columnsOf<Row>(receipts, language, {
    receipt_number: {
      cell: ({ receipt_number, receipt_url }) =>
        receipt_url === null || !isWeb(receipt_url) ? (
          dash
        ) : (
          <a href={receipt_url} target="_blank" rel="noreferrer">
            {receipt_number ?? words.open}
          </a>
        )
    },
    receipt_sent_at: {
      cell: ({ receipt_failure_reason, receipt_sent_at }) =>
        receipt_failure_reason === null ? <Time at={receipt_sent_at} /> : <State of="failed" />
    }
  })

const sendAct = (api: AccountApi, words: Texts): BulkAct<Row> => ({
  name: words.send,
  says: words.sendSays,
  unfit: ({ receipt_email, receipt_url }) =>
    receipt_url === null ? words.unpaid : receipt_email === null ? words.noEmail : undefined,
  about: ({ out_trade_no, receipt_email, receipt_number, trade_no }) => [
    receipt_number ?? out_trade_no ?? trade_no,
    receipt_email
  ],
  run: ({ trade_no }) =>
    act(
      api,
      api.use((client) => client.receipts.sendReceipt({ params: { ref: trade_no }, payload: sent({}) }))
    )
})

/** Only a paid order has a receipt. Without a filter, orders without refunds are listed. */
const withReceipt = ["paid", "partially_refunded", "refunded"]

const listOf = ({ account, lists }: Reader, words: Texts, language: Language): ListBy<Row, OrderQuery> => ({
  id: "receipts",
  title: words.title,
  columns: columns(words, language),
  filters: filtersOf(orders, language, { status: { choices: stateChoices(withReceipt, language) } }).filter(
    ({ name }) => name !== "payment_method"
  ),
  ...lists.orders,
  page: (query) => lists.orders.page({ status: "paid", ...query }),
  keyOf: ({ trade_no }) => trade_no,
  bulk: account?.may("orders:write") ? [sendAct(accountApi(account), words)] : [],
  above: <p className="soft">{words.says}</p>,
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
    </Empty>
  )
})

const Receipts = () => <ListPage list={listOf(useReader(), useWords(texts), useLanguage())} />

export default Receipts
