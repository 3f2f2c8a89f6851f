/**
 * The needs of two operators: that the first admin is made once, which pairs of requests were done just now, and what
 * one operator has approved alone within a day.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table first_admin (one boolean primary key default true check (one))`,
  `insert into first_admin select true where exists (select from operators where role = 'admin')`,
  `create table approvals_done (
    act text not null,
    target text not null,
    content_hash text not null,
    done_at timestamptz not null,
    primary key (act, target, content_hash)
  )`,
  `create table payouts_alone (
    payout_no text primary key,
    mode text not null,
    currency text not null,
    amount bigint not null,
    approved_at timestamptz not null
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
