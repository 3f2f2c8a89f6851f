/** Due rows, and what is stored of the last look at them. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Option, Schema } from "effect"
import { backOffAfterWork, leasedRows } from "../../src/platform/postgres/leasedRows.ts"
import { freshDatabase, ownersConnection } from "../kit/Service.ts"

it.live("a row that the last look went well for has no error any more, also when all of them went well", () =>
  Effect.gen(function* () {
    const sql = yield* ownersConnection(yield* freshDatabase)
    yield* sql`create table tasks (id text primary key, due_at timestamptz, error text)`
    yield* sql`insert into tasks (id) values ('one'), ('other')`
    const queue = { table: "tasks", key: "id", dueAt: "due_at", error: "error", lease: sql`interval '1 minute'` }
    const { noteOutcomes: note } = leasedRows(sql, queue, Schema.Struct({ id: Schema.String }))
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

it.live("a row has one worker while its work may last, and is due again after its own wait when that has ended", () =>
  Effect.gen(function* () {
    const sql = yield* ownersConnection(yield* freshDatabase)
    yield* sql`create table tasks (id text primary key, due_at timestamptz, tries int)`
    const begun = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")
    const after = (seconds: number) => DateTime.add(begun, { seconds })
    const ids = ["failed", "done", "changed"]
    yield* sql`insert into tasks (id, due_at) select id, ${DateTime.toDateUtc(begun)} from unnest(${ids}::text[]) as id`
    const queueOf = () =>
      leasedRows(
        sql,
        { table: "tasks", key: "id", dueAt: "due_at", ...backOffAfterWork(sql, "tries", { soon: 10, late: 3_600 }) },
        Schema.Struct({ id: Schema.String })
      )
    const [one, other] = [queueOf(), queueOf()]
    assert.lengthOf(yield* one.leaseDue(begun, 9), 3)
    assert.lengthOf(yield* other.leaseDue(after(29), 9), 0)

    yield* one.done("done")
    yield* sql`update tasks set due_at = ${DateTime.toDateUtc(after(3_600))} where id = 'changed'`
    yield* one.ended(ids)
    assert.deepStrictEqual(yield* one.nextDue, Option.some(after(10)))
    assert.deepStrictEqual(yield* other.leaseDue(after(10), 9), [{ id: "failed" }])
    // A row that another worker has leased meanwhile is its own. The second wait is twice as long.
    yield* one.ended(["failed"])
    yield* other.ended(["failed"])
    assert.deepStrictEqual(yield* one.nextDue, Option.some(after(30)))
    assert.deepStrictEqual(yield* sql`select id from tasks where due_at = ${DateTime.toDateUtc(after(3_600))}`, [
      { id: "changed" }
    ])
    // The third is longer than a lease has to be.
    assert.lengthOf(yield* one.leaseDue(after(30), 9), 1)
    assert.deepStrictEqual(yield* one.nextDue, Option.some(after(70)))
  })
)
