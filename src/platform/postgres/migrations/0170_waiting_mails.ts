/**
 * Mails about people that wait for the mail server, sealed, since a link in one lets somebody in; how many mails of a
 * kind went out on a day; and addresses of merchants that do not count yet (docs/decisions/0092).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table waiting_mails (
    id text primary key,
    about text not null,
    sealed text not null,
    attempts int not null default 0,
    due_at timestamptz,
    gives_up_at timestamptz not null
  )`,
  `create index waiting_mails_due on waiting_mails (due_at) where due_at is not null`,
  // counted: a kind of mail, and of whom or to whom, without an address.
  `create table mail_counts (
    counted text primary key,
    day int not null,
    mails int not null
  )`,
  `create index mail_counts_day on mail_counts (day)`,
  // Typed by a merchant's people. What is set before this counts as confirmed.
  `create table unconfirmed_addresses (
    merchant_id text not null references merchants,
    email text not null,
    primary key (merchant_id, email)
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
