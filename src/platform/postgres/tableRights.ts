/** What the role of a connection could do to tables that only ever grow: the ledger and the audit log. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

export interface TableRights {
  readonly role: string
  /** Nothing holds a superuser. */
  readonly isSuperuser: boolean
  readonly tables: ReadonlyArray<{
    readonly name: string
    /** `own` allows to switch triggers off. Empty for a role that may read and insert at most. */
    readonly may: ReadonlyArray<string>
  }>
}

/** Tables that are not there are left out. */
export const rightsOn = (names: ReadonlyArray<string>) => (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [who] = yield* sql<{ readonly role: string; readonly isSuperuser: boolean }>`
      select rolname::text as role, rolsuper as "isSuperuser" from pg_roles where rolname = current_user`
    const tables = yield* sql<{ readonly name: string; readonly may: ReadonlyArray<string> }>`
      select c.relname::text as name, array_remove(array[
        case when pg_has_role(c.relowner, 'member') then 'own' end,
        case when has_table_privilege(c.oid, 'update') then 'update' end,
        case when has_table_privilege(c.oid, 'delete') then 'delete from' end,
        case when has_table_privilege(c.oid, 'truncate') then 'truncate' end,
        case when has_table_privilege(c.oid, 'trigger') then 'put triggers on' end], null) as may
      from unnest(${`{${names.join(",")}}`}::text::text[]) with ordinality as named (name, place)
      join pg_class c on c.oid = to_regclass(named.name)
      order by named.place`
    const rights: TableRights = { role: who?.role ?? "unknown", isSuperuser: who?.isSuperuser === true, tables }
    return rights
  })
