/** The tables that rooms describe, and those that the migrations make. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tables } from "../../src/platform/commit/Table.ts"
import { freshSql } from "../kit/Process.ts"

describe("a table that a room describes", () => {
  it.live("has a description for each name, and the columns and types of the database", () =>
    Effect.gen(function* () {
      const sql = yield* freshSql
      for (const { columns, name } of tables()) {
        const found = yield* sql<{ column: string; type: string }>`select column_name as column, udt_name as type
          from information_schema.columns where table_name = ${name}`
        const typeOf = new Map(found.map(({ column, type }) => [column, type === "int4" ? "int8" : type]))
        for (const column of columns) {
          assert.deepStrictEqual([name, column.name, typeOf.get(column.name)], [name, column.name, column.type])
        }
      }
    })
  )
})
