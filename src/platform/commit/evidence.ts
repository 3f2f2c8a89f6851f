/**
 * Whether a batch whose commit was not answered is written, by its own rows (docs/decisions/0264). A batch is one
 * transaction, so one row of it speaks for all, but for a row that is its whole set, which speaks for itself.
 */
import { memoize } from "@coffer/model/memoize"
import { Effect, Metric } from "effect"
import type { SqlClient } from "effect/sql"
import { type Change, type ChangeSet, keyOf } from "./Change.ts"
import { lockHorizons, numberedIn, paramsOf } from "./numbered.ts"
import { nameOf, type Part, rowStatement, selectCells, sentOf } from "./statements.ts"
import { tableOf } from "./Table.ts"

/** `unclear`: another writer has changed the only rows since. */
export type Found = "written" | "absent" | "unclear"

interface Doubtful {
  readonly changes: ChangeSet
  /** Transactions with the set whose commit was not answered, by the sets of each. */
  readonly doubts: ReadonlyArray<ReadonlyArray<Pick<Doubtful, "changes">>>
}

const resolved = Metric.counter("coffer_change_sets_resolved_total", {
  description: "Change sets whose commit was not answered, by what was found when they were to be written again",
  incremental: true
})
const byFound = {
  written: Metric.withAttributes(resolved, { found: "written" }),
  absent: Metric.withAttributes(resolved, { found: "absent" }),
  unclear: Metric.withAttributes(resolved, { found: "unclear" })
}

/** Its commit waits for a synchronous standby, as that of the batch should have: it may be cut off there. */
const awaitStandby = "select pg_logical_emit_message(true, 'coffer', 'resolved') is not null as written"

/**
 * What became of a set in doubt; undefined if that cannot be read. An overtaken one may still be under way: it has read
 * the horizon before a list raised it, and holds its lock until it ends.
 */
export const makeFind = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  for (const counter of Object.values(byFound)) yield* Metric.update(counter, 0)
  const look = Effect.fnUntraced(function* (set: Doubtful, isOvertaken: boolean) {
    if (isOvertaken) yield* sql.unsafe(lockHorizons, paramsOf(numberedIn([set])).slice(0, 2))
    const found = yield* Effect.forEach(set.doubts, (attempt) => find(sql, set, attempt))
    const best = (["written", "unclear"] as const).find((each) => found.includes(each)) ?? "absent"
    if (best === "written") yield* sql.unsafe(awaitStandby)
    return best
  })
  return Effect.fnUntraced(
    function* (set: Doubtful, isOvertaken: boolean) {
      const found: Found = yield* sql.withTransaction(look(set, isOvertaken))
      yield* Metric.update(byFound[found], 1)
      return found
    },
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("it could not be read whether a change set is written", cause), undefined)
    )
  )
})

/** A row that only this set has: its number is new, or it is a claim, whose version is drawn. */
const isOwn = ({ op, table }: Change) => op === "insert" && (tableOf(table).listed || tableOf(table).isKeyGiven)
const isWhole = ({ changes }: Pick<Doubtful, "changes">) => changes.length === 1 && changes[0]!.op === "insert"

const find = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  set: Pick<Doubtful, "changes">,
  attempt: ReadonlyArray<Pick<Doubtful, "changes">>
) {
  const has = (change: Change) => Effect.map(sql.unsafe(...isThere(change)), ({ length }) => length > 0)
  const others = isWhole(set) ? [] : attempt.filter((other) => !isWhole(other))
  // The last: events and entries are made anew whenever a command is decided, an object once.
  const witness = [...others, set].flatMap(({ changes }) => changes).findLast(isOwn)
  if (witness !== undefined) return (yield* has(witness)) ? "written" : "absent"
  // Several sets may have changed one row: what the last of them wrote is there.
  const last = new Map([set, ...others].flatMap(({ changes }) => changes).map((change) => [keyOf(change), change]))
  for (const [, change] of last) if (yield* has(change)) return "written"
  return "unclear"
})

/**
 * Finds the row of a change. A new number is enough: no other writer has it. Any other row has to be as it was written,
 * since another writer may have given it the same version.
 */
const isThere = (change: Change): readonly [text: string, params: ReadonlyArray<string | null>] => {
  const statement = rowStatement(change)
  return [textOfThere(statement), statement.params]
}

/** More than there are tables, twice. */
const textsMax = 128

const textOfThere = memoize(textsMax, nameOf, (part: Part) => {
  const { columns, key, listed, name } = tableOf(part.table)
  const sent = sentOf(part.op, tableOf(part.table)).map((index) => columns[index]!.name)
  const compared = part.op === "insert" && listed ? [key] : sent
  const [theirs, ours] = ["t", "n"].map((row) => compared.map((column) => `${row}.${column}`).join(", "))
  return `select t.${key} as key from ${name} as t, (${selectCells(part)}) as n
    where t.${key} = n.${key} and row(${theirs}) is not distinct from row(${ours})`
})
