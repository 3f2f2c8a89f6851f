/** The timeline of an order: each step links to its object and to the related steps. */
import type { TimelineEntry, TimelineResource } from "@coffer/contract/Timeline"
import { cardText } from "@coffer/model/PaymentMethod"
import { commandOf } from "@coffer/rules/order/statusTable"
import { useEffect, useMemo, useState } from "react"
import { Link } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { shown } from "../api/acts.ts"
import { objectEvery, useLive } from "../api/registry.ts"
import { decoded } from "../parts/address.ts"
import { Loaded } from "../parts/states.tsx"
import { stateText } from "../parts/stateWords.ts"
import { Amount, amountText, methodText, Time } from "../parts/values.tsx"
import { type Language, useLanguage, useWords } from "../parts/words.ts"
import { declineText } from "./declines.ts"
import { movementText, reasonText } from "./moneyWords.ts"
import { statusAt, type Step, stepsOf } from "./neighbours.ts"
import { useReader } from "./reader.ts"
import { StatusRow } from "./StatusTable.tsx"

const texts = {
  en: {
    title: "Timeline",
    says: "Select a step to see what it led to: from the API call to the funds, the event and each delivery attempt.",
    all: "All",
    cut: "Some kinds have more than 1,000 entries; the newest are not shown.",
    belongs: "Related",
    refused: "Error details",
    balance: "Balance",
    created: "Order created",
    paid: "Paid by",
    held: "Authorized, not charged, by",
    notCaptured: "Capture refused",
    asked: "Refund requested",
    refunded: "Refund succeeded",
    rejected: "Refund failed",
    opened: "Dispute opened",
    ended: "Dispute closed",
    to: "to",
    attempt: "Attempt",
    noAnswer: "no response",
    mail: "Receipt emailed to",
    outcomes: { declined: "declined by the bank", cancelled: "canceled by the buyer", failed: "failed" },
    unapplied: {
      late: "It arrived after the order had ended.",
      second: "It arrived after the order was already paid.",
      mismatch: "Its amount differs from the order's."
    },
    whereabouts: {
      due: "It is being returned to the buyer.",
      returned: "It was returned to the buyer.",
      parked: "An operator has to review it.",
      closed: "It was closed by an operator."
    },
    kinds: {
      request: "API request",
      order: "Order",
      payment_attempt: "Payment attempt",
      unapplied_payment: "Payment",
      refund: "Refund",
      dispute: "Dispute",
      ledger: "Balance",
      event: "Event",
      delivery: "Delivery",
      attempt: "Attempt",
      receipt: "Receipt"
    }
  },
  zh: {
    title: "时间线",
    says: "点击任一步骤查看相关内容：从 API 调用到资金、事件和每次投递尝试。",
    all: "全部",
    cut: "部分类别超过 1,000 条，最新的未显示。",
    belongs: "相关内容",
    refused: "错误详情",
    balance: "余额",
    created: "订单已创建",
    paid: "已付款，方式",
    held: "已授权，未扣款，方式",
    notCaptured: "扣款被拒绝",
    asked: "已申请退款",
    refunded: "退款已到账",
    rejected: "退款失败",
    opened: "买家发起争议",
    ended: "争议已结束",
    to: "至",
    attempt: "第",
    noAnswer: "无响应",
    mail: "收据邮件发送至",
    outcomes: { declined: "被银行拒绝", cancelled: "买家已取消", failed: "失败" },
    unapplied: { late: "在订单结束后到账。", second: "在订单已付款后再次到账。", mismatch: "金额与订单不符。" },
    whereabouts: {
      due: "正在退回买家。",
      returned: "已退回买家。",
      parked: "等待运营方处理。",
      closed: "已由运营方关闭。"
    },
    kinds: {
      request: "API 请求",
      order: "订单",
      payment_attempt: "付款尝试",
      unapplied_payment: "付款",
      refund: "退款",
      dispute: "争议",
      ledger: "账本",
      event: "事件",
      delivery: "投递",
      attempt: "尝试",
      receipt: "收据"
    }
  }
}
type Texts = typeof texts.en
type Kind = keyof Texts["kinds"]

export const Story = ({ currency, number }: { readonly number: string; readonly currency: string }) => {
  const api = useApi()
  const words = useWords(texts)
  const story = useLive(api.query("timelines", "get", { params: { ref: number }, reactivityKeys: shown }), objectEvery)
  return (
    <section className="card">
      <h2>{words.title}</h2>
      <p className="small soft">{words.says}</p>
      <Loaded result={story}>{({ data }) => <Steps story={data} currency={currency} />}</Loaded>
    </section>
  )
}

/** The steps of a loaded timeline. */
export const Steps = (props: {
  readonly story: Pick<TimelineResource, "entries" | "truncated">
  readonly currency: string
}) => {
  const { currency, story } = props
  const { entries, truncated } = story
  const words = useWords(texts)
  const [kind, setKind] = useState<string>()
  const here = useHash()
  const steps = useMemo(() => stepsOf(entries), [entries])
  const byKey = useMemo(() => new Map(steps.map((step) => [step.key, step])), [steps])
  useEffect(() => {
    if (byKey.has(here)) setKind(undefined)
  }, [byKey, here])
  return (
    <>
      <div className="tabs" role="group" aria-label={words.title}>
        <button type="button" aria-pressed={kind === undefined} onClick={() => setKind(undefined)}>
          {words.all}
        </button>
        {Array.from(new Set(entries.map((entry) => entry.kind))).map((each) => (
          <button key={each} type="button" aria-pressed={kind === each} onClick={() => setKind(each)}>
            {words.kinds[each as Kind]}
          </button>
        ))}
      </div>
      <ol className="story">
        {steps
          .filter(({ entry }) => kind === undefined || entry.kind === kind)
          .map((step) => (
            <StepRow
              key={step.key}
              step={step}
              neighbours={step.neighbours.map((key) => byKey.get(key)!)}
              isHere={step.key === here}
              currency={currency}
              entries={entries}
            />
          ))}
      </ol>
      {truncated && <p className="soft">{words.cut}</p>}
    </>
  )
}

/** The step in the address, without `#`. */
const useHash = (): string => {
  const read = () => decoded(location.hash.slice(1))
  const [hash, setHash] = useState(read)
  useEffect(() => {
    const changed = () => setHash(read())
    addEventListener("hashchange", changed)
    addEventListener("popstate", changed)
    return () => {
      removeEventListener("hashchange", changed)
      removeEventListener("popstate", changed)
    }
  }, [])
  return hash
}

const amounts = new Set(["amount", "balance_before", "balance_after", "frozen_after", "fee", "taken"])

interface RowProps {
  readonly step: Step
  readonly neighbours: ReadonlyArray<Step>
  readonly isHere: boolean
  readonly currency: string
  /** The whole timeline. */
  readonly entries: ReadonlyArray<TimelineEntry>
}

const StepRow = ({ currency, entries, isHere, neighbours, step }: RowProps) => {
  const { entry, key } = step
  const words = useWords(texts)
  const language = useLanguage()
  const [isOpen, setOpen] = useState(isHere)
  const [row, setRow] = useState<HTMLLIElement | null>(null)
  useEffect(() => {
    if (!isHere || row === null) return
    setOpen(true)
    // A new page begins at its top; the step comes into view after that.
    const frame = requestAnimationFrame(() => row.scrollIntoView({ block: "center" }))
    return () => cancelAnimationFrame(frame)
  }, [isHere, row])
  const command = entry.kind === "request" ? commandOf(String(entry.details["path"])) : undefined
  return (
    <li ref={setRow} className={`${entry.kind} ${isHere ? "here" : ""}`} id={key}>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <StepText entry={entry} />
          <Time at={entry.at} />
        </summary>
        {isOpen && <Details entry={entry} currency={currency} />}
        {isOpen && command !== undefined && entry.details["error_code"] !== null && (
          <div className="why">
            <p className="small">
              <strong>{words.refused}</strong>
            </p>
            <StatusRow command={command} status={statusAt(entries, entry)} />
          </div>
        )}
      </details>
      {neighbours.length > 0 && (
        <nav className="near" aria-label={`${words.belongs}: ${key}`}>
          {neighbours.map((each) => (
            <a key={each.key} href={`#${encodeURIComponent(each.key)}`}>
              {label(each.entry, words, language)}
            </a>
          ))}
        </nav>
      )}
    </li>
  )
}

const Details = ({ currency, entry }: { readonly entry: TimelineEntry; readonly currency: string }) => {
  const { pageOf } = useReader()
  const linked = (value: string) => {
    const page = pageOf(value)
    return page === undefined ? (
      value
    ) : (
      <Link href={page}>
        <code>{value}</code>
      </Link>
    )
  }
  const facts = [["id", entry.id] as const, ...Object.entries(entry.details).filter(([, value]) => value !== null)]
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {amounts.has(name) && typeof value === "number" ? (
              <Amount minor={value} currency={currency} />
            ) : (
              linked(String(value))
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

// Texts ------------------------------------------------------------------------------

/** The kind of a step, and the step as a sentence. */
const StepText = ({ entry }: { readonly entry: TimelineEntry }) => {
  const words = useWords(texts)
  return (
    <>
      <span className="kind">{words.kinds[entry.kind as Kind]}</span>
      <span className="text">{sentence(entry, words, useLanguage())}</span>
    </>
  )
}

const field = (entry: TimelineEntry, name: string): string => String(entry.details[name] ?? "")
const money = (entry: TimelineEntry, name: string, language: Language) =>
  amountText(Number(entry.details[name]), field(entry, "currency"), language)

/** A payment method within a sentence. */
const methodIn = (entry: TimelineEntry, language: Language) => {
  const method = field(entry, "payment_method")
  return language === "en" && method === "card" ? method : methodText(method, language)
}

/** The method of a failed try, and its card where one is known. */
const triedWith = (entry: TimelineEntry, language: Language): string => {
  const method = methodText(field(entry, "payment_method"), language)
  const [brand, last4] = [field(entry, "card_brand"), field(entry, "card_last4")]
  return last4 === "" ? method : `${method} ${cardText({ brand, last4 })}`
}

/** Chinese has a wide colon, without a space. */
const colonOf = (language: Language) => (language !== "en" ? "：" : ": ")

/** A hold has the time until which it can be captured, and a payment its number. */
const orderStep = (entry: TimelineEntry, words: Texts, language: Language): string => {
  const { capture_by: isHeld, payment_id: isPaid } = entry.details
  if (isHeld === undefined && isPaid === undefined) return words.created
  return `${isPaid === undefined ? words.held : words.paid} ${methodIn(entry, language)}`
}

/** A step as a sentence; a kind that is newer than this page gets the service's own text. */
const sentence = (entry: TimelineEntry, words: Texts, language: Language): React.ReactNode => {
  const isEnd = entry.details["status"] !== undefined
  const colon = colonOf(language)
  switch (entry.kind) {
    case "request":
      return (
        <>
          <code>
            {field(entry, "method")} {field(entry, "path")}
          </code>{" "}
          → {field(entry, "status")}
          {entry.details["error_code"] === null ? "" : ` ${field(entry, "error_code")}`}
        </>
      )
    case "order": {
      const step = `${orderStep(entry, words, language)}${colon}${money(entry, "amount", language)}`
      const refusal = field(entry, "refusal")
      const stop = language === "en" ? ". " : "。"
      return refusal === "" ? step : `${step}${stop}${words.notCaptured}${colon}${refusal}`
    }
    case "payment_attempt": {
      const outcome = words.outcomes[field(entry, "outcome") as keyof Texts["outcomes"]]
      const why = declineText(field(entry, "reason"), field(entry, "message"), language)
      return `${triedWith(entry, language)}${language !== "en" ? "，" : ", "}${outcome}${colon}${why}`
    }
    case "unapplied_payment": {
      const why = words.unapplied[field(entry, "reason") as keyof Texts["unapplied"]]
      const now = words.whereabouts[field(entry, "status") as keyof Texts["whereabouts"]]
      if (why === undefined || now === undefined) return entry.text
      return `${money(entry, "amount", language)} ${methodIn(entry, language)}${colon}${why} ${now}`
    }
    case "refund":
      if (!isEnd) return `${words.asked}${colon}${money(entry, "amount", language)}`
      return entry.details["status"] === "failed"
        ? `${words.rejected}${colon}${field(entry, "failure_reason")}`
        : words.refunded
    case "dispute":
      return isEnd
        ? `${words.ended}${colon}${stateText(field(entry, "status"), language)}`
        : `${words.opened}${colon}${money(entry, "amount", language)}, ${reasonText(field(entry, "reason"), language)}`
    case "ledger":
      return (
        <>
          {movementText(field(entry, "type"), language)}
          {colon}
          <strong>{money(entry, "amount", language)}</strong>{" "}
          <span className="soft">
            {words.balance} {money(entry, "balance_after", language)}
          </span>
        </>
      )
    case "event":
      return <code>{field(entry, "type")}</code>
    case "delivery":
      return `${words.to} ${field(entry, "url")}${colon}${stateText(field(entry, "status"), language)}`
    case "attempt": {
      const answer = field(entry, "status_code") || field(entry, "failure") || words.noAnswer
      const number = field(entry, "attempt")
      return `${language !== "en" ? `第 ${number} 次` : `${words.attempt} ${number}`}${colon}${answer}, ${field(entry, "duration_ms")} ms`
    }
    case "receipt":
      return `${words.mail} ${field(entry, "recipient")}${colon}${stateText(field(entry, "status"), language)}`
    default:
      return entry.text
  }
}

/** A step in a word or two, for links to it. */
const label = (entry: TimelineEntry, words: Texts, language: Language): string => {
  const kind = words.kinds[entry.kind as Kind]
  const colon = colonOf(language)
  switch (entry.kind) {
    case "ledger":
      return `${kind}${colon}${movementText(field(entry, "type"), language)}`
    case "event":
      return `${kind}${colon}${field(entry, "type")}`
    case "attempt":
      return `${kind} ${field(entry, "attempt")}`
    case "order":
      return orderStep(entry, words, language)
    case "refund":
      return entry.details["status"] === undefined
        ? words.asked
        : entry.details["status"] === "failed"
          ? words.rejected
          : words.refunded
    case "dispute":
      return entry.details["status"] === undefined ? words.opened : words.ended
    case "request":
      return `${kind}${colon}${field(entry, "path").split("/").at(-1) ?? ""}`
    default:
      return kind
  }
}
