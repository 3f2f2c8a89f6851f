/** The columns of a table in which a buyer's address is looked for, as a part of a statement. */
import { type Resource, searchedColumns } from "@coffer/resources/Resource"
import { mayHoldAddress } from "@coffer/rules/wholeAddress"
import type { SqlClient } from "effect/sql"

/** `row`: what the row is called there, with its dot. */
export const searchedIn = (sql: SqlClient.SqlClient, resource: Resource, row = "") => {
  const names = searchedColumns(resource)
  const columns = names.map((name) => [name, sql`${sql(row + name)}`] as const)
  return {
    names,
    json: sql`jsonb_build_object(${sql.csv(
      columns.flatMap(([name, value]) => [sql.literal(`'${name}'`), value])
    )})::text`,
    /** A prefilter: each row with the address fulfils it. */
    mayHold: sql`concat_ws(' ', ${sql.csv(columns.map(([, value]) => sql`${value}::text`))}) ~ ${mayHoldAddress}`
  }
}
