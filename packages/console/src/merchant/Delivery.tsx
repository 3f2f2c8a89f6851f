/** The page of a delivery: each attempt with the receiver's answer, the body that was sent, and sending it again. */
import { Link, useLocation } from "wouter"
import { shown } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { Act } from "../parts/act.tsx"
import { Json } from "../parts/Json.tsx"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { State, Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { type Delivery as DeliveryRow, resend } from "./Deliveries.tsx"

const texts = {
  en: {
    deliveries: "Deliveries",
    resend: "Resend",
    resendSays: "Sends the event to the same URL again right away, with the same event ID.",
    waits: "Delivery in progress. It will be retried automatically.",
    attempts: "Attempts",
    noneYet: "No attempts yet.",
    body: "Body",
    bodySays: "Every attempt sends the same body.",
    kinds: { automatic: "Automatic", manual: "Manual" },
    noAnswer: "No response",
    answer: "Response",
    emptyAnswer: "Empty response body.",
    event: "Event",
    endpoint: "Endpoint",
    address: "URL",
    created: "Created",
    next: "Next attempt",
    first: "Resend of",
    otherAddress: "URL of the order or account",
    lead: "The endpoint did not accept this event. Check its response, fix your server, then resend."
  },
  zh: {
    deliveries: "投递",
    resend: "重新发送",
    resendSays: "立即将事件再次发送到同一 URL，事件 ID 不变。",
    waits: "投递中，系统会自动重试。",
    attempts: "尝试记录",
    noneYet: "还没有尝试记录。",
    body: "内容",
    bodySays: "每次尝试发送的内容相同。",
    kinds: { automatic: "自动", manual: "手动" },
    noAnswer: "无响应",
    answer: "响应",
    emptyAnswer: "响应正文为空。",
    event: "事件",
    endpoint: "端点",
    address: "URL",
    created: "创建时间",
    next: "下次尝试",
    first: "重发自",
    otherAddress: "订单或账户的 URL",
    lead: "端点未成功接收此事件。请检查响应并修复服务器，然后重新发送。"
  }
}

const Delivery = ({ number }: { readonly number: string }) => {
  const account = useAccount()
  const { api, base, may } = account
  const words = useWords(texts)
  const [, go] = useLocation()
  const delivery = useAtom(
    api.query("webhook_deliveries", "get", { params: { delivery_id: number }, reactivityKeys: shown })
  )
  return (
    <ObjectPage
      result={delivery}
      back={[`${base}/deliveries`, words.deliveries]}
      number={number}
      head={({ data }) => (
        <>
          {data.event_type} <State of={data.status} />
        </>
      )}
      acts={({ data }) =>
        may("webhooks:write") && (
          <Act
            name={words.resend}
            isPrimary
            says={words.resendSays}
            notNow={data.status === "pending" ? words.waits : undefined}
            run={() =>
              resend(account, data.id).then((outcome) => {
                if ("done" in outcome) go(`${base}/deliveries/${outcome.done.data.id}`)
                return outcome
              })
            }
            code={() => ({
              method: "POST",
              path: `/v1/webhook_deliveries/${data.id}/resend`,
              sdk: "coffer.webhookDeliveries.resend",
              args: [data.id]
            })}
          />
        )
      }
      facts={({ data }) => [
        [
          words.event,
          <Link key="e" href={`${base}/events/${data.event_id}`}>
            <code>{data.event_id}</code>
          </Link>
        ],
        [
          words.endpoint,
          data.endpoint_id === null ? (
            words.otherAddress
          ) : (
            <Link key="p" href={`${base}/webhooks/${data.endpoint_id}`}>
              <code>{data.endpoint_id}</code>
            </Link>
          )
        ],
        [words.address, data.url],
        [words.created, <Time key="c" at={data.created_at} />],
        [words.next, <Time key="n" at={data.next_attempt_at} />],
        ...(data.resend_of === null
          ? []
          : [
              [
                words.first,
                <Link key="f" href={`${base}/deliveries/${data.resend_of}`}>
                  <code>{data.resend_of}</code>
                </Link>
              ] as const
            ])
      ]}
    >
      {({ data }) => (
        <>
          {data.status === "failed" && <p className="trouble">{words.lead}</p>}
          <section className="card">
            <h2>{words.attempts}</h2>
            {data.status === "pending" && <p className="soft small">{words.waits}</p>}
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
          <SentBody eventId={data.event_id} />
        </>
      )}
    </ObjectPage>
  )
}

const Attempt = ({ attempt }: { readonly attempt: DeliveryRow["attempts"][number] }) => {
  const words = useWords(texts)
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

const SentBody = ({ eventId }: { readonly eventId: string }) => {
  const { api } = useAccount()
  const words = useWords(texts)
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
