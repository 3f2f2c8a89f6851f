/** The page of a ledger row: its amount, its source, and its position in the hash chain. */
import type { BalanceTransactionResource, LedgerLinkResource } from "@coffer/contract/Balance"
import { ledger } from "@coffer/resources/wallets"
import { useEffect, useState } from "react"
import { Link } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { shown } from "../api/acts.ts"
import type { Page } from "../api/lists.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { factsOf } from "../parts/declared.tsx"
import { Facts } from "../parts/ObjectPage.tsx"
import { Empty, Loaded } from "../parts/states.tsx"
import { Amount, Num } from "../parts/values.tsx"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { stepOf } from "./find.ts"
import { Reference } from "./Ledger.tsx"
import { movementText } from "./moneyWords.ts"
import { useReader } from "./reader.ts"
import { sha256 } from "./verify.ts"

const texts = {
  en: {
    none: "Transaction not found.",
    story: "View in order timeline",
    chain: "Position in the hash chain",
    place: "Row number in this wallet",
    hash: "Hash",
    previous: "Previous hash",
    first: "None (first row)",
    text: "Hashed text",
    computed: "Computed in this browser",
    same: "✓ matches",
    other: "✗ does not match: this row was changed"
  },
  zh: {
    none: "未找到此流水。",
    story: "在订单时间线中查看",
    chain: "在哈希链中的位置",
    place: "在此钱包中的序号",
    hash: "哈希",
    previous: "前一条的哈希",
    first: "无（第一条）",
    text: "哈希原文",
    computed: "本浏览器计算结果",
    same: "✓ 一致",
    other: "✗ 不一致：此流水已被修改"
  }
}
type Texts = typeof texts.en

/** The API has no call for a single row: it is read as the one after its newer neighbour, or as the newest. */
const cursorOf = (newer: Page<{ readonly id: string }>) => {
  const [neighbour] = newer.data.data
  return { limit: "1", ...(neighbour === undefined ? {} : { starting_after: neighbour.id }) }
}

const LedgerRow = ({ number }: { readonly number: string }) => {
  const { base, lists } = useReader()
  const words = useWords(texts)
  const before = useAtom(lists.ledger.page({ ending_before: number, limit: "1" }))
  return (
    <article className="object">
      <nav className="crumb">
        <Link href={`${base}/ledger`}>← {wordsIn(ledger.listing.label, useLanguage())}</Link>
        <Num id={number} />
      </nav>
      <Loaded result={before} lines={6}>
        {(newer) => <Row number={number} query={cursorOf(newer)} words={words} />}
      </Loaded>
    </article>
  )
}

interface RowProps {
  readonly number: string
  readonly query: ReturnType<typeof cursorOf>
  readonly words: Texts
}

const Row = ({ number, query, words }: RowProps) => {
  const language = useLanguage()
  const found = useAtom(useReader().lists.ledger.page(query))
  return (
    <Loaded result={found} lines={6}>
      {(page) => {
        const [row] = page.data.data
        if (row?.id !== number) return <Empty title={words.none} />
        const { amount, currency, type } = row
        return (
          <>
            <header className="head">
              <h1>
                {movementText(type, language)} <Amount minor={amount} currency={currency} signed />
              </h1>
            </header>
            <div className="sides">
              <div className="stack">
                <InChain number={number} currency={currency} words={words} />
                <ToStory row={row} words={words} />
              </div>
              <Facts
                facts={factsOf(ledger, row, language, {
                  reference_id: <Reference id={row.reference_id} />,
                  // The service's text is in English.
                  description: language === "en" ? row.description : undefined
                })}
              />
            </div>
          </>
        )
      }}
    </Loaded>
  )
}

interface ChainProps {
  readonly number: string
  readonly currency: "USD" | "HKD" | "CNY"
  readonly words: Texts
}

const InChain = ({ currency, number, words }: ChainProps) => {
  const api = useApi()
  const before = useAtom(
    api.query("balance", "chain", {
      params: { currency },
      query: { ending_before: number, limit: "1" },
      reactivityKeys: shown
    })
  )
  return (
    <section className="card">
      <h2>{words.chain}</h2>
      <Loaded result={before}>
        {(newer) => <ChainLink number={number} currency={currency} query={cursorOf(newer)} words={words} />}
      </Loaded>
    </section>
  )
}

const ChainLink = (props: ChainProps & Pick<RowProps, "query">) => {
  const { currency, number, query, words } = props
  const api = useApi()
  const found = useAtom(api.query("balance", "chain", { params: { currency }, query, reactivityKeys: shown }))
  return (
    <Loaded result={found}>
      {(page) => {
        const [link] = page.data.data
        if (link?.id !== number) return <p>{words.none}</p>
        return (
          <>
            <dl className="facts">
              <div>
                <dt>{words.place}</dt>
                <dd>{link.sequence}</dd>
              </div>
              <div>
                <dt>{words.hash}</dt>
                <dd>
                  <code>{link.hash}</code>
                </dd>
              </div>
              <div>
                <dt>{words.computed}</dt>
                <dd>
                  <Computed link={link} words={words} />
                </dd>
              </div>
              <div>
                <dt>{words.previous}</dt>
                <dd>{link.previous_hash === "" ? words.first : <code>{link.previous_hash}</code>}</dd>
              </div>
            </dl>
            <details className="code">
              <summary>{words.text}</summary>
              <pre tabIndex={0}>{link.text}</pre>
            </details>
          </>
        )
      }}
    </Loaded>
  )
}

const Computed = ({ link, words }: { readonly link: LedgerLinkResource; readonly words: Texts }) => {
  const [digest, setDigest] = useState<string>()
  useEffect(() => {
    if (globalThis.crypto.subtle !== undefined) void sha256(link.text).then(setDigest)
  }, [link.text])
  if (digest === undefined) return "–"
  return digest === link.hash ? <strong className="holds">{words.same}</strong> : words.other
}

/** The rows of refunds and disputes are steps of their order's timeline. */
const ToStory = ({ row, words }: { readonly row: BalanceTransactionResource; readonly words: Texts }) => {
  const { id, reference_id } = row
  if (reference_id.startsWith("TRD_")) return <StoryLink tradeNo={reference_id} id={id} words={words} />
  if (reference_id.startsWith("rfd_")) return <OfRefund row={row} words={words} />
  return reference_id.startsWith("dsp_") ? <OfDispute row={row} words={words} /> : null
}

const StoryLink = (props: { readonly tradeNo: string; readonly id: string; readonly words: Texts }) => {
  const { base } = useAccount()
  return (
    <p>
      <Link href={`${base}${stepOf(props.tradeNo, "ledger", props.id)}`}>{props.words.story} →</Link>
    </p>
  )
}

interface OfProps {
  readonly row: BalanceTransactionResource
  readonly words: Texts
}

const OfRefund = ({ row: { id, reference_id }, words }: OfProps) => {
  const api = useApi()
  const refund = useAtom(api.query("refunds", "get", { params: { ref: reference_id }, reactivityKeys: shown }))
  return (
    <Loaded result={refund} lines={1}>
      {({ data }) => <StoryLink tradeNo={data.trade_no} id={id} words={words} />}
    </Loaded>
  )
}

const OfDispute = ({ row: { id, reference_id }, words }: OfProps) => {
  const api = useApi()
  const dispute = useAtom(api.query("disputes", "get", { params: { ref: reference_id }, reactivityKeys: shown }))
  return (
    <Loaded result={dispute} lines={1}>
      {({ data }) => <StoryLink tradeNo={data.trade_no} id={id} words={words} />}
    </Loaded>
  )
}

export default LedgerRow
