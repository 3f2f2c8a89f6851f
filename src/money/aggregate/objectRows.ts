/**
 * Rows of one kind of object (`Aggregate.ts`): found by our number or by the one that others gave the object, and
 * written as changes with the version that they replace. The stores add their lists and queues. Decides nothing.
 */
import { type Account, belongsTo } from "@coffer/model/Account"
import { type DateTime, Effect, flow, Option, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import type { Change } from "../../platform/commit/Change.ts"
import type { Table } from "../../platform/commit/Table.ts"
import { batchedById } from "../../platform/postgres/batched.ts"
import { isStorable } from "../../platform/postgres/scans.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import type { Stored } from "./Aggregate.ts"

export interface ObjectRows<State> {
  /** By our number. */
  readonly load: (id: string) => Effect.Effect<Option.Option<Stored<State>>>
  /** By the number that others gave it, which is unique in an account. */
  readonly byNumber: (account: Account, number: string) => Effect.Effect<Option.Option<Stored<State>>>
  /** By our number, then by that one; only among the account's objects (silences: O4, G11, G25). */
  readonly resolve: (account: Account, ref: string) => Effect.Effect<Option.Option<Stored<State>>>
}

interface Reading<State> {
  /** Whether a text can be one of our numbers. */
  readonly isId: (text: string) => boolean
  /** Whether reads of one turn of the event loop are one query: most requests need them. */
  readonly isBatched?: boolean
  /** Whether the account sees the object. The statements ask for it by what its number is unique among. */
  readonly isShown?: (state: State) => boolean
}

type Versioned = Readonly<Record<string, unknown>> & { readonly version: number }
type RowsOf<Row extends Versioned, State> = Pick<Table<State, {}>, "name" | "key" | "columns" | "unique"> & {
  readonly row: Schema.Codec<Row, unknown>
  readonly read: (row: Row) => State
}

export const makeObjectRows = <Row extends Versioned, State extends Account>(
  sql: SqlClient.SqlClient,
  { columns, key, name, read, row, unique }: RowsOf<Row, State>,
  { isBatched = false, isId, isShown = () => true }: Reading<State>
): ObjectRows<State> => {
  const [table, id] = [sql.literal(name), sql.literal(key)]
  const storedOf = (row: Row): Stored<State> => ({ state: read(row), version: row.version })

  const byId = isBatched
    ? batchedById(sql, {
        row,
        key,
        select: (ids) => sql`select * from ${table} where ${id} = any(${ids})`
      })
    : flow(
        SqlSchema.findOneOption({
          Request: Schema.String,
          Result: row,
          execute: (value) => sql`select * from ${table} where ${id} = ${value}`
        }),
        sqlDefects
      )
  const load = (value: string) => Effect.map(byId(value), Option.map(storedOf))

  const number = sql.literal(unique === undefined ? "" : columns[unique.indices[2]]!.name)
  const among = sql.literal(unique === undefined || unique.among === "true" ? "" : ` and ${unique.among}`)
  const findByNumber = SqlSchema.findOneOption({
    Request: Schema.Struct({ merchantId: Schema.String, mode: Schema.String, value: Schema.String }),
    Result: row,
    execute: ({ merchantId, mode, value }) => sql`select * from ${table}
      where merchant_id = ${merchantId} and mode = ${mode} and ${number} = ${value}${among}`
  })
  const byNumber = (account: Account, value: string) =>
    isStorable(value)
      ? sqlDefects(Effect.map(findByNumber({ ...account, value }), Option.map(storedOf)))
      : Effect.succeed(Option.none<Stored<State>>())

  return {
    load,
    byNumber,
    resolve: Effect.fnUntraced(function* (account, ref) {
      if (isId(ref)) {
        const found = yield* load(ref)
        if (Option.isSome(found)) {
          const { state } = found.value
          if (belongsTo(account, state) && isShown(state)) return found
        }
      }
      return yield* byNumber(account, ref)
    })
  }
}

/** The changes that write an object. `extraOf`: the columns beside those of its state. */
export const makeObjectChanges = <
  State extends { readonly createdAt: DateTime.Utc },
  Extra extends Schema.Struct.Fields & { readonly version: typeof Schema.Int }
>(
  table: Table<State, Extra>,
  extraOf: (state: State, version: number, now: DateTime.Utc) => Schema.Struct.Type<Extra>
) => ({
  insertion: (state: State): Change => ({
    op: "insert",
    table: table.name,
    cells: table.cells(state, extraOf(state, 1, state.createdAt))
  }),
  /** The object after a decision, in place of the version that was read. */
  replacement: ({ version }: Stored<State>, after: State, now: DateTime.Utc): Change => ({
    op: "update",
    table: table.name,
    cells: table.cells(after, extraOf(after, version + 1, now)),
    replaces: version
  })
})
