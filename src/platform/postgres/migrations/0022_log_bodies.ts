/**
 * Bodies of API logs leave the rows: those of many calls are compressed together, which takes a twentieth of the room
 * (docs/decisions/0024). A row says in which block its bodies are, and at which place. Rows from before keep theirs in
 * their own columns until their day is dropped; they have no block.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create sequence api_log_blocks`,
  // day: the beginning of the UTC day whose calls these are, so that a block goes with its rows.
  `create table api_log_bodies (
    day timestamptz not null,
    block bigint not null,
    bodies bytea not null,
    primary key (day, block)
  ) partition by range (day)`,
  // They are compressed already.
  `alter table api_log_bodies alter column bodies set storage external`,
  `alter table api_logs add column block bigint, add column place integer`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
