/** Orders, refunds, disputes and payouts, and the wallets with the ledger that proves them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `create table wallets (
      wallet_id text primary key,
      sequence bigint not null,
      merchant_id text not null,
      mode text not null,
      currency text not null,
      available bigint not null,
      frozen bigint not null check (frozen >= 0),
      total_revenue bigint not null,
      total_fee bigint not null,
      total_payout bigint not null,
      total_refund bigint not null,
      head_id text not null,
      head_hash text not null,
      updated_at timestamptz not null,
      reserved bigint default 0 not null check (reserved >= 0),
      version text default '' not null
    ) with (fillfactor='50')`,
  `create table ledger (
      id text primary key,
      wallet_id text not null references wallets,
      sequence bigint not null,
      merchant_id text not null,
      mode text not null,
      currency text not null,
      type text not null,
      amount bigint not null,
      balance_before bigint not null,
      balance_after bigint not null,
      frozen_after bigint not null,
      reference_id text not null,
      description text not null,
      created_at timestamptz not null,
      previous_hash bytea not null,
      hash bytea not null
    )`,
  `create index ledger_reference on ledger (reference_id, id)`,
  `create index ledger_type on ledger (merchant_id, mode, currency, type, id)`,
  `create unique index ledger_wallet on ledger (wallet_id, id)`,
  `create table ledger_sums (
      wallet_id text primary key,
      row_id text not null,
      frozen bigint not null,
      moved bigint not null,
      revenue bigint not null,
      fee bigint not null,
      refund bigint not null,
      payout bigint not null,
      lost bigint not null
    )`,
  `create table orders (
      trade_no text primary key,
      version integer not null,
      merchant_id text not null,
      mode text not null,
      out_trade_no text not null,
      amount bigint not null check (amount > 0),
      currency text not null,
      subject text,
      status text not null check (status in ('pending', 'paid', 'partially_refunded', 'refunded', 'failed',
        'expired')),
      fee bigint,
      refunded_amount bigint not null,
      payment_id text,
      payment_method text,
      refundable_until timestamptz,
      notify_url text,
      return_url text,
      metadata jsonb not null,
      receipt_email text,
      locale text,
      declines integer not null,
      unapplied_payments jsonb not null,
      unapplied_due_at timestamptz,
      paid_at timestamptz,
      due_at timestamptz not null,
      due_attempts integer default 0 not null,
      expires_at timestamptz not null,
      created_at timestamptz not null,
      refunding_amount bigint default 0 not null check (refunding_amount >= 0),
      disputes_open integer default 0 not null check (disputes_open >= 0),
      disputes_lost bigint default 0 not null check (disputes_lost >= 0),
      receipt jsonb,
      unapplied_error text,
      unapplied_attempts integer,
      channel text,
      erased_at timestamptz,
      attempts jsonb,
      card jsonb,
      terms_hash text,
      constraint orders_refunds_fit check ((refunded_amount + refunding_amount) <= amount)
    )`,
  `create index orders_due on orders (due_at) where status = 'pending'`,
  `create index orders_newest on orders (merchant_id, mode, trade_no)`,
  `create unique index orders_out_trade_no on orders (merchant_id, mode, out_trade_no)`,
  `create index orders_unapplied_due on orders (unapplied_due_at) where unapplied_due_at is not null`,
  `create table order_tags (
      tag bigint not null,
      trade_no text not null,
      primary key (tag, trade_no)
    )`,
  `create table refunds (
      refund_no text primary key,
      version integer not null,
      merchant_id text not null,
      mode text not null,
      out_refund_no text not null,
      trade_no text not null references orders,
      payment_id text not null,
      request text,
      amount bigint not null check (amount > 0),
      requested_amount bigint,
      currency text not null,
      reason text,
      status text not null check (status in ('reserved', 'pending', 'succeeded', 'failed', 'void')),
      failure_reason text,
      metadata jsonb not null,
      notify_url text,
      next_check_at timestamptz,
      checks integer default 0 not null,
      settled_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      run integer,
      check_error text,
      channel text not null,
      out_trade_no text
    )`,
  `create index refunds_due on refunds (next_check_at) where next_check_at is not null`,
  `create index refunds_order on refunds (merchant_id, mode, trade_no, refund_no)`,
  `create unique index refunds_out_refund_no on refunds (merchant_id, mode, out_refund_no) where status <> 'void'`,
  `create index refunds_request on refunds (request) where request is not null`,
  `create index refunds_status on refunds (merchant_id, mode, status, refund_no)`,
  `create table disputes (
      dispute_no text primary key,
      version integer not null,
      merchant_id text not null,
      mode text not null,
      trade_no text not null references orders,
      processor_dispute_id text not null,
      amount bigint not null check (amount > 0),
      fee bigint,
      currency text not null,
      status text not null check (status in ('needs_response', 'under_review', 'won', 'lost', 'closed')),
      processor_status text not null,
      reason text not null,
      notify_url text,
      response jsonb,
      evidence_due_by timestamptz,
      next_check_at timestamptz,
      checks integer default 0 not null,
      opened_at timestamptz not null,
      closed_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      check_error text,
      stage text default 'chargeback' not null check (stage in ('inquiry', 'chargeback', 'appeal_offered',
        'appeal_filed')),
      channel text not null,
      out_trade_no text
    )`,
  `create index disputes_due on disputes (next_check_at) where next_check_at is not null`,
  `create index disputes_newest on disputes (merchant_id, mode, dispute_no)`,
  `create index disputes_order on disputes (merchant_id, mode, trade_no, dispute_no)`,
  `create unique index disputes_processor on disputes (merchant_id, mode, processor_dispute_id)`,
  `create index disputes_status on disputes (merchant_id, mode, status, dispute_no)`,
  `create table dispute_evidence (
      dispute_no text primary key references disputes,
      version integer not null,
      evidence jsonb not null,
      files jsonb not null,
      submitting jsonb,
      submitted_at timestamptz,
      updated_at timestamptz
    )`,
  `create table payouts (
      payout_no text primary key,
      version integer not null,
      merchant_id text not null,
      mode text not null,
      currency text not null,
      amount bigint not null check (amount > 0),
      fee bigint not null check (fee >= 0),
      status text not null check (status in ('requested', 'approved', 'succeeded', 'rejected', 'failed')),
      reference text,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
  `create index payouts_newest on payouts (merchant_id, mode, payout_no)`,
  `create unique index payouts_reference on payouts (merchant_id, mode, reference) where reference is not null`,
  `create table payouts_alone (
      payout_no text primary key,
      mode text not null,
      currency text not null,
      amount bigint not null,
      approved_at timestamptz not null
    )`,
  `create table payment_links (
      link_id text primary key,
      version bigint not null,
      merchant_id text not null references merchants,
      mode text not null,
      amount bigint not null,
      currency text not null,
      subject text,
      status text not null check (status in ('active', 'inactive')),
      max_uses bigint,
      used_count bigint not null,
      notify_url text,
      return_url text,
      expires_at timestamptz,
      metadata jsonb not null,
      created_at timestamptz not null,
      recent_visits jsonb default '[]'::jsonb not null,
      constraint payment_links_check check ((used_count >= 0) and ((max_uses is null) or (max_uses > 0)))
    ) with (fillfactor='70')`,
  `create index payment_links_newest on payment_links (merchant_id, mode, link_id)`,
  `create table receipt_numbers (
      merchant_id text not null references merchants,
      mode text not null,
      month text not null,
      last bigint not null,
      primary key (merchant_id, mode, month)
    )`,
  `create table files (
      name text primary key,
      merchant_id text not null,
      mode text not null,
      content_type text not null,
      size integer not null,
      created_at timestamptz not null,
      kept_until timestamptz
    )`,
  `create index files_kept_until on files (kept_until) where kept_until is not null`,
  `create table file_bytes (
      merchant_id text not null,
      mode text not null,
      bytes bigint not null,
      primary key (merchant_id, mode)
    )`
]

/** A function names the path in which it finds tables, so that no caller's path decides. */
const withPath = (schema: string) => [
  `create function sum_ledger(wallet text, after_id text, after_frozen bigint, rows_max integer)
    returns table(rows bigint, row_id text, frozen bigint, moved bigint, revenue bigint, fee bigint,
      refund bigint, payout bigint, lost bigint)
    language sql stable set search_path = ${schema}, pg_temp as $$
    with next as (
      select * from ledger l where l.wallet_id = wallet and l.id > after_id order by l.wallet_id,
        l.id limit rows_max
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
  `create function advance_ledger_sums(wallets text[], rows_max integer, anew boolean)
    returns bigint language plpgsql security definer set search_path = ${schema}, pg_temp as $$
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
        insert into ledger_sums as s (wallet_id, row_id, frozen, moved, revenue, fee, refund, payout, lost)
          select n.wallet_id, n.row_id, n.frozen, n.moved, n.revenue, n.fee, n.refund, n.payout, n.lost from next n
          on conflict (wallet_id) do update set row_id = excluded.row_id, frozen = excluded.frozen,
            moved = s.moved + excluded.moved, revenue = s.revenue + excluded.revenue,
              fee = s.fee + excluded.fee, refund = s.refund + excluded.refund,
              payout = s.payout + excluded.payout, lost = s.lost + excluded.lost
      )
      select count(*) into more from next n where n.rows = rows_max;
      return more;
    end
  $$`,
  `create function anchor_heads(chains text[], moment timestamptz)
    returns table(chain text, sequence bigint, row_id text, hash text)
    language sql security definer set search_path = ${schema}, pg_temp as $$
    with heads as (
      select c.chain, n.sequence, n.id, encode(n.hash,
        'hex') as hash from unnest(chains) c (chain) cross join lateral (
        select l.sequence, l.id, l.hash from ledger l where l.wallet_id = c.chain
        order by l.wallet_id desc, l.id desc limit 1) n
      where c.chain <> 'audit_log'
      union all select 'audit_log', n.sequence, n.id, n.hash from (
        select * from audit_log where 'audit_log' = any(chains) order by sequence desc limit 1) n
    )
    insert into anchors (chain, sequence, row_id, hash, is_first, anchored_at)
    select h.chain, h.sequence, h.id, h.hash, a.chain is null, moment
    from heads h left join lateral (
      select * from anchors b where b.chain = h.chain order by b.sequence desc limit 1) a on true
    where a.chain is null or h.sequence > a.sequence and (
      a.chain <> 'audit_log' and exists (select from ledger l where l.id = a.row_id and l.wallet_id = a.chain
        and l.sequence = a.sequence and encode(l.hash, 'hex') = a.hash)
      or a.chain = 'audit_log' and exists (select from audit_log l where l.id = a.row_id
        and l.sequence = a.sequence and l.hash = a.hash))
    on conflict do nothing
    returning anchors.chain, anchors.sequence, anchors.row_id, anchors.hash
  $$`,
  `revoke all on function anchor_heads, advance_ledger_sums from public`
]

const functionsAndTriggers = [
  `create function order_tag(merchant_id text, mode text, key text, value text)
    returns bigint language sql immutable parallel safe
    return hashtextextended(((key || chr(31)) || value), hashtextextended(((merchant_id || chr(31)) || mode),
      (0)::bigint))`,
  `create function refuse_change() returns trigger language plpgsql as $$
    begin raise exception 'ledger rows are never changed or removed'; end
  $$`,
  `create function tag_new_orders() returns trigger language plpgsql as $$ begin
    insert into order_tags select order_tag(o.merchant_id, o.mode, pair.key, pair.value), o.trade_no
      from added o, jsonb_each_text(o.metadata) as pair where o.metadata <> '{}' on conflict do nothing;
    return null;
  end $$`,
  `create function tag_order_again() returns trigger language plpgsql as $$ begin
    delete from order_tags using jsonb_each_text(old.metadata) as pair
      where tag = order_tag(old.merchant_id, old.mode, pair.key, pair.value) and trade_no = old.trade_no;
    insert into order_tags select order_tag(new.merchant_id, new.mode, pair.key, pair.value), new.trade_no
      from jsonb_each_text(new.metadata) as pair on conflict do nothing;
    return null;
  end $$`,
  `create trigger ledger_is_final before delete or update on ledger for each row execute function refuse_change()`,
  `create trigger ledger_is_kept before truncate on ledger for each statement execute function refuse_change()`,
  `create trigger orders_are_tagged after insert on orders referencing new table as added for each statement
      execute function tag_new_orders()`,
  `create trigger orders_are_tagged_again after update on orders for each row when ((old.metadata is distinct from
      new.metadata) and (not (old.erased_at is distinct from new.erased_at))) execute function tag_order_again()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly schema: string }>`select quote_ident(current_schema()) as schema`
  const statements = [...tables, ...withPath(row!.schema), ...functionsAndTriggers]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
