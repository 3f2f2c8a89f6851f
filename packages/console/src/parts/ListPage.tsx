/**
 * A list of objects: filters in the address bar, columns of choice, pages by cursor, live rows on the first page,
 * export, and acts on all that the filter names. Each list of the console is a value of type `List`.
 */
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useEffect, useId, useState } from "react"
import { Link, useLocation } from "wouter"
import type { PageAtom, Query } from "../api/lists.ts"
import { actsDone } from "../api/acts.ts"
import { useAtom, useLive } from "../api/registry.ts"
import { useSearchQuery } from "./address.ts"
import { useNow } from "./accountClock.ts"
import { type BulkAct, BulkMenu } from "./BulkActs.tsx"
import { ExportButton } from "./ExportRows.tsx"
import { Empty, Loaded } from "./states.tsx"
import { bare } from "./typing.ts"
import { Views, ViewTabs, type ViewState } from "./Views.tsx"
import { withTimes } from "./walkPages.ts"
import { useWords } from "./words.ts"

export interface Column<Row> {
  readonly id: string
  readonly name: string
  readonly cell: (row: Row) => React.ReactNode
  /** The same as plain text, for an export. A column of controls has neither this nor an amount, and is in no file. */
  readonly text?: (row: Row) => string
  /** An amount of money: a number in an export, with its currency beside it. Null where the row has none. */
  readonly amount?: (row: Row) => { readonly minor: number; readonly currency: string } | null
  readonly isNumber?: boolean
  /** Hidden by default. */
  readonly isHidden?: boolean
  /** Left out on a phone. */
  readonly isWide?: boolean
}

export interface Filter<Name extends string = string> {
  /** The query parameter of the list. */
  readonly name: Name
  readonly label: string
  /** Without choices it is a text. */
  readonly choices?: ReadonlyArray<readonly [value: string, text: string]>
  /** An amount is typed in whole units, and sent in minor ones. */
  readonly type?: "amount" | "date" | "search"
}

export interface List<Row, Name extends string = string> {
  /** The key of its settings in this browser: `orders`. */
  readonly id: string
  readonly title: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly filters?: ReadonlyArray<Filter<Name>>
  /** The atom of a page. The same query gives the same atom. */
  readonly page: (query: Query) => PageAtom<Row>
  readonly keyOf: (row: Row) => string
  /** The address of a row's page, if any. */
  readonly hrefOf?: ((row: Row) => string) | undefined
  /** Shown for an empty list: how to start. */
  readonly empty: React.ReactNode
  /** Buttons above the list. */
  readonly acts?: React.ReactNode
  readonly bulk?: ReadonlyArray<BulkAct<Row>>
  /** The poll interval of the first page in milliseconds; 0 for never. */
  readonly liveEvery?: number
  /** Shown above the filters. */
  readonly above?: React.ReactNode
  /** The level of its heading: 2 if the page has a heading. */
  readonly level?: 1 | 2
}

/** A list whose filters are names of the contract's query. */
export type ListBy<Row, Wanted> = List<Row, keyof Wanted & string>

const texts = {
  en: {
    filter: "Filter",
    clear: "Clear filters",
    from: "From",
    to: "To",
    columns: "Columns",
    older: "Older",
    newer: "Newer",
    first: "Latest",
    nothing: "No results match these filters.",
    any: "Any",
    rows: "Rows",
    tick: "Select",
    tickAll: "Select all rows on this page",
    fresh: "new",
    zone: "Days in time zone",
    period: "Period",
    periods: ["Today", "Last 7 days", "Last 30 days", "Last 90 days"]
  },
  zh: {
    filter: "筛选",
    clear: "清除筛选",
    from: "从",
    to: "至",
    columns: "列",
    older: "较早",
    newer: "较新",
    first: "最新",
    nothing: "没有符合筛选条件的记录。",
    any: "全部",
    rows: "行",
    tick: "选择",
    tickAll: "选择本页所有行",
    fresh: "条新记录",
    zone: "日期按时区",
    period: "时间段",
    periods: ["今天", "最近 7 天", "最近 30 天", "最近 90 天"]
  }
}

const cursors = ["starting_after", "ending_before"]
/** Not filters by themselves: the zone of their days. */
const zoneName = "zone"

export const ListPage = <Row,>({ list }: { readonly list: List<Row> }) => {
  const words = useWords(texts)
  const [query, setQuery] = useQuery()
  const filters = Object.fromEntries(Object.entries(query).filter(([name]) => !cursors.includes(name)))
  const isFirst = !cursors.some((name) => name in query)
  const atom = list.page({ limit: "25", ...withTimes(query) })
  const result = useLive(atom, isFirst ? (list.liveEvery ?? 5_000) : 0)
  const [columns, menu, chooseColumns] = useColumns(list)
  const ticks = useTicks(list.keyOf, JSON.stringify(filters))
  const choose = (view: ViewState) => {
    if (view.columns.length > 0) chooseColumns(view.columns)
    setQuery(view.filters)
  }

  // An empty list needs no filters, columns or export.
  const isEmpty =
    AsyncResult.isSuccess(result) && result.value.data.data.length === 0 && isFirst && Object.keys(filters).length === 0

  return (
    <section className="list">
      <header className="head">
        {list.level === 2 ? <h2>{list.title}</h2> : <h1>{list.title}</h1>}
        <div className="acts">{list.acts}</div>
      </header>
      {list.above}
      {!isEmpty && (
        <ViewTabs page={list.id} now={{ filters, columns: columns.map(({ id }) => id) }} onChoose={choose} />
      )}
      {!isEmpty && (
        <div className="tools">
          {list.filters !== undefined && <Filters filters={list.filters} query={filters} onChange={setQuery} />}
          <div className="acts">
            <Views page={list.id} now={{ filters, columns: columns.map(({ id }) => id) }} onChoose={choose} />
            {menu}
            <ExportButton list={list} now={{ filters, columns: columns.map(({ id }) => id) }} />
            {list.bulk !== undefined && list.bulk.length > 0 && (
              <BulkMenu
                list={list}
                acts={list.bulk}
                query={Object.keys(filters).length === 0 ? undefined : withTimes(filters)}
                ticked={[...ticks.rows.values()]}
              />
            )}
          </div>
        </div>
      )}
      <Loaded result={result} lines={10}>
        {({ data: { data: read, has_more } }) => (
          <Settled key={JSON.stringify(query)} rows={read} keyOf={list.keyOf} isLive={isFirst}>
            {(rows, waiting) =>
              rows.length === 0 && isFirst ? (
                Object.keys(filters).length === 0 ? (
                  list.empty
                ) : (
                  <Empty title={words.nothing}>
                    <button type="button" className="button quiet" onClick={() => setQuery({})}>
                      {words.clear}
                    </button>
                  </Empty>
                )
              ) : (
                <>
                  {waiting}
                  <Rows
                    list={list}
                    columns={columns}
                    rows={rows}
                    ticks={list.bulk !== undefined && list.bulk.length > 0 ? ticks : undefined}
                  />
                  <nav className="pages" aria-label={words.rows}>
                    {!isFirst && (
                      <button type="button" className="button quiet" onClick={() => setQuery(filters)}>
                        {words.first}
                      </button>
                    )}
                    {rows.length > 0 && ("starting_after" in query || ("ending_before" in query && has_more)) && (
                      <button
                        type="button"
                        className="button quiet"
                        onClick={() => setQuery({ ...filters, ending_before: list.keyOf(rows[0]!) })}
                      >
                        {words.newer}
                      </button>
                    )}
                    {rows.length > 0 && (has_more || "ending_before" in query) && (
                      <button
                        type="button"
                        className="button quiet"
                        onClick={() => setQuery({ ...filters, starting_after: list.keyOf(rows.at(-1)!) })}
                      >
                        {words.older}
                      </button>
                    )}
                  </nav>
                </>
              )
            }
          </Settled>
        )}
      </Loaded>
    </section>
  )
}

/**
 * Rows stay where they are: newer ones wait above them for a press, so that none moves under the pointer. What a person
 * did themselves is shown at once.
 */
const Settled = <Row,>(props: {
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  readonly isLive: boolean
  readonly children: (rows: ReadonlyArray<Row>, waiting: React.ReactNode) => React.ReactNode
}) => {
  const { children, isLive, keyOf, rows } = props
  const words = useWords(texts)
  const acted = useAtom(actsDone)
  const [state, setState] = useState({ acted, read: rows, shown: rows })
  let { shown } = state
  if (state.read !== rows) {
    const isAtOnce = !isLive || state.acted !== acted || shown.length === 0
    shown = isAtOnce ? rows : settle(shown, rows, keyOf)
    setState({ acted, read: rows, shown })
  }
  const known = new Set(shown.map(keyOf))
  const first = rows.findIndex((row) => known.has(keyOf(row)))
  const count = first === -1 ? rows.length : first
  return (
    <>
      {children(
        shown,
        count > 0 && (
          <p className="fresh">
            <button
              type="button"
              className="button quiet small"
              onClick={() => setState({ acted, read: rows, shown: rows })}
            >
              ↑ {count} {words.fresh}
            </button>
          </p>
        )
      )}
    </>
  )
}

/** The rows that are shown, as they are now. Those that newer rows have pushed off the page stay. */
const settle = <Row,>(shown: ReadonlyArray<Row>, read: ReadonlyArray<Row>, keyOf: (row: Row) => string) => {
  const now = new Map(read.map((row) => [keyOf(row), row]))
  const last = shown.findLastIndex((row) => now.has(keyOf(row)))
  return shown.flatMap((row, index) => now.get(keyOf(row)) ?? (index > last ? [row] : []))
}

/** A table of rows, also for sections of an object's page. */
export const Rows = <Row,>(props: {
  readonly list: Pick<List<Row>, "hrefOf" | "keyOf" | "title">
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly ticks?: Ticks<Row> | undefined
}) => {
  const { columns, list, rows, ticks } = props
  const words = useWords(texts)
  const [, go] = useLocation()
  const open = (event: React.MouseEvent, row: Row) => {
    const isControl = (event.target as Element).closest("a, button, input, label") !== null
    if (!isControl && list.hrefOf !== undefined && getSelection()?.toString() === "") go(list.hrefOf(row))
  }
  return (
    <div className="table" tabIndex={0} role="region" aria-label={list.title}>
      <table>
        <thead>
          <tr>
            {ticks !== undefined && (
              <th scope="col" className="tick">
                <label>
                  <input
                    type="checkbox"
                    aria-label={words.tickAll}
                    checked={rows.length > 0 && rows.every((row) => ticks.rows.has(list.keyOf(row)))}
                    onChange={({ target }) => ticks.tick(rows, target.checked)}
                  />
                </label>
              </th>
            )}
            {columns.map(({ id, isNumber, isWide, name }) => (
              <th key={id} scope="col" className={classOf(isNumber, isWide)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={list.keyOf(row)}
              className={list.hrefOf === undefined ? "" : "opens"}
              onClick={(event) => open(event, row)}
            >
              {ticks !== undefined && (
                <td className="tick">
                  <label>
                    <input
                      type="checkbox"
                      aria-label={`${words.tick} ${list.keyOf(row)}`}
                      checked={ticks.rows.has(list.keyOf(row))}
                      onChange={({ target }) => ticks.tick([row], target.checked)}
                    />
                  </label>
                </td>
              )}
              {columns.map(({ cell, id, isNumber, isWide }, index) => (
                <td key={id} className={classOf(isNumber, isWide)}>
                  {index === 0 && list.hrefOf !== undefined ? (
                    <Link href={list.hrefOf(row)}>{cell(row)}</Link>
                  ) : (
                    cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const classOf = (isNumber = false, isWide = false) => `${isNumber ? "number" : ""} ${isWide ? "wide" : ""}`.trim()

// Ticks ------------------------------------------------------------------------------

interface Ticks<Row> {
  /** The selected rows as they were when selected, including those on other pages of the list. */
  readonly rows: ReadonlyMap<string, Row>
  readonly tick: (rows: ReadonlyArray<Row>, isOn: boolean) => void
}

/** The selected rows, until the filter changes. */
const useTicks = <Row,>(keyOf: (row: Row) => string, filter: string): Ticks<Row> => {
  const [state, setState] = useState({ filter, rows: new Map<string, Row>() })
  const rows = state.filter === filter ? state.rows : new Map<string, Row>()
  const tick = (chosen: ReadonlyArray<Row>, isOn: boolean) => {
    const next = new Map(rows)
    for (const row of chosen) {
      if (isOn) next.set(keyOf(row), row)
      else next.delete(keyOf(row))
    }
    setState({ filter, rows: next })
  }
  return { rows, tick }
}

// The address bar --------------------------------------------------------------------

/** The query in the address, and its setter. Setting a filter returns to the newest page. */
export const useQuery = (): [Query, (query: Query) => void] => {
  const [path, go] = useLocation()
  const query = Object.fromEntries(useSearchQuery())
  return [
    query,
    (next) => {
      const entries = Object.entries(next).filter(([, value]) => value !== "")
      go(entries.length === 0 ? path : `${path}?${new URLSearchParams(entries)}`)
    }
  ]
}

// Filters ----------------------------------------------------------------------------

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
const Filters = (props: {
  readonly filters: ReadonlyArray<Filter>
  readonly query: Query
  readonly onChange: (query: Query) => void
}) => {
  const { filters, onChange, query } = props
  const words = useWords(texts)
  const now = useNow() ?? Date.now()
  /** A day of the reader's zone, by the account's clock. */
  const dayAgo = (days: number) => dayText(new Date(now - days * 86_400_000))
  const id = useId()
  const [typed, setTyped] = useState(query)
  const active = Object.keys(query).filter((name) => name !== zoneName).length
  const [isOpen, setOpen] = useState(active > 0)
  const asked = JSON.stringify(query)
  useEffect(() => {
    setTyped(query)
    if (active > 0) setOpen(true)
  }, [asked])
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

// Columns ----------------------------------------------------------------------------

const useColumns = <Row,>({
  columns,
  id
}: List<Row>): [ReadonlyArray<Column<Row>>, React.ReactNode, (ids: ReadonlyArray<string>) => void] => {
  const words = useWords(texts)
  const key = `coffer.columns.${id}`
  const [chosen, setChosen] = useState<ReadonlyArray<string>>(() => {
    const stored = localStorage.getItem(key)
    return stored === null ? columns.filter(({ isHidden }) => isHidden !== true).map(({ id }) => id) : stored.split(",")
  })
  const choose = (wanted: ReadonlyArray<string>) => {
    const next = columns.map(({ id }) => id).filter((id) => wanted.includes(id))
    localStorage.setItem(key, next.join(","))
    setChosen(next)
  }
  const toggle = (name: string, isOn: boolean) =>
    choose(isOn ? [...chosen, name] : chosen.filter((each) => each !== name))
  const menu = (
    <details className="menu">
      <summary className="button quiet small">{words.columns}</summary>
      <div className="popup">
        {columns.map(({ id, name }, index) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              disabled={index === 0}
              onChange={(event) => toggle(id, event.target.checked)}
            />
            {name}
          </label>
        ))}
      </div>
    </details>
  )
  const shownColumns = columns.filter(({ id }, index) => index === 0 || chosen.includes(id))
  return [shownColumns, menu, choose]
}
