/** All that a search has found, by kind. Orders and links have pages. */
import { type MatchResource, type PagedKind, pagedKinds } from "@coffer/contract/MerchantSearch"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { columnsFor } from "../parts/columns.tsx"
import { useQuery } from "../parts/address.ts"
import { Rows } from "../parts/ListPage.tsx"
import { Empty, Loaded } from "../parts/states.tsx"
import { stateText } from "../parts/stateWords.ts"
import { State } from "../parts/values.tsx"
import { type Language, useLanguage, useWords } from "../parts/words.ts"
import { matchName } from "./matches.tsx"
import { useReader } from "./reader.ts"

const texts = {
  en: {
    title: "Search",
    nothing: "No results",
    hint: "Enter a complete number in any case, or parts that each narrow the search: an amount such as 19.99, the last four digits of a card, a part of an email address, or the beginnings of words of a reference or subject. Parts are looked for in the newest 10,000 orders.",
    first: "Newest",
    older: "Older",
    pages: "Pages",
    what: "Found",
    status: "Status",
    email: "Email",
    id: "ID",
    created: "Created"
  },
  zh: {
    title: "搜索",
    nothing: "没有找到结果",
    hint: "请输入完整编号（不区分大小写），或用空格分隔的多个条件逐步缩小范围：金额（如 19.99）、卡号后四位、邮箱的任意部分，或订单号、商品标题中词语的开头。条件搜索范围为最新的 10,000 个订单。",
    first: "最新",
    older: "更早",
    pages: "页",
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
  state(words.status, { cell: ({ status }) => (status === null ? "–" : <State of={status} />) }),
  plain("email", words.email, { isWide: true }),
  code("id", words.id, { isWide: true }),
  time("created_at", words.created)
]

const isPaged = (kind: MatchResource["kind"]): kind is PagedKind => pagedKinds.some((each) => each === kind)

const Search = () => {
  const { merchantId, mode } = useAccount()
  const words = useWords(texts)
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
        {({ data: { data } }) => {
          if (data.length === 0) {
            return (
              <Empty title={words.nothing}>
                <p>{words.hint}</p>
              </Empty>
            )
          }
          return [...new Set(data.map(({ kind }) => kind))].map((kind) =>
            isPaged(kind) ? (
              <Pages key={kind} kind={kind} text={text} words={words} />
            ) : (
              <Found key={kind} kind={kind} rows={data.filter((match) => match.kind === kind)} words={words} />
            )
          )
        }}
      </Loaded>
    </section>
  )
}

interface FoundProps {
  readonly kind: MatchResource["kind"]
  readonly rows: ReadonlyArray<MatchResource>
  readonly words: Texts
  readonly children?: React.ReactNode
}

const Found = ({ children, kind, rows, words }: FoundProps) => {
  const { pageOf } = useReader()
  const language = useLanguage()
  const title = stateText(kind, language)
  return (
    <section className="stack">
      <h2>{title}</h2>
      <Rows
        list={{ title, keyOf: ({ id }) => id, hrefOf: ({ id }) => pageOf(id) ?? "" }}
        columns={columnsOf(words, language)}
        rows={rows}
      />
      {children}
    </section>
  )
}

interface PagesProps extends Pick<FoundProps, "words"> {
  readonly kind: PagedKind
  readonly text: string
}

const Pages = ({ kind, text, words }: PagesProps) => {
  const { merchantId, mode } = useAccount()
  const [query, setQuery] = useQuery()
  const { [`${kind}_after`]: after, ...firstPage } = query
  const found = useAtom(
    OwnApi.query("search", "find", {
      params: { merchant_id: merchantId },
      query: { mode, text, kind, ...(after === undefined ? {} : { starting_after: after }) },
      reactivityKeys: shown
    })
  )
  return (
    <Loaded result={found}>
      {({ data: { data, has_more } }) => (
        <Found kind={kind} rows={data} words={words}>
          {(has_more || after !== undefined) && (
            <nav className="pages" aria-label={words.pages}>
              {after !== undefined && (
                <button type="button" className="button quiet" onClick={() => setQuery(firstPage)}>
                  {words.first}
                </button>
              )}
              {has_more && (
                <button
                  type="button"
                  className="button quiet"
                  onClick={() => setQuery({ ...query, [`${kind}_after`]: data.at(-1)!.id })}
                >
                  {words.older}
                </button>
              )}
            </nav>
          )}
        </Found>
      )}
    </Loaded>
  )
}

export default Search
