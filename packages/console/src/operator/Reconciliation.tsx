/** Payments that differ between Stripe's books and ours, and comparing an account now. */
import type { DifferenceResource, ReconciliationQuery } from "@coffer/contract/Reconciliation"
import { shown } from "../api/acts.ts"
import { asQuery } from "../api/lists.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { ChoiceField, TextField } from "../parts/act.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { useQuery } from "../parts/address.ts"
import { type Column, type ListBy, ListPage } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { stateChoices } from "../parts/stateWords.ts"
import { Amount } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { typedIn } from "../parts/typed.tsx"
import { MerchantLink, type Mode, ModeMark, modes, OperatorAct, ofOrder, useModeWords } from "./operator.tsx"

const texts = {
  en: {
    title: "Reconciliation",
    says: "Every Stripe account is compared nightly after 02:00 UTC. Rows that agree again are marked automatically. Correct whichever book is wrong: differences are not corrected automatically.",
    differs: "Difference",
    ours: "Coffer",
    theirs: "Stripe",
    status: "Status",
    payment: "Payment",
    found: "Found",
    seen: "Last seen",
    merchant: "Merchant",
    mode: "Environment",
    fee: "Stripe fee",
    feeCurrency: "Fee currency",
    none: "The books agree",
    noneSays: "Payments that differ from Stripe's books are listed here after the nightly comparison.",
    begin: "Compare now",
    beginSays: "Starts within five seconds; this list updates.",
    number: "Merchant ID"
  },
  zh: {
    title: "对账",
    says: "系统每晚 UTC 02:00 后比对每个 Stripe 账户，恢复一致的记录会自动标明。请更正有误的一方，差异不会自动更正。",
    differs: "差额",
    ours: "本系统",
    theirs: "Stripe",
    status: "状态",
    payment: "付款",
    found: "发现时间",
    seen: "最近一次",
    merchant: "商户",
    mode: "环境",
    fee: "Stripe 手续费",
    feeCurrency: "手续费货币",
    none: "两套账目一致",
    noneSays: "与 Stripe 账目不一致的付款会在每晚比对后显示在这里。",
    begin: "立即比对",
    beginSays: "将在五秒内开始，此列表会随之更新。",
    number: "商户编号"
  }
}

const { code, money, plain, state, time } = columnsFor<DifferenceResource>()

const columnsOf = (words: typeof texts.en): ReadonlyArray<Column<DifferenceResource>> => [
  {
    id: "differs",
    name: words.differs,
    isNumber: true,
    amount: ({ currency, ours, theirs }) => ({ minor: theirs - ours, currency }),
    cell: ({ currency, ours, theirs }) => <Amount minor={theirs - ours} currency={currency} signed />
  },
  state(words.status),
  money("ours", words.ours),
  money("theirs", words.theirs),
  code("payment_id", words.payment, { isWide: true }),
  { id: "mode", name: words.mode, text: ({ mode }) => mode, cell: ({ mode }) => <ModeMark mode={mode} /> },
  time("seen_at", words.seen),
  time("created_at", words.found, { isHidden: true }),
  {
    id: "fee",
    name: words.fee,
    isHidden: true,
    isNumber: true,
    amount: ({ channel_fee, channel_fee_currency, currency }) =>
      channel_fee === null ? null : { minor: channel_fee, currency: channel_fee_currency ?? currency },
    cell: ({ channel_fee, channel_fee_currency, currency }) => (
      <Amount minor={channel_fee} currency={channel_fee_currency ?? currency} />
    )
  },
  plain("channel_fee_currency", words.feeCurrency, { isHidden: true }),
  {
    id: "merchant",
    name: words.merchant,
    isHidden: true,
    text: ({ merchant_id }) => merchant_id,
    cell: ({ merchant_id, mode }) => <MerchantLink id={merchant_id} mode={mode} />
  }
]

const Reconciliation = () => {
  const words = useWords(texts)
  const modeWords = useModeWords()
  const language = useLanguage()
  const [{ merchant_id }] = useQuery()
  const accountOf = (typed: FormData) => ({
    merchant_id: typedIn(typed, "merchant_id") ?? "",
    mode: (typedIn(typed, "mode") ?? "live") as Mode
  })
  return (
    <ListPage
      list={
        {
          id: "operator.reconciliation",
          title: words.title,
          columns: columnsOf(words),
          filters: [
            { name: "status", label: words.status, choices: stateChoices(["open", "agreed"], language) },
            { name: "merchant_id", label: words.merchant }
          ],
          page: (query) =>
            OperatorsApi.query("reconciliation", "list", {
              query: asQuery<ReconciliationQuery>(query),
              reactivityKeys: shown
            }),
          keyOf: ({ id }) => id,
          hrefOf: ({ merchant_id: merchant, mode, trade_no }) =>
            trade_no === null ? `/operator/merchants/${merchant}/${mode}` : ofOrder(merchant, mode, trade_no),
          acts: (
            <OperatorAct
              act="reconciliation.begin"
              name={words.begin}
              isPrimary
              says={words.beginSays}
              fields={
                <>
                  <TextField label={words.number} name="merchant_id" isRequired initial={merchant_id ?? ""} />
                  <ChoiceField
                    label={words.mode}
                    name="mode"
                    choices={[...modes].toReversed().map((each) => [each, modeWords[each]])}
                  />
                </>
              }
              request={(typed) => ({ params: accountOf(typed) })}
            />
          ),
          above: <p className="soft">{words.says}</p>,
          empty: (
            <Empty title={words.none}>
              <p>{words.noneSays}</p>
            </Empty>
          )
        } satisfies ListBy<DifferenceResource, ReconciliationQuery>
      }
    />
  )
}

export default Reconciliation
