/** The whole story of an order on a time axis: each step leads to its object, and each object back to its steps. */
import type { TimelineEntry } from "@coffer/contract/Timeline"
import { useState } from "react"
import { Link } from "wouter"
import { shown } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { Loaded } from "../parts/states.tsx"
import { Amount, Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { pageOf } from "./find.ts"

const texts = {
  en: {
    title: "Story",
    all: "All",
    cut: "There are more than 1,000 rows of a kind; the newest are left out.",
    after: "later",
    kinds: {
      request: "Request",
      order: "Order",
      unapplied_payment: "Unapplied payment",
      refund: "Refund",
      dispute: "Dispute",
      ledger: "Ledger",
      event: "Event",
      delivery: "Delivery",
      attempt: "Attempt",
      receipt: "Receipt"
    }
  },
  zh: {
    title: "完整经过",
    all: "全部",
    cut: "某一类超过 1,000 行；最新的未显示。",
    after: "之后",
    kinds: {
      request: "请求",
      order: "订单",
      unapplied_payment: "未入账付款",
      refund: "退款",
      dispute: "争议",
      ledger: "账本",
      event: "事件",
      delivery: "投递",
      attempt: "尝试",
      receipt: "收据"
    }
  }
}
type Kind = keyof typeof texts.en.kinds

export const Story = ({ number, currency }: { readonly number: string; readonly currency: string }) => {
  const { api } = useAccount()
  const words = useWords(texts)
  const story = useAtom(api.query("timelines", "retrieve", { params: { ref: number }, reactivityKeys: shown }))
  const [kind, setKind] = useState<string>()
  return (
    <section className="card">
      <h2>{words.title}</h2>
      <Loaded result={story}>
        {({ data: { entries, truncated } }) => (
          <>
            <div className="tabs" role="group" aria-label={words.title}>
              <button type="button" aria-pressed={kind === undefined} onClick={() => setKind(undefined)}>
                {words.all}
              </button>
              {Array.from(new Set(entries.map((entry) => entry.kind))).map((each) => (
                <button key={each} type="button" aria-pressed={kind === each} onClick={() => setKind(each)}>
                  {words.kinds[each]}
                </button>
              ))}
            </div>
            <ol className="story">
              {entries
                .filter((entry) => kind === undefined || entry.kind === kind)
                .map((entry, index) => (
                  <Step key={`${entry.id} ${index}`} entry={entry} currency={currency} />
                ))}
            </ol>
            {truncated && <p className="soft">{words.cut}</p>}
          </>
        )}
      </Loaded>
    </section>
  )
}

const amounts = new Set([
  "amount",
  "balance_before",
  "balance_after",
  "frozen_after",
  "fee",
  "refunded_amount",
  "net_amount"
])

const Step = ({ currency, entry }: { readonly entry: TimelineEntry; readonly currency: string }) => {
  const { base } = useAccount()
  const words = useWords(texts)
  const page = pageOf(entry.id)
  const details = Object.entries(entry.details).filter(([, value]) => value !== null)
  return (
    <li className={entry.kind} id={`${entry.kind}-${entry.id}`}>
      <details>
        <summary>
          <span className="kind">{words.kinds[entry.kind as Kind]}</span>
          <span className="text">{entry.text}</span>
          <Time at={entry.at} />
        </summary>
        <dl className="facts">
          <div>
            <dt>id</dt>
            <dd>
              {page === undefined ? (
                <code>{entry.id}</code>
              ) : (
                <Link href={`${base}${page}`}>
                  <code>{entry.id}</code>
                </Link>
              )}
            </dd>
          </div>
          {details.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {amounts.has(name) && typeof value === "number" ? (
                  <Amount minor={value} currency={currency} />
                ) : typeof value === "string" && pageOf(value) !== undefined ? (
                  <Link href={`${base}${pageOf(value)}`}>
                    <code>{value}</code>
                  </Link>
                ) : (
                  String(value)
                )}
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  )
}
