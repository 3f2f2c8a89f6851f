/** `coffer audit` as an operator runs it: what it prints, how it ends, beside a service that runs and without one. */
import { writeFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { commandRun } from "../kit/program/commandRun.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { connect, databaseOf, demoKey, eventually, newHome, postgresRuns, run } from "../kit/Process.ts"
import { freshDatabase, ownersConnection, start } from "../kit/Service.ts"

const audit = (env: Readonly<Record<string, string>>) => commandRun(["audit"], env)

const tamper = (sql: SqlClient.SqlClient, statement: string) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`alter table ledger disable trigger all`
      const rows = yield* sql.unsafe<{ readonly id: string }>(statement)
      yield* sql`alter table ledger enable trigger all`
      return rows.map(({ id }) => id)
    })
  )

const changeWords = `update ledger set description = 'x' where sequence = 1 returning id`

describe("coffer audit", () => {
  it.live("counts what it checked and ends with 0; names law, table and row of each violation and ends with 1", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const running = yield* start({ database })
        for (const amount of [1_000, 2_000]) yield* merchantOf(running).paid(amount)
        const whole = yield* audit({ DATABASE_URL: database })
        assert.deepStrictEqual(whole, {
          code: 0,
          stdout: "1 wallets, 4 ledger rows, 2 orders checked: no violations\n",
          stderr: ""
        })

        const owner = yield* ownersConnection(database)
        const [id] = yield* tamper(owner, changeWords)
        const one = yield* audit({ DATABASE_URL: database })
        assert.deepStrictEqual(one, {
          code: 1,
          stdout: `I9 ledger ${id}: is not what was hashed\n1 wallets, 4 ledger rows, 2 orders checked: 1 violation\n`,
          stderr: ""
        })
        yield* running.sql`update wallets set total_payout = 1`
        const two = yield* audit({ DATABASE_URL: database })
        assert.strictEqual(two.code, 1)
        const file = path.join(yield* newHome, "..", "anchors.jsonl")
        const at = "2026-01-01T00:00:00.000Z"
        const anchor = { at, chain: "mer_x/live/USD", sequence: 9, id: "LED_X", hash: "ab" }
        writeFileSync(file, `${JSON.stringify(anchor)}\n{"at":"`)
        const three = yield* audit({ DATABASE_URL: database, ANCHOR_FILE: file })
        assert.include(
          three.stdout,
          `I11 anchors mer_x/live/USD: row 9 (LED_X) was its head at the anchor of ${at}, and is missing (ANCHOR_FILE)\n` +
            "1 lines of ANCHOR_FILE compared, 1 unreadable\n"
        )
        assert.match(three.stdout, /checked: 3 violations\n$/)
        const none = yield* audit({ DATABASE_URL: database, ANCHOR_FILE: `${file}.none` })
        assert.match(none.stderr, /^coffer: ANCHOR_FILE can't be read: /m)
        assert.match(two.stdout, /^I5 wallets mer_\w+\/sandbox\/USD: .*\nI9 ledger .*\n.* checked: 2 violations\n$/)
      })
    )
  )

  it.live("looks at the embedded database beside the service that runs on it, and at one that no service runs on", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* newHome
        const env = { COFFER_HOME: home, AUDIT_INTERVAL: "1 second", WORKER_POLL: "1 second" }
        const empty = yield* audit(env)
        assert.strictEqual(empty.code, 1)
        assert.match(empty.stderr, /^coffer: There is no database in /)

        const row = yield* Effect.scoped(
          Effect.gen(function* () {
            const coffer = yield* run({ env })
            const key = yield* demoKey(coffer, home)
            const beside = yield* audit(env)
            assert.strictEqual(beside.code, 0, beside.stdout + beside.stderr)
            assert.match(beside.stdout, /^[\d,]+ wallets, [\d,]+ ledger rows, [\d,]+ orders checked: no violations\n$/)
            assert.strictEqual((yield* coffer.api.get("/v1/balance", key)).status, 200, "the service goes on")

            // The service itself notices it, too.
            const sql = yield* connect(databaseOf(home))
            const [id] = yield* tamper(sql, changeWords)
            yield* eventually(
              "the worker to say so",
              Effect.sync(() => coffer.said.stderr.includes(id!))
            )
            const line = coffer.said.stderr.split("\n").find((text) => text.includes(id!))
            const { annotations, level } = JSON.parse(line!)
            assert.strictEqual(level, "ERROR")
            assert.deepInclude(annotations, { law: "I9", table: "ledger", key: id })
            return id!
          })
        )
        assert.isFalse(yield* postgresRuns(home))

        const alone = yield* audit(env)
        assert.strictEqual(alone.code, 1, alone.stderr)
        assert.include(alone.stdout, `I9 ledger ${row}: is not what was hashed\n`)
        assert.isFalse(yield* postgresRuns(home), "what it started it stopped")
      })
    )
  )

  it.live("says in one line what keeps it from looking", () =>
    Effect.gen(function* () {
      for (const [env, said] of [
        [
          { DATABASE_URL: "postgres://nobody:x@127.0.0.1:1/none" },
          /^coffer: PostgreSQL at 127.0.0.1:1, database ".*", cannot be used: .*ECONNREFUSED/
        ],
        [{ DATABASE_CONNECTIONS: "x" }, /^coffer: Invalid setting/]
      ] as const) {
        const { code, stderr, stdout } = yield* audit(env)
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.match(stderr, said)
        assert.strictEqual(stderr.trim().split("\n").length, 1, stderr)
      }
    })
  )
})
