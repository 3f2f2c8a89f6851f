/**
 * Errors of Postgres that say nothing about the request: the database was away, busy or stopped us, and a retry may
 * succeed. One table, by SQLSTATE. The edge answers these with 503, workers try again, and what is not in the table is
 * a fault of ours (500).
 */
import { Schema } from "effect"
import { SqlError } from "effect/sql"
import { reasonOf } from "./databaseProblem.ts"

export type Trouble =
  /** The connection broke or was never opened. A write that was sent may have been written. */
  | "lost"
  /** Another transaction holds a lock for longer than we wait. Nothing was written. */
  | "locked"
  /** Two transactions conflicted. Nothing was written, and a retry may succeed at once. */
  | "collided"
  /** It took too long, or Postgres has no room. Nothing was written. */
  | "refused"
  /** This server takes no writes: it is a standby, or was made read-only. Nothing was written. */
  | "readOnly"
  /** A right, a table, a column or a file that the statement needs is not there. Nothing was written. */
  | "unusable"

/** By SQLSTATE, or by its class: the first two characters. */
const troubles: Readonly<Record<string, Trouble>> = {
  "08": "lost",
  // The password or the role is no longer good, or the database is gone.
  "28": "refused",
  "3D": "refused",
  // No right on a table, or a table, column or function that another version has changed. Any other fault of a
  // statement (42) is our mistake.
  "42501": "unusable",
  "42703": "unusable",
  "42883": "unusable",
  "42P01": "unusable",
  "40001": "collided",
  "40P01": "collided",
  // Too many connections, out of memory, disk full.
  "53": "refused",
  "55P03": "locked",
  // A file cannot be read or written, or is corrupt.
  "58": "unusable",
  XX: "unusable",
  // statement_timeout, or the statement was cancelled.
  "57014": "refused",
  // Shut down by an administrator, or after another session crashed; starting up; gone; idle for too long.
  "57P01": "lost",
  "57P02": "lost",
  "57P03": "lost",
  "57P04": "lost",
  "57P05": "lost",
  // The transaction was idle for too long.
  "25P03": "lost",
  // A standby, or a primary whose default_transaction_read_only was switched on.
  "25006": "readOnly"
}

/** The errors with which a server that takes no writes refuses `transaction_read_only=off` (Postgres.ts). */
const refusedWrites: ReadonlyArray<string> = ["0A000", "25001"]

/** The table's entry for an error; undefined when it is no error of Postgres, or not a passing one. */
export const troubleOf = (error: unknown): Trouble | undefined => {
  if (!SqlError.isSqlError(error)) return undefined
  if (error.reason._tag === "ConnectionError") return "lost"
  const code = codeOf(error)
  if (code === undefined) return undefined
  if (error.reason.operation === "connect" && refusedWrites.includes(code)) return "readOnly"
  return troubles[code] ?? troubles[code.slice(0, 2)]
}

/** Classes of errors that do not depend on the statement: Postgres may refuse any statement with them. */
export const classesOfTheInstallation: ReadonlyArray<string> = ["28", "3D", "42", "53", "58", "XX"]

/** Whether Postgres itself refused, for a reason that is not in one row: the SQLSTATE; undefined otherwise. */
export const refusalOf = (error: unknown): string | undefined => {
  const code = SqlError.isSqlError(error) ? codeOf(error) : undefined
  return code !== undefined && classesOfTheInstallation.includes(code.slice(0, 2)) ? code : undefined
}

/** Postgres itself has answered, even if with an error. */
export const isAnswer = (error: unknown): boolean => {
  const trouble = troubleOf(error)
  return SqlError.isSqlError(error) && codeOf(error) !== undefined && trouble !== "lost" && trouble !== "readOnly"
}

/** The connection broke, or was never opened: the write may have been committed. */
export const isLost = (error: unknown): boolean => troubleOf(error) === "lost"

/** No connection was had, so nothing was sent. */
export const isUnsent = (error: unknown): boolean =>
  SqlError.isSqlError(error) && error.reason.operation === "connect" && isLost(error)

/** The SQLSTATE, where Postgres itself has answered. */
export const codeOf = ({ reason: { cause } }: SqlError.SqlError): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined

/** The database has one of these troubles. A defect: no caller can act on it, and the edge knows what to answer. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  message: Schema.String
}) {}

/** The defect that an error of the database becomes. */
export const defectOf = (error: unknown): unknown =>
  SqlError.isSqlError(error) && troubleOf(error) !== undefined
    ? new DatabaseUnavailable({ message: reasonOf(error) })
    : error

/** A defect that came from another runner has kept its name and nothing else. */
export const isDatabaseTrouble = (defect: unknown): boolean =>
  troubleOf(defect) !== undefined || (defect instanceof Error && defect.name === "DatabaseUnavailable")
