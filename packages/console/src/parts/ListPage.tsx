/**
 * A list of objects: filters in the address bar, columns of choice, pages by cursor, live rows on the first page,
 * export, and acts on all that the filter names. Each list of the console is a value of type `List`.
 */
import { useState } from "react"
import { Link, useLocation } from "wouter"
import type { PageAtom, Query } from "../api/lists.ts"
import { lastOf, registry, useLive } from "../api/registry.ts"
import { useQuery } from "./address.ts"
import { type BulkAct, BulkMenu } from "./BulkActs.tsx"
import { ExportButton } from "./ExportRows.tsx"
import { type Filter, Filters } from "./Filters.tsx"
import { StillRows } from "./StillRows.tsx"
import { cardPlaces } from "./cards.ts"
import {
  newestFirst,
  Picture,
  pictureOf,
  type Sort,
  SortableHead,
  type Sorted,
  SortField,
  sortNames,
  sortOf,
  withPicture
} from "./sorting.tsx"
import { Empty, Loaded } from "./states.tsx"
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
  /** Left out on a narrow page, unless a phone's card has a place for it. */
  readonly isWide?: boolean
  /** What a phone's card places by itself (`cards.ts`). */
  readonly kind?: "state" | "time"
  /** It tells of the buyer: only who may export a buyer's data has it in a file. */
  readonly isOfBuyer?: boolean
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
  /** Whether its API sorts it by amount and by time. */
  readonly isSorted?: boolean
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
    clear: "Clear filters",
    columns: "Columns",
    older: "Older",
    newer: "Newer",
    first: "Latest",
    nothing: "No results match these filters.",
    rows: "Rows",
    tick: "Select",
    tickAll: "Select all rows on this page",
    next: "Next",
    previous: "Previous",
    start: "First page"
  },
  zh: {
    clear: "清除筛选",
    columns: "列",
    older: "较早",
    newer: "较新",
    first: "最新",
    nothing: "没有符合筛选条件的记录。",
    rows: "行",
    tick: "选择",
    tickAll: "选择本页所有行",
    next: "下一页",
    previous: "上一页",
    start: "第一页"
  }
}

const cursors = ["starting_after", "ending_before"]
const isNoFilter = (name: string) => cursors.includes(name) || sortNames.includes(name)

export const ListPage = <Row,>({ list }: { readonly list: List<Row> }) => {
  const words = useWords(texts)
  const [query, setQuery] = useQuery()
  const filters = Object.fromEntries(Object.entries(query).filter(([name]) => !isNoFilter(name)))
  const sort = sortOf(query)
  /** The filters, in the order that is chosen. */
  const setFilters = (next: Query) => setQuery({ ...next, ...(sort === newestFirst ? {} : { sort }) })
  const isFirst = !cursors.some((name) => name in query)
  const atom = list.page({ limit: "25", ...withPicture(withTimes(query)) })
  const isPicture = sort.endsWith("amount")
  const result = useLive(atom, isFirst && !isPicture ? (list.liveEvery ?? 5_000) : 0)
  const [columns, menu, chooseColumns] = useColumns(list)
  const ticks = useTicks(list.keyOf, JSON.stringify(filters))
  const choose = (view: ViewState) => {
    if (view.columns.length > 0) chooseColumns(view.columns)
    setFilters(view.filters)
  }

  const turn = (cursor: Query, sorted: Sorted | undefined) =>
    setQuery({ ...filters, ...(sort === newestFirst ? {} : { sort }), ...pictureOf(sorted), ...cursor })

  // An empty list needs no filters, columns or export.
  const last = lastOf(result)
  const isEmpty = last?.data.data.length === 0 && isFirst && Object.keys(filters).length === 0

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
          {list.filters !== undefined && <Filters filters={list.filters} query={filters} onChange={setFilters} />}
          <div className="acts">
            {list.isSorted === true && (
              <SortField sort={sort} onSort={(next) => setQuery({ ...filters, sort: next })} />
            )}
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
        {({ data: { data: read, has_more, sorted } }) => (
          <StillRows
            key={JSON.stringify(query)}
            rows={read}
            keyOf={list.keyOf}
            isLive={isFirst && sort === newestFirst}
          >
            {(rows, waiting) =>
              rows.length === 0 && isFirst ? (
                Object.keys(filters).length === 0 ? (
                  list.empty
                ) : (
                  <Empty title={words.nothing}>
                    <button type="button" className="button quiet" onClick={() => setFilters({})}>
                      {words.clear}
                    </button>
                  </Empty>
                )
              ) : (
                <>
                  {waiting}
                  {sorted !== undefined && (
                    <Picture sorted={sorted} onAgain={() => (isFirst ? registry.refresh(atom) : setFilters(filters))} />
                  )}
                  <Rows
                    list={list}
                    columns={columns}
                    rows={rows}
                    {...(list.isSorted === true
                      ? { sort, onSort: (next: Sort) => setQuery({ ...filters, sort: next }) }
                      : {})}
                    ticks={list.bulk !== undefined && list.bulk.length > 0 ? ticks : undefined}
                  />
                  <nav className="pages" aria-label={words.rows}>
                    {!isFirst && (
                      <button type="button" className="button quiet" onClick={() => setFilters(filters)}>
                        {sort === newestFirst ? words.first : words.start}
                      </button>
                    )}
                    {rows.length > 0 && ("starting_after" in query || ("ending_before" in query && has_more)) && (
                      <button
                        type="button"
                        className="button quiet"
                        onClick={() => turn({ ending_before: list.keyOf(rows[0]!) }, sorted)}
                      >
                        {sort === newestFirst ? words.newer : words.previous}
                      </button>
                    )}
                    {rows.length > 0 && (has_more || "ending_before" in query) && (
                      <button
                        type="button"
                        className="button quiet"
                        onClick={() => turn({ starting_after: list.keyOf(rows.at(-1)!) }, sorted)}
                      >
                        {sort === newestFirst ? words.older : words.next}
                      </button>
                    )}
                  </nav>
                </>
              )
            }
          </StillRows>
        )}
      </Loaded>
    </section>
  )
}

/** A table of rows, also for sections of an object's page. */
export const Rows = <Row,>(props: {
  readonly list: Pick<List<Row>, "hrefOf" | "keyOf" | "title">
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly ticks?: Ticks<Row> | undefined
  /** Of a list that is sorted: its order, which the names of its columns change. */
  readonly sort?: Sort
  readonly onSort?: (sort: Sort) => void
}) => {
  const { columns, list, onSort, rows, sort, ticks } = props
  const words = useWords(texts)
  const [, go] = useLocation()
  const open = (event: React.MouseEvent, row: Row) => {
    const isControl = (event.target as Element).closest("a, button, input, label") !== null
    if (!isControl && list.hrefOf !== undefined && getSelection()?.toString() === "") go(list.hrefOf(row))
  }
  return (
    <div className="table cards" tabIndex={0} role="region" aria-label={list.title}>
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
              <SortableHead key={id} id={id} className={classOf(isNumber, isWide)} sort={sort} onSort={onSort}>
                {name}
              </SortableHead>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const placeOf = cardPlaces(columns, row)
            return (
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
                  <td key={id} className={`${classOf(isNumber, isWide)} in-${placeOf(id)}`.trim()}>
                    {index === 0 && list.hrefOf !== undefined ? (
                      <Link href={list.hrefOf(row)}>{cell(row)}</Link>
                    ) : (
                      cell(row)
                    )}
                  </td>
                ))}
              </tr>
            )
          })}
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
