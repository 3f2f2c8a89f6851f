/**
 * Which programs work with the tables after a migration, and which program may start on a database. Runners of two
 * versions share the tables during an upgrade, and either may die and start again (docs/decisions/0260).
 */
import { readdirSync } from "node:fs"
import path from "node:path"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** A bundle or a package of the program has this folder beside the file that came from this one. */
export const folder = new URL("./migrations/", import.meta.url)
export const ending = path.extname(import.meta.url)

/** The files of `migrations/` without their ending, by their numbers: `0191_access`. */
export const migrations: ReadonlyArray<string> = readdirSync(folder)
  .filter((file) => path.extname(file) === ending)
  .map((file) => path.parse(file).name)
  .toSorted()

export const numberOf = (name: string): number => Number.parseInt(name, 10)

/** The newest migration that this program knows. */
export const newestMigration = numberOf(migrations.at(-1)!)

/**
 * Each migration from 0220 on, with the oldest program that works after it: it knows the migration of this number.
 *
 * - 0, an expansion: it adds what older programs do not need, or replaces a function by one that does the same for
 *   them.
 * - A lower number than its own, a contraction: it takes away what programs before that number need. No start makes it.
 *   It is made beside the service once no older program runs and every row is filled (`laterSteps.ts`).
 * - Its own number: no older program works after it. It is made at the start, so all older runners have to stop first.
 */
export const readableFrom: Readonly<Record<number, number>> = {
  220: 0,
  221: 0,
  225: 0,
  227: 0,
  229: 0,
  230: 0,
  231: 0
}

/** `from`: the migration that a program has to know so that it works after this one; null: not said. */
export const isContraction = (id: number, from: number | null = readableFrom[id] ?? null): boolean =>
  from !== null && from > 0 && from < id

/**
 * The first migrations make in one step what those up to this number made in many (docs/decisions/0232). The program of
 * this commit has those, and a database that has all of them has the tables of the first ones.
 */
export const joined = { newest: 182, commit: "83dc91f323870f019854452dc153e26af4bff6da" }
export const baseline = migrations.filter((name) => numberOf(name) <= 197)

/** Why the database cannot be migrated, for people. */
export class NotMigrated extends Schema.TaggedError<NotMigrated>()("NotMigrated", { message: Schema.String }) {}
export const notMigrated = (message: string) => Effect.fail(new NotMigrated({ message }))

export const setOwner =
  "Run coffer migrate, or set MIGRATION_DATABASE_URL, with the role that owns the tables (docs/operating.md)."

/** A migration that a database has. `readable_from` is null in rows of programs that did not say. */
export interface Applied {
  readonly id: number
  readonly name: string
  readonly readable_from: number | null
}

export const appliedIn = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [there] = yield* sql<{ readonly is: boolean }>`select to_regclass('coffer_migrations') is not null as is`
  if (!there!.is) return []
  return yield* sql<Applied>`select migration_id::int4 as id, name,
    (to_jsonb(m) ->> 'readable_from')::int4 as readable_from from coffer_migrations m order by migration_id`
})

/** Those of newer versions. */
export const unknownOf = (applied: ReadonlyArray<Applied>, newest: number = newestMigration) =>
  applied.filter(({ id }) => id > newest)

/** `applied`: by their numbers. `known`: names of migrations with their numbers in front. */
export const mismatch = (applied: ReadonlyArray<Applied>, known: ReadonlyArray<string>): string | undefined => {
  const names = new Map(known.map((name) => [numberOf(name), name]))
  const newestKnown = Math.max(0, ...names.keys())
  const readable = ({ id, readable_from: from }: Applied) => id > newestKnown && from !== null && from <= newestKnown
  const stranger = applied.find((each) => !names.has(each.id) && !readable(each))
  if (stranger !== undefined && stranger.id <= joined.newest) {
    return applied.at(-1)!.id === joined.newest
      ? `The database has migrations that newer versions have joined into one. ${setOwner}`
      : "The database is older than the oldest one that this version migrates. " +
          `Start the program of the commit ${joined.commit} once, and then this one.`
  }
  if (stranger !== undefined) {
    const { id, name, readable_from: from } = stranger
    return (
      `The database has the migration ${id} (${name}), which this version of the program does not know` +
      (from === null ? "" : ` and cannot work with: it needs a version that knows the migration ${from}`) +
      ". Start the version that made it, or a newer one."
    )
  }
  const newest = applied.at(-1)?.id ?? 0
  const done = new Set(applied.map(({ id }) => id))
  const skipped = [...names].find(([id]) => id < newest && !done.has(id) && !isContraction(id))
  return skipped === undefined
    ? undefined
    : `The migration ${skipped[1]} was never applied to this database, but newer ones were. ` +
        "Restore an earlier backup, or contact the maker of this version."
}

/** The library's migrator compares only the newest number: it would start with unknown migrations. */
export const expectKnown = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const applied = yield* appliedIn(sql)
  const problem = mismatch(applied, migrations)
  return problem === undefined ? applied : yield* notMigrated(problem)
})
