/** The list of events, by type and by object. */
import type { EventQuery, EventResource } from "@coffer/contract/Events"
import { EventType } from "@coffer/model/EventType"
import { events } from "@coffer/resources/webhooks"
import { AsCode } from "../parts/AsCode.tsx"
import { columnsOf } from "../parts/declared.tsx"
import type { Column, ListBy } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { Amount, State } from "../parts/values.tsx"
import { type Language, useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { callOf } from "./MerchantAct.tsx"
import { ObjectList } from "./ObjectList.tsx"
import { type Reader, useReader } from "./reader.ts"

const texts = {
  en: {
    object: "Object",
    objectNumber: "Order, refund or dispute ID",
    amount: "Amount",
    status: "Status",
    emptyTitle: "No events yet",
    empty:
      "Payments, refunds and disputes create events. All of them are listed here, even when no webhook receives them. To read them with the API:"
  },
  zh: {
    object: "对象",
    objectNumber: "订单、退款或争议的 ID",
    amount: "金额",
    status: "状态",
    emptyTitle: "还没有事件",
    empty: "付款、退款和争议都会产生事件。即使没有 Webhook 接收，也会显示在这里。通过 API 读取："
  }
}
type Texts = typeof texts.en
type Event = EventResource

const objectOf = ({ data }: Event): string => data.dispute_no ?? data.refund_no ?? data.trade_no ?? "–"

const columns = (words: Texts, language: Language): ReadonlyArray<Column<Event>> =>
  columnsOf<Event>(events, language, { sequence: { isNumber: true } }).toSpliced(
    1,
    0,
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
    }
  )

const listOf = ({ lists }: Reader, words: Texts, language: Language): ListBy<Event, EventQuery> => ({
  id: "events",
  title: wordsIn(events.listing.label, language),
  columns: columns(words, language),
  filters: [
    {
      name: "type",
      label: wordsIn(events.fields.type.label, language),
      choices: EventType.literals.map((type) => [type, type])
    },
    { name: "object_id", label: words.objectNumber }
  ],
  ...lists.events,
  keyOf: ({ id }) => id,
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
      <AsCode call={callOf("events.list", { query: { limit: "10" } }, "events list --limit 10")} />
    </Empty>
  )
})

const Events = () => <ObjectList list={listOf(useReader(), useWords(texts), useLanguage())} />

export default Events
