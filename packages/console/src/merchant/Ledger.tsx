/** The ledger: balances, the verification of the hash chain, and all transactions. */
import type { BalanceTransactionResource, LedgerQuery } from "@coffer/contract/Balance"
import { ledger } from "@coffer/resources/wallets"
import { Link } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { shown } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { columnsOf, filtersOf } from "../parts/declared.tsx"
import { useQuery } from "../parts/address.ts"
import type { ListBy } from "../parts/ListPage.tsx"
import { Empty, Loaded } from "../parts/states.tsx"
import { Amount } from "../parts/values.tsx"
import { type Language, useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { currencies, movementText } from "./moneyWords.ts"
import { ObjectList } from "./ObjectList.tsx"
import { Proof } from "./Proof.tsx"
import { type Reader, useReader } from "./reader.ts"

const texts = {
  en: {
    available: "Available",
    frozen: "On hold",
    reference: "Order, refund, dispute or payout ID",
    emptyTitle: "No transactions yet",
    empty: "Your first payment adds two rows: the amount in, and the fee out. Rows are never changed or removed."
  },
  zh: {
    available: "可用",
    frozen: "冻结",
    reference: "订单、退款、争议或提现的 ID",
    emptyTitle: "还没有流水记录",
    empty: "第一笔付款会产生两条流水：入账金额和手续费。流水一经写入，不会修改或删除。"
  }
}
type Texts = typeof texts.en
type Row = BalanceTransactionResource

const Ledger = () => {
  const [{ currency }] = useQuery()
  const reader = useReader()
  const { account } = reader
  const words = useWords(texts)
  const language = useLanguage()
  const chosen = currencies.find((each) => each === currency) ?? "USD"
  const above = account && (
    <>
      <div className="tiles">
        {currencies.map((each) => (
          <Balance key={each} currency={each} words={words} />
        ))}
      </div>
      <Proof key={chosen} initial={chosen} />
    </>
  )
  return <ObjectList list={{ ...listOf(reader, words, language), above }} />
}

const Balance = ({ currency, words }: { readonly currency: (typeof currencies)[number]; readonly words: Texts }) => {
  const { base } = useAccount()
  const api = useApi()
  const balance = useAtom(api.query("balance", "get", { query: { currency }, reactivityKeys: shown }))
  return (
    <Loaded result={balance} lines={2}>
      {({ data: { available_balance, frozen_balance } }) => (
        <Link href={`${base}/ledger?currency=${currency}`} className="card tile">
          <span className="small soft">
            {words.available} {currency}
          </span>
          <span className="figure">
            <Amount minor={available_balance} currency={currency} />
          </span>
          <span className="small soft">
            {words.frozen} <Amount minor={frozen_balance} currency={currency} />
          </span>
        </Link>
      )}
    </Loaded>
  )
}

const columns = (language: Language) =>
  columnsOf<Row>(ledger, language, {
    type: { cell: ({ type }) => movementText(type, language) },
    amount: { cell: ({ amount, currency }) => <Amount minor={amount} currency={currency} signed /> },
    reference_id: { isWide: false, cell: ({ reference_id }) => <Reference id={reference_id} /> }
  })

export const Reference = ({ id }: { readonly id: string }) => {
  const page = useReader().pageOf(id)
  return page === undefined ? (
    <code>{id}</code>
  ) : (
    <Link href={page}>
      <code>{id}</code>
    </Link>
  )
}

const listOf = ({ lists }: Reader, words: Texts, language: Language): ListBy<Row, LedgerQuery> => ({
  id: "ledger",
  title: wordsIn(ledger.listing.label, language),
  columns: columns(language),
  filters: filtersOf(ledger, language, {
    type: { choices: ledger.fields.type.schema.literals.map((each) => [each, movementText(each, language)]) },
    reference_id: { label: words.reference }
  }),
  ...lists.ledger,
  keyOf: ({ id }) => id,
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
    </Empty>
  )
})

export default Ledger
