/** A buyer's data: what would be erased, erasing it, how far erasures are, and all that is kept as an archive. */
import type { ErasureResource } from "@coffer/contract/Erasures"
import { ask, shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { TextField } from "../parts/act.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, ListPage } from "../parts/ListPage.tsx"
import { Erasing, foundBy } from "../parts/erasing.tsx"
import { Empty } from "../parts/states.tsx"
import { TypedWord, typedIn } from "../parts/typed.tsx"
import { useWords } from "../parts/words.ts"
import { Download } from "./Download.tsx"
import { OperatorAct, useOperator } from "./operator.tsx"

const texts = {
  en: {
    title: "Buyers' data",
    email: "The buyer's e-mail",
    would: "would be changed, at all merchants",
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
    noneSays: "An erasure stays here as the word that it was done. It holds nothing of the buyer."
  },
  zh: {
    title: "买家数据",
    email: "买家电子邮箱",
    would: "将被更改（所有商户）",
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
    noneSays: "删除记录保留于此作为凭证，不含买家的任何信息。"
  }
}
type Texts = typeof texts.en

/** First a dry run, then the erasure of exactly that. */
const Erase = ({ words }: { readonly words: Texts }) => {
  const { may } = useOperator()
  if (!may("erasures.create")) return null
  return (
    <Erasing
      would={words.would}
      look={(terms) =>
        foundBy(
          ask(
            OperatorsApi,
            OperatorsApi.use((client) => client.erasures.create({ payload: { ...terms, dry_run: true } as never }))
          )
        )
      }
      act={(terms, word, onDone) => (
        <OperatorAct
          act="erasures.create"
          name={words.do}
          isDangerous
          says={words.doSays}
          fields={<TypedWord word={word} />}
          onDone={onDone}
          call={(client) => client.erasures.create({ payload: terms as never })}
          code={() => ({ method: "POST", path: "/operator/v1/erasures", body: terms })}
        />
      )}
    />
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
