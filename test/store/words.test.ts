/** The declaration whose words each column holds, against the database that there is. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { kinds } from "../../src/erasures/buyerWords.ts"
import { whoseColumns, words } from "../kit/rows/words.ts"
import { columns } from "../../src/exports/columns.ts"
import { start } from "../kit/Service.ts"

/** Tables of Effect and of the migrator. */
const others = /^(cluster_|coffer_migrations$)/

it.live("whose words it holds is said of each column with texts, JSON or bytes, and of no other", () =>
  Effect.gen(function* () {
    const { sql } = yield* start()
    const found = yield* sql<{ readonly table: string; readonly columns: ReadonlyArray<string> }>`
      select c.table_name as table, array_agg(c.column_name::text order by c.column_name)::text[] as columns
      from information_schema.columns c join pg_class p on p.relname = c.table_name
        and p.relnamespace = current_schema()::regnamespace
      where c.table_schema = current_schema() and p.relkind in ('r', 'p') and not p.relispartition
        and c.udt_name in ('text', 'varchar', '_text', 'json', 'jsonb', 'bytea') group by 1 order by 1`
    const own = found.filter(({ table }) => !others.test(table))
    for (const { columns, table } of own) {
      assert.deepStrictEqual([table, ...[...whoseColumns(table).keys()].toSorted()], [table, ...columns.toSorted()])
    }
    assert.deepStrictEqual(
      own.map(({ table }) => table),
      Object.keys(words).toSorted()
    )
  }).pipe(Effect.scoped)
)

it("an erasure looks through each column that holds a buyer's words", () => {
  // Cards have no text that could name anybody, and go with their order.
  const looked = Object.entries(kinds).map(([table, { words }]) => [table, [...words].toSorted()])
  const declared = Object.keys(words).flatMap((table) => {
    const names = [...whoseColumns(table)].flatMap(([name, whose]) =>
      whose === "order" && name !== "card" ? [name] : []
    )
    return names.length === 0 ? [] : [[table, names.toSorted()]]
  })
  assert.sameDeepMembers(looked, declared)
})

it("an archive shows no column that is sealed, an operator's or a person's", () => {
  for (const [table, names] of Object.entries(columns)) {
    const whose = whoseColumns(table)
    for (const name of names) assert.notInclude(["sealed", "people"], whose.get(name) ?? "number", `${table}.${name}`)
  }
})
