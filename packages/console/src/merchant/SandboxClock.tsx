/** The test clock of a sandbox: its time, what comes due until a later time, and advancing it. */
import * as Effect from "effect/Effect"
import { useEffect, useId, useState } from "react"
import { Link } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { act, shown } from "../api/acts.ts"
import { lastOf, registry, useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { Act } from "../parts/act.tsx"
import { Loaded } from "../parts/states.tsx"
import { amountText, Time, timeText } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { rowsOf } from "../parts/walkPages.ts"
import { useReader } from "./reader.ts"
import { happenedOf } from "./happened.ts"
import { callOf } from "./MerchantAct.tsx"

const texts = {
  en: {
    title: "Test clock",
    says: "Everything time-based in your sandbox follows this clock. It can only be advanced.",
    real: "Same as real time.",
    ahead: "ahead of real time",
    days: "days",
    hours: "hours",
    how: "Advance by",
    to: "New time",
    advance: "Advance clock",
    advanceSays: "The clock stops at each time something is due, runs it, and goes on. It can't go back.",
    due: "Due in this period",
    dueNone: "Nothing in these lists is due by then.",
    more: "more",
    newest: "Based on the latest 100 of each list. Later retries of deliveries that fail again are not included.",
    expires: "Order expires",
    dispute: "Evidence due",
    retry: "Delivery retry",
    refund: "Refund settles",
    window: "Refund period ends",
    moving: "Advancing to",
    stops: "Stops made",
    happened: "What happened",
    nothing: "Nothing.",
    spans: [
      "1 hour",
      "6 hours",
      "1 day",
      "2 days",
      "3 days",
      "7 days",
      "14 days",
      "30 days",
      "60 days",
      "90 days",
      "180 days",
      "1 year"
    ]
  },
  zh: {
    title: "测试时钟",
    says: "沙盒中所有与时间有关的内容都以此时钟为准。时钟只能向前推进。",
    real: "与真实时间一致。",
    ahead: "快于真实时间",
    days: "天",
    hours: "小时",
    how: "向前推进",
    to: "推进后时间为",
    advance: "推进时钟",
    advanceSays: "时钟会在每个到期时刻停下，执行到期事项后继续。无法倒回。",
    due: "此期间到期的事项",
    dueNone: "此期间列表中没有到期的事项。",
    more: "项",
    newest: "根据各列表最近的 100 条统计，不包括再次失败后的重试。",
    expires: "订单过期",
    dispute: "证据提交截止",
    retry: "重新投递",
    refund: "退款结算",
    window: "退款期限届满",
    moving: "正在推进至",
    stops: "停留次数",
    happened: "期间发生的事件",
    nothing: "无。",
    spans: ["1 小时", "6 小时", "1 天", "2 天", "3 天", "7 天", "14 天", "30 天", "60 天", "90 天", "180 天", "1 年"]
  }
}

const hour = 3_600_000
const day = 24 * hour
/** Spans as the API takes them, with their lengths. */
const spans: ReadonlyArray<readonly [by: string, ms: number]> = [
  ["1h", hour],
  ["6h", 6 * hour],
  ["1d", day],
  ["2d", 2 * day],
  ["3d", 3 * day],
  ["7d", 7 * day],
  ["14d", 14 * day],
  ["30d", 30 * day],
  ["60d", 60 * day],
  ["90d", 90 * day],
  ["180d", 180 * day],
  ["365d", 365 * day]
]

export const SandboxClock = () => {
  const { may } = useAccount()
  const api = useApi()
  const words = useWords(texts)
  const language = useLanguage()
  const id = useId()
  const [index, setIndex] = useState(2)
  /** Where the last advance began, for the progress. */
  const [begun, setBegun] = useState<number>()
  const atom = api.query("test_helpers", "clock", { reactivityKeys: shown })
  const clock = useAtom(atom)
  const isMoving = lastOf(clock)?.data.status === "advancing"
  useEffect(() => {
    if (!isMoving) return
    const timer = setInterval(() => registry.refresh(atom), 1_000)
    return () => {
      clearInterval(timer)
      // It has reached its target: reload everything on the page.
      void act(api, Effect.void)
    }
  }, [isMoving, atom, api])
  const [by, ms] = spans[index]!
  return (
    <section className="card clock">
      <h2>{words.title}</h2>
      <Loaded result={clock} lines={3}>
        {({ data: { ahead_ms, happened, now, status, stops, target } }) => {
          const at = Date.parse(now)
          const then = new Date(at + ms)
          return (
            <>
              <p>
                <time className="now" dateTime={now}>
                  {timeText(now, language, "full")}
                </time>{" "}
                <span className="soft">
                  {ahead_ms === 0 ? words.real : `${aheadText(ahead_ms, words)} ${words.ahead}`}
                </span>
              </p>
              <p className="soft small">{words.says}</p>
              {status === "advancing" && target !== null ? (
                <div className="stack" role="status">
                  <p>
                    {words.moving} <Time at={target} />
                  </p>
                  <progress
                    {...(begun === undefined ? {} : { value: at - begun, max: Date.parse(target) - begun })}
                    aria-label={words.moving}
                  />
                </div>
              ) : (
                may("test_helpers:write") && (
                  <>
                    <div className="field">
                      <label htmlFor={id}>
                        {words.how}: {words.spans[index]}
                      </label>
                      <input
                        id={id}
                        type="range"
                        min={0}
                        max={spans.length - 1}
                        value={index}
                        aria-valuetext={words.spans[index]}
                        onChange={(event) => setIndex(Number(event.target.value))}
                      />
                      <p className="small soft">
                        {words.to} {timeText(then.toISOString(), language, "full")}
                      </p>
                    </div>
                    <Due until={then} now={at} />
                    <div className="acts">
                      <Act
                        name={`${words.advance}: ${words.spans[index]}`}
                        isPrimary
                        says={
                          <>
                            <p>{words.advanceSays}</p>
                            <p>
                              {words.to} {timeText(then.toISOString(), language, "full")}
                            </p>
                          </>
                        }
                        run={() => {
                          setBegun(at)
                          return act(
                            api,
                            api.use((client) => client.test_helpers.advanceClock({ payload: { by } }))
                          )
                        }}
                        code={() => callOf("test_helpers.advanceClock", { payload: { by } }, `clock advance ${by}`)}
                      />
                    </div>
                  </>
                )
              )}
              {stops > 0 && <Happened happened={happened} stops={stops} />}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

const aheadText = (ms: number, words: { readonly days: string; readonly hours: string }) =>
  ms >= day
    ? `${Math.round((ms / day) * 10) / 10} ${words.days}`
    : `${Math.round((ms / hour) * 10) / 10} ${words.hours}`

const Happened = (props: { readonly happened: Readonly<Record<string, number>>; readonly stops: number }) => {
  const words = useWords(texts)
  const language = useLanguage()
  const { base } = useAccount()
  const all = Object.entries(props.happened)
  return (
    <div className="stack" role="status">
      <h3>{words.happened}</h3>
      {all.length === 0 ? (
        <p>{words.nothing}</p>
      ) : (
        <ul>
          {all.map(([type, count]) => {
            const { page, text } = happenedOf(type, language)
            return (
              <li key={type}>
                <Link href={base + page}>{text}</Link>: {count.toLocaleString()}
              </li>
            )
          })}
        </ul>
      )}
      <p className="soft">
        {words.stops}: {props.stops}
      </p>
    </div>
  )
}

// Due matters ------------------------------------------------------------------------

interface DueItem {
  readonly at: string
  readonly text: string
  readonly detail: string
  readonly to: string
}

/** The maximum of shown due rows. */
const rowsMax = 12

const Due = ({ now, until }: { readonly now: number; readonly until: Date }) => {
  const words = useWords(texts)
  const due = together(useDue().filter(({ at }) => Date.parse(at) > now && Date.parse(at) <= until.getTime()))
  return (
    <div className="stack">
      <h3>{words.due}</h3>
      {due.length === 0 ? (
        <p className="soft">{words.dueNone}</p>
      ) : (
        <ol className="due">
          {due.slice(0, rowsMax).map(({ at, count, detail, text, to }) => (
            <li key={`${at} ${text}`}>
              <Time at={at} />
              <span>
                <Link href={to}>{text}</Link>
                {count > 1 && <strong> × {count}</strong>} <span className="soft">{detail}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
      {due.length > rowsMax && (
        <p>
          + {due.length - rowsMax} {words.more}
        </p>
      )}
      <p className="soft small">{words.newest}</p>
    </div>
  )
}

/** Sorted; items of one kind in the same minute are one row. */
const together = (items: ReadonlyArray<DueItem>) => {
  const rows = new Map<string, DueItem & { readonly count: number }>()
  for (const item of items.toSorted((one, other) => one.at.localeCompare(other.at))) {
    const key = `${item.text} ${item.at.slice(0, 16)}`
    const row = rows.get(key)
    rows.set(key, { ...(row ?? item), count: (row?.count ?? 0) + 1 })
  }
  return [...rows.values()]
}

/** Everything that comes due by the lists, at most 100 of each kind. */
const useDue = (): ReadonlyArray<DueItem> => {
  const { base } = useAccount()
  const words = useWords(texts)
  const language = useLanguage()
  const { deliveries, disputes, orders, refunds } = useReader().lists
  const most = { limit: "100" }
  const pending = rowsOf(useAtom(orders.page({ ...most, status: "pending" })))
  const paid = rowsOf(useAtom(orders.page({ ...most, status: "paid" })))
  const disputed = rowsOf(useAtom(disputes.page({ ...most, status: "needs_response" })))
  const refunding = rowsOf(useAtom(refunds.page({ ...most, status: "pending" })))
  const delivering = rowsOf(useAtom(deliveries.page({ ...most, status: "pending" })))
  const money = (amount: number, currency: string) => amountText(amount, currency, language)
  return [
    ...pending.map(({ amount, currency, expires_at, out_trade_no, trade_no }) => ({
      at: expires_at,
      text: words.expires,
      detail: `${money(amount, currency)} · ${out_trade_no}`,
      to: `${base}/orders/${trade_no}`
    })),
    ...paid.flatMap(({ amount, currency, out_trade_no, refundable_until, trade_no }) =>
      refundable_until === null
        ? []
        : [
            {
              at: refundable_until,
              text: words.window,
              detail: `${money(amount, currency)} · ${out_trade_no}`,
              to: `${base}/orders/${trade_no}`
            }
          ]
    ),
    ...disputed.flatMap(({ amount, currency, dispute_no, evidence_due_by }) =>
      evidence_due_by === null
        ? []
        : [
            {
              at: evidence_due_by,
              text: words.dispute,
              detail: money(amount, currency),
              to: `${base}/disputes/${dispute_no}`
            }
          ]
    ),
    ...refunding.map(({ amount, created_at, currency, refund_no }) => ({
      // A bank settles by itself after a minute.
      at: new Date(Date.parse(created_at) + 60_000).toISOString(),
      text: words.refund,
      detail: money(amount, currency),
      to: `${base}/refunds/${refund_no}`
    })),
    ...delivering.flatMap(({ event_type, id, next_attempt_at, url }) =>
      next_attempt_at === null
        ? []
        : [{ at: next_attempt_at, text: words.retry, detail: `${event_type} · ${url}`, to: `${base}/deliveries/${id}` }]
    )
  ]
}
