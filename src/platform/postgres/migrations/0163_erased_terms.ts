/**
 * `terms_hash`: of an erased order, its subject and notify_url as they were, as an HMAC. A repeated create is compared
 * with it, since the texts themselves are gone.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`alter table orders add column terms_hash text`))
