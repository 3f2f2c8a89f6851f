/** The filters of a list: in the address, so that a link has them. Periods are also in words. */
import { useEffect, useId, useState } from "react"
import type { Query } from "../api/lists.ts"
import { useNow } from "./accountClock.ts"
import { bare } from "./typing.ts"
import { useWords } from "./words.ts"

export interface Filter<Name extends string = string> {
  /** The query parameter of the list. */
  readonly name: Name
  readonly label: string
  /** Without choices it is a text. */
  readonly choices?: ReadonlyArray<readonly [value: string, text: string]>
  /** An amount is typed in whole units, and sent in minor ones. */
  readonly type?: "amount" | "date" | "search"
}

const texts = {
  en: {
    filter: "Filter",
    clear: "Clear filters",
    from: "From",
    to: "To",
    any: "Any",
    zone: "Days in time zone",
    period: "Period",
    periods: ["Today", "Last 7 days", "Last 30 days", "Last 90 days"]
  },
  zh: {
    filter: "筛选",
    clear: "清除筛选",
    from: "从",
    to: "至",
    any: "全部",
    zone: "日期按时区",
    period: "时间段",
    periods: ["今天", "最近 7 天", "最近 30 天", "最近 90 天"]
  }
}

/** Not filters by themselves: the zone of their days. */
const zoneName = "zone"

/** Periods in words, as days that end today. */
const periods = [1, 7, 30, 90] as const

const dayText = (at: Date) =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-")

/** Dates that are still being typed begin with zeros: 0002-11-01 before 2026. */
const isWholeDay = (day: string) => /^[1-9]\d{3}-/.test(day)

/**
 * The form is not re-rendered while values change, so that the focus stays. A choice and a complete date are applied at
 * once, other fields on blur or Enter.
 */
export const Filters = (props: {
  readonly filters: ReadonlyArray<Filter>
  readonly query: Query
  readonly onChange: (query: Query) => void
}) => {
  const { filters, onChange, query } = props
  const words = useWords(texts)
  const now = useNow() ?? Date.now()
  /** A day of the reader's zone, by the account's clock. */
  const dayAgo = (days: number) => {
    const day = new Date(now)
    // Not 24 hours: a day may have 23 or 25.
    day.setDate(day.getDate() - days)
    return dayText(day)
  }
  const id = useId()
  const [typed, setTyped] = useState(query)
  /** What a switch of the page sets is no filter of the list. */
  const isFilter = (name: string) =>
    name !== zoneName && (name !== "mode" || filters.some((filter) => filter.name === name))
  const active = Object.keys(query).filter(isFilter).length
  const [isOpen, setOpen] = useState(active > 0)
  const wanted = JSON.stringify(query)
  useEffect(() => {
    setTyped(query)
    if (active > 0) setOpen(true)
  }, [wanted])
  const all: ReadonlyArray<Filter> = [
    ...filters,
    { name: "from", label: words.from, type: "date" },
    { name: "to", label: words.to, type: "date" }
  ]
  const zone = query[zoneName]
  const type = (name: string, value: string) => setTyped((before) => ({ ...before, [name]: value }))
  const set = (name: string, value: string) => {
    const next = bare(value)
    const isDay = all.some((each) => each.name === name && each.type === "date")
    if (isDay && next !== "" && !isWholeDay(next)) return
    type(name, next)
    if (next !== (query[name] ?? "")) onChange({ ...query, [name]: next })
  }
  return (
    <details className="filters" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="button quiet small">
        {words.filter}
        {active > 0 && <span className="count">{active}</span>}
      </summary>
      <form className="row" onSubmit={(event) => event.preventDefault()}>
        {all.map(({ choices, label, name, type: kind }) => (
          <div className="field" key={name}>
            <label htmlFor={`${id}${name}`}>{label}</label>
            {choices === undefined ? (
              <input
                id={`${id}${name}`}
                name={name}
                type={kind === "amount" ? "text" : (kind ?? "search")}
                inputMode={kind === "amount" ? "decimal" : undefined}
                value={typed[name] ?? ""}
                onChange={({ target: { value } }) =>
                  kind === "date" && isWholeDay(value) ? set(name, value) : type(name, value)
                }
                onBlur={({ target }) => set(name, target.value)}
                onKeyDown={(event) => event.key === "Enter" && set(name, event.currentTarget.value)}
              />
            ) : (
              <select
                id={`${id}${name}`}
                name={name}
                value={typed[name] ?? ""}
                onChange={({ target }) => set(name, target.value)}
              >
                <option value="">{words.any}</option>
                {choices.map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            )}
          </div>
        ))}
        <div className="field">
          <label htmlFor={`${id}period`}>{words.period}</label>
          <select
            id={`${id}period`}
            value={periods.find((days) => query["from"] === dayAgo(days - 1) && query["to"] === dayAgo(0)) ?? ""}
            onChange={({ target: { value } }) => {
              const { from: _from, to: _to, zone: _zone, ...others } = query
              onChange(value === "" ? others : { ...others, from: dayAgo(Number(value) - 1), to: dayAgo(0) })
            }}
          >
            <option value="">{words.any}</option>
            {periods.map((days, index) => (
              <option key={days} value={days}>
                {words.periods[index]}
              </option>
            ))}
          </select>
        </div>
        {zone !== undefined && (
          <p className="small soft">
            {words.zone} {zone}
          </p>
        )}
        {active > 0 && (
          <button
            type="button"
            className="button quiet"
            onClick={(event) => {
              // The button disappears, so the focus moves to the first field.
              event.currentTarget.form?.querySelector<HTMLElement>("input, select")?.focus()
              onChange({})
            }}
          >
            {words.clear}
          </button>
        )}
      </form>
    </details>
  )
}
