/** The list of events, by type and by object. */
import type { EventQuery, EventResource } from "@coffer/contract/Events"
import { EventType } from "@coffer/model/EventType"
import { AsCode } from "../parts/AsCode.tsx"
import { columnsFor } from "../parts/columns.tsx"
import type { Column, ListBy } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { Amount, State } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { ObjectList } from "./ObjectList.tsx"
import { type Lists, useReader } from "./reader.ts"

const texts = {
  en: {
    title: "Events",
    type: "Type",
    object: "Object",
    objectNumber: "Order, refund or dispute ID",
    amount: "Amount",
    status: "Status",
    created: "Created",
    number: "Event ID",
    sequence: "Sequence",
    emptyTitle: "No events yet",
    empty:
      "Payments, refunds and disputes create events. All of them are listed here, even when no webhook receives them. To read them with the API:"
  },
  zh: {
    title: "事件",
    type: "类型",
    object: "对象",
    objectNumber: "订单、退款或争议的 ID",
    amount: "金额",
    status: "状态",
    created: "发生时间",
    number: "事件 ID",
    sequence: "序号",
    emptyTitle: "还没有事件",
    empty: "付款、退款和争议都会产生事件。即使没有 Webhook 接收，也会显示在这里。通过 API 读取："
  }
}
type Texts = typeof texts.en
type Event = EventResource

const objectOf = ({ data }: Event): string => data.dispute_no ?? data.refund_no ?? data.trade_no ?? "–"

const { code, plain, time } = columnsFor<Event>()

const columnsOf = (words: Texts): ReadonlyArray<Column<Event>> => [
  plain("type", words.type),
  { id: "object", name: words.object, isWide: true, text: objectOf, cell: (row) => <code>{objectOf(row)}</code> },
  {
    id: "amount",
    name: words.amount,
    isNumber: true,
    amount: ({ data: { amount, currency } }) =>
      amount === undefined || currency === undefined ? null : { minor: amount, currency },
    cell: ({ data: { amount, currency } }) => <Amount minor={amount ?? null} currency={currency ?? ""} />
  },
  {
    id: "status",
    name: words.status,
    isWide: true,
    text: ({ data }) => data.status ?? "",
    cell: ({ data }) => (data.status === undefined ? "–" : <State of={data.status} />)
  },
  time("created_at", words.created),
  code("id", words.number, { isHidden: true }),
  plain("sequence", words.sequence, { isHidden: true, isNumber: true })
]

const listOf = (events: Lists["events"], words: Texts): ListBy<Event, EventQuery> => ({
  id: "events",
  title: words.title,
  columns: columnsOf(words),
  filters: [
    { name: "type", label: words.type, choices: EventType.literals.map((type) => [type, type]) },
    { name: "object_id", label: words.objectNumber }
  ],
  ...events,
  keyOf: ({ id }) => id,
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
      <AsCode
        call={{ method: "GET", path: "/v1/events?limit=10", sdk: "coffer.events.list", cli: "events list --limit 10" }}
      />
    </Empty>
  )
})

const Events = () => <ObjectList list={listOf(useReader().lists.events, useWords(texts))} />

export default Events
