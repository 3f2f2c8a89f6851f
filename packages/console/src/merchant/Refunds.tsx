/** The list of refunds. */
import type { RefundQuery, RefundResource } from "@coffer/contract/Refunds"
import { refunds } from "@coffer/resources/returns"
import { AsCode } from "../parts/AsCode.tsx"
import { columnsOf, filtersOf } from "../parts/declared.tsx"
import type { ListBy } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { type Language, useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { ObjectList } from "./ObjectList.tsx"
import { type Reader, useReader } from "./reader.ts"
import { callOf } from "./MerchantAct.tsx"

const texts = {
  en: {
    emptyTitle: "No refunds yet",
    empty: "Refund a paid order from its page or with the API. The buyer is refunded to the original payment method."
  },
  zh: { emptyTitle: "还没有退款", empty: "您可以在订单页面或通过 API 退款，款项将原路退回买家。" }
}
type Texts = typeof texts.en

const listOf = ({ lists }: Reader, words: Texts, language: Language): ListBy<RefundResource, RefundQuery> => ({
  id: "refunds",
  title: wordsIn(refunds.listing.label, language),
  columns: columnsOf(refunds, language),
  filters: filtersOf(refunds, language),
  ...lists.refunds,
  isSorted: true,
  keyOf: ({ refund_no }) => refund_no,
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
      <AsCode
        call={callOf(
          "refunds.create",
          { payload: { trade_no: "TRD_…", amount: 999, out_refund_no: "return-311" } },
          "refunds create TRD_… --amount 999"
        )}
      />
    </Empty>
  )
})

/** The list, also for sections of other pages. */
export const useRefunds = () => listOf(useReader(), useWords(texts), useLanguage())

const Refunds = () => <ObjectList list={useRefunds()} />

export default Refunds
