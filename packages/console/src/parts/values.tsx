/** Formats values for people: amounts, times, object numbers, states. */
import { methodName, PaymentMethod } from "@coffer/model/PaymentMethod"
import * as Schema from "effect/Schema"
import { Currency } from "@coffer/model/Money"
import { useState } from "react"
import { Link } from "wouter"
import { copyText } from "../api/unsafePage.ts"
import { useAhead } from "./accountClock.ts"
import { stateText } from "./stateWords.ts"
import { type Language, tags, useLanguage, useWords } from "./words.ts"

// Amounts --------------------------------------------------------------------------

const formats = new Map<string, Intl.NumberFormat>()

/** Minor units in their currency: 1999 USD is $19.99, 1999 HKD is HK$19.99. */
export const amountText = (minor: number, currency: string, language: Language): string => {
  const key = `${language} ${currency}`
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(tags[language], { style: "currency", currency, currencyDisplay: "symbol" })
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

/** Parses a typed amount into minor units: "12.34" is 1234. Undefined if it is not an amount. */
export const minorOf = (typed: string): number | undefined => {
  const [, whole, cents = ""] = /^\s*(\d{1,10})(?:[.,](\d{1,2}))?\s*$/.exec(typed) ?? []
  return whole === undefined ? undefined : Number(whole) * 100 + Number(cents.padEnd(2, "0"))
}

/** Minor units as the text of a field: 1234 is "12.34". */
export const typedOf = (minor: number): string => (minor / 100).toFixed(2)

// Times ----------------------------------------------------------------------------

/** The year is left out of a short text in this year: by `now`, which a sandbox has for itself, and by real time. */
const yearOf = (time: Date, now: number) =>
  [now, Date.now()].every((each) => new Date(each).getFullYear() === time.getFullYear())
    ? {}
    : ({ year: "numeric" } as const)

export const timeText = (
  time: string,
  language: Language,
  style: "short" | "full" = "short",
  now = Date.now()
): string => {
  const at = new Date(time)
  return new Intl.DateTimeFormat(
    tags[language],
    style === "short"
      ? { ...yearOf(at, now), month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }
      : { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" }
  ).format(at)
}

/** A day without its time: Mar 4. */
export const dayText = (time: string, language: Language, now = Date.now()): string => {
  const at = new Date(time)
  return new Intl.DateTimeFormat(tags[language], { ...yearOf(at, now), month: "short", day: "numeric" }).format(at)
}

/** The time of a day: 16:05. */
export const hourText = (time: number, language: Language): string =>
  new Intl.DateTimeFormat(tags[language], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(time)

const realWords = { en: { real: "real time" }, zh: { real: "真实时间" } }

/**
 * In the reader's zone; the title has the zone and the seconds. `isReal`: a moment of real time, which a sandbox that
 * is ahead says so.
 */
export const Time = (props: { readonly at: string | null; readonly none?: string; readonly isReal?: boolean }) => {
  const { at, isReal = false, none = "–" } = props
  const language = useLanguage()
  const words = useWords(realWords)
  const ahead = useAhead()
  if (at === null) return <span className="soft">{none}</span>
  return (
    <time dateTime={at} title={`${timeText(at, language, "full")}\n${at}`}>
      {timeText(at, language, "short", Date.now() + ahead)}
      {isReal && ahead > 0 && <span className="soft"> ({words.real})</span>}
    </time>
  )
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
  ["millisecond", 1]
] as const

/** A span in its largest unit: 1.5 days. */
export const spanText = (ms: number, language: Language): string => {
  const [unit, length] = units.find((each) => ms >= each[1]) ?? units[4]
  const format = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(tags[language], format).format(ms / length)
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

/** A full number with a copy button. `to`: the page of the object. */
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
  authorized: "wait",
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

/** By the name that buyers know. */
export const methodText = (method: string, language: Language): string =>
  isMethod(method) ? methodName(method, language) : method
const isMethod = Schema.is(PaymentMethod)

export const Method = ({ of }: { readonly of: string | null }) =>
  of === null ? <span className="soft">–</span> : <>{methodText(of, useLanguage())}</>

export const State = ({ of }: { readonly of: string }) => (
  <span className={`state ${tones[of] ?? "calm"}`}>{stateText(of, useLanguage())}</span>
)
