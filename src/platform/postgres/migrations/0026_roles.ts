/**
 * The acts that the service's role may not do itself, as functions of the owner (docs/decisions/0025): to make and drop
 * the days of API logs, and to anchor the heads of chains. An anchor is a row of a chain that was its newest at a time.
 * A chain is a wallet's ledger, or the audit log. Where one role owns all, it calls the same functions.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = (schema: string) => [
  // chain: the wallet's id, or `audit_log`. is_first: one row of each chain has it, by which chains are listed.
  `create table anchors (
    chain text not null,
    sequence bigint not null,
    row_id text not null,
    hash text not null,
    is_first boolean not null,
    anchored_at timestamptz not null,
    primary key (chain, sequence)
  )`,
  `create unique index anchors_chains on anchors (chain) where is_first`,
  `create function refuse_anchor_change() returns trigger language plpgsql as $$
    begin raise exception 'anchors are never changed or removed'; end
  $$`,
  `create trigger anchors_are_final before update or delete on anchors
    for each row execute function refuse_anchor_change()`,
  `create trigger anchors_are_kept before truncate on anchors
    for each statement execute function refuse_anchor_change()`,

  // Adds the heads that have moved since their last anchor, and answers them. A chain that has lost its last anchor
  // gets no new one: it stays broken until a person has looked.
  `create function anchor_heads(chains text[], moment timestamptz)
    returns table (chain text, sequence bigint, row_id text, hash text)
    language sql security definer set search_path = ${schema}, pg_temp as $$
    with heads as (
      select c.chain, n.sequence, n.id, encode(n.hash, 'hex') as hash from unnest(chains) c (chain) cross join lateral (
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

  `create function open_log_day(parent text, day date) returns void
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
    begin
      if parent not in ('api_logs', 'api_log_bodies') then raise exception '% has no days', parent; end if;
      execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
        parent || to_char(day, '_YYYYMMDD'), parent,
        to_char(day, 'YYYY-MM-DD') || ' 00:00:00+00', to_char(day + 1, 'YYYY-MM-DD') || ' 00:00:00+00');
    end
  $$`,
  // Drops the days before this one, and answers the names of their partitions.
  `create function drop_log_days(parent text, before date) returns setof text
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
    declare
      partition text;
    begin
      if parent not in ('api_logs', 'api_log_bodies') then raise exception '% has no days', parent; end if;
      for partition in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = parent::regclass and c.relname < parent || to_char(before, '_YYYYMMDD') order by 1
      loop
        execute format('drop table %I', partition);
        return next partition;
      end loop;
    end
  $$`,
  `revoke all on function anchor_heads, open_log_day, drop_log_days from public`,
  // Otherwise a temporary table of that name would be read.
  ...["chain_audit_log", "refuse_movements_without_source"].map(
    (name) => `alter function ${name} set search_path = ${schema}, pg_temp`
  )
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly schema: string }>`select quote_ident(current_schema()) as schema`
  yield* Effect.forEach(statements(row!.schema), (statement) => sql.unsafe(statement), { discard: true })
})
