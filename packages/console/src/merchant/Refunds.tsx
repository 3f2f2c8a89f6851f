/** The list of refunds. */
import type { RefundResource } from "@coffer/contract/Refunds"
import { shown } from "../api/acts.ts"
import { type InAccount, useAccount } from "../api/session.ts"
import { AsCode } from "../parts/AsCode.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, type List, ListPage } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { stateChoices } from "../parts/values.tsx"
import { type Language, useLanguage, useWords } from "../parts/words.ts"

export const refundTexts = {
  en: {
    title: "Refunds",
    amount: "Amount",
    status: "Status",
    order: "Order",
    number: "Refund reference",
    refundNo: "Refund",
    reason: "Reason",
    created: "Created",
    settled: "Settled",
    failure: "Failure reason",
    emptyTitle: "No refunds yet",
    empty: "Refund a paid order from its page or with the API. The buyer is refunded to the original payment method."
  },
  zh: {
    title: "退款",
    amount: "金额",
    status: "状态",
    order: "订单",
    number: "商户退款单号",
    refundNo: "退款号",
    reason: "原因",
    created: "创建时间",
    settled: "到账时间",
    failure: "失败原因",
    emptyTitle: "还没有退款",
    empty: "您可以在订单页面或通过 API 退款，款项将原路退回买家。"
  }
}
type Texts = typeof refundTexts.en

const { code, money, plain, state, time } = columnsFor<RefundResource>()

export const refundColumns = (words: Texts): ReadonlyArray<Column<RefundResource>> => [
  money("amount", words.amount),
  state(words.status),
  plain("reason", words.reason, { isWide: true }),
  code("out_refund_no", words.number, { isWide: true }),
  code("trade_no", words.order, { isWide: true }),
  code("refund_no", words.refundNo, { isHidden: true }),
  plain("failure_reason", words.failure, { isHidden: true }),
  time("settled_at", words.settled, { isHidden: true }),
  time("created_at", words.created)
]

const states = ["pending", "succeeded", "failed"]

const listOf = ({ api, base }: InAccount, words: Texts, language: Language): List<RefundResource> => ({
  id: "refunds",
  title: words.title,
  columns: refundColumns(words),
  filters: [
    { name: "status", label: words.status, choices: stateChoices(states, language) },
    { name: "trade_no", label: words.order },
    { name: "out_refund_no", label: words.number }
  ],
  page: (query) => api.query("refunds", "list", { query: query as never, reactivityKeys: shown }) as never,
  keyOf: ({ refund_no }) => refund_no,
  hrefOf: ({ refund_no }) => `${base}/refunds/${refund_no}`,
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
      <AsCode
        call={{
          method: "POST",
          path: "/v1/refunds",
          body: { trade_no: "TRD_…", amount: 999, out_refund_no: "return-311" },
          sdk: "coffer.refunds.create",
          cli: "refunds create TRD_… --amount 999"
        }}
      />
    </Empty>
  )
})

const Refunds = () => <ListPage list={listOf(useAccount(), useWords(refundTexts), useLanguage())} />

export default Refunds
