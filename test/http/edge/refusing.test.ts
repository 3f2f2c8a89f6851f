/** `/readyz` where Postgres answers and refuses what it is asked: judged by results (`platform/postgres/results.ts`). */
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import type { SqlClient } from "effect/sql"
import { grantTo } from "../../../src/platform/postgres/grants.ts"
import { make as makeResults } from "../../../src/platform/postgres/results.ts"
import { eventually } from "../../kit/Process.ts"
import { freshDatabase, ownersConnection, start } from "../../kit/Service.ts"

/** A role of Postgres for one service. */
const roleOn = Effect.fnUntraced(function* (owner: SqlClient.SqlClient) {
  const name = `test_${randomBytes(6).toString("hex")}`
  yield* Effect.acquireRelease(owner.unsafe(`create role ${name} login password 'x'`), () =>
    Effect.ignore(Effect.andThen(owner.unsafe(`drop owned by ${name}`), owner.unsafe(`drop role ${name}`)))
  )
  yield* owner.withTransaction(grantTo(owner, name))
  return name
})

/** How Postgres comes to refuse, how that ends, and its SQLSTATE and words. */
const ways: ReadonlyArray<{
  readonly what: string
  readonly breaks: (role: string) => ReadonlyArray<string>
  readonly mends: (role: string) => ReadonlyArray<string>
  readonly code: string
  readonly words: RegExp
}> = [
  {
    what: "the role's password was changed, and its sessions ended",
    breaks: (role) => [
      `alter role ${role} password 'y'`,
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`
    ],
    mends: (role) => [`alter role ${role} password 'x'`],
    code: "28P01",
    words: /password authentication failed/
  },
  {
    what: "the role lacks a right",
    breaks: (role) => [`revoke insert on orders from ${role}`],
    mends: (role) => [`grant insert on orders to ${role}`],
    code: "42501",
    words: /permission denied for table orders/
  },
  {
    what: "the disk is full",
    breaks: () => [
      `create function full_disk() returns trigger language plpgsql as
       $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
      "create trigger full_disk before insert on orders execute function full_disk()"
    ],
    mends: () => ["drop trigger full_disk on orders"],
    code: "53100",
    words: /No space left on device/
  },
  {
    what: "a newer version has migrated the database beneath it",
    breaks: () => ["alter table orders rename column subject to title"],
    mends: () => ["alter table orders rename column title to subject"],
    code: "42703",
    words: /column .*subject.* does not exist/
  }
]

describe("/readyz says no while Postgres refuses most of what is asked, and the log has Postgres' words, where", () => {
  for (const { breaks, code, mends, what, words } of ways) {
    it.live(what, () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const owner = yield* ownersConnection(database)
        const role = yield* roleOn(owner)
        const lines: Array<string> = []
        const logger = Logger.make(({ message }) => void lines.push(JSON.stringify(message)))
        const { api, merchant } = yield* start({
          database: database.replace(/\/\/[^@]*@/, `//${role}:x@`),
          logger: Logger.layer([logger])
        })
        const run = (statements: ReadonlyArray<string>) =>
          Effect.forEach(statements, (statement) => owner.unsafe(statement), { discard: true })
        const create = api.post("/v1/orders", merchant.sandboxKey, { amount: 1000, subject: "A test" })
        /** Requests continue meanwhile, as a balancer sends them. */
        const seen = (status: number) =>
          eventually(
            `/readyz to be ${status}`,
            Effect.andThen(
              create,
              Effect.map(api.get("/readyz"), (reply) => reply.status === status)
            ),
            "1 minute"
          )
        yield* seen(200)
        yield* run(breaks(role))
        yield* seen(503)
        assert.strictEqual((yield* create).status, 503)
        const { body } = yield* api.get("/readyz")
        assert.strictEqual(body.checks.results, false)
        assert.strictEqual(body.reason, `Postgres rejects most statements of this runner (SQLSTATE ${code}).`)
        const told = lines.filter((line) => line.includes(`"sqlstate":"${code}"`))
        assert.lengthOf(told, 1)
        assert.match(told[0]!, words)
        yield* run(mends(role))
        yield* seen(200)
        assert.strictEqual((yield* create).status, 201)
      })
    )
  }

  it("not for what one row or one call is to blame for", () => {
    const { note, refusing } = makeResults()
    note("sets", "42P01", 2)
    assert.isUndefined(refusing())
    note("sets", undefined, 3)
    note("sets", "42P01", 1)
    assert.isUndefined(refusing())
    note("sets", "XX001", 1)
    assert.strictEqual(refusing(), "XX001")
  })
})
