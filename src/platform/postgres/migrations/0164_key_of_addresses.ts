/** The list of orders finds an address in any capitals, by a key of its own (laterIndexes.ts). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`drop index if exists orders_receipt_email`))
