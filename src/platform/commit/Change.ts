/**
 * One written row, as plain data, so that a change set can travel from the actor that decided it to the actor that
 * commits it. Insert: the row must be new. Update: the row replaces exactly one version of itself.
 */
import { Schema } from "effect"
import { type Row, type RowOf, type TableName, tables } from "./Tables.ts"

const TableNames = Schema.Literals(Object.keys(tables) as ReadonlyArray<TableName>)
const RowData = Schema.Record(Schema.String, Schema.NullOr(Schema.Union([Schema.String, Schema.Finite])))

export const Change = Schema.Union([
  Schema.Struct({ op: Schema.tag("insert"), table: TableNames, row: RowData }),
  Schema.Struct({
    op: Schema.tag("update"),
    table: TableNames,
    row: RowData,
    replaces: Schema.Union([Schema.String, Schema.Int])
  })
])
export type Change = typeof Change.Type

/** All rows of one decision: written together or not at all. */
export const ChangeSet = Schema.Array(Change)
export type ChangeSet = typeof ChangeSet.Type

export const insert = <Name extends TableName>(table: Name, row: RowOf<Name>): Change => ({
  op: "insert",
  table,
  row: row as Row
})

export const update = <Name extends TableName>(table: Name, row: RowOf<Name>, replaces: string | number): Change => ({
  op: "update",
  table,
  row: row as Row,
  replaces
})

/** The row is no longer the one that was read: another runner wrote it first. Reload and decide again. */
export class StaleVersion extends Schema.TaggedError<StaleVersion>()("StaleVersion", {
  table: TableNames,
  key: Schema.String
}) {}

/** A unique key of the row is taken: what was to be created exists. */
export class AlreadyExists extends Schema.TaggedError<AlreadyExists>()("AlreadyExists", {
  table: TableNames,
  key: Schema.String
}) {}

/** Whether the set was written is not known (the database went away) or it certainly was not (the queue is full). */
export class NotCommitted extends Schema.TaggedError<NotCommitted>()("NotCommitted", {
  reason: Schema.Literals(["unknown", "overloaded", "rejected"])
}) {}

export const CommitError = Schema.Union([StaleVersion, AlreadyExists, NotCommitted])
export type CommitError = typeof CommitError.Type
