/** All merchants: found by name and state, and made here. Their keys are shown once. */
import type { MerchantResource } from "@coffer/contract/Merchants"
import type { MerchantQuery } from "@coffer/contract/Operator"
import { useState } from "react"
import { Link } from "wouter"
import { act, shown } from "../api/acts.ts"
import { asQuery } from "../api/lists.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { sent } from "../api/sent.ts"
import { Act, ChoiceField, Dialog, TextField } from "../parts/act.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, type ListBy, ListPage } from "../parts/ListPage.tsx"
import { SecretOnce } from "../parts/Secret.tsx"
import { Empty } from "../parts/states.tsx"
import { stateChoices } from "../parts/stateWords.ts"
import { State } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { typedIn } from "../parts/typed.tsx"
import { callOf, ofAccount, ofMerchant, useOperator } from "./operator.tsx"
import { useMode } from "./shownMode.ts"

const texts = {
  en: {
    title: "Merchants",
    name: "Name",
    status: "Status",
    number: "Number",
    currencies: "Live currencies",
    created: "Created",
    support: "Support",
    search: "Name contains",
    create: "Create merchant",
    createSays:
      "It can use its sandbox immediately, and take live payments once you approve it. Its keys are shown once.",
    seed: "Sample orders",
    seeded: "One paid order in each currency",
    empty: "None (empty sandbox)",
    none: "No merchants yet",
    noneSays: "Create the first one. It gets a sandbox key and a live key.",
    keys: "Merchant keys",
    finished: "Done",
    once: "Shown only once. Send them to the merchant securely; they can't be read again.",
    open: "Open merchant",
    sandbox: "Sandbox key",
    live: "Live key",
    ofTwo: "Not shown: two operators have to reset it (TWO_OPERATORS)."
  },
  zh: {
    title: "商户",
    name: "名称",
    status: "状态",
    number: "编号",
    currencies: "正式环境货币",
    created: "创建时间",
    support: "客服",
    search: "名称包含",
    create: "创建商户",
    createSays: "商户可立即使用沙盒，经您批准后可收取真实付款。密钥仅显示一次。",
    seed: "示例订单",
    seeded: "每种货币一笔已付款订单",
    empty: "无（空沙盒）",
    none: "还没有商户",
    noneSays: "创建第一个商户，它将获得沙盒密钥和正式密钥。",
    keys: "商户密钥",
    finished: "完成",
    once: "仅显示这一次，之后无法再次查看。请以安全的方式交给商户。",
    open: "打开商户",
    sandbox: "沙盒密钥",
    live: "正式密钥",
    ofTwo: "不显示：需由两位运营人员重置（TWO_OPERATORS）。"
  }
}
type Texts = typeof texts.en

export const stateOfMerchant = ({ approved, closed_at, suspended_at }: MerchantResource): string =>
  closed_at !== null ? "closed" : suspended_at !== null ? "suspended" : approved ? "approved" : "unapproved"

const { code, plain, time } = columnsFor<MerchantResource>()

const columnsOf = (words: Texts): ReadonlyArray<Column<MerchantResource>> => [
  plain("name", words.name),
  {
    id: "status",
    name: words.status,
    text: stateOfMerchant,
    cell: (merchant) => <State of={stateOfMerchant(merchant)} />
  },
  {
    id: "currencies",
    name: words.currencies,
    isWide: true,
    text: ({ live_currencies }) => live_currencies.join(" "),
    cell: ({ live_currencies }) => live_currencies.join(", ") || "–"
  },
  code("merchant_id", words.number, { isWide: true }),
  plain("support_email", words.support, { isHidden: true }),
  time("created_at", words.created)
]

interface Made {
  readonly merchant_id: string
  readonly sandbox_key: string
  /** Null if live keys need two operators. */
  readonly live_key: string | null
}

const CreateMerchant = ({ words }: { readonly words: Texts }) => {
  const { may } = useOperator()
  const [made, setMade] = useState<Made>()
  if (!may("merchants.create")) return null
  const bodyOf = (typed: FormData) => ({
    name: typedIn(typed, "name") ?? "",
    ...(typedIn(typed, "seed") === "false" ? { seed: false } : {})
  })
  // A retry would create another merchant, so it is sent once.
  const run = async (typed: FormData) => {
    const outcome = await act(
      OperatorsApi,
      OperatorsApi.use((client) => client.merchants.create({ payload: sent(bodyOf(typed)) })),
      1
    )
    if ("done" in outcome) setMade(outcome.done.data)
    return outcome
  }
  return (
    <>
      <Act
        name={words.create}
        isPrimary
        says={words.createSays}
        fields={
          <>
            <TextField label={words.name} name="name" isRequired maxLength={255} />
            <ChoiceField
              label={words.seed}
              name="seed"
              choices={[
                ["true", words.seeded],
                ["false", words.empty]
              ]}
            />
          </>
        }
        run={run}
        code={(typed) => callOf("merchants.create", { payload: bodyOf(typed) })}
      />
      {made !== undefined && (
        <Dialog title={words.keys} onClose={() => setMade(undefined)} isWide>
          <div className="stack">
            <p>{words.once}</p>
            {(
              [
                [words.sandbox, made.sandbox_key],
                [words.live, made.live_key]
              ] as const
            ).map(([name, key]) =>
              key === null ? (
                <p key={name}>
                  {name}: {words.ofTwo}
                </p>
              ) : (
                <SecretOnce key={name} label={name} secret={key} />
              )
            )}
            <div className="buttons">
              <Link href={`${ofMerchant(made.merchant_id)}/settings`} className="button">
                {words.open}
              </Link>
              <button type="button" className="button quiet" onClick={() => setMade(undefined)}>
                {words.finished}
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  )
}

const Merchants = () => {
  const mode = useMode()
  const words = useWords(texts)
  const language = useLanguage()
  return (
    <ListPage
      list={
        {
          id: "operator.merchants",
          title: words.title,
          columns: columnsOf(words),
          filters: [
            { name: "search", label: words.search },
            {
              name: "status",
              label: words.status,
              choices: stateChoices(["unapproved", "approved", "suspended", "closed"], language)
            }
          ],
          page: (query) =>
            OperatorsApi.query("merchants", "list", { query: asQuery<MerchantQuery>(query), reactivityKeys: shown }),
          keyOf: ({ merchant_id }) => merchant_id,
          hrefOf: ({ merchant_id }) => ofAccount(merchant_id, mode),
          acts: <CreateMerchant words={words} />,
          empty: (
            <Empty title={words.none}>
              <p>{words.noneSays}</p>
            </Empty>
          )
        } satisfies ListBy<MerchantResource, MerchantQuery>
      }
    />
  )
}

export default Merchants
