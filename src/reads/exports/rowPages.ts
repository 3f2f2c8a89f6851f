/** Pages of an archive, and rows of tables with the columns that archives show. */
import { archivedColumns, type Column, isArchived, type Resource } from "@coffer/resources/Resource"
import { Effect, Option, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { bodyOf } from "../../webhooks/events/eventBodies.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { parseJson } from "../../platform/runtime/codecs.ts"

/** Lines of a file. A row may have some 120 kB. */
export const linesMax = 250

/** Files of one page: by folder, the lines, and names of uploaded files, which are opened one after the other. */
export interface Page {
  readonly files: ReadonlyArray<readonly [folder: string, lines: ReadonlyArray<string>]>
  readonly uploads?: ReadonlyArray<string>
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined
}
export type ReadPage = (after: string) => Effect.Effect<Page>

const Row = Schema.Struct({ key: Schema.String, line: Schema.String })
export const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const EventRow = Schema.Struct({
  id: Schema.String,
  body: Schema.NullOr(Schema.String),
  packed: Schema.NullOr(Schema.Uint8Array)
})
const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(EventRow))

/** A row `t` of this table as an object of what is shown of it. */
export const shownOf = (sql: SqlClient.SqlClient, resource: Resource): Statement.Fragment =>
  objectOf(
    sql,
    Object.fromEntries(
      Object.entries(archivedColumns(resource)).map(([name, column]) => [
        name,
        valueOf(sql, sql`${sql(`t.${name}`)}`, column)
      ])
    )
  )

const valueOf = (sql: SqlClient.SqlClient, value: Statement.Fragment, { shape }: Column): Statement.Fragment => {
  if (typeof shape !== "object") return value
  const hidden = Object.entries(shape.parts).flatMap(([name, part]) => (isArchived(part) ? [] : [name]))
  if (hidden.length === 0) return value
  const without = (each: Statement.Fragment) => sql`${each} - ${hidden}::text[]`
  return shape.of === "object"
    ? without(value)
    : sql`(select coalesce(jsonb_agg(${without(sql`each`)}), '[]') from jsonb_array_elements(${value}) each)`
}

export const objectOf = (sql: SqlClient.SqlClient, fields: Readonly<Record<string, Statement.Fragment>>) =>
  sql`jsonb_build_object(${sql.csv(
    Object.entries(fields).flatMap(([name, value]) => [sql.literal(`'${name}'`), value])
  )})`

/** A page of a table's rows. */
export const makePage =
  (
    sql: SqlClient.SqlClient,
    folder: string,
    { key, line, rows }: { readonly key: string; readonly line: Statement.Fragment; readonly rows: Statement.Fragment }
  ): ReadPage =>
  (after) =>
    Effect.gen(function* () {
      const found = yield* decodeRows(
        yield* sql`select ${sql(`t.${key}`)} as key, ${line}::text as line
          from (${rows}) t where ${sql(`t.${key}`)} > ${after} order by 1 limit ${linesMax}::int4`
      )
      return {
        files: [[folder, found.map((row) => row.line)] as const],
        next: found.length < linesMax ? undefined : found.at(-1)!.key
      }
    }).pipe(sqlDefects)

/** The events as they are delivered. */
export const eventsOf = (rows: ReadonlyArray<unknown>) =>
  Effect.map(decodeEvents(rows), (events) =>
    events.map((event) => ({ id: event.id, event: Option.getOrNull(parseJson(bodyOf(event))) }))
  )
