/**
 * One written row, as plain data, so that changes of many callers can be written by one statement. Insert: the row must
 * be new. Update: the row replaces exactly one version of itself.
 */
import { Effect, Schema } from "effect"
import type { Cell } from "../postgres/arrayLiteral.ts"
import { type Table, tableOf } from "./Table.ts"

/** In the order of the table's columns. */
type Cells = ReadonlyArray<Cell>

export type Change =
  | { readonly op: "insert"; readonly table: string; readonly cells: Cells }
  | { readonly op: "update"; readonly table: string; readonly cells: Cells; readonly replaces: string | number }

/** All rows of one decision: written together or not at all. */
export type ChangeSet = ReadonlyArray<Change>

/** A command that this runner has carried out. It is encoded only when it goes to another runner. */
export interface Instruction {
  readonly name: string
  readonly encoded: () => unknown
}

/** Rows to commit, and their commands: another runner gets only the commands (`Instructions.ts`). */
export interface Described {
  readonly changes: ChangeSet
  readonly instructions: ReadonlyArray<Instruction>
}

/** A new row. `beside`: the columns that the table has beside those of its schema. */
export const insert = <Self, Extra extends Schema.Struct.Fields>(
  table: Table<Self, Extra>,
  self: NoInfer<Self>,
  ...[extra]: ExtraArgument<Extra>
): Change => ({ op: "insert", table: table.name, cells: table.cells(self, (extra ?? {}) as Values<Extra>) })

/** The row, in place of the one whose version is `replaces`. */
export const update = <Self, Extra extends Schema.Struct.Fields>(
  table: Table<Self, Extra>,
  replaces: string | number,
  self: NoInfer<Self>,
  ...[extra]: ExtraArgument<Extra>
): Change => ({ op: "update", table: table.name, cells: table.cells(self, (extra ?? {}) as Values<Extra>), replaces })

type Values<Extra extends Schema.Struct.Fields> = Schema.Struct.Type<Extra>
type ExtraArgument<Extra extends Schema.Struct.Fields> = {} extends Extra ? [] : [extra: Values<Extra>]

/** The key of the row. */
export const keyOf = ({ cells, table }: Change): string => String(cells[tableOf(table).keyIndex])

/** Another runner has written the row since it was read. Reload and decide again. */
export class StaleVersion extends Schema.TaggedError<StaleVersion>()("StaleVersion", {
  table: Schema.String,
  key: Schema.String
}) {}

/** A unique key of the row is taken: the object exists already. */
export class AlreadyExists extends Schema.TaggedError<AlreadyExists>()("AlreadyExists", {
  table: Schema.String,
  key: Schema.String
}) {}

/**
 * The outcome is unknown (the database went away), or the set was certainly not written (the queue is full).
 * `overtaken`: lists have shown a later number of the account than one of the set's. New numbers are later.
 */
export class NotCommitted extends Schema.TaggedError<NotCommitted>()("NotCommitted", {
  reason: Schema.Literals(["unknown", "overloaded", "rejected", "overtaken"])
}) {}

export const isOvertaken = (failure: unknown): failure is NotCommitted =>
  failure instanceof NotCommitted && failure.reason === "overtaken"

/** How often an overtaken object is made again. */
export const renumberedMax = 8

/** Makes a new object, and retries with a new number if it was overtaken. */
export const retryOvertaken = <A, E, R>(make: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  // The framework's schedule for retries takes 22 steps, so it is only set up after the first failure.
  Effect.catchIf(make, isOvertaken, () => Effect.retry(make, { while: isOvertaken, times: renumberedMax - 1 }))

export const CommitError = Schema.Union([StaleVersion, AlreadyExists, NotCommitted])
export type CommitError = typeof CommitError.Type
