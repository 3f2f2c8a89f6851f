/** A merchant on one page: balances, disputes by deadline, what failed, and the newest of everything. */
import type { OverviewResource } from "@coffer/contract/Lookup"
import type { MerchantResource } from "@coffer/contract/Merchants"
import { Link } from "wouter"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { objectEvery, useLive } from "../api/registry.ts"
import { useDeliveries } from "../merchant/Deliveries.tsx"
import { useDisputes } from "../merchant/Disputes.tsx"
import { useLogs } from "../merchant/Logs.tsx"
import { useRefunds } from "../merchant/Refunds.tsx"
import { type List, Rows } from "../parts/ListPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { Amount } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { BeforeLive } from "./BeforeLive.tsx"
import { type Mode, ofAccount } from "./operator.tsx"

const texts = {
  en: {
    available: "Available",
    frozen: "on hold",
    disputes: "Disputes to respond to",
    failed: "Failed webhook deliveries",
    refunds: "Latest refunds",
    logs: "Latest API calls",
    none: "None.",
    all: "All"
  },
  zh: {
    available: "可用余额",
    frozen: "冻结",
    disputes: "待回应的争议",
    failed: "失败的 Webhook 投递",
    refunds: "最近的退款",
    logs: "最近的 API 调用",
    none: "无。",
    all: "全部"
  }
}
type Texts = typeof texts.en

const MerchantOverview = ({ merchant, mode }: { readonly merchant: MerchantResource; readonly mode: Mode }) => {
  const words = useWords(texts)
  const overview = useLive(
    OperatorsApi.query("lookup", "overview", {
      params: { merchant_id: merchant.merchant_id },
      query: { mode },
      reactivityKeys: shown
    }),
    objectEvery
  )
  return (
    <Loaded result={overview}>
      {({ data }) => (
        <>
          {mode === "live" && merchant.closed_at === null && <BeforeLive merchant={merchant} overview={data} />}
          <Parts overview={data} words={words} />
        </>
      )}
    </Loaded>
  )
}

/** The newest rows of a list, with some of its columns. */
const Newest = <Row,>(props: {
  readonly title: string
  /** The whole list. */
  readonly to: string
  readonly words: Texts
  readonly list: List<Row>
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
}) => {
  const { columns, list, rows, title, to, words } = props
  return (
    <section className="stack">
      <header className="head">
        <h2>{title}</h2>
        <Link href={to}>{words.all} →</Link>
      </header>
      {rows.length === 0 ? (
        <p className="soft">{words.none}</p>
      ) : (
        <Rows list={{ ...list, title }} columns={list.columns.filter(({ id }) => columns.includes(id))} rows={rows} />
      )}
    </section>
  )
}

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
      <Newest
        title={words.disputes}
        to={`${base}/disputes`}
        words={words}
        list={useDisputes()}
        columns={["amount", "status", "due", "trade_no"]}
        rows={disputes}
      />
      <Newest
        title={words.failed}
        to={`${base}/deliveries?status=failed`}
        words={words}
        list={useDeliveries()}
        columns={["event_type", "url", "created_at"]}
        rows={failed_deliveries}
      />
      <Newest
        title={words.refunds}
        to={`${base}/refunds`}
        words={words}
        list={useRefunds()}
        columns={["amount", "status", "trade_no", "created_at"]}
        rows={refunds}
      />
      <Newest
        title={words.logs}
        to={`${base}/logs`}
        words={words}
        list={useLogs()}
        columns={["call", "status", "error_code", "created_at"]}
        rows={api_logs}
      />
    </>
  )
}

export default MerchantOverview
