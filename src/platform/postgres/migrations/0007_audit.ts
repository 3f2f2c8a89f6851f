/**
 * The auditor's notes: when a round is due and who does it, how far it has looked, and what it found that was not right
 * when it looked last. Nothing else refers to these.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // checked_from: what was written before was checked by the rounds before. about, key: where the walk through
  // everything stands, none at its beginning. version: fences a round that was taken over.
  `create table audit_rounds (
    name text primary key,
    version integer not null,
    due_at timestamptz not null,
    lease_until timestamptz,
    checked_from timestamptz not null,
    about text,
    key text
  )`,
  `insert into audit_rounds (name, version, due_at, checked_from)
    values ('ledger', 0, timestamptz 'epoch', timestamptz 'epoch')`,
  `create table audit_violations (
    law text not null,
    about text not null,
    key text not null,
    detail text not null,
    found_at timestamptz not null,
    primary key (law, about, key)
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
