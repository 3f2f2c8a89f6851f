/**
 * A test event for a sandbox endpoint. It is real: it is produced by the same flow as by `coffer trigger`, so that its
 * body, signature and ids look as they will in production.
 */
import { EventType } from "@coffer/model/EventType"
import * as Effect from "effect/Effect"
import { Link } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { act } from "../api/acts.ts"
import type { AccountApi } from "../api/accountApi.ts"
import { useLive } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { Act, ChoiceField } from "../parts/act.tsx"
import { Loaded } from "../parts/states.tsx"
import { useWords } from "../parts/words.ts"
import { useDeliveries } from "./Deliveries.tsx"
import { Attempt, deliveryTexts, SentBody } from "./Delivery.tsx"
import type { Endpoint } from "./Webhooks.tsx"
import { callOf } from "./MerchantAct.tsx"

const texts = {
  en: {
    name: "Send a test event",
    says: "Creates an order of $19.99 in the sandbox and takes it through the steps that produce this event. Every endpoint subscribed to the event receives it.",
    type: "Event",
    waiting: "Waiting for the delivery…",
    page: "Open the delivery"
  },
  zh: {
    name: "发送测试事件",
    says: "沙盒会创建一笔 $19.99 的订单，并执行产生该事件所需的步骤。所有订阅该事件的端点都会收到。",
    type: "事件",
    waiting: "正在等待投递…",
    page: "打开该投递"
  }
}

type Client = Parameters<Parameters<AccountApi["use"]>[0]>[0]

const amount = 1_999
const subject = "A test event"

const ordered = (client: Client, more: { readonly capture?: "manual" } = {}) =>
  Effect.map(client.orders.create({ payload: sent({ amount, subject, ...more }) }), ({ data }) => data.trade_no)

const paid = (client: Client, how: { readonly outcome?: string; readonly payment_method?: string } = {}) =>
  Effect.tap(ordered(client), (ref) => client.test_helpers.pay({ params: { ref }, payload: sent(how) }))

const authorized = (client: Client) =>
  Effect.tap(ordered(client, { capture: "manual" }), (ref) =>
    client.test_helpers.authorize({ params: { ref }, payload: {} })
  )

const expired = (client: Client) => Effect.tap(ordered(client), (ref) => client.orders.expire({ params: { ref } }))

const refunded = (client: Client, trade_no: string) =>
  Effect.map(client.refunds.create({ payload: sent({ trade_no, amount: 500 }) }), ({ data }) => data.refund_no)

const disputed = (client: Client) =>
  Effect.flatMap(paid(client), (ref) =>
    Effect.map(
      client.test_helpers.dispute({ params: { ref }, payload: sent({ reason: "fraudulent" }) }),
      ({ data }) => data.dispute_no
    )
  )

const answered = (client: Client) =>
  Effect.tap(disputed(client), (ref) =>
    client.disputes.submitEvidence({
      params: { ref },
      payload: sent({ evidence: { product_description: "Two books" }, submit: true })
    })
  )

const decided = (client: Client, ref: string, outcome: "won" | "lost" | "closed") =>
  client.test_helpers.resolveDispute({ params: { ref }, payload: sent({ outcome }) })

/** How each event is produced. */
const flows: Readonly<Record<EventType, (client: Client) => Effect.Effect<unknown, unknown, never>>> = {
  "payment.succeeded": (client) => paid(client),
  "payment.failed": (client) => paid(client, { outcome: "fail" }),
  "payment.expired": expired,
  "payment.duplicate_refunded": (client) =>
    Effect.flatMap(expired(client), (ref) => client.test_helpers.pay({ params: { ref }, payload: {} })),
  "payment.authorized": authorized,
  "payment.captured": (client) =>
    Effect.flatMap(authorized(client), (ref) => client.orders.capture({ params: { ref }, payload: {} })),
  "payment.canceled": (client) =>
    Effect.flatMap(authorized(client), (ref) => client.orders.expire({ params: { ref } })),
  "payment.authorization_expired": (client) =>
    Effect.flatMap(authorized(client), (ref) =>
      client.test_helpers.capture({ params: { ref }, payload: sent({ outcome: "release" }) })
    ),
  "refund.succeeded": (client) => Effect.flatMap(paid(client), (tradeNo) => refunded(client, tradeNo)),
  "refund.failed": (client) =>
    Effect.flatMap(paid(client, { payment_method: "alipay" }), (tradeNo) =>
      Effect.flatMap(refunded(client, tradeNo), (ref) =>
        client.test_helpers.settleRefund({ params: { ref }, payload: sent({ outcome: "failed" }) })
      )
    ),
  "dispute.created": disputed,
  "dispute.updated": answered,
  "dispute.won": (client) => Effect.flatMap(answered(client), (ref) => decided(client, ref, "won")),
  "dispute.lost": (client) => Effect.flatMap(answered(client), (ref) => decided(client, ref, "lost")),
  "dispute.closed": (client) => Effect.flatMap(disputed(client), (ref) => decided(client, ref, "closed"))
}

export const TestEvent = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const { may, mode } = useAccount()
  const api = useApi()
  const words = useWords(texts)
  if (mode !== "sandbox" || !may("test_helpers:write") || !may("orders:write")) return null
  const types = EventType.literals.filter(
    (type) => endpoint.enabled_events.includes("*") || endpoint.enabled_events.includes(type)
  )
  const typeOf = (typed: FormData) => (typed.get("type") ?? types[0]) as EventType
  /** Produces the event. Its delivery is one after those that are there already. */
  const produce = (client: Client, type: EventType): Effect.Effect<Produced, unknown> =>
    Effect.flatMap(
      client.webhook_deliveries.list({ query: { endpoint_id: endpoint.id, limit: 1 } }),
      ({ data: { data } }) => Effect.as(flows[type](client), { type, after: data[0]?.id })
    )
  return (
    <Act
      name={words.name}
      isWide
      isPrimary={endpoint.status === "enabled"}
      says={words.says}
      fields={<ChoiceField label={words.type} name="type" choices={types.map((type) => [type, type] as const)} />}
      run={(typed) =>
        act(
          api,
          api.use((client) => produce(client, typeOf(typed)))
        )
      }
      result={(produced: Produced) => <Exchange endpoint={endpoint} produced={produced} />}
      code={(typed) => callOf("orders.create", { payload: { amount, subject } }, `trigger ${typeOf(typed)}`)}
    />
  )
}

interface Produced {
  readonly type: EventType
  /** The newest delivery before. */
  readonly after: string | undefined
}

/** The request and the response of the event's delivery, beside each other. */
const Exchange = ({ endpoint, produced }: { readonly endpoint: Endpoint; readonly produced: Produced }) => {
  const { base } = useAccount()
  const words = useWords(texts)
  const { answer } = useWords(deliveryTexts)
  const { page } = useDeliveries()
  const after = produced.after === undefined ? {} : { ending_before: produced.after }
  const found = useLive(page({ endpoint_id: endpoint.id, limit: "25", ...after }), 1_000)
  return (
    <Loaded result={found} lines={4}>
      {({ data: { data } }) => {
        const delivery = data.find(({ attempts, event_type }) => event_type === produced.type && attempts.length > 0)
        const attempt = delivery?.attempts.at(-1)
        if (delivery === undefined || attempt === undefined) return <p role="status">{words.waiting}</p>
        return (
          <>
            <div className="exchange">
              <SentBody eventId={delivery.event_id} />
              <section className="card">
                <h2>{answer}</h2>
                <ol className="attempts">
                  <Attempt attempt={attempt} />
                </ol>
              </section>
            </div>
            <p>
              <Link href={`${base}/deliveries/${delivery.id}`}>{words.page} →</Link>
            </p>
          </>
        )
      }}
    </Loaded>
  )
}
