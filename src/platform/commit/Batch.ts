/**
 * Turns queued change sets into multi-row statements, and says which set is to blame when one row does not go in.
 * Pure. Updates of one row by several sets in a row become one: the first set's version is the guard, the last set's
 * row is what is written. That is how a hot wallet's row is written once per batch.
 */
import { AlreadyExists, type Change, type ChangeSet, keyOf, StaleVersion } from "./Change.ts"
import { identity } from "effect"
import { jsonText } from "../runtime/codecs.ts"
import { memoize } from "../runtime/memoize.ts"
import { type Cell, type TableName, tableNames, tableOf, type Written } from "./Table.ts"

export interface Statement {
  readonly table: TableName
  readonly op: "insert" | "update"
  /** Each row is the whole of its set: one that is not written keeps no other row out. */
  readonly single: boolean
  readonly text: string
  readonly params: ReadonlyArray<string>
  /** Keys that must come back; one that does not is a conflict. */
  readonly keys: ReadonlyArray<string>
}

interface Write {
  readonly change: Change
  /** An insert that is the whole of its set. */
  readonly single: boolean
  /** Version this write replaces; of a chain of updates the first one's. */
  readonly replaces: string | number | undefined
}

export interface Plan<Set> {
  readonly statements: ReadonlyArray<Statement>
  readonly accepted: ReadonlyArray<Set>
  /** Sets that cannot be written if those before them in this very batch are. If those are not, they may be. */
  readonly refused: ReadonlyArray<readonly [Set, StaleVersion | AlreadyExists]>
  /** Which sets rely on a row. */
  readonly setsOf: (table: TableName, key: string) => ReadonlyArray<Set>
}

export const plan = <Set extends { readonly changes: ChangeSet }>(sets: ReadonlyArray<Set>): Plan<Set> => {
  const writes = new Map<string, Write>()
  const owners = new Map<string, Array<Set>>()
  const accepted: Array<Set> = []
  const refused: Array<readonly [Set, StaleVersion | AlreadyExists]> = []

  for (const set of sets) {
    const broken = set.changes.find((change) => !follows(writes.get(rowId(change)), change))
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
      const owning = owners.get(id)
      if (owning === undefined) owners.set(id, [set])
      else owning.push(set)
    }
  }

  return {
    statements: statementsOf([...writes.values()]),
    accepted,
    refused,
    setsOf: (table, key) => owners.get(`${table}:${key}`) ?? []
  }
}

/**
 * The whole batch as one statement: one message to Postgres and one back, a transaction by itself. It fails when a row
 * does not come back, so that nothing is written, and does not say which one: for that the statements are run singly.
 * Only rows that are the whole of their set may be missing. Then the answer has a column for their statement,
 * {@link writtenIn}, with the keys that were written; the column is null when all of them were.
 */
export const atOnce = (statements: ReadonlyArray<Statement>): Pick<Statement, "text" | "params"> => ({
  text: textAtOnce(statements),
  params: [
    ...statements.flatMap(({ params }) => params),
    // How many rows each of them has to write.
    ...statements.map(({ keys }) => String(keys.length))
  ]
})

export const writtenIn = (index: number) => `written_${index}`

/** No fault: a key is taken or a row was changed meanwhile, and all else is written right afterwards. */
const conflictText = "coffer: this batch met a conflict and is written again in parts"

/** Texts of whole batches kept in memory, a few kilobytes each; few kinds of batches are met. */
const textsMax = 1_000

const partsOf = (statements: ReadonlyArray<Statement>): string => statements.map(nameOf).join()
/** Depends on which tables the batch writes, in their order, and on nothing else. */
const textAtOnce = memoize(textsMax, partsOf, (statements: ReadonlyArray<Statement>): string => {
  let place = 0
  const parts = statements.map(({ params, text }, index) => {
    const from = place
    place += params.length
    return `write_${index} as (${text.replace(/\$(\d+)/g, (_, number) => `$${from + Number(number)}`)})`
  })
  const isWhole = statements.map((_, index) => `(select count(*) from write_${index}) = $${++place}::text::int8`)
  const whole = isWhole.filter((_, index) => !statements[index]!.single)
  // Postgres logs the error: the text that it fails to read as a number explains the error to a reader of the log.
  const refusal = `('${conflictText}, ' || (select count(*) from write_0))::int8`
  const done = whole.length === 0 ? "1" : `case when ${whole.join(" and ")} then 1 else ${refusal} end`
  const written = isWhole.flatMap((isWhole, index) =>
    statements[index]!.single
      ? [`case when ${isWhole} then null else array(select key from write_${index}) end as ${writtenIn(index)}`]
      : []
  )
  return `with ${parts.join(", ")} select ${[`${done} as done`, ...written].join(", ")}`
})

/** Which of the rows that a statement changes are free: asks for their locks and gives them back at once. */
export const locking = ({ keys, table }: Statement): readonly [text: string, params: ReadonlyArray<string>] => [
  `select ${tableOf(table).key} as key from ${table} where ${tableOf(table).key} = any($1::text::text[])
    for no key update skip locked`,
  [arrayLiteral(keys)]
]

/** What the missing row means: an update found another version, an insert found its key taken. */
export const conflictOf = ({ op, table }: Pick<Statement, "op" | "table">, key: string): StaleVersion | AlreadyExists =>
  op === "update" ? new StaleVersion({ table, key }) : new AlreadyExists({ table, key })

const follows = (before: Write | undefined, change: Change): boolean => {
  if (before === undefined) return true
  if (change.op === "insert" || before.change.op === "insert") return false
  return before.change.cells[tableOf(change.table).versionIndex] === change.replaces
}

const rowId = (change: Change): string => `${change.table}:${keyOf(change)}`

const statementsOf = (writes: ReadonlyArray<Write>): ReadonlyArray<Statement> => {
  const byName = Map.groupBy(writes, ({ change: { op, table }, single }) => nameOf({ op, table, single }))
  return writingOrder.flatMap((part) => {
    const mine = byName.get(nameOf(part))
    // By key, so that two transactions take the same rows' locks in the same order.
    return mine === undefined
      ? []
      : [
          statementOf(
            part,
            mine.toSorted((a, b) => (keyOf(a.change) < keyOf(b.change) ? -1 : 1))
          )
        ]
  })
}

type Part = Pick<Statement, "op" | "table" | "single">

const nameOf = ({ op, single, table }: Part) => `${op} ${table}${single ? " single" : ""}`

const writingOrder = tableNames.flatMap((table): ReadonlyArray<Part> => [
  { op: "insert", table, single: false },
  { op: "insert", table, single: true },
  { op: "update", table, single: false }
])

/** One row as a statement of its own. */
export const rowStatement = (change: Change): Statement => {
  const { op, table } = change
  return statementOf({ op, table, single: op === "insert" }, [
    { change, single: op === "insert", replaces: change.op === "update" ? change.replaces : undefined }
  ])
}

const statementOf = (part: Part, writes: ReadonlyArray<Write>): Statement => {
  const { op, table } = part
  const { sent, text } = shapes[op](table)
  const params = sent.map((index) => arrayLiteral(writes.map(({ change }) => change.cells[index]!)))
  if (op === "update") params.push(arrayLiteral(writes.map(({ replaces }) => replaces ?? null)))
  return { ...part, text, params, keys: writes.map(({ change }) => keyOf(change)) }
}

/** What is sent of a row, as indices of its cells, and the statement that takes it. */
interface Shape {
  readonly sent: ReadonlyArray<number>
  readonly text: string
}

// The text of a statement depends on the table alone, so Postgres prepares it once per connection.
const insertShape = (table: Written): Shape => {
  const { columns, key, name } = table
  const sent = columns.map((_, index) => index)
  const names = columns.map(({ name }) => name).join(", ")
  return {
    sent,
    text: `insert into ${name} (${names}) select * from unnest(${arrays(table, sent).join(", ")})
      on conflict do nothing returning ${key} as key`
  }
}

/** Of a row that is there already, what never changes is not sent. */
const updateShape = (table: Written): Shape => {
  const { changing: sent, columns, key, name, versionIndex } = table
  const names = sent.map((index) => columns[index]!.name)
  const version = columns[versionIndex]!
  const read = [...arrays(table, sent), `$${sent.length + 1}::text::${version.type}[]`].join(", ")
  const written = names.filter((column) => column !== key)
  return {
    sent,
    text: `update ${name} as t set ${written.map((column) => `${column} = n.${column}`).join(", ")}
      from unnest(${read}) as n (${names.join(", ")}, replaces)
      where t.${key} = n.${key} and t.${version.name} = n.replaces returning t.${key} as key`
  }
}

const arrays = ({ columns }: Written, sent: ReadonlyArray<number>): ReadonlyArray<string> =>
  sent.map((column, index) => `$${index + 1}::text::${columns[column]!.type}[]`)

const shapes = {
  insert: memoize(tableNames.length, identity<TableName>, (name) => insertShape(tableOf(name))),
  update: memoize(tableNames.length, identity<TableName>, (name) => updateShape(tableOf(name)))
}

/** A Postgres array as text: the client cannot tell the element type of an array of nulls. */
const arrayLiteral = (cells: ReadonlyArray<Cell>): string => {
  let text = "{"
  for (let index = 0; index < cells.length; index++) {
    const cell = cells[index]!
    text += (index === 0 ? "" : ",") + (typeof cell === "string" ? quoted(cell) : cell === null ? "NULL" : String(cell))
  }
  return text + "}"
}

const quoted = (text: string): string => {
  if (!special.test(text)) return `"${text}"`
  // JSON escapes both as an array does, several times faster than a pattern, but it escapes other characters too.
  return others.test(text) ? `"${text.replace(/[\\"]/g, "\\$&")}"` : jsonText(text)
}
// Few texts have one, and to look costs a tenth of replacing.
const special = /[\\"]/
const others = /[^ -\ud7ff\ue000-\uffff]/
