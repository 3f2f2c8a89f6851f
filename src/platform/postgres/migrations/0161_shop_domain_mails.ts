/**
 * The mail that tells a merchant of its host (docs/decisions/0201): that its proof is gone, or that it is used no more.
 * A row has one mail at most, since a later word makes an earlier one untrue.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(
    `alter table shop_domains add column mail text, add column mail_of timestamptz, add column mail_at timestamptz`
  )
  yield* sql.unsafe(`create index shop_domains_mails on shop_domains (mail_at) where mail_at is not null`)
})
