/**
 * Operators by name, and the audit log of what they do. Postgres numbers the rows of the log and links each to the one
 * before it by its hash, so no writer can choose either. Rows are never changed or removed.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // token_hash: the HMAC of the token, which itself is stored nowhere.
  `create table operators (
    operator_id text primary key,
    name text not null,
    role text not null check (role in ('viewer', 'support', 'finance', 'admin')),
    token_hash text not null unique,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz
  )`,

  // details: JSON as it was written, since its very text is hashed.
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
  `create index audit_log_actor on audit_log (actor_id, id)`,
  `create index audit_log_target on audit_log (target, id)`,
  `create index audit_log_act on audit_log (act, id)`,
  `create function audit_log_text(entry audit_log) returns text language sql immutable as $$
    select concat_ws(chr(10), entry.previous_hash, entry.sequence, entry.id, entry.actor_id, entry.actor, entry.role,
      coalesce(entry.ip, ''), entry.request_id, entry.act, entry.phase, entry.target, coalesce(entry.status::text, ''),
      entry.details, to_char(entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  $$`,
  // The lock is held until the commit, so that the next writer sees this row.
  `create function chain_audit_log() returns trigger language plpgsql as $$
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
  `create trigger audit_log_is_chained before insert on audit_log for each row execute function chain_audit_log()`,
  `create function refuse_audit_change() returns trigger language plpgsql as $$
    begin raise exception 'rows of the audit log are never changed or removed'; end
  $$`,
  `create trigger audit_log_is_final before update or delete on audit_log
    for each row execute function refuse_audit_change()`,
  `create trigger audit_log_is_kept before truncate on audit_log
    for each statement execute function refuse_audit_change()`,
  // An act that waits for a second operator: the same act with the same content, asked for by another, is then done.
  `create table approvals (
    act text not null,
    target text not null,
    content_hash text not null,
    operator_id text not null,
    operator text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    primary key (act, target, content_hash)
  )`,
  `alter table merchants add column suspended_at timestamptz, add column note text`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
