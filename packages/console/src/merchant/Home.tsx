/** The home page of a merchant: figures, what needs attention, and a guide to the first payment. */
import type { OverviewResource } from "@coffer/contract/ConsoleMerchant"
import type { LedgerType } from "@coffer/model/Ledger"
import { Link } from "wouter"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { useLive } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { AsCode } from "../parts/AsCode.tsx"
import { useQuery } from "../parts/address.ts"
import { page } from "../parts/Part.tsx"
import { Plot } from "../parts/Plot.tsx"
import { plotsOf, sinceWeek, useHourIn } from "./homePlots.ts"
import { Loaded } from "../parts/states.tsx"
import { Amount, amountText, Time } from "../parts/values.tsx"
import { type Language, useLanguage, useWords } from "../parts/words.ts"
import { useNow } from "../parts/accountClock.ts"
import { answerText } from "./declines.ts"
import { leftText } from "./leftText.ts"

/** Only a merchant that has not taken a payment yet sees it. */
const GoLive = page(() => import("./GoLive.tsx"))

const texts = {
  en: {
    title: "Home",
    days: { "1": "Today", "7": "7 days", "30": "30 days", "90": "90 days" },
    day: "Day",
    hour: "Hour",
    paidOrders: "Payments",
    before: { "1": "a week ago", "7": "7 days before", "30": "30 days before", "90": "90 days before" },
    weekBefore: "a week ago",
    until: "by",
    period: "Period",
    currency: "Currency",
    volume: "Volume",
    today: "Today",
    payment: "payment",
    payments: "payments",
    rate: "Paid orders",
    rateOf: "of",
    created: "created",
    refunds: "Refunded",
    refund: "refund",
    refundsOf: "refunds",
    balance: "Available",
    held: "On hold",
    needs: "Needs attention",
    dispute: "dispute needs your response",
    disputes: "disputes need your response",
    nearest: "next due",
    late: "one is overdue",
    failing: "A webhook endpoint is failing:",
    since: "since",
    calm: "Nothing needs your attention.",
    counting: "Earlier days are still being counted.",
    zone: "Time zone:",
    firstTitle: "Your first payment",
    first: [
      "Create an order. The response contains the URL of a checkout page.",
      "Open that page and pay with the test card 4242 4242 4242 4242, any future expiry date and any CVC.",
      "The order is now paid. Its page shows the funds, the events and every step."
    ],
    firstLink: "Create an order here"
  },
  zh: {
    title: "首页",
    days: { "1": "今日", "7": "7 天", "30": "30 天", "90": "90 天" },
    day: "日期",
    hour: "小时",
    paidOrders: "付款数",
    before: { "1": "一周前", "7": "前 7 天", "30": "前 30 天", "90": "前 90 天" },
    weekBefore: "一周前",
    until: "截至",
    period: "时间段",
    currency: "货币",
    volume: "交易额",
    today: "今日",
    payment: "笔付款",
    payments: "笔付款",
    rate: "已付款订单",
    rateOf: "/",
    created: "个已创建",
    refunds: "已退款",
    refund: "笔退款",
    refundsOf: "笔退款",
    balance: "可用",
    held: "冻结",
    needs: "需要您处理",
    dispute: "个争议等待您回应",
    disputes: "个争议等待您回应",
    nearest: "最近的截止时间",
    late: "有一个已逾期",
    failing: "有 Webhook 端点投递失败：",
    since: "自",
    calm: "没有需要您处理的事项。",
    counting: "更早日期的数据仍在统计中。",
    zone: "时区：",
    firstTitle: "您的第一笔付款",
    first: [
      "创建订单。响应中包含收银台页面的 URL。",
      "打开该页面，用测试卡 4242 4242 4242 4242 付款，有效期任选未来月份，CVC 任意。",
      "订单已付款。订单页面会显示资金、事件和每一步记录。"
    ],
    firstLink: "在控制台创建"
  }
}
type Texts = typeof texts.en

const periods = ["1", "7", "30", "90"] as const
type Period = (typeof periods)[number]
type Currency = OverviewResource["currencies"][number]

/** Figures are counted by the service every few seconds. */
const lookEvery = 15_000

const Home = () => {
  const { merchantId, mode } = useAccount()
  const words = useWords(texts)
  const [query, setQuery] = useQuery()
  const days = periods.find((each) => each === query["days"]) ?? "30"
  const atom = OwnApi.query("overview", "get", {
    params: { merchant_id: merchantId },
    query: { mode, days },
    reactivityKeys: shown
  })
  const overview = useLive(atom, lookEvery)
  return (
    <div className="list home">
      <header className="head">
        <h1>{words.title}</h1>
        <div className="tabs" role="group" aria-label={words.period}>
          {periods.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === days}
              onClick={() => setQuery({ ...query, days: each })}
            >
              {words.days[each]}
            </button>
          ))}
        </div>
      </header>
      <Loaded result={overview} lines={8}>
        {({ data }) => <Figures overview={data} period={days} words={words} />}
      </Loaded>
    </div>
  )
}

const Figures = (props: { readonly overview: OverviewResource; readonly period: Period; readonly words: Texts }) => {
  const { overview, period, words } = props
  const { mode } = useAccount()
  const [query, setQuery] = useQuery()
  const { currencies, is_complete, time_zone } = overview
  const [busiest] = currencies.toSorted((a, b) => paidOf(b) - paidOf(a))
  const chosen = currencies.find(({ currency }) => currency === query["currency"]) ?? busiest
  const isNew = currencies.every((each) => each.balance.total_revenue === 0)
  return (
    <>
      <Needs overview={overview} isNew={isNew && mode === "live"} words={words} />
      {isNew && (mode === "live" ? <GoLive hasChannel={overview.has_channel} /> : <First words={words} />)}
      {chosen !== undefined && (
        <>
          {currencies.length > 1 && (
            <div className="tabs" role="group" aria-label={words.currency}>
              {currencies.map(({ currency }) => (
                <button
                  key={currency}
                  type="button"
                  aria-pressed={currency === chosen.currency}
                  onClick={() => setQuery({ ...query, currency })}
                >
                  {currency}
                </button>
              ))}
            </div>
          )}
          <OfCurrency figures={chosen} period={period} zone={time_zone} words={words} />
          <Balances currencies={currencies} words={words} />
          <p className="small soft">
            {words.zone} {time_zone}. {!is_complete && words.counting}
          </p>
        </>
      )}
    </>
  )
}

const sum = ({ days }: Currency, of: (day: Currency["days"][number]) => number) =>
  days.reduce((total, day) => total + of(day), 0)
const countText = (count: number, one: string, many: string) => `${count.toLocaleString()} ${count === 1 ? one : many}`

const paidOf = (figures: Currency) => sum(figures, ({ orders_paid }) => orders_paid)

const OfCurrency = (props: {
  readonly figures: Currency
  readonly period: Period
  readonly zone: string
  readonly words: Texts
}) => {
  const { figures, period, words, zone } = props
  const { base } = useAccount()
  const language = useLanguage()
  const { currency, days } = figures
  const [paid, created] = [paidOf(figures), sum(figures, ({ orders_created }) => orders_created)]
  const rateText = (part: number, whole: number) =>
    whole === 0 ? "–" : `${Math.round((100 * Math.min(part, whole)) / whole)} %`
  const money = (minor: number) => amountText(minor, currency, language)
  const [oldest, today] = [days[0], days.at(-1)]
  /** The rows that a tile has counted, in the days of the merchant's zone. */
  const rowsOf = (type: LedgerType, from: string, to: string) =>
    `${base}/ledger?${new URLSearchParams({ type, currency, from, to, zone })}`
  const hour = useHourIn(zone)
  return (
    <>
      <div className="tiles">
        {today !== undefined && (
          <Tile
            name={words.today}
            note={
              period === "1" && hour !== undefined
                ? sinceWeek(figures, hour, money, words)
                : countText(today.orders_paid, words.payment, words.payments)
            }
            to={rowsOf("payment_credit", today.day, today.day)}
          >
            {money(today.volume)}
          </Tile>
        )}
        {period !== "1" && (
          <Tile
            name={words.volume}
            note={countText(paid, words.payment, words.payments)}
            to={oldest && today && rowsOf("payment_credit", oldest.day, today.day)}
          >
            {money(sum(figures, ({ volume }) => volume))}
          </Tile>
        )}
        <Tile
          name={words.rate}
          note={`${paid.toLocaleString()} ${words.rateOf} ${created.toLocaleString()} ${words.created}`}
        >
          {rateText(paid, created)}
        </Tile>
        <Tile
          name={words.refunds}
          note={countText(
            sum(figures, ({ refunds }) => refunds),
            words.refund,
            words.refundsOf
          )}
          to={oldest && today && rowsOf("refund_debit", oldest.day, today.day)}
        >
          {money(sum(figures, ({ refunded }) => refunded))}
        </Tile>
      </div>
      <div className="plots">
        {plotsOf(figures, period, { language, words, to: (day) => rowsOf("payment_credit", day, day) }).map((plot) => (
          <section key={plot.title} className="card">
            <Plot
              {...plot}
              latest={period === "1" ? hour : undefined}
              unit={period === "1" ? words.hour : words.day}
              earlier={words.before[period]}
            />
          </section>
        ))}
      </div>
    </>
  )
}

const Tile = (props: {
  readonly name: string
  readonly note: string
  /** The address of the list of these objects. */
  readonly to?: string | undefined
  readonly children: React.ReactNode
}) => {
  const { children, name, note, to } = props
  return (
    <section className="card tile">
      <h2 className="small soft">{to === undefined ? name : <Link href={to}>{name} →</Link>}</h2>
      <p className="figure">{children}</p>
      <p className="small soft">{note}</p>
    </section>
  )
}

const Balances = ({ currencies, words }: { readonly currencies: ReadonlyArray<Currency>; readonly words: Texts }) => {
  const { base } = useAccount()
  return (
    <div className="tiles">
      {currencies.map(({ balance: { available_balance, frozen_balance }, currency }) => (
        <Link key={currency} href={`${base}/ledger?currency=${currency}`} className="card tile">
          <span className="small soft">
            {words.balance} {currency}
          </span>
          <span className="figure">
            <Amount minor={available_balance} currency={currency} />
          </span>
          <span className="small soft">
            {words.held} <Amount minor={frozen_balance} currency={currency} />
          </span>
        </Link>
      ))}
    </div>
  )
}

/** Objects that need attention, the most urgent first; one calm line if there are none. */
const Needs = (props: {
  readonly overview: OverviewResource
  /** The list of what is missing is below. */
  readonly isNew: boolean
  readonly words: Texts
}) => {
  const { isNew, overview, words } = props
  const { base } = useAccount()
  const language = useLanguage()
  const { disputes, failing_endpoints } = overview
  const now = useNow()
  if (disputes.needs_response === 0 && failing_endpoints.length === 0) {
    return isNew ? null : <p className="soft">✓ {words.calm}</p>
  }
  return (
    <section className="note urgent stack">
      <h2>{words.needs}</h2>
      <ul className="stack">
        {disputes.needs_response > 0 && (
          <li>
            <Link href={`${base}/disputes?status=needs_response`}>
              <strong>{disputes.needs_response}</strong>{" "}
              {disputes.needs_response === 1 ? words.dispute : words.disputes}
            </Link>
            {disputes.next_due_at !== null &&
              now !== undefined &&
              `, ${dueText(disputes.next_due_at, now, words, language)}`}
          </li>
        )}
        {failing_endpoints.map(({ endpoint_id, failing_since, reason, url }) => (
          <li key={endpoint_id}>
            {words.failing}{" "}
            <Link href={`${base}/webhooks/${encodeURIComponent(endpoint_id)}`}>
              <code>{url ?? endpoint_id}</code>
            </Link>
            , {words.since} <Time at={failing_since} isReal />: {answerText(reason, language)}
          </li>
        ))}
      </ul>
    </section>
  )
}

const dueText = (at: string, now: number, words: Texts, language: Language) => {
  const left = leftText(at, now, language)
  return left === undefined ? words.late : `${words.nearest} ${left}`
}

const First = ({ words }: { readonly words: Texts }) => {
  const { base } = useAccount()
  return (
    <section className="card">
      <h2>{words.firstTitle}</h2>
      <ol className="steps">
        {words.first.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <AsCode call={() => import("./firstCall.ts").then(({ firstCall }) => firstCall)} />
      <p>
        <Link href={`${base}/orders`}>{words.firstLink} →</Link>
      </p>
    </section>
  )
}

export default Home
