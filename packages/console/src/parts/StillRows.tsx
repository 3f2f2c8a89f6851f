/** The rows of a live list, which do not move by themselves. */
import { useState } from "react"
import { actsDone } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { useWords } from "./words.ts"

const texts = { en: { fresh: "new" }, zh: { fresh: "条新记录" } }

/**
 * Rows stay where they are: newer ones wait above them for a press, so that none moves under the pointer. What a person
 * did themselves is shown at once.
 */
export const StillRows = <Row,>(props: {
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
    shown = isAtOnce ? rows : keepInPlace(shown, rows, keyOf)
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
const keepInPlace = <Row,>(shown: ReadonlyArray<Row>, read: ReadonlyArray<Row>, keyOf: (row: Row) => string) => {
  const now = new Map(read.map((row) => [keyOf(row), row]))
  const last = shown.findLastIndex((row) => now.has(keyOf(row)))
  return shown.flatMap((row, index) => now.get(keyOf(row)) ?? (index > last ? [row] : []))
}
