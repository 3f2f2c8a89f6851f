/** Payouts of this environment: money on its way to the merchant's bank. Operators ask for them. */
import type { PayoutResource } from "@coffer/contract/Payouts"
import { payouts } from "@coffer/resources/wallets"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { type InAccount, useAccount } from "../api/session.ts"
import { columnsOf, filtersOf } from "../parts/declared.tsx"
import { type List, ListPage } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { type Language, useLanguage, useWords } from "../parts/words.ts"

const texts = {
  en: {
    emptyTitle: "No payouts yet",
    empty:
      "Payouts transfer your available balance to your bank account. The operator of this service creates and confirms them."
  },
  zh: {
    emptyTitle: "还没有提现",
    empty: "提现会将可用余额汇入您的银行账户，由平台运营方发起和确认。"
  }
}
type Texts = typeof texts.en

const listOf = ({ base, merchantId, mode }: InAccount, words: Texts, language: Language): List<PayoutResource> => ({
  id: "payouts",
  title: payouts.listing.label[language],
  columns: columnsOf(payouts, language),
  filters: filtersOf(payouts, language),
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

const Payouts = () => <ListPage list={listOf(useAccount(), useWords(texts), useLanguage())} />

export default Payouts
