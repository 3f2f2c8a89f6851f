/** The page of a delivery: each attempt with the receiver's answer, the body that was sent, and sending it again. */
import { deliveries } from "@coffer/resources/webhooks"
import type * as AsyncResult from "effect/reactivity/AsyncResult"
import { Link, useLocation } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { shown } from "../api/acts.ts"
import { objectEvery, useAtom, useLive } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { factsOf } from "../parts/declared.tsx"
import { Json } from "../parts/Json.tsx"
import { type NamedFacts, ObjectPage } from "../parts/ObjectPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { State, Time } from "../parts/values.tsx"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"
import type { Delivery as DeliveryRow } from "./Deliveries.tsx"
import { MerchantAct } from "./MerchantAct.tsx"
import { type Reader, useReader } from "./reader.ts"

export const deliveryTexts = {
  en: {
    resend: "Resend",
    resendSays: "Sends the event to the same URL again right away, with the same event ID.",
    sendNow: "Send now",
    sendNowSays:
      "Makes one more attempt right away, with the same event ID, as a delivery of its own. The automatic attempts of this one go on, so your server may receive the event twice, one after the other.",
    sendOnceSays:
      "Makes another attempt right away, with the same event ID, as a delivery of its own. Your server may receive the event twice, one after the other.",
    waits: "Delivery in progress. It will be retried automatically.",
    waitsOnce: "Delivery in progress. It was sent by hand: one attempt, without automatic retries.",
    attempts: "Attempts",
    noneYet: "No attempts yet.",
    body: "Body",
    bodySays: "Every attempt sends the same body.",
    kinds: { automatic: "Automatic", manual: "Manual" },
    noAnswer: "No response",
    answer: "Response",
    emptyAnswer: "Empty response body.",
    otherAddress: "URL of the order or account",
    lead: "The endpoint did not accept this event. Check its response and fix the server, then resend."
  },
  zh: {
    resend: "重新发送",
    resendSays: "立即将事件再次发送到同一 URL，事件 ID 不变。",
    sendNow: "立即发送",
    sendNowSays:
      "立即以单独的投递再尝试一次，事件 ID 不变。此投递仍会自动重试，因此您的服务器可能先后收到同一事件两次。",
    sendOnceSays: "立即以单独的投递再尝试一次，事件 ID 不变。您的服务器可能先后收到同一事件两次。",
    waits: "投递中，系统会自动重试。",
    waitsOnce: "投递中。此投递由人工发起：仅尝试一次，不会自动重试。",
    attempts: "尝试记录",
    noneYet: "还没有尝试记录。",
    body: "内容",
    bodySays: "每次尝试发送的内容相同。",
    kinds: { automatic: "自动", manual: "手动" },
    noAnswer: "无响应",
    answer: "响应",
    emptyAnswer: "响应正文为空。",
    otherAddress: "订单或账户的 URL",
    lead: "端点未成功接收此事件。请检查响应并修复服务器，然后重新发送。"
  }
}

interface Props {
  readonly number: string
  readonly result: AsyncResult.AsyncResult<{ readonly data: DeliveryRow }, unknown>
  readonly back: readonly [href: string, text: string]
  readonly pageOf: Reader["pageOf"]
  readonly acts: (delivery: DeliveryRow) => React.ReactNode
  /** Further facts, shown first. */
  readonly facts?: (delivery: DeliveryRow) => NamedFacts
  readonly children?: (delivery: DeliveryRow) => React.ReactNode
}

/** The page for any reader. */
export const DeliveryPage = ({ acts, back, children, facts, number, pageOf, result }: Props) => {
  const words = useWords(deliveryTexts)
  const language = useLanguage()
  const linked = (id: string) => {
    const page = pageOf(id)
    return page === undefined ? (
      <code>{id}</code>
    ) : (
      <Link href={page}>
        <code>{id}</code>
      </Link>
    )
  }
  return (
    <ObjectPage
      result={result}
      back={back}
      number={number}
      head={({ data }) => (
        <>
          {data.event_type} <State of={data.status} />
        </>
      )}
      acts={({ data }) => acts(data)}
      facts={({ data }) => [
        ...(facts?.(data) ?? []),
        ...factsOf(deliveries, data, language, {
          event_id: linked(data.event_id),
          endpoint_id: data.endpoint_id === null ? words.otherAddress : linked(data.endpoint_id),
          resend_of: data.resend_of === null ? undefined : linked(data.resend_of)
        })
      ]}
    >
      {({ data }) => (
        <>
          {data.status === "failed" && <p className="trouble">{words.lead}</p>}
          <section className="card">
            <h2>{words.attempts}</h2>
            {data.status === "pending" && (
              <p className="soft small">{data.resend_of === null ? words.waits : words.waitsOnce}</p>
            )}
            {data.attempts.length === 0 ? (
              <p className="soft">{words.noneYet}</p>
            ) : (
              <ol className="attempts">
                {data.attempts.toReversed().map((attempt) => (
                  <Attempt key={attempt.attempt} attempt={attempt} />
                ))}
              </ol>
            )}
          </section>
          {children?.(data)}
        </>
      )}
    </ObjectPage>
  )
}

const Delivery = ({ number }: { readonly number: string }) => {
  const { pageOf } = useReader()
  const { base, may } = useAccount()
  const api = useApi()
  const words = useWords(deliveryTexts)
  const [, go] = useLocation()
  const delivery = useLive(
    api.query("webhook_deliveries", "get", { params: { delivery_id: number }, reactivityKeys: shown }),
    objectEvery
  )
  return (
    <DeliveryPage
      result={delivery}
      back={[`${base}/deliveries`, wordsIn(deliveries.listing.label, useLanguage())]}
      number={number}
      pageOf={pageOf}
      acts={({ id, resend_of, status }) =>
        may("webhooks:write") && (
          <MerchantAct
            operation="webhook_deliveries.resend"
            name={status === "pending" ? words.sendNow : words.resend}
            isPrimary
            says={deliverySays({ resend_of, status }, words)}
            request={() => ({ params: { delivery_id: id } })}
            onAnswer={({ data }) => go(`${base}/deliveries/${data.id}`)}
          />
        )
      }
    >
      {({ event_id }) => <SentBody eventId={event_id} />}
    </DeliveryPage>
  )
}

/** What another attempt means. One that was sent by hand has no automatic attempts that go on. */
export const deliverySays = (
  { resend_of, status }: Pick<DeliveryRow, "resend_of" | "status">,
  words: typeof deliveryTexts.en
) => (status !== "pending" ? words.resendSays : resend_of === null ? words.sendNowSays : words.sendOnceSays)

export const Attempt = ({ attempt }: { readonly attempt: DeliveryRow["attempts"][number] }) => {
  const words = useWords(deliveryTexts)
  const isGood = attempt.status_code !== null && attempt.status_code >= 200 && attempt.status_code < 300
  return (
    <li>
      <p className="row">
        <span className={`state ${isGood ? "good" : "bad"}`}>{attempt.status_code ?? words.noAnswer}</span>
        <strong>{attempt.attempt}.</strong>
        <span className="soft">{words.kinds[attempt.kind]}</span>
        <span className="soft">{attempt.duration_ms} ms</span>
        <Time at={attempt.at} />
      </p>
      {attempt.failure !== null && <p>{attempt.failure}</p>}
      {attempt.status_code !== null && (
        <pre tabIndex={0} role="region" aria-label={`${words.answer} ${attempt.attempt}`}>
          {attempt.response_excerpt === null || attempt.response_excerpt === ""
            ? words.emptyAnswer
            : attempt.response_excerpt}
        </pre>
      )}
    </li>
  )
}

export const SentBody = ({ eventId }: { readonly eventId: string }) => {
  const api = useApi()
  const words = useWords(deliveryTexts)
  const event = useAtom(api.query("events", "get", { params: { event_id: eventId }, reactivityKeys: shown }))
  return (
    <section className="card">
      <h2>{words.body}</h2>
      <p className="soft small">{words.bodySays}</p>
      <Loaded result={event}>{({ data }) => <Json value={data} label={words.body} />}</Loaded>
    </section>
  )
}

export default Delivery
