/**
 * What all rooms write beside their own rows: idempotency keys, call logs, mails, the audit log, and the
 * register of runners.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `create sequence api_log_blocks`,
  `create table secret_check (
      one boolean default true primary key check (one),
      value text not null,
      previous text,
      kept text,
      moved_at timestamptz,
      walk_from timestamptz,
      walk_part text,
      walk_after text,
      walk_resealed integer default 0 not null
    )`,
  `create table runners (
      address text primary key,
      run integer,
      process text not null,
      version text not null,
      messages integer[] not null,
      takes_part boolean default true not null
    )`,
  `create unlogged table runner_vitals (
      instance text primary key,
      run integer,
      address text,
      version text not null,
      node text not null,
      started_at timestamptz not null,
      heard_at timestamptz not null,
      vitals jsonb not null
    ) with (fillfactor='40')`,
  `create table list_horizons (
      merchant_id text not null,
      mode text not null,
      shown text collate "C" default '' not null,
      calls text collate "C" default '' not null,
      primary key (merchant_id, mode)
    ) with (fillfactor='50')`,
  `create unlogged table quota_counts (
      key text primary key,
      quota bigint not null,
      window_ms bigint not null,
      at_ms bigint not null,
      wanted bigint not null,
      granted bigint not null,
      moments bigint[] not null,
      counts bigint[] not null
    ) with (fillfactor='50')`,
  `create table idempotency_keys (
      id text primary key,
      version integer not null,
      merchant_id text not null,
      mode text not null,
      fingerprint text not null,
      state text not null check (state in ('running', 'done', 'released')),
      lease_until timestamptz,
      status integer,
      data text,
      created_at timestamptz not null,
      run integer
    )`,
  `create index idempotency_keys_age on idempotency_keys (created_at)`,
  `create table api_logs (
      request_id text not null,
      merchant_id text not null,
      mode text not null,
      method text not null,
      path text not null,
      status integer not null,
      status_class integer generated always as ((status / 100)) STORED not null,
      error_code text,
      duration_ms integer not null,
      ip text,
      user_agent text,
      idempotency_key text,
      request_body jsonb,
      response_body jsonb,
      created_at timestamptz not null,
      block bigint,
      place integer,
      ahead_ms bigint,
      key_id text,
      ignored_fields jsonb,
      primary key (merchant_id, mode, request_id, created_at)
    ) partition by range (created_at)`,
  `create index api_logs_error_code on api_logs (merchant_id, mode, error_code, request_id) where error_code is not
      null`,
  `create index api_logs_path on api_logs (merchant_id, mode, path, request_id)`,
  `create index api_logs_status on api_logs (merchant_id, mode, status, request_id)`,
  `create index api_logs_status_class on api_logs (merchant_id, mode, status_class, request_id) where status >= 300`,
  `create table api_log_bodies (
      day timestamptz not null,
      block bigint not null,
      bodies bytea not null,
      primary key (day, block)
    ) partition by range (day)`,
  `alter table api_log_bodies alter column bodies set storage external`,
  `create table mails (
      id text primary key,
      version bigint not null,
      trade_no text not null,
      recipient text not null,
      status text not null check (status in ('due', 'sending', 'sent', 'failed', 'unknown', 'kept')),
      due_at timestamptz,
      attempts integer default 0 not null,
      error text,
      created_at timestamptz not null
    )`,
  `create index mails_due on mails (due_at) where due_at is not null`,
  `create index mails_trade_no on mails (trade_no)`,
  `create table mail_counts (
      counted text primary key,
      day integer not null,
      mails integer not null
    )`,
  `create index mail_counts_day on mail_counts (day)`,
  `create table waiting_mails (
      id text primary key,
      about text not null,
      sealed text not null,
      attempts integer default 0 not null,
      due_at timestamptz,
      gives_up_at timestamptz not null
    )`,
  `create index waiting_mails_due on waiting_mails (due_at) where due_at is not null`,
  `create table unconfirmed_addresses (
      merchant_id text not null references merchants,
      email text not null,
      created_at timestamptz default '1970-01-01 00:00:00+00'::timestamptz not null,
      primary key (merchant_id, email)
    )`,
  `create table audit_log (
      id text primary key,
      sequence bigint not null unique,
      actor_id text not null,
      actor text not null,
      role text not null,
      ip text,
      request_id text not null,
      act text not null,
      phase text not null check (phase in ('begun', 'done', 'refused', 'seen')),
      target text not null,
      status integer,
      details text not null,
      created_at timestamptz not null,
      previous_hash text not null,
      hash text not null
    )`,
  `create index audit_log_act on audit_log (act, id)`,
  `create index audit_log_actor on audit_log (actor_id, id)`,
  `create index audit_log_target on audit_log (target, id)`,
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
  `create table audit_rounds (
      name text primary key,
      version integer not null,
      due_at timestamptz not null,
      lease_until timestamptz,
      checked_from timestamptz not null,
      about text,
      key text
    )`,
  `create table audit_violations (
      law text not null,
      about text not null,
      key text not null,
      detail text not null,
      found_at timestamptz not null,
      primary key (law, about, key)
    )`,
  `create table retention (
      kind text primary key,
      dropped_before timestamptz not null
    )`,
  `insert into audit_rounds (name, version, due_at, checked_from)
    values ('ledger', 0, timestamptz 'epoch', timestamptz 'epoch')`
]

/** A function names the path in which it finds tables, so that no caller's path decides. */
const withPath = (schema: string) => [
  `create function drop_log_days(parent text, before date)
    returns setof text language plpgsql security definer set search_path = ${schema}, pg_temp as $$
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
  `create function open_log_day(parent text, day date)
    returns void language plpgsql security definer set search_path = ${schema}, pg_temp as $$
    begin
      if parent not in ('api_logs', 'api_log_bodies') then raise exception '% has no days', parent; end if;
      execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
        parent || to_char(day, '_YYYYMMDD'), parent,
        to_char(day, 'YYYY-MM-DD') || ' 00:00:00+00', to_char(day + 1, 'YYYY-MM-DD') || ' 00:00:00+00');
    end
  $$`,
  `create function chain_audit_log() returns trigger
    language plpgsql set search_path = ${schema}, pg_temp as $$
    declare
      last record;
    begin
      perform pg_advisory_xact_lock(hashtext('coffer audit_log'));
      select sequence, hash into last from audit_log order by sequence desc limit 1;
      new.sequence := coalesce(last.sequence, 0) + 1;
      new.previous_hash := coalesce(last.hash, '');
      new.hash := encode(sha256(convert_to(audit_log_text(new), 'UTF8')), 'hex');
      return new;
    end
  $$`,
  `create function order_audit_log() returns trigger
    language plpgsql set search_path = ${schema}, pg_temp as $$
    declare
      last record;
    begin
      perform pg_advisory_xact_lock(hashtext('coffer audit_log'));
      select id, created_at into last from audit_log order by sequence desc limit 1;
      if new.id <= last.id and last.created_at < new.created_at + interval '15 minutes' then
        new.id := number_after(last.id);
        new.created_at := greatest(new.created_at, last.created_at);
      end if;
      return new;
    end
  $$`,
  `revoke all on function open_log_day, drop_log_days from public`
]

const functionsAndTriggers = [
  `create function number_after(number text) returns text language plpgsql immutable as $$
    declare
      digits constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
      raised int := length(rtrim(number, 'Z'));
    begin
      return left(number, raised - 1) || substr(digits, strpos(digits, substr(number, raised, 1)) + 1, 1)
        || repeat('0', length(number) - raised);
    end
  $$`,
  `create function audit_log_text(entry audit_log) returns text language sql immutable as $$
    select concat_ws(chr(10), entry.previous_hash, entry.sequence, entry.id, entry.actor_id, entry.actor,
      entry.role,
      coalesce(entry.ip, ''), entry.request_id, entry.act, entry.phase, entry.target,
        coalesce(entry.status::text, ''),
      entry.details, to_char(entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  $$`,
  `create function added_counts(before jsonb, more jsonb) returns jsonb language sql immutable as $$
    select coalesce(jsonb_object_agg(key, total), '{}') from (
      select key, sum(value::bigint)::bigint as total
      from (select * from jsonb_each_text(before) union all select * from jsonb_each_text(more)) as counts
      group by key) as totals
  $$`,
  `create function horizon_now(of_merchant text, in_mode text) returns list_horizons language plpgsql as $$
    declare
      horizon list_horizons;
    begin
      select * into horizon from list_horizons where merchant_id = of_merchant and mode = in_mode;
      return horizon;
    end
  $$`,
  `create function begin_list_horizon() returns trigger language plpgsql as $$
    begin
      insert into list_horizons (merchant_id, mode) values (new.merchant_id, new.mode) on conflict do nothing;
      return null;
    end
  $$`,
  `create function refuse_anchor_change() returns trigger language plpgsql as $$
    begin raise exception 'anchors are never changed or removed'; end
  $$`,
  `create function refuse_audit_change() returns trigger language plpgsql as $$
    begin raise exception 'rows of the audit log are never changed or removed'; end
  $$`,
  `create trigger anchors_are_final before delete or update on anchors for each row execute function
      refuse_anchor_change()`,
  `create trigger anchors_are_kept before truncate on anchors for each statement execute function
      refuse_anchor_change()`,
  `create trigger audit_log_follows before insert on audit_log for each row execute function order_audit_log()`,
  `create trigger audit_log_is_chained before insert on audit_log for each row execute function chain_audit_log()`,
  `create trigger audit_log_is_final before delete or update on audit_log for each row execute function
      refuse_audit_change()`,
  `create trigger audit_log_is_kept before truncate on audit_log for each statement execute function
      refuse_audit_change()`,
  `create trigger merchant_modes_horizon after insert on merchant_modes for each row execute function
      begin_list_horizon()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly schema: string }>`select quote_ident(current_schema()) as schema`
  const statements = [...tables, ...withPath(row!.schema), ...functionsAndTriggers]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
