/** The list of deliveries of events, with bulk resends. */
import type { DeliveryQuery, DeliveryResource } from "@coffer/contract/WebhookDeliveries"
import { deliveries } from "@coffer/resources/webhooks"
import { accountApi, type AccountApi } from "../api/accountApi.ts"
import { act } from "../api/acts.ts"
import type { InAccount } from "../api/session.ts"
import type { BulkAct } from "../parts/BulkActs.tsx"
import { columnsOf, filtersOf } from "../parts/declared.tsx"
import type { Column, ListBy } from "../parts/ListPage.tsx"
import { Empty } from "../parts/states.tsx"
import { type Language, useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { Link } from "wouter"
import { ObjectList } from "./ObjectList.tsx"
import { type Reader, useReader } from "./reader.ts"

export type Delivery = DeliveryResource

const texts = {
  en: {
    attempts: "Attempts",
    answer: "Last response",
    noAnswer: "No response",
    resend: "Resend",
    resendSays:
      "Sends each event to the endpoint's URL now, with the same event ID. Pending deliveries keep their automatic attempts, so your server may receive an event twice.",
    emptyTitle: "No deliveries yet",
    empty: "Once you add a webhook endpoint, every event is sent to it and every attempt is listed here.",
    add: "Add endpoint"
  },
  zh: {
    attempts: "尝试次数",
    answer: "最近响应",
    noAnswer: "无响应",
    resend: "重新发送",
    resendSays:
      "立即将每个事件发送到端点的 URL，事件 ID 不变。待处理的投递仍会自动重试，因此您的服务器可能收到同一事件两次。",
    emptyTitle: "还没有投递",
    empty: "添加 Webhook 端点后，所有事件都会发送到该端点，每次尝试都会显示在这里。",
    add: "添加端点"
  }
}
type Texts = typeof texts.en

/** The receiver's last answer, in short. */
export const lastAnswer = ({ attempts }: Delivery, none: string): string => {
  const last = attempts.at(-1)
  return last === undefined ? "–" : String(last.status_code ?? last.failure ?? none)
}

const columns = (words: Texts, language: Language): ReadonlyArray<Column<Delivery>> =>
  columnsOf<Delivery>(deliveries, language, {
    url: { cell: ({ url }) => <span className="address">{url}</span> }
  }).toSpliced(
    3,
    0,
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
    }
  )

const resend = (api: AccountApi, id: string) =>
  act(
    api,
    api.use((client) => client.webhook_deliveries.resend({ params: { delivery_id: id } }))
  )

const resendAct = (account: InAccount, words: Texts): BulkAct<Delivery> => ({
  name: words.resend,
  says: words.resendSays,
  unfit: () => undefined,
  about: ({ event_type, id }) => [event_type, id],
  run: ({ id }) => resend(accountApi(account), id)
})

/** The list of deliveries, also for sections of other pages. */
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
  title: wordsIn(deliveries.listing.label, language),
  columns: columns(words, language),
  filters: filtersOf(deliveries, language),
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
