/** The service's role in Postgres: its limits, its rights from the owner, and when it could do too much. */
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { grantTo } from "../../src/platform/postgres/grants.ts"
import { ledgerRights } from "../../src/platform/postgres/ledgerRights.ts"
import { connect } from "../kit/Process.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { freshDatabase, ownersConnection, start } from "../kit/Service.ts"

const final = ["ledger", "audit_log", "anchors"]

/** Statements, and what Postgres answers. */
const attempts = (table: string): ReadonlyArray<readonly [string, RegExp]> => [
  [`alter table ${table} disable trigger all`, /must be owner of/],
  [`alter table ${table} add column x text`, /must be owner of/],
  [`create trigger t before insert on ${table} for each row execute function refuse_change()`, /permission denied/],
  [`update ${table} set hash = hash`, /permission denied/],
  [`delete from ${table}`, /permission denied/],
  [`truncate ${table}`, /permission denied/],
  [`truncate ${table} cascade`, /permission denied/],
  [`drop table ${table}`, /must be owner of/],
  [`drop table ${table} cascade`, /must be owner of/],
  [`alter table ${table} owner to current_user`, /must be owner of/],
  [`create rule r as on insert to ${table} do instead nothing`, /must be owner of/]
]

const elsewhere: ReadonlyArray<readonly [string, RegExp]> = [
  ["insert into anchors select 'x', 1, '', '', true, '2026-01-01'", /permission denied/],
  [
    "create or replace function refuse_change() returns trigger language plpgsql as 'begin return new; end'",
    /permission|owner/
  ],
  ["drop function anchor_heads", /must be owner of/],
  ["alter function anchor_heads owner to current_user", /must be owner of/],
  ["set session_replication_role = replica", /permission denied/],
  ["create table mine (a int)", /permission denied for schema/],
  ["create schema mine", /permission denied for database/],
  ["select drop_log_days('ledger', '2100-01-01')", /ledger has no days/],
  ["select open_log_day('orders', '2100-01-01')", /orders has no days/],
  ["delete from coffer_migrations", /permission denied/]
]

const refused = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, statement: string, error: RegExp) {
  const { reason } = yield* Effect.flip(sql.unsafe(statement))
  assert.match(String(reason.cause), error, statement)
})

describe("as the service's role", () => {
  it.live("nothing of the ledger, the audit log or the anchors can be altered, changed, removed or dropped", () =>
    Effect.gen(function* () {
      const running = yield* start()
      yield* merchantOf(running).paid(1_000)
      const [row] = yield* running.sql`select current_user::text as name, count(*)::int4 as rows from ledger`
      assert.deepStrictEqual(row, { name: "coffer_app", rows: 2 })
      for (const table of final) {
        for (const [statement, error] of attempts(table)) yield* refused(running.sql, statement, error)
      }
      for (const [statement, error] of elsewhere) yield* refused(running.sql, statement, error)
      assert.isUndefined(yield* ledgerRights(running.sql))
    })
  )

  it.live("no table is missing a right, and no function of the owner is public", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const owner = yield* ownersConnection(database)
      assert.deepStrictEqual(
        yield* owner`select p.proname from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.prosecdef
          and p.proname <> 'test_without_triggers'
          and has_function_privilege('pg_read_all_data', p.oid, 'execute')`,
        []
      )
      const names = yield* owner<{ name: string }>`select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`
      assert.isAbove(names.length, 30)
      const service = yield* connect(database)
      for (const { name } of names) yield* service.unsafe(`select from ${name} limit 1`)
    })
  )
})

/** A role of the server for one test. */
const newRole = (options: string) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const owner = yield* ownersConnection(database)
      const name = `test_${randomBytes(6).toString("hex")}`
      yield* owner.unsafe(`create role ${name} ${options} password 'x'`)
      return { database, owner, name, url: database.replace(/\/\/[^@]*@/, `//${name}:x@`) }
    }),
    ({ name, owner }) =>
      Effect.orDie(Effect.andThen(owner.unsafe(`drop owned by ${name}`), owner.unsafe(`drop role ${name}`)))
  )

const acl = (sql: SqlClient.SqlClient, role: string) =>
  sql`select c.relname, array(select a.privilege_type from aclexplode(c.relacl) a
      where a.grantee = to_regrole(${role}) order by 1) as rights
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'S') order by 1`

describe("the owner", () => {
  it.live("grants exactly the rights that docs/operating.md lists, and revokes any others", () =>
    Effect.gen(function* () {
      const { name, owner } = yield* newRole("login")
      const block = /```sql\n(grant select, insert[^`]*)```/.exec(readFileSync("docs/operating.md", "utf8"))![1]!
      for (const statement of block.split(";\n").filter((text) => text !== "")) {
        yield* owner.unsafe(statement.replaceAll("coffer_app", name))
      }
      const pasted = yield* acl(owner, name)
      assert.isTrue(pasted.some(({ rights }) => JSON.stringify(rights) === '["INSERT","SELECT"]'))
      yield* owner.unsafe(`grant all on ledger, anchors to ${name}`)
      yield* owner.unsafe(`revoke all on orders from ${name}`)
      yield* owner.withTransaction(grantTo(owner, name))
      assert.deepStrictEqual(yield* acl(owner, name), pasted)
    })
  )

  it.live("lets the service's role make no temporary tables, which every role may in a new database", () =>
    Effect.gen(function* () {
      const { name, owner, url } = yield* newRole("login")
      const statement = "create temporary table mine (a int)"
      const service = yield* connect(url)
      yield* Effect.flip(Effect.andThen(service.unsafe(statement), Effect.fail("made"))).pipe(
        Effect.map((error) => assert.strictEqual(error, "made"))
      )
      yield* owner.withTransaction(grantTo(owner, name))
      yield* refused(yield* connect(url), statement, /permission denied to create temporary tables/)
    })
  )

  it.live("writes nothing when all rights are right already", () =>
    Effect.gen(function* () {
      const { name, owner } = yield* newRole("login")
      yield* owner.withTransaction(grantTo(owner, name))
      const versions = owner`select relname, xmin::text from pg_class where relname in ('ledger', 'orders') order by 1`
      const before = yield* versions
      yield* owner.withTransaction(grantTo(owner, name))
      assert.deepStrictEqual(yield* versions, before)
    })
  )
})

describe("whether a role could change the ledger is reported", () => {
  for (const [what, options, grant, said] of [
    ["of a superuser", "login superuser", "", /is a superuser/],
    ["of the owner's member", "login", "grant coffer to $", /can act as the owner of anchors/],
    [
      "of one that may truncate",
      "login",
      "grant truncate on audit_log to $",
      /may update, delete or truncate audit_log/
    ],
    [
      "of one that may write the server's files",
      "login",
      "grant pg_write_server_files to $",
      /may run programs or write/
    ]
  ] as const) {
    it.live(what, () =>
      Effect.gen(function* () {
        const { name, owner, url } = yield* newRole(options)
        if (grant !== "") yield* owner.unsafe(grant.replaceAll("$", name))
        const why = yield* ledgerRights(yield* connect(url))
        assert.match(String(why), said)
        assert.include(why, name)
      })
    )
  }
})
