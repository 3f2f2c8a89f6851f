/**
 * Two roles in Postgres as docs/operating.md sets them up, and the programs on it: the owner migrates, the service's
 * role does all else. Roles belong to the whole server, so each test has some of its own.
 */
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { commandRun } from "../kit/program/commandRun.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { databaseUrl } from "../../packages/testkit/src/TestPostgres.ts"
import { connect, databaseOf, demoKey, launch, newHome, run } from "../kit/Process.ts"
import { migrations, newestMigration } from "../../src/platform/postgres/migrationSteps.ts"
import { asOwner, freshDatabase, operatorToken, secretKey } from "../kit/Service.ts"

const shared = { SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken, ALLOW_PRIVATE_WEBHOOKS: "true" }

/** The statements that an operator pastes, with names of this test. */
const blocks = (names: Readonly<Record<string, string>>) =>
  [...readFileSync("docs/operating.md", "utf8").matchAll(/```sql\n([^`]*)```/g)].map(([, text]) =>
    Object.entries(names)
      .reduce((all, [from, to]) => all.replaceAll(from, to), text!)
      .split(";\n")
      .filter((statement) => statement !== "")
  )

const installation = Effect.acquireRelease(
  Effect.gen(function* () {
    const superuser = yield* connect(inject("postgresUrl"))
    const suffix = randomBytes(5).toString("hex")
    const [owner, app, name] = [`owner_${suffix}`, `app_${suffix}`, `test_${suffix}`]
    const [server, inDatabase] = blocks({
      coffer_owner: owner,
      coffer_app: app,
      "database coffer": `database ${name}`,
      "a long random password": "x",
      "another long random password": "x"
    })
    for (const statement of server!) yield* superuser.unsafe(statement)
    const own = yield* connect(databaseUrl(inject("postgresUrl"), name))
    for (const statement of inDatabase!) yield* own.unsafe(statement)
    const as = (role: string, password = "x") =>
      databaseUrl(inject("postgresUrl"), name).replace(/\/\/[^@]*@/, `//${role}:${password}@`)
    return { superuser, own, name, owner, app, ownerUrl: as(owner), appUrl: as(app) }
  }),
  ({ app, name, owner, superuser }) =>
    Effect.orDie(
      Effect.forEach([`drop database ${name} with (force)`, `drop role ${owner}`, `drop role ${app}`], (statement) =>
        superuser.unsafe(statement)
      )
    )
)

const coffer = (env: Readonly<Record<string, string>>) =>
  Effect.flatMap(newHome, (home) => launch({ env: { COFFER_HOME: home, ...shared, ...env } }))

const paid = Effect.fnUntraced(function* ({ api }: Effect.Success<ReturnType<typeof coffer>>) {
  const { sandboxKey } = yield* api.newMerchant()
  const { body } = yield* api.post("/v1/orders", sandboxKey, { amount: 1000 })
  const reply = yield* api.post(`/v1/test_helpers/orders/${body.data.trade_no}/pay`, sandboxKey, {})
  assert.strictEqual(reply.status, 200, reply.text)
})

const warning = "the service's role in Postgres could change the ledger"

const migrate = (env: Readonly<Record<string, string>>) => commandRun(["migrate"], env)

describe("two roles, as docs/operating.md sets them up", () => {
  it.live("a service with both addresses migrates as the owner and works as the other", () =>
    Effect.gen(function* () {
      const { app, appUrl, own, owner, ownerUrl } = yield* installation
      const service = yield* coffer({ DATABASE_URL: appUrl, MIGRATION_DATABASE_URL: ownerUrl })
      yield* service.ready
      yield* paid(service)
      assert.notInclude(service.said.stderr, warning)
      const [row] = yield* own`select relowner::regrole::text as owner from pg_class where relname = 'ledger'`
      assert.deepStrictEqual(row, { owner })
      const names = yield* own`select distinct usename::text as name from pg_stat_activity
        where application_name like 'coffer %' and datname = current_database()`
      assert.deepStrictEqual(names, [{ name: app }])
      yield* assertLedgerWhole(yield* connect(appUrl))
    })
  )

  it.live("a database that one role owned is split between two, and the warning is logged until then", () =>
    Effect.gen(function* () {
      const { appUrl, ownerUrl } = yield* installation
      yield* Effect.scoped(
        Effect.gen(function* () {
          const one = yield* coffer({ DATABASE_URL: ownerUrl })
          yield* one.ready
          yield* paid(one)
          assert.strictEqual(one.said.stderr.split(warning).length, 2, "once")
        })
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const refused = yield* coffer({ DATABASE_URL: appUrl })
          assert.strictEqual((yield* refused.ended).code, 1)
          assert.match(refused.said.stderr, /This role has no permissions on the tables yet/)
        })
      )
      const two = yield* coffer({ DATABASE_URL: appUrl, MIGRATION_DATABASE_URL: ownerUrl })
      yield* two.ready
      yield* paid(two)
      assert.notInclude(two.said.stderr, warning)
    })
  )

  it.live("coffer migrate prepares the database, and the service needs its own address alone", () =>
    Effect.gen(function* () {
      const { appUrl, own, ownerUrl } = yield* installation
      const empty = yield* coffer({ DATABASE_URL: appUrl })
      assert.strictEqual((yield* empty.ended).code, 1)
      assert.match(
        empty.said.stderr,
        /^coffer: The database has no tables yet, and this role can't create them\. .*\n$/m
      )
      const { code, stderr } = yield* migrate({ DATABASE_URL: appUrl, MIGRATION_DATABASE_URL: ownerUrl })
      assert.strictEqual(code, 0, stderr)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const service = yield* coffer({ DATABASE_URL: appUrl })
          yield* service.ready
          yield* paid(service)
          assert.notInclude(service.said.stderr, warning)
        })
      )
      // As if this version had one migration more than the database.
      yield* own`delete from coffer_migrations where migration_id >= ${newestMigration}::int4`
      const older = yield* coffer({ DATABASE_URL: appUrl })
      assert.strictEqual((yield* older.ended).code, 1)
      assert.match(
        older.said.stderr,
        new RegExp(`The database needs the migration ${migrations.at(-1)}, .*does not own its tables`)
      )
    })
  )

  it.live("an owner's address that does not work stops the start with one line", () =>
    Effect.gen(function* () {
      const url = asOwner(yield* freshDatabase).replace(/:[^:@]*@/, ":wrong@")
      const database = yield* freshDatabase
      const service = yield* coffer({ DATABASE_URL: database, MIGRATION_DATABASE_URL: url })
      assert.strictEqual((yield* service.ended).code, 1)
      assert.match(service.said.stderr, /cannot be used with MIGRATION_DATABASE_URL: password authentication failed/)
      assert.notInclude(service.said.stderr, "wrong")
    })
  )

  for (const [wrong, blamed] of [
    [
      "DATABASE_URL",
      /^coffer: PostgreSQL at [^ ]+, database "[^"]+", cannot be used: password authentication failed .*\n$/
    ],
    [
      "MIGRATION_DATABASE_URL",
      /^coffer: PostgreSQL at .* cannot be used with MIGRATION_DATABASE_URL: password authentication failed .*\n$/
    ]
  ] as const) {
    it.live(`a wrong password in ${wrong} alone is blamed on it, at a start and by coffer migrate`, () =>
      Effect.gen(function* () {
        const { app, appUrl, owner, ownerUrl } = yield* installation
        const right = { DATABASE_URL: appUrl, MIGRATION_DATABASE_URL: ownerUrl }
        const env = { ...right, [wrong]: right[wrong].replace(/:[^:@]*@/, ":astray@") }
        const role = wrong === "DATABASE_URL" ? app : owner
        const service = yield* coffer(env)
        assert.strictEqual((yield* service.ended).code, 1)
        const command = yield* migrate(env)
        assert.strictEqual(command.code, 1)
        for (const said of [service.said.stderr, command.stderr]) {
          const line = said.split(/(?<=\n)/).at(-1)!
          assert.match(line, blamed)
          assert.include(line, role)
          assert.notInclude(said, "astray")
        }
      })
    )
  }
})

describe("the embedded PostgreSQL", () => {
  it.live("is used by a role that cannot change the ledger, also in a home of an earlier version", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      for (const start of ["first", "second", "third"]) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const service = yield* run({ env: { COFFER_HOME: home } })
            const key = yield* demoKey(service, home)
            const { status } = yield* service.api.post("/v1/orders", key, { amount: 1000 })
            assert.strictEqual(status, 201, start)
            const superuser = yield* connect(databaseOf(home))
            const names = yield* superuser`select distinct usename::text as name from pg_stat_activity
              where application_name like 'coffer %'`
            assert.deepStrictEqual(names, [{ name: "coffer_app" }])
            assert.notInclude(service.said.stderr, warning)
            if (start === "first") {
              // As before this role existed.
              yield* superuser`drop owned by coffer_app`
              yield* superuser`drop role coffer_app`
            }
          })
        )
      }
    })
  )
})
