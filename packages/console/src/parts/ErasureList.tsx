/** The erasures of an account, or of all merchants: which, requested by whom, when, and how far they are. */
import type { ErasureResource } from "@coffer/contract/Erasures"
import { Link } from "wouter"
import { columnsFor } from "./columns.tsx"
import { type Column, type ListBy, ListPage } from "./ListPage.tsx"
import type { PlainQuery } from "../api/lists.ts"
import { Requester } from "./Requester.tsx"
import { Empty } from "./states.tsx"
import { useWords } from "./words.ts"

const texts = {
  en: {
    erasures: "Erasures",
    number: "Erasure",
    status: "Status",
    orders: "Orders",
    waiting: "Waiting",
    of: "Merchant",
    all: "all merchants",
    by: "Requested by",
    asked: "Requested",
    done: "Completed",
    archives: "Past exports",
    none: "No erasures yet",
    noneSays: "Erasures are listed here as proof that they were done. They contain none of the buyer's data."
  },
  zh: {
    erasures: "删除记录",
    number: "编号",
    status: "状态",
    orders: "订单",
    waiting: "等待中",
    of: "商户",
    all: "所有商户",
    by: "申请人",
    asked: "申请时间",
    done: "完成时间",
    archives: "导出记录",
    none: "还没有删除记录",
    noneSays: "删除记录作为已完成删除的凭证显示在这里，不含买家的任何数据。"
  }
}
type Texts = typeof texts.en

const { code, plain, state, time } = columnsFor<ErasureResource>()

/** Shows a merchant, for a reader of all merchants' erasures. */
type MerchantCell = (id: string) => React.ReactNode

const columnsOf = (words: Texts, merchant: MerchantCell | undefined): ReadonlyArray<Column<ErasureResource>> => [
  code("erasure_no", words.number),
  state(words.status),
  {
    id: "orders",
    name: words.orders,
    isNumber: true,
    text: ({ counts }) => String(counts.orders),
    cell: ({ counts }) => counts.orders.toLocaleString()
  },
  plain("orders_waiting", words.waiting, { isNumber: true, isWide: true }),
  ...(merchant === undefined
    ? []
    : [
        {
          id: "merchant",
          name: words.of,
          isWide: true,
          text: ({ merchant_id }: ErasureResource) => merchant_id ?? "",
          cell: ({ merchant_id }: ErasureResource) => (merchant_id === null ? words.all : merchant(merchant_id))
        }
      ]),
  plain("requested_by", words.by, { isWide: true, cell: ({ requested_by }) => <Requester of={requested_by} /> }),
  time("requested_at", words.asked),
  time("done_at", words.done, { isWide: true })
]

export const ErasureList = (props: {
  readonly id: string
  readonly merchant?: MerchantCell
  readonly page: ListBy<ErasureResource, PlainQuery>["page"]
  /** The audit log's entries about exports of buyers; undefined for a reader who may not see them. */
  readonly archives: string | undefined
}) => {
  const words = useWords(texts)
  return (
    <ListPage
      list={{
        id: props.id,
        title: words.erasures,
        level: 2,
        columns: columnsOf(words, props.merchant),
        page: props.page,
        keyOf: ({ erasure_no }) => erasure_no ?? "",
        acts: props.archives !== undefined && (
          <Link href={props.archives} className="button quiet">
            {words.archives}
          </Link>
        ),
        empty: (
          <Empty title={words.none}>
            <p>{words.noneSays}</p>
          </Empty>
        )
      }}
    />
  )
}
