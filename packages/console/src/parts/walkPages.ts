/** Reads a list page by page up to a limit, and converts the days of a filter to times. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import type * as Atom from "effect/reactivity/Atom"
import * as AtomRegistry from "effect/reactivity/AtomRegistry"
import { type Outcome, problemOf, type Problem } from "../api/acts.ts"
import type { Page, Query } from "../api/lists.ts"
import { type Patience, patiently } from "../api/patience.ts"
import { lastOf, registry } from "../api/registry.ts"
import { minorOf } from "./values.tsx"
import type { List } from "./ListPage.tsx"

type RowsIn<Row> = { readonly data: Pick<Page<Row>["data"], "data"> }

/** The rows of a page of a list as it was last read; none until then. */
export const rowsOf = <Row>(result: AsyncResult.AsyncResult<RowsIn<Row>, unknown>): ReadonlyArray<Row> =>
  lastOf(result)?.data.data ?? []

/** Reads a page again. */
export const readPage = <A, E>(
  atom: Atom.Atom<AsyncResult.AsyncResult<A, E>>,
  patience: Patience
): Promise<Outcome<A>> =>
  patiently(async () => {
    registry.refresh(atom)
    const exit = await Effect.runPromiseExit(AtomRegistry.getResult(registry, atom, { suspendOnWaiting: true }), {
      signal: patience.signal
    })
    return Exit.isSuccess(exit) ? { done: exit.value } : { problem: problemOf(exit.cause) }
  }, patience)

export interface Walked<Row> {
  readonly rows: ReadonlyArray<Row>
  /** Whether there were more than `max`. */
  readonly isCut: boolean
}

/** All rows that match the query, newest first, at most `max`. `onRows`: called with the count so far. */
export const walkPages = async <Row>(
  list: Pick<List<Row>, "keyOf" | "page">,
  query: Query,
  max: number,
  onRows: (count: number) => void,
  patience: Patience
): Promise<Walked<Row> | Problem> => {
  const rows: Array<Row> = []
  let after: string | undefined
  while (!patience.signal.aborted) {
    const atom = list.page({ ...query, limit: "100", ...(after === undefined ? {} : { starting_after: after }) })
    const outcome = await readPage(atom, patience)
    if ("problem" in outcome) return outcome.problem
    const { data: page, has_more } = outcome.done.data
    rows.push(...page)
    onRows(Math.min(rows.length, max))
    if (rows.length > max || (has_more && rows.length === max)) return { rows: rows.slice(0, max), isCut: true }
    if (!has_more || page.length === 0) break
    after = list.keyOf(page.at(-1)!)
  }
  return { rows, isCut: false }
}

// Days -------------------------------------------------------------------------------

/**
 * Converts days to times: `from` is the start of a day and `to` the end of a day, in the zone, by default that of the
 * query, or else the reader's.
 */
export const withTimes = ({ from, to, zone: own, amount_from, amount_to, ...query }: Query, zone = own): Query => ({
  ...query,
  ...amountBound("amount[gte]", amount_from),
  ...amountBound("amount[lte]", amount_to),
  ...(from === undefined ? {} : { "created[gte]": dayBegins(from, 0, zone).toISOString() }),
  ...(to === undefined ? {} : { "created[lte]": new Date(dayBegins(to, 1, zone).getTime() - 1).toISOString() })
})

/** What is no amount filters nothing. */
const amountBound = (name: string, typed: string | undefined): Query => {
  const minor = typed === undefined ? undefined : minorOf(typed)
  return minor === undefined ? {} : { [name]: String(minor) }
}

/** The start of a day in a zone, plus `later` days. */
const dayBegins = (day: string, later: number, zone: string | undefined): Date => {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  if (zone === undefined) return new Date(year, month - 1, date + later)
  const wanted = Date.UTC(year, month - 1, date + later)
  // A first guess by the zone's offset, corrected once if a daylight saving change lies between.
  const once = wanted - aheadOf(zone, wanted)
  return new Date(wanted - aheadOf(zone, once))
}

/** The UTC offset of a zone at a time, in milliseconds. */
const aheadOf = (zone: string, at: number): number => {
  const shown = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone: zone }).format(at)
  return Date.parse(`${shown.replace(" ", "T")}Z`) - Math.floor(at / 1_000) * 1_000
}
