/**
 * An order of any merchant for operators: first an unapplied payment, with the actions that resolve it, then the
 * timeline.
 */
import type { TimelineEntry } from "@coffer/contract/Timeline"
import { Link } from "wouter"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { objectEvery, useLive } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { Loaded } from "../parts/states.tsx"
import { Facts } from "../parts/ObjectPage.tsx"
import { stateText } from "../parts/stateWords.ts"
import { Amount, Method, Num, spanText, Time } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { typedIn } from "../parts/typed.tsx"
import { Disputed } from "../merchant/Disputes.tsx"
import { ReaderContext } from "../merchant/reader.ts"
import { Steps } from "../merchant/Story.tsx"
import { NoteField } from "./held.tsx"
import { MerchantLink, modeIn, ModeMark, ofAccount, OperatorAct } from "./operator.tsx"
import { useOperatorReader } from "./reader.tsx"

const texts = {
  en: {
    orders: "Merchant orders",
    order: "Order",
    merchant: "Merchant",
    mode: "Environment",
    took: "First to last step",
    parked: "A payment is waiting for your decision",
    due: "A payment is being returned to the buyer",
    steps: "What to do",
    first: "Check the acquirer's report: is the payment there, with this amount?",
    second: "Refund it at the acquirer, or ask the merchant to create an order of this amount for the buyer.",
    third: "Close it here, with a note on what you did.",
    noMoney: "No money moves. The payment leaves the “Needs attention” list, and your note stays in the timeline.",
    close: "Close payment",
    payment: "Payment",
    arrived: "Received",
    asked: "Order amount",
    method: "Method",
    reason: "Reason",
    at: "Paid",
    reasons: {
      late: "It arrived after the order had ended.",
      second: "It arrived after the order was already paid.",
      mismatch: "Its amount differs from the order's."
    },
    closed: "Closed. Nothing else in this order needs attention.",
    held: "Needs attention",
    overview: "Overview",
    story: "Timeline"
  },
  zh: {
    orders: "商户的订单",
    order: "订单",
    merchant: "商户",
    mode: "环境",
    took: "首末步骤间隔",
    parked: "有一笔付款等待您处理",
    due: "有一笔付款正在退回买家",
    steps: "处理步骤",
    first: "核对收单方报表：该付款是否存在，金额是否一致？",
    second: "在收单方退款，或请商户为买家创建此金额的订单。",
    third: "在此关闭，并备注您的处理方式。",
    noMoney: "不会移动资金。该付款将从“需关注”列表中移除，备注保留在时间线中。",
    close: "关闭付款",
    payment: "付款",
    arrived: "到账金额",
    asked: "订单金额",
    method: "支付方式",
    reason: "原因",
    at: "付款时间",
    reasons: { late: "在订单结束后到账。", second: "在订单已付款后再次到账。", mismatch: "金额与订单不符。" },
    closed: "已关闭。此订单没有其他需关注的事项。",
    held: "需关注的事项",
    overview: "概览",
    story: "时间线"
  }
}
type Texts = typeof texts.en

interface Props {
  readonly merchantId: string
  readonly mode?: string
  readonly number: string
}

const MerchantOrder = ({ merchantId, number, ...address }: Props) => {
  const mode = modeIn(address.mode)
  const words = useWords(texts)
  const reader = useOperatorReader(merchantId, mode)
  const story = useLive(
    OperatorsApi.query("timelines", "get", {
      params: { merchant_id: merchantId, ref: number },
      query: { mode },
      reactivityKeys: shown
    }),
    objectEvery
  )
  const language = useLanguage()
  return (
    <article className="object">
      <nav className="crumb">
        <Link href={`${ofAccount(merchantId, mode)}/orders`}>← {words.orders}</Link>
        <Num id={number} />
      </nav>
      <Loaded result={story} lines={8}>
        {({ data }) => {
          const { duration_ms, entries, trade_no } = data
          const order = entries.find(({ kind, details }) => kind === "order" && typeof details["amount"] === "number")
          const amount = order?.details["amount"]
          const currency = entries.map(({ details }) => details["currency"]).find((each) => typeof each === "string")
          const dispute = openDispute(entries)
          const unapplied = entries.filter(({ kind }) => kind === "unapplied_payment")
          return (
            <>
              <header className="head">
                <h1>
                  {words.order}{" "}
                  {typeof amount === "number" && <Amount minor={amount} currency={String(currency ?? "USD")} />}{" "}
                  <ModeMark mode={mode} />{" "}
                  {dispute !== undefined && (
                    <span className="state bad">
                      <Disputed due={textOrNull(dispute.details["evidence_due_by"])} />
                    </span>
                  )}
                </h1>
              </header>
              <div className="sides">
                <div className="stack">
                  {unapplied.map((entry) => (
                    <Unapplied
                      key={entry.id}
                      entry={entry}
                      tradeNo={trade_no}
                      price={typeof amount === "number" ? [amount, String(currency ?? "USD")] : undefined}
                      words={words}
                    />
                  ))}
                  <section className="card">
                    <h2>{words.story}</h2>
                    <ReaderContext value={reader}>
                      <Steps story={data} currency={String(currency ?? "USD")} />
                    </ReaderContext>
                  </section>
                </div>
                <Facts
                  facts={[
                    [words.merchant, <MerchantLink key="m" id={merchantId} mode={mode} />],
                    [words.mode, <ModeMark key="e" mode={mode} />],
                    [words.took, spanText(duration_ms, language)]
                  ]}
                />
              </div>
            </>
          )
        }}
      </Loaded>
    </article>
  )
}

const textOrNull = (value: unknown) => (typeof value === "string" ? value : null)

/** A dispute whose end is not in the timeline. */
const openDispute = (entries: ReadonlyArray<TimelineEntry>) => {
  const disputes = entries.filter(({ kind }) => kind === "dispute")
  const ended = new Set(disputes.flatMap(({ details, id }) => (details["status"] === undefined ? [] : [id])))
  return disputes.find(({ id }) => !ended.has(id))
}

/** An unapplied payment: its amount, the order's amount, what to do, and the act that resolves it. */
const Unapplied = (props: {
  readonly entry: TimelineEntry
  readonly tradeNo: string
  readonly price: readonly [amount: number, currency: string] | undefined
  readonly words: Texts
}) => {
  const { price, entry, tradeNo, words } = props
  const language = useLanguage()
  const { amount, currency, payment_method, reason, status } = entry.details
  if (status !== "parked" && status !== "due") {
    return status === "closed" ? (
      <section className="card">
        <p>✓ {words.closed}</p>
        <p className="buttons">
          <Link className="button quiet small" href="/operator">
            {words.overview}
          </Link>
          <Link className="button quiet small" href="/operator/held-up">
            {words.held}
          </Link>
        </p>
      </section>
    ) : null
  }
  return (
    <section className={`card matter ${status === "parked" ? "bad" : ""}`}>
      <header className="head">
        <h2>{status === "parked" ? words.parked : words.due}</h2>
        {status === "parked" && (
          <OperatorAct
            act="orders.closePayment"
            name={words.close}
            isPrimary
            says={words.noMoney}
            fields={<NoteField />}
            request={(typed) => ({
              params: { trade_no: tradeNo, payment_id: entry.id },
              payload: sent({ note: typedIn(typed, "note") ?? "" })
            })}
          />
        )}
      </header>
      <dl className="facts">
        <div>
          <dt>{words.payment}</dt>
          <dd>
            <Num id={entry.id} />
          </dd>
        </div>
        <div>
          <dt>{words.arrived}</dt>
          <dd>
            <strong>
              <Amount minor={Number(amount)} currency={String(currency)} />
            </strong>
          </dd>
        </div>
        {price !== undefined && (
          <div>
            <dt>{words.asked}</dt>
            <dd>
              <Amount minor={price[0]} currency={price[1]} />
            </dd>
          </div>
        )}
        <div>
          <dt>{words.reason}</dt>
          <dd>{words.reasons[reason as keyof Texts["reasons"]] ?? stateText(String(reason), language)}</dd>
        </div>
        <div>
          <dt>{words.method}</dt>
          <dd>
            <Method of={textOrNull(payment_method)} />
          </dd>
        </div>
        <div>
          <dt>{words.at}</dt>
          <dd>
            <Time at={entry.at} />
          </dd>
        </div>
      </dl>
      {status === "parked" && (
        <>
          <h3>{words.steps}</h3>
          <ol className="steps">
            <li>{words.first}</li>
            <li>{words.second}</li>
            <li>{words.third}</li>
          </ol>
        </>
      )}
    </section>
  )
}

export default MerchantOrder
