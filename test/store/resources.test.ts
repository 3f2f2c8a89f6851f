/** Declared tables beside the database that there is (docs/decisions/0231). */
import { forNobody, resource, shown } from "@coffer/resources/Resource"
import { tables } from "@coffer/resources/tables"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../kit/Service.ts"

/** Tables of Effect and of the migrator. */
const others = /^(cluster_|coffer_migrations$)/

it.live("each table of the database is declared, with each of its columns and no other", () =>
  Effect.gen(function* () {
    const { sql } = yield* start()
    const found = yield* sql<{ readonly table: string; readonly columns: ReadonlyArray<string> }>`
      select c.table_name as table, array_agg(c.column_name::text)::text[] as columns
      from information_schema.columns c join pg_class p on p.relname = c.table_name
        and p.relnamespace = current_schema()::regnamespace
      where c.table_schema = current_schema() and p.relkind in ('r', 'p') and not p.relispartition group by 1`
    const declared = new Map(tables.map(({ columns, table }) => [table, Object.keys(columns)]))
    const own = found.filter(({ table }) => !others.test(table))
    for (const { columns, table } of own) assert.sameMembers(declared.get(table) ?? [], [...columns], table)
    assert.sameMembers(
      [...declared.keys()],
      own.map(({ table }) => table)
    )
  }).pipe(Effect.scoped)
)

it("a column without its audience, or without whose words it holds, does not compile", () => {
  const declared = resource("shelves", {
    // @ts-expect-error whose words it holds is missing
    label: shown(),
    // @ts-expect-error there is no such meaning
    buyer: forNobody("everybody's"),
    // @ts-expect-error its audience is missing
    note: "words",
    // @ts-expect-error its audience is missing
    place: { words: "none" }
  })
  assert.hasAllKeys(declared.columns, ["label", "buyer", "note", "place"])
})
