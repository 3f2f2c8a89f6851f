/**
 * A column that holds one e-mail address, compared as `@coffer/rules/wholeAddress` compares it, by an index on its
 * small letters. Spellings of the host that this misses are found by looking at rows.
 */
import { addressSpellings } from "@coffer/rules/wholeAddress"
import type { SqlClient, Statement } from "effect/sql"

/** Other letters that Postgres' `lower` maps to ASCII letters. */
const foreign = "[\u212a\u0130]"

export const isAddress = (sql: SqlClient.SqlClient, column: Statement.Fragment, email: string): Statement.Fragment =>
  sql`lower(${column}) = any(${addressSpellings(email)}::text[]) and ${column} !~ ${foreign}`
