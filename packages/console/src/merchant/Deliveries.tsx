/** The list of deliveries of events, with bulk resends. */
import { type DeliveryQuery, DeliveryResource } from "@coffer/contract/WebhookDeliveries"
import { act } from "../api/acts.ts"
import type { InAccount } from "../api/session.ts"
import type { BulkAct } from "../parts/BulkActs.tsx"
import { columnsFor } from "../parts/columns.tsx"
import type { Column, ListBy } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { stateChoices } from "../parts/stateWords.ts"
import { type Language, useLanguage, useWords } from "../parts/words.ts"
import { Link } from "wouter"
import { ObjectList } from "./ObjectList.tsx"
import { type Reader, useReader } from "./reader.ts"

export type Delivery = DeliveryResource

const texts = {
  en: {
    title: "Deliveries",
    event: "Event",
    eventNumber: "Event ID",
    endpoint: "Endpoint ID",
    status: "Status",
    url: "URL",
    attempts: "Attempts",
    answer: "Last response",
    next: "Next attempt",
    created: "Created",
    number: "Delivery ID",
    noAnswer: "No response",
    resend: "Resend",
    resendSays: "Sends each event to the same URL again, with the same event ID.",
    emptyTitle: "No deliveries yet",
    empty: "Once you add a webhook endpoint, every event is sent to it and every attempt is listed here.",
    add: "Add endpoint"
  },
  zh: {
    title: "投递",
    event: "事件",
    eventNumber: "事件 ID",
    endpoint: "端点 ID",
    status: "状态",
    url: "URL",
    attempts: "尝试次数",
    answer: "最近响应",
    next: "下次尝试",
    created: "创建时间",
    number: "投递编号",
    noAnswer: "无响应",
    resend: "重新发送",
    resendSays: "将每个事件再次发送到同一 URL，事件 ID 不变。",
    emptyTitle: "还没有投递",
    empty: "添加 Webhook 端点后，所有事件都会发送到该端点，每次尝试都会显示在这里。",
    add: "添加端点"
  }
}
type Texts = typeof texts.en

/** The receiver's last answer, in a word. */
export const lastAnswer = ({ attempts }: Delivery, none: string): string => {
  const last = attempts.at(-1)
  return last === undefined ? "–" : String(last.status_code ?? last.failure ?? none)
}

const { code, plain, state, time } = columnsFor<Delivery>()

const columnsOf = (words: Texts): ReadonlyArray<Column<Delivery>> => [
  plain("event_type", words.event),
  state(words.status),
  {
    id: "url",
    name: words.url,
    isWide: true,
    text: ({ url }) => url,
    cell: ({ url }) => <span className="address">{url}</span>
  },
  {
    id: "answer",
    name: words.answer,
    text: (row) => lastAnswer(row, words.noAnswer),
    cell: (row) => lastAnswer(row, words.noAnswer)
  },
  {
    id: "attempts",
    name: words.attempts,
    isNumber: true,
    isWide: true,
    text: ({ attempts }) => String(attempts.length),
    cell: ({ attempts }) => attempts.length
  },
  time("next_attempt_at", words.next, { isWide: true }),
  time("created_at", words.created),
  code("id", words.number, { isHidden: true })
]

export const resend = ({ api }: InAccount, id: string) =>
  act(
    api,
    api.use((client) => client.webhook_deliveries.resend({ params: { delivery_id: id } }))
  )

const resendAct = (account: InAccount, words: Texts): BulkAct<Delivery> => ({
  name: words.resend,
  says: words.resendSays,
  fits: ({ status }) => status === "failed" || status === "skipped" || status === "succeeded",
  run: ({ id }) => resend(account, id)
})

/** The columns and the pages of deliveries, also for the parts of other pages. */
export const useDeliveries = () => {
  const words = useWords(texts)
  return { ...listOf(useReader(), words, useLanguage()), words }
}

const listOf = (
  { account, base, lists }: Reader,
  words: Texts,
  language: Language
): ListBy<Delivery, DeliveryQuery> => ({
  id: "deliveries",
  title: words.title,
  columns: columnsOf(words),
  filters: [
    { name: "status", label: words.status, choices: stateChoices(DeliveryResource.fields.status.literals, language) },
    { name: "event_id", label: words.eventNumber },
    { name: "endpoint_id", label: words.endpoint }
  ],
  ...lists.deliveries,
  keyOf: ({ id }) => id,
  bulk: account?.may("webhooks:write") ? [resendAct(account, words)] : [],
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
      <Link href={`${base}/webhooks`} className="button">
        {words.add}
      </Link>
    </Empty>
  )
})

const Deliveries = () => <ObjectList list={useDeliveries()} />

export default Deliveries
