/** The list of refunds. */
import type { RefundResource } from "@coffer/contract/Refunds"
import { refunds } from "@coffer/resources/returns"
import { shown } from "../api/acts.ts"
import { type InAccount, useAccount } from "../api/session.ts"
import { AsCode } from "../parts/AsCode.tsx"
import { columnsOf, filtersOf } from "../parts/declared.tsx"
import { type List, ListPage } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { type Language, useLanguage, useWords } from "../parts/words.ts"

const texts = {
  en: {
    emptyTitle: "No refunds yet",
    empty: "Refund a paid order from its page or with the API. The buyer is refunded to the original payment method."
  },
  zh: { emptyTitle: "还没有退款", empty: "您可以在订单页面或通过 API 退款，款项将原路退回买家。" }
}
type Texts = typeof texts.en

const listOf = ({ api, base }: InAccount, words: Texts, language: Language): List<RefundResource> => ({
  id: "refunds",
  title: refunds.listing.label[language],
  columns: columnsOf(refunds, language),
  filters: filtersOf(refunds, language),
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

const Refunds = () => <ListPage list={listOf(useAccount(), useWords(texts), useLanguage())} />

export default Refunds
