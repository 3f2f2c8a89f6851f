/** The ledger: the balance of each wallet, its proof, and every movement of money. */
import type { BalanceTransactionResource, LedgerQuery } from "@coffer/contract/Balance"
import { Link } from "wouter"
import { shown } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, type ListBy, useQuery } from "../parts/ListPage.tsx"
import { Empty, Loaded } from "../parts/states.tsx"
import { Amount } from "../parts/values.tsx"
import { type Language, useLanguage, useWords } from "../parts/words.ts"
import { currencies, ledgerTypes, movementText } from "./moneyWords.ts"
import { ObjectList } from "./ObjectList.tsx"
import { Proof } from "./Proof.tsx"
import { type Lists, useReader } from "./reader.ts"

const texts = {
  en: {
    title: "Ledger",
    available: "Available",
    frozen: "On hold",
    movement: "Type",
    amount: "Amount",
    after: "Balance after",
    before: "Balance before",
    about: "Source",
    at: "Booked",
    currency: "Currency",
    number: "Transaction",
    reference: "Order, refund, dispute or payout ID",
    emptyTitle: "No transactions yet",
    empty: "Your first payment adds two rows: the amount in, and the fee out. Rows are never changed or removed."
  },
  zh: {
    title: "账本",
    available: "可用",
    frozen: "冻结",
    movement: "类型",
    amount: "金额",
    after: "变动后余额",
    before: "变动前余额",
    about: "来源",
    at: "入账时间",
    currency: "货币",
    number: "流水号",
    reference: "订单、退款、争议或提现的 ID",
    emptyTitle: "还没有流水记录",
    empty: "第一笔付款会产生两条流水：入账金额和手续费。流水一经写入，不会修改或删除。"
  }
}
type Texts = typeof texts.en
type Row = BalanceTransactionResource

const Ledger = () => {
  const [{ currency }] = useQuery()
  const { account, lists } = useReader()
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
  return <ObjectList list={{ ...listOf(lists.ledger, words, language), above }} />
}

const Balance = ({ currency, words }: { readonly currency: (typeof currencies)[number]; readonly words: Texts }) => {
  const { api, base } = useAccount()
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

const { code, money, time } = columnsFor<Row>()

const columnsOf = (words: Texts, language: Language): ReadonlyArray<Column<Row>> => [
  {
    id: "type",
    name: words.movement,
    text: ({ type }) => type,
    cell: ({ type }) => movementText(type, language)
  },
  {
    id: "amount",
    name: words.amount,
    isNumber: true,
    amount: ({ amount, currency }) => ({ minor: amount, currency }),
    cell: ({ amount, currency }) => <Amount minor={amount} currency={currency} signed />
  },
  money("balance_before", words.before, { isHidden: true }),
  money("balance_after", words.after),
  {
    id: "reference",
    name: words.about,
    isWide: true,
    text: ({ reference_id }) => reference_id,
    cell: ({ reference_id }) => <Reference id={reference_id} />
  },
  code("id", words.number, { isHidden: true }),
  time("created_at", words.at)
]

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

const listOf = (ledger: Lists["ledger"], words: Texts, language: Language): ListBy<Row, LedgerQuery> => ({
  id: "ledger",
  title: words.title,
  columns: columnsOf(words, language),
  filters: [
    { name: "currency", label: words.currency, choices: currencies.map((each) => [each, each]) },
    { name: "type", label: words.movement, choices: ledgerTypes.map((each) => [each, movementText(each, language)]) },
    { name: "reference_id", label: words.reference }
  ],
  ...ledger,
  keyOf: ({ id }) => id,
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
    </Empty>
  )
})

export default Ledger
