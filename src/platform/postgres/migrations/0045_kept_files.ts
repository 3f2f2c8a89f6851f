/**
 * Files have a limit by merchant and environment, and go when nothing names them. `file_bytes` is what the files of one
 * hold together. `kept_until`: from then on it is looked whether evidence or a logo names the file.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table file_bytes (
    merchant_id text not null,
    mode text not null,
    bytes bigint not null,
    primary key (merchant_id, mode)
  )`,
  `insert into file_bytes select merchant_id, mode, sum(size) from files group by merchant_id, mode`,
  // Those that there are may be named within the time that new ones have.
  `alter table files add column kept_until timestamptz`,
  `update files set kept_until = greatest(created_at, (select max(created_at) from files)) + interval '7 days'`,
  `create index files_kept_until on files (kept_until) where kept_until is not null`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
