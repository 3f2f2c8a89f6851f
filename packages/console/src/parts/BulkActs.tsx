/**
 * Acts on many: all objects that the filter on the screen names. They are counted first. Then each is done by its
 * own call, four at a time, with the result of each. A stop takes nothing back.
 */
import { useEffect, useRef, useState } from "react"
import type { Outcome, Problem } from "../api/acts.ts"
import { Dialog } from "./act.tsx"
import type { List, Query } from "./ListPage.tsx"
import { Trouble } from "./states.tsx"
import { walkPages } from "./walkPages.ts"
import { useWords } from "./words.ts"

export interface BulkAct<Row> {
  readonly name: string
  readonly says: string
  readonly isDangerous?: boolean
  /** Whether the act makes sense for the row; the others are left out. */
  readonly fits: (row: Row) => boolean
  readonly run: (row: Row) => Promise<Outcome<unknown>>
}

/** Objects of one act on many. */
const itemsMax = 1_000
const atOnce = 4

const texts = {
  en: {
    button: "Act on all",
    counting: "Counting…",
    none: "None of the objects that the filter names can be acted on so.",
    will: "objects will be acted on.",
    cut: "The filter names more; these are the newest.",
    begin: "Begin",
    stop: "Stop",
    done: "done",
    failed: "failed",
    left: "left",
    close: "Close"
  },
  zh: {
    button: "批量操作",
    counting: "正在统计…",
    none: "筛选出的对象都无法执行此操作。",
    will: "个对象将被操作。",
    cut: "符合条件的更多；这些是最新的。",
    begin: "开始",
    stop: "停止",
    done: "完成",
    failed: "失败",
    left: "剩余",
    close: "关闭"
  }
}

interface Props<Row> {
  readonly list: List<Row>
  readonly query: Query
}

export const BulkMenu = <Row,>({ acts, ...props }: Props<Row> & { readonly acts: ReadonlyArray<BulkAct<Row>> }) => {
  const words = useWords(texts)
  const [chosen, choose] = useState<BulkAct<Row>>()
  return (
    <>
      <details className="menu">
        <summary className="button quiet small">{words.button}</summary>
        <div className="popup">
          {acts.map((act) => (
            <button key={act.name} type="button" onClick={() => choose(act)}>
              {act.name}
            </button>
          ))}
        </div>
      </details>
      {chosen !== undefined && <BulkDialog {...props} act={chosen} onClose={() => choose(undefined)} />}
    </>
  )
}

const BulkDialog = <Row,>({
  act,
  list,
  onClose,
  query
}: Props<Row> & { readonly act: BulkAct<Row>; readonly onClose: () => void }) => {
  const words = useWords(texts)
  const [count, setCount] = useState(0)
  const [found, setFound] = useState<{ readonly rows: ReadonlyArray<Row>; readonly isCut: boolean } | Problem>()
  const [results, setResults] = useState<ReadonlyArray<readonly [key: string, problem: Problem | undefined]>>()
  const [isRunning, setRunning] = useState(false)
  const stop = useRef(new AbortController())
  useEffect(() => {
    const control = new AbortController()
    stop.current = control
    void walkPages(list, query, itemsMax, setCount, control.signal).then((walked) => {
      if (!control.signal.aborted)
        setFound("rows" in walked ? { ...walked, rows: walked.rows.filter(act.fits) } : walked)
    })
    return () => control.abort()
    // The rows are those of the moment when the dialog was opened.
  }, [])

  const begin = async (rows: ReadonlyArray<Row>) => {
    const left = [...rows]
    const control = stop.current
    setRunning(true)
    setResults([])
    const worker = async () => {
      for (let row = left.shift(); row !== undefined && !control.signal.aborted; row = left.shift()) {
        const key = list.keyOf(row)
        const outcome = await act.run(row)
        setResults((all = []) => [...all, [key, "problem" in outcome ? outcome.problem : undefined]])
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    setRunning(false)
  }
  const failed = results?.filter(([, problem]) => problem !== undefined) ?? []
  return (
    <Dialog title={act.name} onClose={onClose} isWide>
      <div className="stack">
        <p className="soft">{act.says}</p>
        {found === undefined && (
          <p role="status">
            {words.counting} {count}
          </p>
        )}
        {found !== undefined && "kind" in found && <Trouble problem={found} />}
        {found !== undefined && "rows" in found && results === undefined && (
          <>
            <p role="status">
              {found.rows.length === 0 ? (
                words.none
              ) : (
                <>
                  <strong>{found.rows.length}</strong> {words.will}
                </>
              )}{" "}
              {found.isCut && words.cut}
            </p>
            {found.rows.length > 0 && (
              <button
                type="button"
                className={act.isDangerous === true ? "button danger" : "button"}
                onClick={() => void begin(found.rows)}
              >
                {act.name}: {found.rows.length}
              </button>
            )}
          </>
        )}
        {results !== undefined && found !== undefined && "rows" in found && (
          <>
            <progress value={results.length} max={found.rows.length} aria-label={act.name} />
            <p role="status">
              {results.length - failed.length} {words.done}, {failed.length} {words.failed},{" "}
              {found.rows.length - results.length} {words.left}
            </p>
            <ul className="results">
              {results.map(([key, problem]) => (
                <li key={key}>
                  <code>{key}</code>{" "}
                  {problem === undefined ? "✓" : problem.kind === "refused" ? problem.message : problem.kind}
                </li>
              ))}
            </ul>
            {isRunning && (
              <button type="button" className="button quiet" onClick={() => stop.current.abort()}>
                {words.stop}
              </button>
            )}
          </>
        )}
      </div>
    </Dialog>
  )
}
