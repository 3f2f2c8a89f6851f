/**
 * A list of objects: filters in the address bar, columns of choice, pages by cursor, live rows on the first page,
 * export, and acts on all that the filter names. Each list of the console is a value of type `List`.
 */
import { useState } from "react"
import { Link, useLocation } from "wouter"
import type { PageAtom, Query } from "../api/lists.ts"
import { lastOf, useLive } from "../api/registry.ts"
import { useQuery } from "./address.ts"
import { type BulkAct, BulkMenu } from "./BulkActs.tsx"
import { ExportButton } from "./ExportRows.tsx"
import { type Filter, Filters } from "./Filters.tsx"
import { StillRows } from "./StillRows.tsx"
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
  /** Left out on a phone. */
  readonly isWide?: boolean
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
    tickAll: "Select all rows on this page"
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
    tickAll: "选择本页所有行"
  }
}

const cursors = ["starting_after", "ending_before"]

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
          <StillRows key={JSON.stringify(query)} rows={read} keyOf={list.keyOf} isLive={isFirst}>
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
