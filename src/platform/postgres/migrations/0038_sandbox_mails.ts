/**
 * Where a sandbox may send mails: addresses, or domains as `@shop.example`. How many it has sent on its last day, in
 * days of real time since 1970. A mail that it keeps instead is `kept` (silences: O42).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table merchant_modes add column mail_recipients text[] not null default '{}'`,
  `create table sandbox_mails (
    merchant_id text primary key references merchants,
    day integer not null,
    mails integer not null
  )`,
  `alter table mails drop constraint mails_status_check`,
  `alter table mails add constraint mails_status_check
    check (status in ('due', 'sending', 'sent', 'failed', 'unknown', 'kept'))`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
