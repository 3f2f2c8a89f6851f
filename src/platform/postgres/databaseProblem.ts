/** Why the database cannot be used, in one line for the person who started the program, without the password. */
import { Predicate, Redacted } from "effect"
import type { SqlError } from "effect/sql"

export const databaseProblem = (url: Redacted.Redacted, error: SqlError.SqlError, setting = "DATABASE_URL"): string => {
  const at = URL.parse(Redacted.value(url))
  if (at === null || !/^postgres(ql)?:$/.test(at.protocol)) {
    return `${setting} must look like postgres://user:password@localhost:5432/database.`
  }
  const { cause } = error.reason
  const reason = Predicate.isError(cause) && cause.message !== "" ? cause.message : error.message
  const database = decodeURIComponent(at.pathname.slice(1))
  const as = setting === "DATABASE_URL" ? "" : ` with ${setting}`
  return `PostgreSQL at ${at.hostname}:${at.port || 5432}, database "${database}", cannot be used${as}: ${reason}`
}
