/** Payouts of this environment to the merchant's bank. Operators create them. */
import type { PayoutQuery, PayoutResource } from "@coffer/contract/Payouts"
import { payouts } from "@coffer/resources/wallets"
import { columnsOf, filtersOf } from "../parts/declared.tsx"
import type { ListBy } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { type Language, useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { ObjectList } from "./ObjectList.tsx"
import { type Reader, useReader } from "./reader.ts"

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

const listOf = ({ lists }: Reader, words: Texts, language: Language): ListBy<PayoutResource, PayoutQuery> => ({
  id: "payouts",
  title: wordsIn(payouts.listing.label, language),
  columns: columnsOf(payouts, language),
  filters: filtersOf(payouts, language),
  ...lists.payouts,
  isSorted: true,
  keyOf: ({ payout_no }) => payout_no,
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
    </Empty>
  )
})

const Payouts = () => <ObjectList list={listOf(useReader(), useWords(texts), useLanguage())} />

export default Payouts
