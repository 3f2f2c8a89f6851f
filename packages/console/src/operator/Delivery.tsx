/** A delivery of a webhook: each attempt with the receiver's answer, and sending it again. */
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { useAtom } from "../api/registry.ts"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { Num, State, Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { ModeMark, OperatorAct } from "./operator.tsx"

const texts = {
  en: {
    heldUp: "Needs attention",
    resend: "Resend",
    resendSays: "Sends the same event to the same URL right away, as a new delivery.",
    attempts: "Attempts",
    none: "No attempts yet.",
    address: "URL",
    event: "Event",
    type: "Type",
    next: "Next attempt",
    created: "Created",
    of: "Resend of",
    mode: "Environment",
    answer: "Response"
  },
  zh: {
    heldUp: "待处理",
    resend: "重新发送",
    resendSays: "立即以新的投递将同一事件发送到同一 URL。",
    attempts: "尝试记录",
    none: "还没有尝试记录。",
    address: "URL",
    event: "事件",
    type: "类型",
    next: "下次尝试",
    created: "创建时间",
    of: "重发自",
    mode: "环境",
    answer: "响应"
  }
}

const Delivery = ({ number }: { readonly number: string }) => {
  const words = useWords(texts)
  const delivery = useAtom(
    OperatorsApi.query("webhook_deliveries", "get", { params: { delivery_id: number }, reactivityKeys: shown })
  )
  return (
    <ObjectPage
      result={delivery}
      back={["/operator/held-up?kind=delivery", words.heldUp]}
      number={number}
      head={({ data: { event_type, status } }) => (
        <>
          {event_type} <State of={status} />
        </>
      )}
      acts={({ data: { status } }) =>
        status !== "pending" && (
          <OperatorAct
            act="webhook_deliveries.resend"
            name={words.resend}
            isPrimary
            says={words.resendSays}
            call={(client) => client.webhook_deliveries.resend({ params: { delivery_id: number } })}
            code={() => ({ method: "POST", path: `/operator/v1/webhook_deliveries/${number}/resend` })}
          />
        )
      }
      facts={({ data }) => [
        [words.address, data.url],
        [words.event, <code key="e">{data.event_id}</code>],
        [words.type, data.event_type],
        [words.mode, <ModeMark key="m" mode={data.mode} />],
        [words.next, <Time key="n" at={data.next_attempt_at} />],
        [words.created, <Time key="c" at={data.created_at} />],
        ...(data.resend_of === null
          ? []
          : [[words.of, <Num key="o" id={data.resend_of} to={`/operator/deliveries/${data.resend_of}`} />] as const])
      ]}
    >
      {({ data: { attempts } }) => (
        <section className="card">
          <h2>{words.attempts}</h2>
          {attempts.length === 0 && <p className="soft">{words.none}</p>}
          <ol className="story">
            {attempts.map(({ at, attempt, duration_ms, failure, kind, response_excerpt, status_code }) => (
              <li key={attempt} className={status_code !== null && status_code < 300 ? "order" : "dispute"}>
                <details>
                  <summary>
                    <span className="kind">
                      {attempt} · {kind}
                    </span>
                    <span className="text">
                      {status_code ?? ""} {failure ?? ""} · {duration_ms} ms
                    </span>
                    <Time at={at} />
                  </summary>
                  {response_excerpt !== null && (
                    <pre className="content" tabIndex={0} aria-label={words.answer}>
                      {response_excerpt}
                    </pre>
                  )}
                </details>
              </li>
            ))}
          </ol>
        </section>
      )}
    </ObjectPage>
  )
}

export default Delivery
