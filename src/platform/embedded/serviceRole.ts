/**
 * The role that the service has in the embedded Postgres. The superuser migrates, and this role does everything else,
 * so that the service itself cannot change the ledger (docs/decisions/0025). Its password is new at each start, and
 * kept in no file.
 */
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { databaseProblem } from "../postgres/databaseProblem.ts"
import * as Postgres from "../postgres/Postgres.ts"
import { EmbeddedFailure } from "./DataDirLock.ts"

const role = "coffer_app"

/** Makes the role where there is none. Returns the address under which the service uses the database. */
export const serviceUrl = Effect.fnUntraced(function* (superuser: Redacted.Redacted) {
  const password = randomBytes(24).toString("hex")
  yield* Effect.provide(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.gen(function* () {
        const there = yield* sql`select 1 from pg_roles where rolname = ${role}`
        yield* sql.unsafe(`${there.length === 0 ? "create" : "alter"} role ${role} login password '${password}'`)
      })
    ),
    Postgres.layer({ url: superuser, connections: 1, name: "coffer-start", watched: false })
  ).pipe(
    Effect.catchTags({
      SqlError: (error) => Effect.fail(new EmbeddedFailure({ message: databaseProblem(superuser, error) }))
    })
  )
  const url = new URL(Redacted.value(superuser))
  url.username = role
  url.password = password
  return Redacted.make(url.href)
})
