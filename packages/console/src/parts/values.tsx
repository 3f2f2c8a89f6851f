/** Values as people read them: amounts, times, numbers of objects, states. */
import { methodName, PaymentMethod } from "@coffer/model/PaymentMethod"
import * as Schema from "effect/Schema"
import { Currency } from "@coffer/model/Money"
import { useState } from "react"
import { Link } from "wouter"
import { copyText } from "../api/unsafePage.ts"
import { type Language, tags, useLanguage, useWords } from "./words.ts"

// Amounts --------------------------------------------------------------------------

const formats = new Map<string, Intl.NumberFormat>()

/** Minor units in their currency: 1999 USD is $19.99. */
export const amountText = (minor: number, currency: string, language: Language): string => {
  const key = `${language} ${currency}`
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(tags[language], { style: "currency", currency, currencyDisplay: "narrowSymbol" })
  formats.set(key, format)
  return format.format(minor / 100)
}

export const Amount = (props: {
  readonly minor: number | null
  readonly currency: string
  readonly signed?: boolean
}) => {
  const language = useLanguage()
  if (props.minor === null) return <span className="soft">–</span>
  const text = amountText(props.minor, props.currency, language)
  return (
    <span className="amount">
      {props.signed === true && props.minor > 0 ? "+" : ""}
      {text} <span className="currency">{props.currency}</span>
    </span>
  )
}

/** The currencies as the choices of a field or a filter. */
export const currencyChoices = Currency.literals.map((currency) => [currency, currency] as const)

/** A typed amount in minor units: "12.34" is 1234. Undefined if it is no amount of money. */
export const minorOf = (typed: string): number | undefined => {
  const [, whole, cents = ""] = /^\s*(\d{1,10})(?:[.,](\d{1,2}))?\s*$/.exec(typed) ?? []
  return whole === undefined ? undefined : Number(whole) * 100 + Number(cents.padEnd(2, "0"))
}

/** Minor units as they stand in a field: 1234 is "12.34". */
export const typedOf = (minor: number): string => (minor / 100).toFixed(2)

// Times ----------------------------------------------------------------------------

export const timeText = (time: string, language: Language, style: "short" | "full" = "short"): string =>
  new Intl.DateTimeFormat(
    tags[language],
    style === "short"
      ? { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }
      : { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" }
  ).format(new Date(time))

/** In the reader's zone; the title has the zone and the seconds. */
export const Time = ({ at, none = "–" }: { readonly at: string | null; readonly none?: string }) => {
  const language = useLanguage()
  if (at === null) return <span className="soft">{none}</span>
  return (
    <time dateTime={at} title={`${timeText(at, language, "full")}\n${at}`}>
      {timeText(at, language)}
    </time>
  )
}

// Numbers of objects ---------------------------------------------------------------

const copyWords = { en: { copy: "Copy", copied: "Copied" }, zh: { copy: "复制", copied: "已复制" } }

export const Copy = ({ text, label }: { readonly text: string; readonly label?: string }) => {
  const words = useWords(copyWords)
  const [isCopied, setCopied] = useState(false)
  const copy = () => {
    void copyText(text).then((isDone) => {
      setCopied(isDone)
      setTimeout(() => setCopied(false), 1_500)
    })
  }
  return (
    <button type="button" className="copy" onClick={copy} aria-label={`${words.copy} ${label ?? text}`}>
      <span aria-live="polite">{isCopied ? words.copied : words.copy}</span>
    </button>
  )
}

/** A number in full, to copy. `to`: the page of the object. */
export const Num = ({ id, to }: { readonly id: string; readonly to?: string | undefined }) => (
  <span className="num">
    {to === undefined ? (
      <code>{id}</code>
    ) : (
      <Link href={to}>
        <code>{id}</code>
      </Link>
    )}
    <Copy text={id} />
  </span>
)

// States ---------------------------------------------------------------------------

/** The colour of a state: succeeded, waiting, needs attention, ended. */
const tones: Readonly<Record<string, "good" | "wait" | "bad" | "calm">> = {
  paid: "good",
  succeeded: "good",
  won: "good",
  delivered: "good",
  active: "good",
  approved: "good",
  completed: "good",
  enabled: "good",
  verified: "good",
  pending: "wait",
  processing: "wait",
  under_review: "wait",
  requested: "wait",
  partially_refunded: "wait",
  ready: "good",
  needs_response: "bad",
  failed: "bad",
  lost: "bad",
  disabled: "bad",
  suspended: "bad",
  rejected: "bad",
  paused: "wait",
  unapproved: "wait",
  alive: "good",
  silent: "bad",
  gone: "bad",
  open: "bad",
  agreed: "good",
  running: "wait",
  done: "good",
  ok: "good",
  warning: "wait",
  error: "bad"
}

const stateWords: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {},
  zh: {
    ok: "正常",
    warning: "警告",
    error: "错误",
    "not applicable": "不适用",
    paid: "已付款",
    succeeded: "成功",
    won: "胜诉",
    delivered: "已送达",
    active: "启用",
    approved: "已批准",
    completed: "已完成",
    pending: "待处理",
    processing: "处理中",
    under_review: "审核中",
    requested: "已申请",
    partially_refunded: "部分退款",
    refunded: "已退款",
    needs_response: "待回应",
    failed: "失败",
    lost: "败诉",
    disabled: "停用",
    expired: "已过期",
    suspended: "已暂停",
    rejected: "已拒绝",
    enabled: "启用",
    verified: "已验证",
    paused: "已暂停",
    closed: "已关闭",
    inactive: "停用",
    accepted: "已接受",
    kept: "已保留，未发送",
    sent: "已发送",
    skipped: "已跳过",
    // States of operators' pages.
    unapproved: "未批准",
    revoked: "已撤销",
    open: "未解决",
    agreed: "已一致",
    running: "进行中",
    done: "完成",
    begun: "开始",
    refused: "被拒绝",
    seen: "查看",
    alive: "在线",
    silent: "无响应",
    gone: "已离线",
    owner: "所有者",
    developer: "开发者",
    support: "客服",
    finance: "财务",
    viewer: "只读",
    admin: "管理员",
    channel: "渠道",
    bank: "银行",
    merchant: "商户",
    operator: "运营方",
    receiver: "接收方",
    mail_server: "邮件服务器",
    order: "订单",
    refund: "退款",
    dispute: "争议",
    payout: "提现",
    request: "请求",
    unapplied_payment: "未入账付款",
    ledger: "账本",
    event: "事件",
    delivery: "投递",
    attempt: "尝试",
    receipt: "收据",
    payment_link: "支付链接",
    balance_transaction: "账本记录",
    webhook_delivery: "投递",
    webhook_endpoint: "Webhook 端点",
    api_log: "API 日志"
  }
}

/** By the name that buyers know. */
export const methodText = (method: string, language: Language): string =>
  isMethod(method) ? methodName(method, language) : method
const isMethod = Schema.is(PaymentMethod)

export const Method = ({ of }: { readonly of: string | null }) =>
  of === null ? <span className="soft">–</span> : <>{methodText(of, useLanguage())}</>

export const stateText = (state: string, language: Language): string =>
  stateWords[language][state] ?? state.charAt(0).toUpperCase() + state.slice(1).replaceAll("_", " ")

/** States, or other words of the API, as the choices of a field or a filter. */
export const stateChoices = (states: ReadonlyArray<string>, language: Language) =>
  states.map((state) => [state, stateText(state, language)] as const)

export const State = ({ of }: { readonly of: string }) => (
  <span className={`state ${tones[of] ?? "calm"}`}>{stateText(of, useLanguage())}</span>
)
