/**
 * Objects by a number, at any merchant; otherwise merchants and people by name. A text that one object has leads
 * straight to its page.
 */
import { Link, Redirect } from "wouter"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { useAtom } from "../api/registry.ts"
import { useQuery } from "../parts/address.ts"
import { Rows } from "../parts/ListPage.tsx"
import { useFound } from "../parts/SearchBox.tsx"
import { Empty, Loaded } from "../parts/states.tsx"
import { stateText } from "../parts/stateWords.ts"
import { useLanguage, useWords } from "../parts/words.ts"
import { lookFor, pageOfFound } from "./find.ts"
import { MerchantLink, ModeMark, useOperator } from "./operator.tsx"

const texts = {
  en: {
    title: "Search",
    nothing: "No results",
    hint: "Enter a complete ID: Coffer's, the merchant's (out_trade_no, out_refund_no, a payout's reference), or the channel's (payment_id, processor_dispute_id). Partial IDs are not matched. To find a merchant by name, use",
    merchants: "the list of merchants",
    kind: "Kind",
    number: "ID",
    merchant: "Merchant",
    mode: "Environment",
    field: "Matched field"
  },
  zh: {
    title: "搜索",
    nothing: "没有找到结果",
    hint: "请输入完整编号：平台编号、商户编号（out_trade_no、out_refund_no、提现的 reference）或渠道编号（payment_id、processor_dispute_id）。不支持部分匹配。按名称查找商户请使用",
    merchants: "商户列表",
    kind: "类型",
    number: "编号",
    merchant: "商户",
    mode: "环境",
    field: "匹配字段"
  }
}

const Search = () => {
  const words = useWords(texts)
  const language = useLanguage()
  const [{ number = "" }] = useQuery()
  const operator = useOperator()
  const named = useFound(number, (text) => lookFor(operator, text, language))
  const found = useAtom(OperatorsApi.query("lookup", "search", { query: { number }, reactivityKeys: shown }))
  return (
    <section className="list">
      <header className="head">
        <h1>
          {words.title}: <code>{number}</code>
        </h1>
      </header>
      <Loaded result={found}>
        {({ data: { data: rows } }) => {
          const [first] = rows
          const [only, ...others] = named
          if (first === undefined && only !== undefined && others.length === 0)
            return <Redirect to={only.href} replace />
          if (first === undefined && only !== undefined)
            return (
              <ul className="card stack">
                {named.map(({ href, name, note }) => (
                  <li key={href}>
                    <Link href={href}>{name}</Link> <span className="soft small">{note}</span>
                  </li>
                ))}
              </ul>
            )
          if (first === undefined)
            return (
              <Empty title={words.nothing}>
                <p>
                  {words.hint}{" "}
                  <Link href={`/operator/merchants?${new URLSearchParams({ search: number })}`}>{words.merchants}</Link>
                </p>
              </Empty>
            )
          if (rows.length === 1) return <Redirect to={pageOfFound(first)} replace />
          return (
            <Rows
              list={{ title: words.title, keyOf: ({ id, kind }) => `${kind} ${id}`, hrefOf: pageOfFound }}
              columns={[
                { id: "id", name: words.number, text: ({ id }) => id, cell: ({ id }) => <code>{id}</code> },
                {
                  id: "kind",
                  name: words.kind,
                  text: ({ kind }) => kind,
                  cell: ({ kind }) => stateText(kind, language)
                },
                {
                  id: "merchant",
                  name: words.merchant,
                  text: ({ merchant_id }) => merchant_id,
                  cell: ({ merchant_id, mode }) => <MerchantLink id={merchant_id} mode={mode ?? undefined} />
                },
                {
                  id: "mode",
                  name: words.mode,
                  text: ({ mode }) => mode ?? "",
                  cell: ({ mode }) => (mode === null ? "–" : <ModeMark mode={mode} />)
                },
                {
                  id: "field",
                  name: words.field,
                  text: ({ field }) => field,
                  cell: ({ field }) => <code>{field}</code>
                }
              ]}
              rows={rows}
            />
          )
        }}
      </Loaded>
    </section>
  )
}

export default Search
