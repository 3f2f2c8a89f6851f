/** The tables that `@coffer/cluster` makes for another application, beside those of Coffer's own migrations. */
import { statements } from "@coffer/cluster/tables"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase, ownersConnection } from "../kit/Service.ts"

it.live("an application that makes the cluster's tables has what Coffer's migrations have made", () =>
  Effect.gen(function* () {
    const sql = yield* ownersConnection(yield* freshDatabase)
    const columnsIn = (schema: string) => sql`select table_name, column_name, data_type, is_nullable, column_default
      from information_schema.columns where table_schema = ${schema} and table_name in ('runners', 'runner_vitals')
      order by table_name, column_name`
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`create schema another`
        yield* sql`set local search_path to another`
        for (const statement of statements) yield* sql.unsafe(statement)
        const made = yield* columnsIn("another")
        assert.lengthOf(made, 16)
        assert.deepStrictEqual(made, yield* columnsIn("public"))
      })
    )
  })
)
