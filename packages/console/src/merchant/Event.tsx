/** The page of an event: its JSON as it is delivered, and its deliveries. */
import { events } from "@coffer/resources/webhooks"
import { Link } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { shown } from "../api/acts.ts"
import { objectEvery, useAtom, useLive } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { AsCode } from "../parts/AsCode.tsx"
import { factsOf } from "../parts/declared.tsx"
import { Json } from "../parts/Json.tsx"
import { type Column, Rows } from "../parts/ListPage.tsx"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { Amount, State } from "../parts/values.tsx"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { useDeliveries } from "./Deliveries.tsx"
import { callOf } from "./MerchantAct.tsx"
import { pageOf } from "./find.ts"

const texts = {
  en: {
    json: "Event",
    deliveries: "Deliveries",
    nowhere: "Not delivered: no endpoint was subscribed to this event type at the time.",
    more: "All deliveries of this event",
    status: "Status at the time",
    amount: "Amount",
    order: "Order",
    refund: "Refund",
    dispute: "Dispute",
    own: "Reference"
  },
  zh: {
    json: "事件数据",
    deliveries: "投递",
    nowhere: "未投递：事件发生时没有端点订阅该类型。",
    more: "此事件的全部投递",
    status: "当时状态",
    amount: "金额",
    order: "订单",
    refund: "退款",
    dispute: "争议",
    own: "商户单号"
  }
}

const Event = ({ number }: { readonly number: string }) => {
  const { base } = useAccount()
  const api = useApi()
  const words = useWords(texts)
  const language = useLanguage()
  const event = useAtom(api.query("events", "get", { params: { event_id: number }, reactivityKeys: shown }))
  const to = (id: string) => (
    <Link key={id} href={`${base}${pageOf(id) ?? ""}`}>
      <code>{id}</code>
    </Link>
  )
  return (
    <ObjectPage
      result={event}
      back={[`${base}/events`, wordsIn(events.listing.label, language)]}
      number={number}
      head={({ data }) => data.type}
      facts={({ data: { data, ...rest } }) => [
        ...(data.trade_no === undefined ? [] : [[words.order, to(data.trade_no)] as const]),
        ...(data.refund_no === undefined ? [] : [[words.refund, to(data.refund_no)] as const]),
        ...(data.dispute_no === undefined ? [] : [[words.dispute, to(data.dispute_no)] as const]),
        ...(data.out_trade_no === undefined ? [] : [[words.own, <code key="o">{data.out_trade_no}</code>] as const]),
        ...(data.amount === undefined
          ? []
          : [[words.amount, <Amount key="a" minor={data.amount} currency={data.currency ?? ""} />] as const]),
        ...(data.status === undefined ? [] : [[words.status, <State key="s" of={data.status} />] as const]),
        ...factsOf(events, rest, language)
      ]}
    >
      {({ data }) => (
        <>
          <Deliveries eventId={data.id} />
          <section className="card">
            <h2>{words.json}</h2>
            <Json value={data} label={words.json} />
            <AsCode call={callOf("events.get", { params: { event_id: data.id } }, `events get ${data.id}`)} />
          </section>
        </>
      )}
    </ObjectPage>
  )
}

const Deliveries = ({ eventId }: { readonly eventId: string }) => {
  const account = useAccount()
  const words = useWords(texts)
  const list = useDeliveries()
  const result = useLive(list.page({ event_id: eventId, limit: "25" }), objectEvery)
  return (
    <section className="card">
      <h2>{words.deliveries}</h2>
      <Loaded result={result} lines={2}>
        {({ data: { data: rows, has_more } }) => (
          <>
            {rows.length === 0 ? (
              <p className="soft">{words.nowhere}</p>
            ) : (
              <Rows list={list} columns={byAddress(list.columns)} rows={rows} />
            )}
            {has_more && <Link href={`${account.base}/deliveries?event_id=${eventId}`}>{words.more}</Link>}
          </>
        )}
      </Loaded>
    </section>
  )
}

/** The URL first, since it distinguishes the deliveries of one event. */
const byAddress = <Row,>(columns: ReadonlyArray<Column<Row>>): ReadonlyArray<Column<Row>> =>
  ["url", "status", "answer", "attempts", "next_attempt_at"].flatMap((name) =>
    columns.filter(({ id }) => id === name).map((column) => (name === "url" ? { ...column, isWide: false } : column))
  )

export default Event
