/**
 * Requests to erase a buyer (docs/decisions/0103), which stay as the word that it was done. `email_hash`: the address
 * as an HMAC. `sealed`: the address itself, sealed, for as long as it is looked for. `step`, `place`: how far the work
 * is. `merchant_id`, `mode`: null where an operator erases a buyer of all merchants. `fresh`: orders that were erased
 * since logs and stored answers were looked through.
 *
 * `erasure_orders`: orders that could not be erased yet, and why. `orders.erased_at`: when the order was erased.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table erasures (
    erasure_no text primary key,
    version integer not null,
    merchant_id text,
    mode text,
    trade_no text,
    email_hash text,
    sealed text,
    requested_by text not null,
    status text not null check (status in ('running', 'done')),
    step text not null,
    place text not null default '',
    fresh integer not null default 0,
    counts jsonb not null default '{}',
    requested_at timestamptz not null,
    due_at timestamptz,
    attempts integer not null default 0,
    error text,
    done_at timestamptz,
    check ((sealed is null) or status = 'running')
  )`,
  // Two requests for one buyer at once are one.
  `create unique index erasures_running on erasures (coalesce(merchant_id, ''), coalesce(mode, ''),
    coalesce(email_hash, ''), coalesce(trade_no, '')) where status = 'running'`,
  `create index erasures_due on erasures (due_at) where due_at is not null`,
  `create table erasure_orders (
    erasure_no text not null references erasures,
    trade_no text not null,
    reason text not null,
    primary key (erasure_no, trade_no)
  )`,
  `alter table orders add column erased_at timestamptz`,

  `create function added_counts(before jsonb, more jsonb) returns jsonb language sql immutable as $$
    select coalesce(jsonb_object_agg(key, total), '{}') from (
      select key, sum(value::bigint)::bigint as total
      from (select * from jsonb_each_text(before) union all select * from jsonb_each_text(more)) as counts
      group by key) as totals
  $$`,
  // Values go, keys stay; the link that made the order is a number of ours.
  `create function erased_metadata(metadata jsonb, address text) returns jsonb language sql immutable as $$
    select coalesce(jsonb_object_agg(
        case when address is null then key else regexp_replace(key, address, '[erased]', 'gi') end,
        case when key = 'svc_payment_link' then value else to_jsonb('[erased]'::text) end), '{}')
      from jsonb_each(metadata)
  $$`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
