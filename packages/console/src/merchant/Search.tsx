/** All that a search has found, by kind. */
import type { MatchResource } from "@coffer/contract/MerchantSearch"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { columnsFor } from "../parts/columns.tsx"
import { useQuery } from "../parts/address.ts"
import { Rows } from "../parts/ListPage.tsx"
import { Empty, Loaded } from "../parts/states.tsx"
import { stateText } from "../parts/stateWords.ts"
import { type Language, useLanguage, useWords } from "../parts/words.ts"
import { matchName } from "./matches.tsx"
import { useReader } from "./reader.ts"

const texts = {
  en: {
    title: "Search",
    nothing: "No results",
    hint: "Enter a complete number in any case, an amount such as 19.99, the last four digits of a card, or the beginnings of words of an order's reference, email or subject.",
    more: "There are more. Enter more of it to find fewer.",
    what: "Found",
    status: "Status",
    email: "Email",
    id: "ID",
    created: "Created"
  },
  zh: {
    title: "搜索",
    nothing: "没有找到结果",
    hint: "请输入完整编号（不区分大小写）、金额（如 19.99）、卡号后四位，或订单号、邮箱、商品标题中词语的开头。",
    more: "还有更多结果，请输入更多内容以缩小范围。",
    what: "结果",
    status: "状态",
    email: "邮箱",
    id: "编号",
    created: "创建时间"
  }
}
type Texts = typeof texts.en

const { code, plain, state, time } = columnsFor<MatchResource>()

const columnsOf = (words: Texts, language: Language) => [
  plain("text", words.what, { cell: (match) => matchName(match, language) }),
  state(words.status, { cell: ({ status }) => (status === null ? "–" : stateText(status, language)) }),
  plain("email", words.email, { isWide: true }),
  code("id", words.id, { isWide: true }),
  time("created_at", words.created)
]

const Search = () => {
  const { merchantId, mode } = useAccount()
  const { pageOf } = useReader()
  const words = useWords(texts)
  const language = useLanguage()
  const [{ text = "" }] = useQuery()
  const params = { merchant_id: merchantId }
  const found = useAtom(OwnApi.query("search", "find", { params, query: { mode, text }, reactivityKeys: shown }))
  return (
    <section className="list">
      <header className="head">
        <h1>
          {words.title}: {text}
        </h1>
      </header>
      <Loaded result={found}>
        {({ data: { data, has_more } }) => {
          if (data.length === 0) {
            return (
              <Empty title={words.nothing}>
                <p>{words.hint}</p>
              </Empty>
            )
          }
          return (
            <>
              {[...new Set(data.map(({ kind }) => kind))].map((kind) => (
                <section key={kind} className="stack">
                  <h2>{stateText(kind, language)}</h2>
                  <Rows
                    list={{
                      title: stateText(kind, language),
                      keyOf: ({ id }) => id,
                      hrefOf: ({ id }) => pageOf(id) ?? ""
                    }}
                    columns={columnsOf(words, language)}
                    rows={data.filter((match) => match.kind === kind)}
                  />
                </section>
              ))}
              {has_more && <p className="soft">{words.more}</p>}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

export default Search
