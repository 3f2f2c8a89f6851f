/** The audit log of this merchant: actions of its people and of operators. */
import type { MerchantAuditEntryResource, MerchantAuditQuery } from "@coffer/contract/ConsoleMerchant"
import { personMayDo } from "@coffer/rules/people/mayDo"
import { useState } from "react"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { asQuery } from "../api/lists.ts"
import { type InAccount, useAccount } from "../api/session.ts"
import { Dialog } from "../parts/act.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { Json } from "../parts/Json.tsx"
import { type Column, type ListBy, ListPage } from "../parts/ListPage.tsx"
import { Facts } from "../parts/ObjectPage.tsx"
import { Empty, Trouble } from "../parts/states.tsx"
import { Time } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { actText } from "./auditWords.ts"
import { ActText, Outcome, useOutcome } from "./Outcome.tsx"

type Entry = MerchantAuditEntryResource

const texts = {
  en: {
    title: "Audit log",
    act: "Action",
    who: "Who",
    role: "Role",
    ip: "IP address",
    when: "When",
    phase: "Outcome",
    target: "Target",
    details: "Details",
    request: "Request",
    number: "Entry no.",
    by: { person: "Team member", key: "API key", operator: "Operator" },
    emptyTitle: "No entries yet",
    empty: "Every change made here is recorded: who made it, when, from where, and the values before it.",
    byHead: "Actor type"
  },
  zh: {
    title: "审计日志",
    act: "操作",
    who: "操作者",
    role: "角色",
    ip: "IP 地址",
    when: "时间",
    phase: "结果",
    target: "对象",
    details: "详情",
    request: "请求",
    number: "记录编号",
    by: { person: "成员", key: "密钥", operator: "运营方" },
    emptyTitle: "还没有记录",
    empty: "所有更改都会记录在此：操作者、时间、来源，以及更改前的内容。",
    byHead: "操作者类型"
  }
}
type Texts = typeof texts.en

const { code, plain, time } = columnsFor<Entry>()

const columnsOf = (words: Texts, outcomeText: (entry: Entry) => string): ReadonlyArray<Column<Entry>> => [
  {
    id: "act",
    name: words.act,
    text: ({ act }) => act,
    cell: (entry) => <Details entry={entry} />
  },
  {
    id: "phase",
    name: words.phase,
    text: outcomeText,
    cell: (entry) => <Outcome {...entry} />
  },
  {
    id: "who",
    name: words.who,
    text: ({ actor }) => actor,
    cell: ({ actor, by, role }) => (
      <>
        {by === "operator" ? words.by.operator : actor}
        {by === "person" && <span className="soft small block">{role}</span>}
      </>
    )
  },
  { id: "by", name: words.byHead, isHidden: true, text: ({ by }) => by, cell: ({ by }) => words.by[by] },
  plain("ip", words.ip, { isWide: true }),
  time("created_at", words.when),
  code("target", words.target, { isHidden: true }),
  code("id", words.number, { isHidden: true })
]

/** The action's name opens its details: the request, and the values before and after. */
const Details = ({ entry }: { readonly entry: Entry }) => {
  const words = useWords(texts)
  const language = useLanguage()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        <ActText {...entry} />
      </button>
      {isOpen && (
        <Dialog title={actText(entry.act, language)} onClose={() => setOpen(false)} isWide>
          <div className="stack">
            <Facts
              facts={[
                [words.when, <Time key="w" at={entry.created_at} />],
                [words.phase, <Outcome key="o" {...entry} />],
                [words.who, entry.by === "operator" ? words.by.operator : entry.actor],
                [words.role, entry.role],
                [words.ip, entry.ip ?? "–"],
                [words.act, <code key="a">{entry.act}</code>],
                [words.target, <code key="t">{entry.target}</code>],
                [words.request, <code key="r">{entry.request_id || "–"}</code>],
                [words.number, <code key="n">{entry.id}</code>]
              ]}
            />
            <Json value={entry.details} label={words.details} />
          </div>
        </Dialog>
      )}
    </>
  )
}

const listOf = (
  { merchantId }: InAccount,
  words: Texts,
  outcomeText: (entry: Entry) => string
): ListBy<Entry, MerchantAuditQuery> => ({
  id: "audit",
  title: words.title,
  columns: columnsOf(words, outcomeText),
  page: (query) =>
    OwnApi.query("audit_log", "list", {
      params: { merchant_id: merchantId },
      query: asQuery<MerchantAuditQuery>(query),
      reactivityKeys: shown
    }),
  keyOf: ({ id }) => id,
  liveEvery: 30_000,
  filters: [{ name: "act", label: words.act }],
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
    </Empty>
  )
})

const Audit = () => {
  const account = useAccount()
  const words = useWords(texts)
  const outcomeText = useOutcome()
  if (!personMayDo(account.role, "audit_log.list")) {
    return (
      <section className="stack">
        <h1>{words.title}</h1>
        <Trouble problem={{ kind: "refused", code: "forbidden", message: "", requestId: "" }} />
      </section>
    )
  }
  return <ListPage list={listOf(account, words, outcomeText)} />
}

export default Audit
