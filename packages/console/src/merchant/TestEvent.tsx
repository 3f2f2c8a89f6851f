/**
 * A test event for a sandbox endpoint. It is real: it is produced by the same flow as by `coffer trigger`, so that its
 * body, signature and ids look as they will in production.
 */
import { EventType } from "@coffer/model/EventType"
import * as Effect from "effect/Effect"
import { act } from "../api/acts.ts"
import type { AccountApi } from "../api/clients.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { Act, ChoiceField } from "../parts/act.tsx"
import { useWords } from "../parts/words.ts"
import type { Endpoint } from "./Webhooks.tsx"
import { callOf } from "./MerchantAct.tsx"

const texts = {
  en: {
    name: "Send a test event",
    says: "Creates an order of $19.99 in the sandbox and takes it through the steps that produce this event. Every endpoint subscribed to the event receives it.",
    type: "Event"
  },
  zh: {
    name: "发送测试事件",
    says: "沙盒会创建一笔 $19.99 的订单，并执行产生该事件所需的步骤。所有订阅该事件的端点都会收到。",
    type: "事件"
  }
}

type Client = Parameters<Parameters<AccountApi["use"]>[0]>[0]

const amount = 1_999
const subject = "A test event"

const ordered = (client: Client) =>
  Effect.map(client.orders.create({ payload: sent({ amount, subject }) }), ({ data }) => data.trade_no)

const paid = (client: Client, how: { readonly outcome?: string; readonly payment_method?: string } = {}) =>
  Effect.tap(ordered(client), (ref) => client.test_helpers.pay({ params: { ref }, payload: sent(how) }))

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
  const { api, may, mode } = useAccount()
  const words = useWords(texts)
  if (mode !== "sandbox" || !may("test_helpers:write") || !may("orders:write")) return null
  const types = EventType.literals.filter(
    (type) => endpoint.enabled_events.includes("*") || endpoint.enabled_events.includes(type)
  )
  const typeOf = (typed: FormData) => (typed.get("type") ?? types[0]) as EventType
  return (
    <Act
      name={words.name}
      isPrimary={endpoint.status === "enabled"}
      says={words.says}
      fields={<ChoiceField label={words.type} name="type" choices={types.map((type) => [type, type] as const)} />}
      run={(typed) =>
        act(
          api,
          api.use((client) => flows[typeOf(typed)](client))
        )
      }
      code={(typed) => callOf("orders.create", { payload: { amount, subject } }, `trigger ${typeOf(typed)}`)}
    />
  )
}
