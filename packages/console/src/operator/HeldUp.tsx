/** All objects that need attention, by kind, each with the act that resolves it. */
import { type HeldUpQuery, type HeldUpResource, heldKinds } from "@coffer/contract/HeldUp"
import { shown } from "../api/acts.ts"
import { type TextQuery, asQuery } from "../api/lists.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { useAtom } from "../api/registry.ts"
import { columnsFor } from "../parts/columns.tsx"
import { useQuery } from "../parts/address.ts"
import { type Column, type ListBy, ListPage } from "../parts/ListPage.tsx"
import { Empty, Loaded } from "../parts/states.tsx"
import { attention } from "../parts/attention.ts"
import { stateText } from "../parts/stateWords.ts"
import { Amount } from "../parts/values.tsx"
import { type Language, useLanguage, useWords } from "../parts/words.ts"
import { adviceTexts, kindsByWeight, kindTexts, Mend, NextStep, oneTexts, pageOfHeld } from "./held.tsx"
import { MerchantLink, ModeMark, ModeSwitch } from "./operator.tsx"
import { useMode } from "./shownMode.ts"

const texts = {
  en: {
    kind: "Kind",
    what: "Required action",
    since: "Since",
    due: "Due",
    amount: "Amount",
    merchant: "Merchant",
    mode: "Environment",
    waits: "Waiting for",
    number: "Number",
    attempts: "Attempts",
    next: "Next attempt",
    error: "Last error",
    mend: "Actions",
    none: "Nothing needs attention",
    noneSays: "Payments, refunds, payouts, webhooks and emails that are stuck or need a decision are listed here.",
    kinds: "Kinds",
    all: "All"
  },
  zh: {
    kind: "类型",
    what: "所需操作",
    since: "开始于",
    due: "截止",
    amount: "金额",
    merchant: "商户",
    mode: "环境",
    waits: "等待方",
    number: "编号",
    attempts: "次数",
    next: "下次尝试",
    error: "最近错误",
    mend: "操作",
    none: "没有需关注的事项",
    noneSays: "需要处理或停滞的付款、退款、提现、Webhook 和邮件会显示在这里。",
    kinds: "类型",
    all: "全部"
  }
}
type Texts = typeof texts.en

const heldPage = (query: TextQuery<HeldUpQuery>) =>
  OperatorsApi.query("held_up", "list", { query: asQuery<HeldUpQuery>(query), reactivityKeys: shown })

const { code, time } = columnsFor<HeldUpResource>()

const columnsOf = (
  words: Texts,
  kinds: Record<string, string>,
  language: Language
): ReadonlyArray<Column<HeldUpResource>> => [
  {
    id: "kind",
    name: words.kind,
    text: ({ kind }) => kind,
    cell: ({ kind }) => kinds[kind]
  },
  { id: "mend", name: words.mend, cell: (held) => <Mend held={held} /> },
  {
    id: "merchant",
    name: words.merchant,
    text: ({ merchant_id }) => merchant_id,
    cell: ({ merchant_id, mode }) => <MerchantLink id={merchant_id} mode={mode} />
  },
  {
    id: "what",
    name: words.what,
    isWide: true,
    text: ({ text }) => text,
    cell: (held) => <NextStep held={held} />
  },
  {
    id: "amount",
    name: words.amount,
    isNumber: true,
    amount: ({ amount, currency }) => (amount === null || currency === null ? null : { minor: amount, currency }),
    cell: ({ amount, currency }) => <Amount minor={currency === null ? null : amount} currency={currency ?? "USD"} />
  },
  time("since", words.since),
  time("due_by", words.due),
  {
    id: "waits",
    name: words.waits,
    isHidden: true,
    text: ({ waits_for }) => waits_for,
    cell: ({ waits_for }) => stateText(waits_for, language)
  },
  {
    id: "mode",
    name: words.mode,
    isHidden: true,
    text: ({ mode }) => mode,
    cell: ({ mode }) => <ModeMark mode={mode} />
  },
  code("id", words.number, { isHidden: true }),
  {
    id: "attempts",
    name: words.attempts,
    isNumber: true,
    isHidden: true,
    text: ({ attempts }) => String(attempts ?? ""),
    cell: ({ attempts }) => attempts ?? "–"
  },
  time("next_attempt_at", words.next, { isHidden: true }),
  {
    id: "error",
    name: words.error,
    isHidden: true,
    text: ({ last_error }) => last_error ?? "",
    cell: ({ last_error }) => <span className="wrap">{last_error ?? "–"}</span>
  }
]

/** A button for each kind with its count, and the required action for the selected kind. */
const Kinds = ({ words }: { readonly words: Texts }) => {
  const kinds = useWords(kindTexts)
  const advice = useWords(adviceTexts)
  const [query, setQuery] = useQuery()
  const { kind, merchant_id } = query
  const mode = useMode()
  const counts = useAtom(
    heldPage({
      limit: "1",
      mode,
      ...(merchant_id === undefined ? {} : { merchant_id })
    })
  )
  return (
    <Loaded result={counts} lines={1}>
      {({ data: { counts: many } }) => (
        <>
          <div className="tabs" role="group" aria-label={words.kinds}>
            <button type="button" aria-pressed={kind === undefined} onClick={() => setQuery({ ...query, kind: "" })}>
              {words.all}
            </button>
            {kindsByWeight
              .filter((each) => many[each] > 0 || each === kind)
              .map((each) => (
                <button
                  key={each}
                  type="button"
                  aria-pressed={kind === each}
                  onClick={() => setQuery({ ...query, kind: each })}
                >
                  {kinds[each]} <strong>{many[each].toLocaleString()}</strong>
                </button>
              ))}
          </div>
          {kind !== undefined && kind in advice && <p className="soft">{advice[kind as keyof typeof advice]}</p>}
        </>
      )}
    </Loaded>
  )
}

const HeldUp = () => {
  const words = useWords(texts)
  const mode = useMode()
  const kinds = useWords(kindTexts)
  const one = useWords(oneTexts)
  const language = useLanguage()
  return (
    <ListPage
      list={
        {
          id: "operator.held",
          title: useWords(attention).title,
          columns: columnsOf(words, one, language),
          filters: [
            { name: "kind", label: words.kind, choices: heldKinds.map((kind) => [kind, kinds[kind]]) },
            { name: "merchant_id", label: words.merchant }
          ],
          page: (query) => heldPage({ ...query, mode }),
          keyOf: ({ id }) => id,
          hrefOf: (held) => pageOfHeld(held) ?? "/operator/held-up?kind=stray_session",
          above: (
            <>
              <ModeSwitch />
              <Kinds words={words} />
            </>
          ),
          empty: (
            <Empty title={words.none}>
              <p>{words.noneSays}</p>
            </Empty>
          )
        } satisfies ListBy<HeldUpResource, HeldUpQuery>
      }
    />
  )
}

export default HeldUp
