/**
 * Sums of each wallet's ledger up to a row, so that the hourly audit sums what came since and not a whole history. A
 * function of the owner goes on with them, so the service's role can add true sums and no more. They are no anchor: a
 * row before them that was changed is found by its hash, and `coffer audit` sums everything from the first row on.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const sums = ["moved", "revenue", "fee", "refund", "payout", "lost"]

const statements = (schema: string) => [
  // row_id: the last row that is in the sums. frozen: what it left frozen.
  `create table ledger_sums (
    wallet_id text primary key,
    row_id text not null,
    frozen bigint not null,
    ${sums.map((name) => `${name} bigint not null`).join(", ")}
  )`,

  // The sums of a wallet's next rows after this one, of so many at most. No row: there are none.
  `create function sum_ledger(wallet text, after_id text, after_frozen bigint, rows_max int)
    returns table (rows bigint, row_id text, frozen bigint, ${sums.map((name) => `${name} bigint`).join(", ")})
    language sql stable set search_path = ${schema}, pg_temp as $$
    with next as (
      select * from ledger l where l.wallet_id = wallet and l.id > after_id order by l.wallet_id, l.id limit rows_max
    ), moves as (
      select n.*, n.frozen_after - lag(n.frozen_after, 1, after_frozen) over (order by n.id) as froze from next n
    )
    select count(*), max(m.id), (array_agg(m.frozen_after order by m.id desc))[1],
      sum(m.balance_after - m.balance_before)::bigint,
      coalesce(sum(m.amount) filter (where m.type = 'payment_credit'), 0)::bigint,
      -coalesce(sum(m.amount) filter (where m.type in ('fee_debit', 'dispute_fee', 'payout_fee')), 0)::bigint,
      -coalesce(sum(m.amount)
        filter (where m.type = 'refund_debit' or m.type = 'refund_unfreeze' and m.froze = 0), 0)::bigint,
      -coalesce(sum(m.amount) filter (where m.type = 'payout_success'), 0)::bigint,
      -coalesce(sum(m.amount)
        filter (where m.type = 'dispute_debit' or m.type = 'dispute_unfreeze' and m.froze = 0), 0)::bigint
    from moves m having count(*) > 0
  $$`,

  // Goes on with these wallets' sums by so many rows of each at most, and answers for how many there may be more.
  // anew: begins with the first row again.
  `create function advance_ledger_sums(wallets text[], rows_max int, anew boolean) returns bigint
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
    declare
      more bigint;
    begin
      -- Two at once would add the same rows twice.
      perform pg_advisory_xact_lock(hashtext('coffer ledger sums'));
      if anew then delete from ledger_sums s where s.wallet_id = any(wallets); end if;
      with next as (
        select w.wallet_id, n.* from unnest(wallets) w (wallet_id) left join ledger_sums s using (wallet_id)
          cross join lateral sum_ledger(w.wallet_id, coalesce(s.row_id, ''), coalesce(s.frozen, 0), rows_max) n
      ), added as (
        insert into ledger_sums as s (wallet_id, row_id, frozen, ${sums.join(", ")})
          select n.wallet_id, n.row_id, n.frozen, ${sums.map((name) => `n.${name}`).join(", ")} from next n
          on conflict (wallet_id) do update set row_id = excluded.row_id, frozen = excluded.frozen,
            ${sums.map((name) => `${name} = s.${name} + excluded.${name}`).join(", ")}
      )
      select count(*) into more from next n where n.rows = rows_max;
      return more;
    end
  $$`,
  `revoke all on function advance_ledger_sums from public`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly schema: string }>`select quote_ident(current_schema()) as schema`
  yield* Effect.forEach(statements(row!.schema), (statement) => sql.unsafe(statement), { discard: true })
})
