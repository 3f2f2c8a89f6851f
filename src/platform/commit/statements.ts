/**
 * From queued change sets to the SQL of a batch: a statement of many rows for each table and operation, and all of them
 * as one. That one locks the rows that it will change, checks whether everything can be written, and writes all of it
 * or nothing. Its answer names the conflicts. So a conflict is not an error, which would be a line in Postgres' log
 * (docs/decisions/0010). Pure.
 */
import { identity } from "effect"
import { arrayLiteral, type Cell } from "../postgres/arrayLiteral.ts"
import { memoize } from "@coffer/model/memoize"
import { AlreadyExists, type Change, type ChangeSet, keyOf, StaleVersion } from "./Change.ts"
import {
  readHorizon,
  readHorizons,
  type Numbered,
  numberedIn,
  type Overtaken,
  paramsOf,
  paramsOfOne,
  limitHiddenFromPlanner
} from "./numbered.ts"
import { tableOf, type Written } from "./Table.ts"

// The plan of a batch ------------------------------------------------------------
// It knows the set to blame when a row cannot be written. Several sets may update one row. Their updates become one:
// the first set's version is the guard, and the last set's row is written. So a hot wallet's row is written once per
// batch.

interface PlannedWrite extends Write {
  /** An insert that is the whole of its set. */
  readonly single: boolean
}

export interface Plan<Set> {
  readonly statements: ReadonlyArray<Statement>
  readonly accepted: ReadonlyArray<Set>
  /** Sets that conflict with an earlier set of this batch. If the earlier one is not written, they may be. */
  readonly refused: ReadonlyArray<readonly [Set, StaleVersion | AlreadyExists]>
  /** Accounts that get new numbers. */
  readonly accounts: ReadonlyArray<Numbered>
  /** The sets of a row. */
  readonly setsOf: (table: string, key: string) => ReadonlyArray<Set>
}

export const plan = <Set extends { readonly changes: ChangeSet }>(sets: ReadonlyArray<Set>): Plan<Set> => {
  const writes: Writes = new Map()
  const numbers = new Set<string>()
  const accepted: Array<Set> = []
  const refused: Array<readonly [Set, StaleVersion | AlreadyExists]> = []

  for (const set of sets) {
    const own: Array<string> = []
    let broken: Change | undefined
    for (const change of set.changes) {
      const number = numberOf(change)
      if (number !== undefined) own.push(number)
      if (follows(writeOf(writes, change), change) && (number === undefined || !numbers.has(number))) continue
      broken = change
      break
    }
    if (broken !== undefined) {
      refused.push([set, conflictOf(broken, keyOf(broken))])
      continue
    }
    accepted.push(set)
    for (const change of set.changes) {
      const replaces = writeOf(writes, change)?.replaces ?? (change.op === "update" ? change.replaces : undefined)
      let rows = writes.get(change.table)
      if (rows === undefined) writes.set(change.table, (rows = new Map()))
      rows.set(keyOf(change), { change, single: change.op === "insert" && set.changes.length === 1, replaces })
    }
    for (const number of own) numbers.add(number)
  }

  let byRow: ReturnType<typeof byRowOf<Set>> | undefined
  return {
    statements: statementsOf(writes, accepted.length === 1),
    accepted,
    refused,
    accounts: numberedIn(accepted),
    // Computed on demand: most batches are written without a conflict.
    setsOf: (table, key) => ((byRow ??= byRowOf(accepted)).get(`${table}:${key}`) ?? []).map(({ set }) => set)
  }
}

const byRowOf = <Set extends { readonly changes: ChangeSet }>(sets: ReadonlyArray<Set>) =>
  Map.groupBy(
    sets.flatMap((set) => set.changes.map((change) => ({ set, row: `${change.table}:${keyOf(change)}` }))),
    ({ row }) => row
  )

/** The error for a missing row: an update found another version, or an insert found its key taken. */
export const conflictOf = ({ op, table }: Pick<Part, "op" | "table">, key: string): StaleVersion | AlreadyExists =>
  op === "update" ? new StaleVersion({ table, key }) : new AlreadyExists({ table, key })

const follows = (before: Write | undefined, change: Change): boolean => {
  if (before === undefined) return true
  if (change.op === "insert" || before.change.op === "insert") return false
  return before.change.cells[tableOf(change.table).versionIndex] === change.replaces
}

/**
 * By table and key: both are texts that are there already. V8 enters each new text that is a Map's key in a table of
 * all texts, which takes longer than to find the entry.
 */
type Writes = Map<string, Map<string, PlannedWrite>>

const writeOf = (writes: Writes, change: Change): PlannedWrite | undefined =>
  writes.get(change.table)?.get(keyOf(change))

/** The number of a new row, which no other new row of its merchant and mode may have; undefined if it has none. */
const numberOf = ({ cells, op, table }: Change): string | undefined => {
  if (op === "update") return undefined
  const { unique } = tableOf(table)
  if (unique === undefined) return undefined
  const [merchant, mode, number] = unique.indices
  return cells[number] === null ? undefined : `${table} ${cells[merchant]} ${cells[mode]} ${cells[number]}`
}

/**
 * In the order in which parts are written and locks are taken. `isAlone`: the rows are those of one set. There are few
 * kinds of sets, so their statements are told the number of rows.
 */
const statementsOf = (writes: Writes, isAlone: boolean): ReadonlyArray<Statement> => {
  const statements: Array<Statement> = []
  for (const [table, rows] of Array.from(writes).toSorted(([a], [b]) => tableOf(a).place - tableOf(b).place)) {
    // By key, so that two transactions take the same rows' locks in the same order.
    const byKey = Array.from(rows).toSorted(([a], [b]) => (a < b ? -1 : 1))
    for (const { op, single } of parts) {
      const mine: Array<Write> = []
      for (const [, write] of byKey) if (write.change.op === op && write.single === single) mine.push(write)
      const rows = isAlone && mine.length <= cellsMax ? mine.length : undefined
      if (mine.length > 0) statements.push(statementOf({ op, table, single, rows }, mine))
    }
  }
  return statements
}

/** One table's parts, in the order in which they are written. */
const parts: ReadonlyArray<Pick<Part, "op" | "single">> = [
  { op: "insert", single: false },
  { op: "insert", single: true },
  { op: "update", single: false }
]

// Statements ---------------------------------------------------------------------

export interface Part {
  readonly table: string
  readonly op: "insert" | "update"
  /** Each row is a whole set: if it is not written, no other row is left out with it. */
  readonly single: boolean
  /** How many rows it has, each cell a parameter of its own; undefined: any number, a parameter for each column. */
  readonly rows?: number | undefined
}

export interface Statement extends Part {
  readonly params: ReadonlyArray<string | null>
  /** Keys that must be returned; a missing one is a conflict. */
  readonly keys: ReadonlyArray<string>
}

type Text = { readonly text: string }

export interface Write {
  readonly change: Change
  /** Version this write replaces; of a chain of updates the first one's. */
  readonly replaces: string | number | undefined
}

/** More rows than this are sent as arrays. */
const cellsMax = 4

export const nameOf = ({ op, rows, single, table }: Part) =>
  `${op} ${table}${single ? " single" : ""}${rows === undefined ? "" : ` ${rows}`}`

export const statementOf = (part: Part, writes: ReadonlyArray<Write>): Statement => {
  const { op, rows, table } = part
  const sent = sentOf(op, tableOf(table))
  const columns = sent.map((index): ReadonlyArray<Cell> => writes.map(({ change }) => change.cells[index]!))
  if (op === "update") columns.push(writes.map(({ replaces }) => replaces ?? null))
  const params =
    rows === undefined
      ? columns.map(arrayLiteral)
      : writes.flatMap((_, row) => columns.map((cells) => cells[row]?.toString() ?? null))
  return { ...part, params, keys: writes.map(({ change }) => keyOf(change)) }
}

/** One row as a statement of its own. */
export const rowStatement = (change: Change): Statement & Text => {
  const { op, table } = change
  const replaces = op === "update" ? change.replaces : undefined
  const statement = statementOf({ op, table, single: op === "insert" }, [{ change, replaces }])
  return { ...statement, text: textAlone(statement) }
}

/** Finds the rows of a statement that are not locked: takes their locks and gives them back at once. */
export const tryLocks = ({ keys, table }: Statement): readonly [text: string, params: ReadonlyArray<string>] => [
  `select ${tableOf(table).key} as key from ${table} where ${tableOf(table).key} = any($1::text::text[])
    for no key update skip locked`,
  [arrayLiteral(keys)]
]

// All of them as one ----------------------------------------------------------

/**
 * The whole batch as one statement: one message to Postgres and one back, a transaction by itself. Its answer is one
 * row. If a key is taken that was not checked, or was taken after the check, it fails and nothing is written.
 */
export const oneStatement = ({ accounts, statements }: Batch): Pick<Statement, "params"> & Text => {
  const isOne = accounts.length === 1 && statements.every(({ rows }) => rows !== undefined)
  const params: Array<string | null> =
    accounts.length === 0 ? [] : [...(isOne ? paramsOfOne(accounts[0]!) : paramsOf(accounts))]
  // The number of rows of each reported part.
  const counts: Array<string> = []
  for (const statement of statements) {
    params.push(...statement.params)
    if (isReported(statement)) counts.push(String(statement.keys.length))
  }
  const textOf = accounts.length === 0 ? textOfUpdates : isOne ? textOfOneNumbered : textOfNumbered
  return { text: textOf(statements), params: [...params, ...counts] }
}

type Batch = Pick<Plan<unknown>, "accounts" | "statements">

/** `done`: 1 when it was written, 0 when nothing was. A list is null where it would hold all keys of its statement. */
export type Answer = { readonly done: 0 | 1; readonly overtaken?: ReadonlyArray<Overtaken> | null } & {
  readonly [list in `${"fit" | "written"}_${number}`]?: ReadonlyArray<string> | null
}

/** The keys of a statement that were written, or could be; undefined: all of them. */
export const goodIn = (answer: Answer, index: number): ReadonlyArray<string> | undefined =>
  (answer.done === 1 ? answer[`written_${index}`] : answer[`fit_${index}`]) ?? undefined

/** Texts of whole batches kept in memory, a few kilobytes each; there are few kinds of batches. */
const textsMax = 1_000

const partsOf = (statements: ReadonlyArray<Statement>): string => statements.map(nameOf).join()
/** Depends only on the parts and their order: Postgres prepares it once per connection. */
const textOf = (statements: ReadonlyArray<Statement>, horizons: string | undefined): string => {
  const isNumbered = horizons !== undefined
  const before = isNumbered ? 3 : 0
  const placesOf = (some: ReadonlyArray<Statement>) => some.reduce((sum, { params }) => sum + params.length, before)
  const placed = (text: string, index: number) => {
    const from = placesOf(statements.slice(0, index))
    return text.replace(/\$(\d+)/g, (_, place) => `$${from + Number(place)}`)
  }
  const reported = statements.filter(isReported)
  const countOf = (index: number) => `$${placesOf(statements) + 1 + reported.indexOf(statements[index]!)}::text::int8`
  const isFit = (index: number) => `cardinality(fit_${index}) = ${countOf(index)}`
  const isWritten = (index: number) => `(select count(*) from written_${index}) = ${countOf(index)}`
  const all = (conditions: ReadonlyArray<string>) => conditions.join(" and ") || "true"
  const unless = (condition: string, list: string, name: string) =>
    `case when ${condition} then null else ${list} end as ${name}`

  const indicesOf = (holds: (part: Part) => boolean) =>
    statements.flatMap((part, index) => (holds(part) ? [index] : []))
  const tested = statements.flatMap((part, index) => {
    const textOf = testOf(part)
    return textOf === undefined ? [] : [{ index, text: placed(textOf(part), index) }]
  })
  const single = indicesOf((part) => part.single)
  const updates = indicesOf(({ op }) => op === "update")
  const isGated = tested.length > 0 || isNumbered
  const gate = isGated ? "(select whole from fit)" : "true"
  const fits = all(tested.map(({ index }) => isFit(index)))
  // In the order of the locks. The `offset` keeps Postgres from evaluating it twice.
  const lists = tested.map(({ index, text }) => `array(${text}) as fit_${index}`)
  // Checked last, when all rows are locked: a batch that waits for a row does not hold lists back.
  const passed = isNumbered ? `case when ${fits} then (${findOvertaken(horizons)}) end` : "null::json"
  const fit = `fit as materialized (select *, ${fits} and overtaken is null as whole from (
    select *, ${passed} as overtaken from (select ${lists.join(", ")} offset 0) as tested offset 0) as looked)`
  const written = statements.map((part, index) => `written_${index} as (${placed(writePart(part, gate), index)})`)
  const done = all(updates.map(isWritten))
  const answer = [
    isGated
      ? `case when not whole then 0 when ${done} then 1 else ${abortIfWrittenRowsDiffer} end as done`
      : "1 as done",
    ...tested.map(({ index }) => unless(isFit(index), `fit_${index}`, `fit_${index}`)),
    ...single.map((index) => unless(isWritten(index), `array(select key from written_${index})`, `written_${index}`)),
    ...(isNumbered ? ["overtaken"] : [])
  ]
  return isGated
    ? `with ${fit}, ${written.join(", ")} select ${answer.join(", ")} from fit /* ${notice} */`
    : `with ${written.join(", ")} select ${answer.join(", ")} /* ${notice} */`
}
const textsWith = (horizons: string | undefined) =>
  memoize(textsMax, partsOf, (statements: ReadonlyArray<Statement>) => textOf(statements, horizons))
const textOfNumbered = textsWith(readHorizons)
const textOfOneNumbered = textsWith(readHorizon)
const textOfUpdates = textsWith(undefined)

/** The accounts to which lists have shown a later number; null: none. */
const findOvertaken = (horizons: string) => `select json_agg(json_build_object('place', place, 'shown', shown))
  from (${horizons}) as seen where shown >= lowest`

/** For readers of Postgres' log, which shows the statement with the error. */
const notice = "coffer: where this finds a key taken, the rest of the batch is written right afterwards"
/** A cast that fails and so undoes everything. */
const abortIfWrittenRowsDiffer = "('coffer: rows that were locked were not written, ' || whole)::int8"

/** SQL that finds which rows of a part can be written. A row that is its whole set is written without a test. */
const testOf = (part: Part): ((part: Part) => string) | undefined => {
  const { isKeyGiven, unique } = tableOf(part.table)
  if (part.op === "update") return selectUnchanged
  if (part.single) return undefined
  if (isKeyGiven) return selectUnkeyed
  return unique === undefined ? undefined : selectUnnumbered
}

/** Whether the answer reports on a part. It leaves out inserts whose keys are new ones of our own. */
const isReported = (part: Part): boolean => part.single || testOf(part) !== undefined

const writePart = (part: Part, gate: string, leavesOut = part.single): string =>
  part.op === "update" ? updatePart(part, gate) : insertPart(part, gate, leavesOut)

// Their texts -----------------------------------------------------------------

/** More than there are tables. */
const tablesMax = 64

/** A part as a statement of its own leaves out rows that cannot be written. */
export const textAlone = memoize(textsMax, nameOf, (part: Part) => writePart(part, "true", true))

/** Writes nothing unless `gate` is true. If a key is taken it fails, or leaves the row out. */
const insertPart = (part: Part, gate: string, leavesOut: boolean): string => {
  const { columns, key, name } = tableOf(part.table)
  return `insert into ${name} (${columns.map((column) => column.name).join(", ")})
    ${selectCells(part, undefined, `where ${gate}`)}
    ${leavesOut ? `on conflict do nothing returning ${key} as key` : ""}`
}

const updatePart = (part: Part, gate: string): string => {
  const { changing, columns, key, name, versionIndex } = tableOf(part.table)
  const sent = changing.map((index) => columns[index]!.name)
  const written = sent.filter((column) => column !== key)
  return `update ${name} as t set ${written.map((column) => `${column} = n.${column}`).join(", ")}
    from (${selectCells(part)}) as n
    where t.${key} = n.${key} and t.${columns[versionIndex]!.name} = n.replaces and ${gate} returning t.${key} as key`
}

/**
 * Rows that still have the version to be replaced. If another transaction is writing one, this waits, and checks the
 * result. The lock lasts until the batch is written: no update can miss its row any more. Model: models/writes.pml.
 */
const selectUnchanged = (part: Part): string => {
  const { columns, key, name, versionIndex } = tableOf(part.table)
  return `select t.${key} as key from ${name} as t, (${selectCells(part, [key, "replaces"])}) as n
    where t.${key} = n.${key} and t.${columns[versionIndex]!.name} = n.replaces for no key update of t`
}

/**
 * New rows with a number that no row has. Written for the unique index, the only one with this order: Postgres keeps
 * the plan that it makes while a table is small.
 */
const selectUnnumbered = (part: Part): string => {
  const { columns, key, name, unique } = tableOf(part.table)
  const { among, indices } = unique!
  const names = indices.map((index) => columns[index]!.name)
  const [theirs, ours] = ["t", "n"].map((row) => names.map((column) => `${row}.${column}`).join(", "))
  return `select n.${key} as key from (${selectCells(part, [...names, key])}) as n where (
      select t.${key} from ${name} as t where (${theirs}) >= (${ours}) and (${theirs}) <= (${ours}) and ${among}
      order by ${theirs} limit 1) is null`
}

/** New rows with a key that no row has. Each is looked up in the key's index: no plan scans the table. */
const selectUnkeyed = (part: Part): string => {
  const { key, name } = tableOf(part.table)
  return `select n.${key} as key from (${selectCells(part, [key])}) as n
    where (select t.${key} from ${name} as t where t.${key} = n.${key} limit 1) is null`
}
/**
 * The rows of a part as a `select`; `names`: of these columns only. Arrays are unnested in a list of columns: in a
 * `from`, Postgres would set up a store for each of a payment's 75. It does not see how many keys there are: it would
 * make a plan of its own for a few rows, which takes longer than writing them. Where one set is written alone, each
 * cell is a parameter, which costs Postgres less (docs/decisions/0010).
 */
export const selectCells = (part: Part, names?: ReadonlyArray<string>, where = ""): string => {
  const { columns, keyIndex, versionIndex } = tableOf(part.table)
  const sent = sentOf(part.op, tableOf(part.table)).map((index) => ({ name: columns[index]!.name, index }))
  if (part.op === "update") sent.push({ name: "replaces", index: versionIndex })
  const chosen = [...sent.keys()].filter((place) => names?.includes(sent[place]!.name) ?? true)
  const select = (cell: (index: number, place: number) => string) =>
    `select ${chosen.map((place) => `${cell(sent[place]!.index, place)} as ${sent[place]!.name}`).join(", ")}`
  if (part.rows === undefined) {
    const list = select((index, place) => {
      const param = `$${place + 1}::text`
      return `unnest(${index === keyIndex ? `(select ${param})` : param}::${columns[index]!.type}[])`
    })
    return `${list} ${part.op === "update" ? limitHiddenFromPlanner : where}`
  }
  return Array.from({ length: part.rows }, (_, row) => {
    const before = row * sent.length + 1
    return `${select((index, place) => `$${before + place}::text::${columns[index]!.type}`)} ${where}`
  }).join(" union all ")
}

/** Indices of the cells of a row that are sent. An update leaves out the cells that never change. */
export const sentOf = (op: Part["op"], { changing, name }: Written): ReadonlyArray<number> =>
  op === "insert" ? allOf(name) : changing
const allOf = memoize(tablesMax, identity<string>, (name) => [...tableOf(name).columns.keys()])
