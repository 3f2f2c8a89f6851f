/**
 * The rights of the service's role on the tables, when another role owns them: the migration owner
 * (docs/decisions/0025). Each time that the owner migrates, these become exactly the rights of the service's role.
 * docs/operating.md lists them.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const ordinary = ["delete", "insert", "select", "update"]

/** Tables whose rows never change. All others are ordinary. */
export const rightsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  ledger: ["insert", "select"],
  audit_log: ["insert", "select"],
  // Only the owner's function adds to them.
  anchors: ["select"],
  ledger_sums: ["select"],
  coffer_migrations: ["select"],
  later_fills: ["select"],
  // A view.
  people_and_invited: ["select"],
  cluster_runner_migrations: ["select"]
}

/** Functions that run with the owner's rights (migrations 0026 and 0173). No other role may call them. */
export const ownersFunctions = [
  "anchor_heads(text[], timestamptz)",
  "advance_ledger_sums(text[], integer, boolean)",
  "open_log_day(text, date)",
  "drop_log_days(text, date)"
]

/** Runs in a transaction of the owner. Writes nothing if the rights are correct already. */
export const grantTo = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, role: string) {
  const [place] = yield* decodePlace(
    yield* sql`select quote_ident(${role}) as name, quote_ident(current_schema()) as schema,
      has_schema_privilege(${role}, current_schema(), 'usage') as enters,
      (select quote_ident(d.datname) from pg_database d where d.datname = current_database()
        and pg_has_role(d.datdba, 'usage') and has_database_privilege(${role}, d.oid, 'temporary')
        and not pg_has_role(${role}, d.datdba, 'usage')) as database`
  )
  const { database, enters, name, schema } = place!
  if (!enters) yield* sql.unsafe(`grant usage on schema ${schema} to ${name}`)
  // In a new database all roles may make temporary tables; the service's role makes none.
  if (database !== null) yield* sql.unsafe(`revoke temporary on database ${database} from public, ${name}`)
  for (const { held, kind, relation } of yield* decodeHeld(yield* relations(sql, role))) {
    const rights = kind === "S" ? ["select", "usage"] : (rightsOf[relation] ?? ordinary)
    if (held.join() === rights.join()) continue
    const target = `${kind === "S" ? "sequence" : "table"} ${schema}."${relation}"`
    yield* sql.unsafe(`revoke all on ${target} from ${name}`)
    yield* sql.unsafe(`grant ${rights.join()} on ${target} to ${name}`)
  }
  for (const signature of ownersFunctions) {
    yield* sql.unsafe(`grant execute on function ${schema}.${signature} to ${name}`)
  }
})

/** Our own tables, views and sequences, with what the role holds. Partitions are reached through their table. */
const relations = (sql: SqlClient.SqlClient, role: string) =>
  sql`select c.relname as relation, c.relkind::text as kind,
      array(select distinct lower(a.privilege_type) from aclexplode(c.relacl) a
        join pg_roles r on r.oid = a.grantee and r.rolname = ${role} order by 1) as held
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'S') and not c.relispartition
      and pg_has_role(c.relowner, 'usage')
    order by c.relname`

const decodePlace = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      name: Schema.String,
      schema: Schema.String,
      enters: Schema.Boolean,
      /** Where the role may make temporary tables, and the owner may take that away. */
      database: Schema.NullOr(Schema.String)
    })
  )
)
const decodeHeld = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ relation: Schema.String, kind: Schema.String, held: Schema.Array(Schema.String) }))
)
