/** Payouts of this environment: money on its way to the merchant's bank. Operators ask for them. */
import type { PayoutResource } from "@coffer/contract/Payouts"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { type InAccount, useAccount } from "../api/session.ts"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, type List, ListPage } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { useWords } from "../parts/words.ts"

const texts = {
  en: {
    title: "Payouts",
    amount: "Amount",
    fee: "Fee",
    status: "Status",
    reference: "Reference",
    payoutNo: "Payout ID",
    created: "Requested",
    updated: "Updated",
    emptyTitle: "No payouts yet",
    empty:
      "Payouts transfer your available balance to your bank account. The operator of this service creates and confirms them."
  },
  zh: {
    title: "提现",
    amount: "金额",
    fee: "手续费",
    status: "状态",
    reference: "参考号",
    payoutNo: "提现号",
    created: "申请时间",
    updated: "更新时间",
    emptyTitle: "还没有提现",
    empty: "提现会将可用余额汇入您的银行账户，由平台运营方发起和确认。"
  }
}
type Texts = typeof texts.en

const { code, money, plain, state, time } = columnsFor<PayoutResource>()

const columnsOf = (words: Texts): ReadonlyArray<Column<PayoutResource>> => [
  money("amount", words.amount),
  state(words.status),
  money("fee", words.fee, { isWide: true }),
  plain("reference", words.reference, { isWide: true }),
  code("payout_no", words.payoutNo, { isHidden: true }),
  time("updated_at", words.updated, { isHidden: true }),
  time("created_at", words.created)
]

const listOf = ({ base, merchantId, mode }: InAccount, words: Texts): List<PayoutResource> => ({
  id: "payouts",
  title: words.title,
  columns: columnsOf(words),
  filters: [],
  page: (query) =>
    OwnApi.query("payouts", "list", {
      params: { merchant_id: merchantId },
      query: { ...query, mode } as never,
      reactivityKeys: shown
    }) as never,
  keyOf: ({ payout_no }) => payout_no,
  hrefOf: ({ payout_no }) => `${base}/payouts/${payout_no}`,
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
    </Empty>
  )
})

const Payouts = () => <ListPage list={listOf(useAccount(), useWords(texts))} />

export default Payouts
