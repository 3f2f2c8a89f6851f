/**
 * Turns queued change sets into multi-row statements, and says which set is to blame when one row does not go in.
 * Pure. Updates of one row by several sets in a row become one: the first set's version is the guard, the last set's
 * row is what is written. That is how a hot wallet's row is written once per batch.
 */
import { AlreadyExists, type Change, type ChangeSet, keyOf, StaleVersion } from "./Change.ts"
import { type Numbered, numberedIn } from "./numbered.ts"
import { nameOf, type Part, type Statement, statementOf, type Write } from "./statements.ts"
import { tableOf, tables } from "./Table.ts"

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
  /** Which sets rely on a row. */
  readonly setsOf: (table: string, key: string) => ReadonlyArray<Set>
}

export const plan = <Set extends { readonly changes: ChangeSet }>(sets: ReadonlyArray<Set>): Plan<Set> => {
  const writes = new Map<string, PlannedWrite>()
  const numbers = new Set<string>()
  const setsByRow = new Map<string, Array<Set>>()
  const accepted: Array<Set> = []
  const refused: Array<readonly [Set, StaleVersion | AlreadyExists]> = []

  for (const set of sets) {
    const broken = set.changes.find(
      (change) => !follows(writes.get(rowId(change)), change) || numbers.has(numberOf(change) ?? "")
    )
    if (broken !== undefined) {
      refused.push([set, conflictOf(broken, keyOf(broken))])
      continue
    }
    accepted.push(set)
    for (const change of set.changes) {
      const id = rowId(change)
      const before = writes.get(id)
      const replaces = before?.replaces ?? (change.op === "update" ? change.replaces : undefined)
      writes.set(id, { change, single: change.op === "insert" && set.changes.length === 1, replaces })
      const number = numberOf(change)
      if (number !== undefined) numbers.add(number)
      const reliant = setsByRow.get(id)
      if (reliant === undefined) setsByRow.set(id, [set])
      else reliant.push(set)
    }
  }

  return {
    statements: statementsOf([...writes.values()]),
    accepted,
    refused,
    accounts: numberedIn(accepted),
    setsOf: (table, key) => setsByRow.get(`${table}:${key}`) ?? []
  }
}

/** The meaning of a missing row: an update found another version, an insert found its key taken. */
export const conflictOf = ({ op, table }: Pick<Part, "op" | "table">, key: string): StaleVersion | AlreadyExists =>
  op === "update" ? new StaleVersion({ table, key }) : new AlreadyExists({ table, key })

const follows = (before: Write | undefined, change: Change): boolean => {
  if (before === undefined) return true
  if (change.op === "insert" || before.change.op === "insert") return false
  return before.change.cells[tableOf(change.table).versionIndex] === change.replaces
}

const rowId = (change: Change): string => `${change.table}:${keyOf(change)}`

/** The number of a new row, which no other new row of its merchant and mode may have; undefined if it has none. */
const numberOf = ({ cells, op, table }: Change): string | undefined => {
  if (op === "update") return undefined
  const { unique } = tableOf(table)
  if (unique === undefined) return undefined
  const [merchant, mode, number] = unique.indices
  return cells[number] === null ? undefined : `${table} ${cells[merchant]} ${cells[mode]} ${cells[number]}`
}

const statementsOf = (writes: ReadonlyArray<PlannedWrite>): ReadonlyArray<Statement> => {
  const byName = Map.groupBy(writes, ({ change: { op, table }, single }) => nameOf({ op, table, single }))
  return tables().flatMap(({ name: table }) =>
    parts.flatMap(({ op, single }) => {
      const mine = byName.get(nameOf({ op, table, single }))
      // By key, so that two transactions take the same rows' locks in the same order.
      return mine === undefined
        ? []
        : [
            statementOf(
              { op, table, single },
              mine.toSorted((a, b) => (keyOf(a.change) < keyOf(b.change) ? -1 : 1))
            )
          ]
    })
  )
}

/** One table's parts, in the order in which they are written. */
const parts: ReadonlyArray<Omit<Part, "table">> = [
  { op: "insert", single: false },
  { op: "insert", single: true },
  { op: "update", single: false }
]
