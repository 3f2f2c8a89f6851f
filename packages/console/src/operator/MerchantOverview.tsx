/** A merchant on one page: balances, disputes by deadline, what failed, and the newest of everything. */
import type { OverviewResource } from "@coffer/contract/Lookup"
import { Link } from "wouter"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { useAtom } from "../api/registry.ts"
import { Rows } from "../parts/ListPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { Amount, State, Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { type Mode, ofAccount, ofOrder } from "./operator.tsx"

const texts = {
  en: {
    available: "Available",
    frozen: "on hold",
    disputes: "Disputes to respond to",
    failed: "Failed webhook deliveries",
    refunds: "Latest refunds",
    logs: "Latest API calls",
    none: "None.",
    all: "All",
    amount: "Amount",
    status: "Status",
    until: "Due",
    order: "Order",
    event: "Event",
    to: "URL",
    at: "Time",
    call: "Endpoint",
    error: "Error"
  },
  zh: {
    available: "可用余额",
    frozen: "冻结",
    disputes: "待回应的争议",
    failed: "失败的 Webhook 投递",
    refunds: "最近的退款",
    logs: "最近的 API 调用",
    none: "无。",
    all: "全部",
    amount: "金额",
    status: "状态",
    until: "截止",
    order: "订单",
    event: "事件",
    to: "URL",
    at: "时间",
    call: "接口",
    error: "错误"
  }
}
type Texts = typeof texts.en

const MerchantOverview = ({ merchantId, mode }: { readonly merchantId: string; readonly mode: Mode }) => {
  const words = useWords(texts)
  const overview = useAtom(
    OperatorsApi.query("lookup", "overview", {
      params: { merchant_id: merchantId },
      query: { mode },
      reactivityKeys: shown
    })
  )
  return <Loaded result={overview}>{({ data }) => <Parts overview={data} words={words} />}</Loaded>
}

const Part = (props: {
  readonly title: string
  readonly to: string
  readonly words: Texts
  readonly isEmpty: boolean
  readonly children: React.ReactNode
}) => (
  <section className="stack">
    <header className="head">
      <h2>{props.title}</h2>
      <Link href={props.to}>{props.words.all} →</Link>
    </header>
    {props.isEmpty ? <p className="soft">{props.words.none}</p> : props.children}
  </section>
)

const Parts = ({ overview, words }: { readonly overview: OverviewResource; readonly words: Texts }) => {
  const { api_logs, balances, disputes, failed_deliveries, merchant_id, mode, refunds } = overview
  const base = ofAccount(merchant_id, mode)
  return (
    <>
      <div className="tiles">
        {balances.map(({ available_balance, currency, frozen_balance }) => (
          <Link key={currency} className="card tile" href={`${base}/ledger?currency=${currency}`}>
            <span className="soft">{words.available}</span>
            <span className="figure">
              <Amount minor={available_balance} currency={currency} />
            </span>
            <span className="small soft">
              {words.frozen} <Amount minor={frozen_balance} currency={currency} />
            </span>
          </Link>
        ))}
      </div>
      <Part title={words.disputes} to={`${base}/disputes`} words={words} isEmpty={disputes.length === 0}>
        <Rows
          list={{
            title: words.disputes,
            keyOf: ({ dispute_no }) => dispute_no,
            hrefOf: ({ trade_no }) => ofOrder(merchant_id, mode, trade_no)
          }}
          columns={[
            {
              id: "amount",
              name: words.amount,
              isNumber: true,
              text: () => "",
              cell: ({ amount, currency }) => <Amount minor={amount} currency={currency} />
            },
            { id: "status", name: words.status, text: () => "", cell: ({ status }) => <State of={status} /> },
            {
              id: "until",
              name: words.until,
              text: () => "",
              cell: ({ evidence_due_by }) => <Time at={evidence_due_by} />
            },
            {
              id: "order",
              name: words.order,
              isWide: true,
              text: () => "",
              cell: ({ trade_no }) => <code>{trade_no}</code>
            }
          ]}
          rows={disputes}
        />
      </Part>
      <Part
        title={words.failed}
        to={`${base}/deliveries?status=failed`}
        words={words}
        isEmpty={failed_deliveries.length === 0}
      >
        <Rows
          list={{ title: words.failed, keyOf: ({ id }) => id, hrefOf: ({ id }) => `/operator/deliveries/${id}` }}
          columns={[
            { id: "event", name: words.event, text: () => "", cell: ({ event_type }) => event_type },
            { id: "to", name: words.to, text: () => "", cell: ({ url }) => url },
            { id: "at", name: words.at, text: () => "", cell: ({ created_at }) => <Time at={created_at} /> }
          ]}
          rows={failed_deliveries}
        />
      </Part>
      <Part title={words.refunds} to={`${base}/refunds`} words={words} isEmpty={refunds.length === 0}>
        <Rows
          list={{
            title: words.refunds,
            keyOf: ({ refund_no }) => refund_no,
            hrefOf: ({ trade_no }) => ofOrder(merchant_id, mode, trade_no)
          }}
          columns={[
            {
              id: "amount",
              name: words.amount,
              isNumber: true,
              text: () => "",
              cell: ({ amount, currency }) => <Amount minor={amount} currency={currency} />
            },
            { id: "status", name: words.status, text: () => "", cell: ({ status }) => <State of={status} /> },
            {
              id: "order",
              name: words.order,
              isWide: true,
              text: () => "",
              cell: ({ trade_no }) => <code>{trade_no}</code>
            },
            { id: "at", name: words.at, text: () => "", cell: ({ created_at }) => <Time at={created_at} /> }
          ]}
          rows={refunds}
        />
      </Part>
      <Part title={words.logs} to={`${base}/logs`} words={words} isEmpty={api_logs.length === 0}>
        <Rows
          list={{ title: words.logs, keyOf: ({ request_id }) => request_id }}
          columns={[
            {
              id: "call",
              name: words.call,
              text: () => "",
              cell: ({ method, path }) => (
                <code>
                  {method} {path}
                </code>
              )
            },
            { id: "status", name: words.status, isNumber: true, text: () => "", cell: ({ status }) => status },
            {
              id: "error",
              name: words.error,
              isWide: true,
              text: () => "",
              cell: ({ error_code }) => error_code ?? "–"
            },
            { id: "at", name: words.at, text: () => "", cell: ({ created_at }) => <Time at={created_at} /> }
          ]}
          rows={api_logs}
        />
      </Part>
    </>
  )
}

export default MerchantOverview
