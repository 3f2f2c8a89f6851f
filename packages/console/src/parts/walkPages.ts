/** Reads a list page by page, as far as it is wanted. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as AtomRegistry from "effect/reactivity/AtomRegistry"
import { problemOf, type Problem } from "../api/acts.ts"
import { registry } from "../api/registry.ts"
import type { List, Query } from "./ListPage.tsx"

export interface Walked<Row> {
  readonly rows: ReadonlyArray<Row>
  /** Whether there were more than `max`. */
  readonly isCut: boolean
}

/** All rows that the query names, newest first, at most `max`. `onRows`: how many there are so far. */
export const walkPages = async <Row>(
  list: Pick<List<Row>, "keyOf" | "page">,
  query: Query,
  max: number,
  onRows: (count: number) => void,
  signal: AbortSignal
): Promise<Walked<Row> | Problem> => {
  const rows: Array<Row> = []
  let after: string | undefined
  while (!signal.aborted) {
    const atom = list.page({ ...query, limit: "100", ...(after === undefined ? {} : { starting_after: after }) })
    registry.refresh(atom)
    const exit = await Effect.runPromiseExit(AtomRegistry.getResult(registry, atom, { suspendOnWaiting: true }), {
      signal
    })
    if (Exit.isFailure(exit)) return problemOf(exit.cause as Cause.Cause<unknown>)
    const { data: page, has_more } = exit.value.data
    rows.push(...page)
    onRows(Math.min(rows.length, max))
    if (rows.length > max || (has_more && rows.length === max)) return { rows: rows.slice(0, max), isCut: true }
    if (!has_more || page.length === 0) break
    after = list.keyOf(page.at(-1)!)
  }
  return { rows, isCut: false }
}
