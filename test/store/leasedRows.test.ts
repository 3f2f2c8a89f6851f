/** Rows that are due, and what is kept of the last look at them. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { leasedRows } from "../../src/platform/postgres/leasedRows.ts"
import { freshDatabase, ownersConnection } from "../kit/Service.ts"

it.live("a row that the last look went well for has no error any more, also when all of them went well", () =>
  Effect.gen(function* () {
    const sql = yield* ownersConnection(yield* freshDatabase)
    yield* sql`create table tasks (id text primary key, due_at timestamptz, error text)`
    yield* sql`insert into tasks (id) values ('one'), ('other')`
    const queue = { table: "tasks", key: "id", dueAt: "due_at", error: "error", lease: sql`interval '1 minute'` }
    const { note } = leasedRows(sql, queue, Schema.Struct({ id: Schema.String }))
    const errors = Effect.map(sql<{ error: string | null }>`select error from tasks order by id`, (rows) =>
      rows.map(({ error }) => error)
    )
    yield* note(
      new Map([
        ["one", "no answer"],
        ["other", null]
      ])
    )
    assert.deepStrictEqual(yield* errors, ["no answer", null])
    yield* note(
      new Map([
        ["one", null],
        ["other", null]
      ])
    )
    assert.deepStrictEqual(yield* errors, [null, null])
  })
)
