/** Why the database cannot be used, in one line for people, without the password. */
import { Predicate, type Redacted, Result } from "effect"
import type { SqlError } from "effect/sql"
import { readAddress, serverNames } from "./databaseAddress.ts"

export const databaseProblem = (url: Redacted.Redacted, error: SqlError.SqlError, setting = "DATABASE_URL"): string => {
  const read = readAddress(url)
  if (Result.isFailure(read)) return `${setting} ${read.failure}`
  const address = read.success
  const as = setting === "DATABASE_URL" ? "" : ` with ${setting}`
  return (
    `PostgreSQL at ${serverNames(address)}, database "${address.database}", cannot be used${as}: ` + reasonOf(error)
  )
}

/** In Postgres' own words, or in those of the system. */
export const reasonOf = ({ message, reason }: SqlError.SqlError): string => {
  const { cause } = reason
  return Predicate.isError(cause) && cause.message !== "" ? cause.message : message
}
