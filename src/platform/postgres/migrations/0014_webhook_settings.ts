/**
 * A merchant's webhook settings in one environment as one row: the account's secrets, and the endpoints with theirs
 * (docs/decisions/0021). Every change of it is told to all runners, which keep merchants in memory. The account's
 * single address gets a number, so that it is listed beside the endpoints (silences: W2).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table webhook_settings (
    id text primary key,
    version integer not null,
    merchant_id text not null,
    mode text not null,
    signing jsonb not null,
    endpoints jsonb not null,
    unique (merchant_id, mode),
    foreign key (merchant_id, mode) references merchant_modes
  )`,
  // Secrets are encrypted, and stay as they are: what they are bound to has not changed.
  `insert into webhook_settings select merchant_id || '/' || mode, 1, merchant_id, mode,
    jsonb_build_object('current', signing_secret, 'rotatedAt', null, 'old', '[]'::jsonb), '[]' from merchant_modes`,
  `alter table merchant_modes drop column signing_secret, add column default_endpoint jsonb`,
  // Time and randomness are the merchant's; the last digit, which is 0 there, tells the environments apart.
  `update merchant_modes mm set default_endpoint = jsonb_build_object(
      'id', 'whe_' || substr(mm.merchant_id, 5, 25) || case mm.mode when 'live' then '2' else '1' end,
      'createdAt', to_char(m.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'updatedAt', to_char(m.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    from merchants m where m.merchant_id = mm.merchant_id and mm.default_notify_url is not null`,

  // Postgres sends it at the commit, so its receivers read the new row.
  `create function tell_of_merchant() returns trigger language plpgsql as $$ begin
    perform pg_notify('coffer_merchants', new.merchant_id);
    return null;
  end $$`,
  `create trigger webhook_settings_are_told after update on webhook_settings
    for each row execute function tell_of_merchant()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
