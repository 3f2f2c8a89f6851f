/**
 * Bulk actions: on the selected rows, or on all objects that match the filter. An action that moves money takes
 * selected rows only. The objects are counted first, their amounts are added up, and what is left out is named with
 * its reason. Then each gets its own call, four at a time, with its result. A stop undoes nothing.
 */
import { Fragment, useEffect, useRef, useState } from "react"
import { ActKeys, withKeys } from "../api/actKeys.ts"
import type { Outcome, Problem } from "../api/acts.ts"
import type { Query } from "../api/lists.ts"
import { type Patience, patiently } from "../api/patience.ts"
import { randomId } from "../api/unsafePage.ts"
import { Dialog } from "./act.tsx"
import type { List } from "./ListPage.tsx"
import { Trouble, Waiting } from "./states.tsx"
import { TypedWord } from "./typed.tsx"
import { Amount, State } from "./values.tsx"
import { type Walked, walkPages } from "./walkPages.ts"
import { useWords } from "./words.ts"

export interface BulkAct<Row> {
  readonly name: string
  readonly says: string
  readonly isDangerous?: boolean
  /** The money that the action moves for a row. Such an action takes selected rows only. */
  readonly money?: (row: Row) => { readonly minor: number; readonly currency: string }
  /** What a row is about, where no money moves. The money, or else this, is added up before the action begins. */
  readonly worth?: (row: Row) => { readonly minor: number; readonly currency: string }
  /** Why the row is left out; undefined if the action applies to it. */
  readonly unfit: (row: Row) => string | undefined
  /** Reads what rows do not say: why the service would refuse, by the key of the row. */
  readonly obstacles?: (patience: Patience) => Promise<ReadonlyMap<string, string> | Problem>
  /** By what people know the row, beside its amount. By default its key. */
  readonly about?: (row: Row) => ReadonlyArray<string | null>
  /** Always sends the same request for the same row. `number`: the number of the object that it creates, if any. */
  readonly run: (row: Row, number: string) => Promise<Outcome<Answer>>
}

/** Each action answers the object as it is then. */
interface Answer {
  readonly data: { readonly status: string }
}

/** The rows of an action, and those that it leaves out, each with the reason. */
interface Found<Row> extends Walked<Row> {
  readonly leftOut: ReadonlyArray<readonly [row: Row, reason: string]>
}

/** The maximum of objects in one bulk action. */
const itemsMax = 1_000
/** With more objects than this, the person has to type their number. */
const untypedMax = 10
const atOnce = 4

const texts = {
  en: {
    button: "Bulk actions",
    ticked: "selected",
    tick: "Select the rows to act on.",
    choose: "Select rows, or set a filter.",
    counting: "Counting…",
    none: "This action applies to none of these objects.",
    leftOut: "Left out:",
    more: "and more:",
    will: "objects will be changed.",
    sum: "Total:",
    cut: "More match the filter; only the newest are included.",
    stop: "Stop",
    done: "done",
    failed: "failed",
    left: "remaining"
  },
  zh: {
    button: "批量操作",
    ticked: "已选择",
    tick: "请选择要操作的行。",
    choose: "请选择行，或设置筛选条件。",
    counting: "正在统计…",
    none: "此操作不适用于这些对象。",
    leftOut: "不包含：",
    more: "其余：",
    will: "个对象将被更改。",
    sum: "合计：",
    cut: "符合条件的还有更多，仅包含最新的。",
    stop: "停止",
    done: "完成",
    failed: "失败",
    left: "剩余"
  }
}

interface Props<Row> {
  readonly list: List<Row>
  /** The filter as a query; undefined where none is set. */
  readonly query: Query | undefined
  readonly ticked: ReadonlyArray<Row>
}

export const BulkMenu = <Row,>({ acts, ...props }: Props<Row> & { readonly acts: ReadonlyArray<BulkAct<Row>> }) => {
  const words = useWords(texts)
  const [chosen, choose] = useState<BulkAct<Row>>()
  return (
    <>
      <details className="menu">
        <summary className="button quiet small">
          {words.button}
          {props.ticked.length > 0 && (
            <span className="count" title={words.ticked}>
              {props.ticked.length}
            </span>
          )}
        </summary>
        <div className="popup">
          {acts.map((act) => {
            const missing =
              props.ticked.length > 0 || (act.money === undefined && props.query !== undefined)
                ? undefined
                : act.money === undefined
                  ? words.choose
                  : words.tick
            return (
              <Fragment key={act.name}>
                <button type="button" disabled={missing !== undefined} onClick={() => choose(act)}>
                  {act.name}
                </button>
                {missing !== undefined && <p className="small soft">{missing}</p>}
              </Fragment>
            )
          })}
        </div>
      </details>
      {chosen !== undefined && <BulkDialog {...props} act={chosen} onClose={() => choose(undefined)} />}
    </>
  )
}

/** The rows of the action: the selected ones, or those that match the filter when the dialog is opened. */
const useFound = <Row,>({ act, list, query, ticked }: Props<Row> & { readonly act: BulkAct<Row> }) => {
  const [count, setCount] = useState(0)
  const [wait, setWait] = useState<number>()
  const [found, setFound] = useState<Found<Row> | Problem>()
  useEffect(() => {
    const control = new AbortController()
    const patience = { signal: control.signal, onWait: setWait }
    const find = async (): Promise<Found<Row> | Problem> => {
      const walked =
        ticked.length > 0 || query === undefined
          ? { rows: ticked.slice(0, itemsMax), isCut: ticked.length > itemsMax }
          : await walkPages(list, query, itemsMax, setCount, patience)
      if (!("rows" in walked)) return walked
      const obstacles = (await act.obstacles?.(patience)) ?? new Map<string, string>()
      return "kind" in obstacles
        ? obstacles
        : partedBy(walked, (row) => act.unfit(row) ?? obstacles.get(list.keyOf(row)))
    }
    void find().then((outcome) => control.signal.aborted || setFound(outcome))
    return () => control.abort()
    // The rows are those of the moment when the dialog was opened.
  }, [])
  return { count, found, wait }
}

const partedBy = <Row,>({ isCut, rows }: Walked<Row>, reasonOf: (row: Row) => string | undefined): Found<Row> => {
  const judged = rows.map((row) => [row, reasonOf(row)] as const)
  return {
    isCut,
    rows: judged.flatMap(([row, reason]) => (reason === undefined ? [row] : [])),
    leftOut: judged.flatMap(([row, reason]) => (reason === undefined ? [] : [[row, reason] as const]))
  }
}

interface NamedProps<Row> {
  readonly act: BulkAct<Row>
  readonly list: List<Row>
  readonly row: Row
  /** No money moves for it, so its worth is named. */
  readonly isLeftOut?: boolean
}

/** A row as people know it. No link: to leave the page would stop the action. */
const Named = <Row,>({ act, isLeftOut = false, list, row }: NamedProps<Row>) => {
  const amountOf = isLeftOut ? (act.worth ?? act.money) : (act.money ?? act.worth)
  const amount = amountOf?.(row)
  const words = act.about?.(row).filter((each) => each !== null && each !== "") ?? [list.keyOf(row)]
  return (
    <>
      {words.join(" · ")}
      {amount !== undefined && (
        <>
          {" · "}
          <Amount {...amount} />
        </>
      )}
    </>
  )
}

/** Rows that are left out, of which so many are named. */
const namedMax = 20

const LeftOut = <Row,>({ act, found, list }: Omit<ConfirmationProps<Row>, "onBegin">) => {
  const words = useWords(texts)
  const { leftOut } = found
  if (leftOut.length === 0) return null
  return (
    <div className="about">
      <p>
        {words.leftOut} <strong>{leftOut.length}</strong>
      </p>
      <ul className="results">
        {leftOut.slice(0, namedMax).map(([row, reason]) => (
          <li key={list.keyOf(row)}>
            <Named act={act} list={list} row={row} isLeftOut />: {reason}
          </li>
        ))}
        {leftOut.length > namedMax && (
          <li>
            {words.more} {leftOut.length - namedMax}
          </li>
        )}
      </ul>
    </div>
  )
}

type Result<Row> = readonly [row: Row, outcome: Outcome<Answer>]

const BulkDialog = <Row,>(props: Props<Row> & { readonly act: BulkAct<Row>; readonly onClose: () => void }) => {
  const { act, list, onClose } = props
  const words = useWords(texts)
  const { count, found, wait } = useFound(props)
  const [begun, setBegun] = useState<ReadonlyArray<Row>>()
  return (
    <Dialog title={act.name} onClose={onClose} isWide>
      <div className="stack">
        <p className="soft">{act.says}</p>
        {found === undefined && (
          <p role="status">
            {words.counting} {count} <Waiting seconds={wait} />
          </p>
        )}
        {found !== undefined && "kind" in found && <Trouble problem={found} />}
        {found !== undefined && "rows" in found && begun === undefined && (
          <Confirmation act={act} list={list} found={found} onBegin={() => setBegun(found.rows)} />
        )}
        {begun !== undefined && <Running act={act} list={list} rows={begun} />}
        {found !== undefined && "rows" in found && <LeftOut act={act} list={list} found={found} />}
      </div>
    </Dialog>
  )
}

interface ConfirmationProps<Row> {
  readonly act: BulkAct<Row>
  readonly list: List<Row>
  readonly found: Found<Row>
  readonly onBegin: () => void
}

/** The objects, or their number where they are many; their total, and the start button. */
const Confirmation = <Row,>(props: ConfirmationProps<Row>) => {
  const { act, found, list, onBegin } = props
  const form = useRef<HTMLFormElement>(null)
  // The dialog was open before its field was there.
  useEffect(() => form.current?.querySelector("input")?.focus(), [])
  const words = useWords(texts)
  const { length } = found.rows
  const amountOf = act.money ?? act.worth
  if (length === 0) return <p role="status">{words.none}</p>
  return (
    <form
      ref={form}
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        onBegin()
      }}
    >
      <p role="status">
        <strong>{length}</strong> {words.will} {found.isCut && words.cut}
      </p>
      {length <= untypedMax && (
        <p className="about">
          {found.rows.map((row) => (
            <span key={list.keyOf(row)}>
              <Named act={act} list={list} row={row} />{" "}
            </span>
          ))}
        </p>
      )}
      {amountOf !== undefined && (
        <p>
          {words.sum}{" "}
          {sumsOf(found.rows.map(amountOf)).map(([currency, minor]) => (
            <strong key={currency} className="sum">
              <Amount minor={minor} currency={currency} />{" "}
            </strong>
          ))}
        </p>
      )}
      {length > untypedMax && <TypedWord word={String(length)} />}
      <button className={act.isDangerous === true ? "button danger" : "button"}>
        {act.name}: {length}
      </button>
    </form>
  )
}

const sumsOf = (all: ReadonlyArray<{ readonly minor: number; readonly currency: string }>) => {
  const sums = new Map<string, number>()
  for (const { currency, minor } of all) sums.set(currency, (sums.get(currency) ?? 0) + minor)
  return [...sums]
}

/** Runs the calls. A row keeps its key over all retries, so that none is done twice. */
const Running = <Row,>(props: {
  readonly act: BulkAct<Row>
  readonly list: List<Row>
  readonly rows: ReadonlyArray<Row>
}) => {
  const { act, list, rows } = props
  const words = useWords(texts)
  const [results, setResults] = useState<ReadonlyArray<Result<Row>>>([])
  const [isRunning, setRunning] = useState(true)
  const [wait, setWait] = useState<number>()
  const [control] = useState(() => new AbortController())
  useEffect(() => {
    const left = [...rows]
    const worker = async () => {
      for (let row = left.shift(); row !== undefined && !control.signal.aborted; row = left.shift()) {
        const each = row
        const keys = new ActKeys()
        const number = randomId().slice(0, 12)
        const outcome = await patiently(() => withKeys(keys, () => act.run(each, number)), {
          signal: control.signal,
          onWait: setWait
        })
        setResults((all) => [...all, [each, outcome]])
      }
    }
    void Promise.all(Array.from({ length: atOnce }, worker)).then(() => setRunning(false))
    return () => control.abort()
  }, [])
  const failed = results.filter(([, outcome]) => "problem" in outcome)
  return (
    <>
      <progress value={results.length} max={rows.length} aria-label={act.name} />
      <p role="status">
        {results.length - failed.length} {words.done}, {failed.length} {words.failed}, {rows.length - results.length}{" "}
        {words.left} <Waiting seconds={wait} />
      </p>
      <ul className="results">
        {results.map(([row, outcome]) => (
          <li key={list.keyOf(row)}>
            <Named act={act} list={list} row={row} />{" "}
            {"done" in outcome ? (
              <State of={outcome.done.data.status} />
            ) : outcome.problem.kind === "refused" ? (
              outcome.problem.message
            ) : (
              outcome.problem.kind
            )}
          </li>
        ))}
      </ul>
      {isRunning && (
        <button type="button" className="button quiet" onClick={() => control.abort()}>
          {words.stop}
        </button>
      )}
    </>
  )
}
