/**
 * Whether the role of a connection could alter the ledger, the audit log or the anchors: switch off their triggers,
 * change their rows, or drop them. The service says so once at start; `coffer doctor` asks the same.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** Why it could, for people, for example `"coffer" owns the ledger`. Undefined if it could not. */
export const ledgerRights = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const rows = yield* sql`
    with final as (
      select c.relname::text as name, c.oid, c.relowner, n.nspowner, d.datdba
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
        join pg_database d on d.datname = current_database()
      where c.oid in (to_regclass('ledger'), to_regclass('audit_log'), to_regclass('anchors')))
    select format('"%s" %s', current_user, found.why) as why from (
      select 1 as rank, 'is a superuser' as why from pg_roles where rolname = current_user and rolsuper
      union all select 2, format('can act as the owner of %s', name) from final where pg_has_role(relowner, 'member')
      union all select 3, format('may update, delete or truncate %s', name) from final
        where has_table_privilege(oid, 'update, delete, truncate, trigger')
      union all select 4, format('can act as the owner of the schema or the database of %s', name) from final
        where pg_has_role(nspowner, 'member') or pg_has_role(datdba, 'member')
      union all select 5, 'may run programs or write files on the server as a superuser' from pg_roles r
        where r.rolname in ('pg_write_server_files', 'pg_execute_server_program') and pg_has_role(r.oid, 'member')
    ) found order by found.rank, found.why limit 1`
  return (yield* Effect.catchTags(decode(rows), { SchemaError: Effect.die }))[0]?.why
})

const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ why: Schema.String })))
