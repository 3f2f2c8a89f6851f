/** A buyer's data: what would be erased, erasing it, how far erasures are, and all that is kept as an archive. */
import type { ErasureResource } from "@coffer/contract/Erasures"
import { useState } from "react"
import { act, type Problem, shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { TextField } from "../parts/act.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, ListPage } from "../parts/ListPage.tsx"
import { Empty, Trouble } from "../parts/states.tsx"

import { useWords } from "../parts/words.ts"
import { Download } from "./Download.tsx"
import { OperatorAct, TypedWord, typedIn, useOperator } from "./operator.tsx"

const texts = {
  en: {
    title: "Buyers' data",
    erase: "Erase a buyer",
    eraseSays:
      "First look at what there is: nothing is changed by that. Numbers, amounts and the ledger stay; what names the buyer then says [erased].",
    email: "The buyer's e-mail",
    or: "Or the number of one order",
    look: "Look at what there is",
    looking: "Looking…",
    would: "would be changed, at all merchants",
    capped: "There are more than 10,000 orders.",
    nothing: "Nothing is kept under this.",
    orders_waiting: "orders wait until their dispute or their mail has ended; they are erased then.",
    do: "Erase for good",
    doSays: "All that names the buyer is overwritten. It cannot be taken back.",
    export: "Export a buyer",
    exportSays:
      "A tar archive of all that is kept of this buyer at all merchants. The audit log has who asked for it, and not the address.",
    erasures: "Erasures",
    number: "Number",
    status: "Status",
    orders: "Orders",
    waiting: "Waiting",
    of: "Merchant",
    all: "all merchants",
    asked: "Asked for",
    done: "Done",
    none: "Nobody was erased yet",
    noneSays: "An erasure stays here as the word that it was done. It holds nothing of the buyer.",
    kinds: {
      orders: "Orders",
      refunds: "Refunds",
      disputes: "Disputes",
      files: "Files",
      mails: "Mails",
      events: "Events",
      attempts: "Answers of receivers"
    }
  },
  zh: {
    title: "买家数据",
    erase: "删除买家数据",
    eraseSays: "请先查看现有数据，此步骤不做任何更改。编号、金额与账本保留；可识别买家的内容将显示为 [erased]。",
    email: "买家电子邮箱",
    or: "或单个订单编号",
    look: "查看现有数据",
    looking: "正在查看…",
    would: "将被更改（所有商户）",
    capped: "订单超过 10,000 笔。",
    nothing: "没有相关数据。",
    orders_waiting: "笔订单需等待争议或邮件结束后再删除。",
    do: "永久删除",
    doSays: "所有可识别买家的内容将被覆盖，无法撤销。",
    export: "导出买家数据",
    exportSays: "包含该买家在所有商户处全部数据的 tar 归档。审计日志记录申请人，但不记录地址。",
    erasures: "删除记录",
    number: "编号",
    status: "状态",
    orders: "订单",
    waiting: "等待中",
    of: "商户",
    all: "所有商户",
    asked: "申请时间",
    done: "完成时间",
    none: "尚无删除记录",
    noneSays: "删除记录保留于此作为凭证，不含买家的任何信息。",
    kinds: {
      orders: "订单",
      refunds: "退款",
      disputes: "争议",
      files: "文件",
      mails: "邮件",
      events: "事件",
      attempts: "接收方响应"
    }
  }
}
type Texts = typeof texts.en
type Terms = { readonly email: string } | { readonly trade_no: string }

/** First a dry run, then the erasure of exactly that. */
const Erase = ({ words }: { readonly words: Texts }) => {
  const { may } = useOperator()
  const [terms, setTerms] = useState<Terms>()
  const [found, setFound] = useState<ErasureResource | Problem | "looking">()
  if (!may("erasures.create")) return null
  const look = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget)
    const email = typedIn(typed, "email")
    const trade_no = typedIn(typed, "trade_no")
    if (email === undefined && trade_no === undefined) return
    const chosen: Terms = email === undefined ? { trade_no: trade_no! } : { email }
    setTerms(chosen)
    setFound("looking")
    void act(
      OperatorsApi,
      OperatorsApi.use((client) => client.erasures.create({ payload: { ...chosen, dry_run: true } as never }))
    ).then((outcome) => setFound("done" in outcome ? (outcome.done.data as ErasureResource) : outcome.problem))
  }
  return (
    <section className="card">
      <h2>{words.erase}</h2>
      <p className="soft">{words.eraseSays}</p>
      <form className="row" onSubmit={look} onInput={() => setFound(undefined)}>
        <TextField label={words.email} name="email" type="email" />
        <TextField label={words.or} name="trade_no" />
        <button className="button quiet" disabled={found === "looking"}>
          {found === "looking" ? words.looking : words.look}
        </button>
      </form>
      {found !== undefined && found !== "looking" && "kind" in found && <Trouble problem={found} />}
      {found !== undefined && found !== "looking" && "counts" in found && terms !== undefined && (
        <Dry found={found} terms={terms} words={words} onDone={() => setFound(undefined)} />
      )}
    </section>
  )
}

const Dry = (props: {
  readonly found: ErasureResource
  readonly terms: Terms
  readonly words: Texts
  readonly onDone: () => void
}) => {
  const { found, onDone, terms, words } = props
  const kinds = Object.keys(words.kinds) as Array<keyof Texts["kinds"]>
  const some = kinds.filter((kind) => found.counts[kind] > 0)
  const target = "email" in terms ? terms.email : terms.trade_no
  if (some.length === 0) return <p role="status">{words.nothing}</p>
  return (
    <div role="status" className="stack">
      <p>
        {some.map((kind) => `${words.kinds[kind]}: ${found.counts[kind].toLocaleString()}`).join(" · ")} — {words.would}
        . {found.is_capped && words.capped}
      </p>
      {found.orders_waiting > 0 && (
        <p>
          {found.orders_waiting} {words.orders_waiting}
        </p>
      )}
      <div className="buttons">
        <OperatorAct
          act="erasures.create"
          name={words.do}
          isDangerous
          says={words.doSays}
          fields={<TypedWord word={target} />}
          onDone={onDone}
          call={(client) => client.erasures.create({ payload: terms as never })}
          code={() => ({ method: "POST", path: "/operator/v1/erasures", body: terms })}
        />
      </div>
    </div>
  )
}

const { code, plain, state, time } = columnsFor<ErasureResource>()

const columnsOf = (words: Texts): ReadonlyArray<Column<ErasureResource>> => [
  code("erasure_no", words.number),
  state(words.status),
  {
    id: "orders",
    name: words.orders,
    isNumber: true,
    text: ({ counts }) => String(counts.orders),
    cell: ({ counts }) => counts.orders.toLocaleString()
  },
  plain("orders_waiting", words.waiting, { isNumber: true }),
  {
    id: "merchant",
    name: words.of,
    isWide: true,
    text: ({ merchant_id }) => merchant_id ?? "",
    cell: ({ merchant_id }) => (merchant_id === null ? words.all : <code>{merchant_id}</code>)
  },
  time("requested_at", words.asked),
  time("done_at", words.done)
]

const Buyers = () => {
  const words = useWords(texts)
  return (
    <div className="stack">
      <header className="head">
        <h1>{words.title}</h1>
        <Download
          act="exports.buyer"
          name={words.export}
          says={words.exportSays}
          file="buyer.tar"
          fields={<TextField label={words.email} name="email" type="email" isRequired />}
          read={(client, typed) => client.exports.buyer({ payload: { email: typedIn(typed, "email") as never } })}
          code={(typed) => ({
            method: "POST",
            path: "/operator/v1/exports",
            body: { email: typedIn(typed, "email") ?? "" }
          })}
        />
      </header>
      <Erase words={words} />
      <ListPage
        list={{
          id: "operator.erasures",
          title: words.erasures,
          level: 2,
          columns: columnsOf(words),
          page: (query) =>
            OperatorsApi.query("erasures", "list", { query: query as never, reactivityKeys: shown }) as never,
          keyOf: ({ erasure_no }) => erasure_no ?? "",
          empty: (
            <Empty title={words.none}>
              <p>{words.noneSays}</p>
            </Empty>
          )
        }}
      />
    </div>
  )
}

export default Buyers
