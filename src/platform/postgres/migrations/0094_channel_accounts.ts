/**
 * A merchant's accounts at channels, by the names of the channels (docs/decisions/0078): `channel_accounts` takes the
 * place of the column `stripe`. `own` is what the channel alone reads. Stray sessions say which channel has them, and
 * disputes in another currency are in a table that names no channel.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table merchant_modes add column channel_accounts jsonb not null default '{}'`,
  `update merchant_modes set channel_accounts = jsonb_build_object('stripe', jsonb_build_object(
      'isActive', stripe -> 'isActive', 'setAt', stripe -> 'setAt', 'own', stripe - 'isActive' - 'setAt'))
    where stripe is not null`,
  `create index merchant_modes_accounts on merchant_modes (merchant_id, mode) where channel_accounts <> '{}'`,
  `alter table merchant_modes drop column stripe`,
  `alter table stray_sessions add column channel text not null default 'stripe'`,
  `alter table stray_sessions alter column channel drop default`,
  `alter table stripe_presented_disputes rename to presented_disputes`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
