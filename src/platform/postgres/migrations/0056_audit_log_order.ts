/**
 * Entries of the audit log have numbers in the order of the chain, whichever runner made them. The lock of the chain
 * lasts until the commit, so a reader who goes on from the newest entry misses none (docs/decisions/0050). The trigger
 * comes before the one that links the chain: Postgres runs them in the order of their names.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = (schema: string) => [
  // The number that follows most closely, as `idBodyAfter` makes it.
  `create function number_after(number text) returns text language plpgsql immutable as $$
    declare
      digits constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
      raised int := length(rtrim(number, 'Z'));
    begin
      return left(number, raised - 1) || substr(digits, strpos(digits, substr(number, raised, 1)) + 1, 1)
        || repeat('0', length(number) - raised);
    end
  $$`,
  // An entry far ahead of this one was written by a clock that was wrong, or moved, and is not followed.
  `create function order_audit_log() returns trigger language plpgsql set search_path = ${schema}, pg_temp as $$
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
  `create trigger audit_log_follows before insert on audit_log for each row execute function order_audit_log()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly schema: string }>`select quote_ident(current_schema()) as schema`
  yield* Effect.forEach(statements(row!.schema), (statement) => sql.unsafe(statement), { discard: true })
})
