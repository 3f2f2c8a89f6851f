/** `coffer ledger verify`: a merchant proves its ledger from the API or from a file; so does the audit (docs/ledger.md). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { envOf, runCli, type } from "../kit/callers/cli.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { freePort, ownersConnection, type Running, start } from "../kit/Service.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-ledger-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const verdictsIn = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** Seven rows in USD and two in HKD. */
const aBusyMerchant = Effect.fnUntraced(function* (running: Running) {
  const shop = merchantOf(running)
  for (const amount of [1_000, 2_000, 3_000]) yield* shop.paid(amount)
  yield* shop.paid(900, { currency: "HKD" })
  yield* shop.refund({ trade_no: (yield* shop.paid(4_000)).trade_no, amount: 500 })
})

/** As an attacker with the password of the tables' owner. */
const tamper = (sql: SqlClient.SqlClient, statement: string) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`alter table ledger disable trigger all`
      const rows = yield* sql.unsafe<{ readonly id: string }>(statement)
      yield* sql`alter table ledger enable trigger all`
      return rows[0]!.id
    })
  )

describe("coffer ledger verify", () => {
  it.live("finds every wallet of a whole ledger whole, from the API and offline from an export, page after page", () =>
    Effect.gen(function* () {
      const running = yield* start()
      yield* aBusyMerchant(running)
      for (let n = 0; n < 60; n++) yield* merchantOf(running).paid(100 + n)
      const env = envOf(running)
      const online = yield* type(["ledger", "verify", "--json"], env)
      assert.deepStrictEqual([online.code, online.stderr], [0, ""])
      const verdicts = verdictsIn(online.stdout)
      assert.deepStrictEqual(
        verdicts.map(({ broken, wallet }) => [wallet.split("/").at(-1), broken]),
        [
          ["USD", null],
          ["HKD", null]
        ]
      )
      const [{ count }] = (yield* running.sql`select count(*)::int4 as count from ledger where currency = 'USD'`) as any
      assert.strictEqual(verdicts[0].rows, count)
      assert.isAbove(count, 100)

      const file = path.join(yield* folder, "chain.csv")
      assert.strictEqual((yield* type(["ledger", "export", file], env)).code, 0)
      const nowhere = { COFFER_BASE_URL: `http://127.0.0.1:${yield* freePort}/v1`, COFFER_KEY: "svc_test_none" }
      const offline = yield* type(["ledger", "verify", file, "--json"], nowhere)
      assert.deepStrictEqual(verdictsIn(offline.stdout), verdicts)

      const { hash, id } = verdicts[0].head
      const text = yield* type(["ledger", "verify", "--kept", `${id}=${hash}`], env)
      assert.deepStrictEqual([text.code, text.stdout.includes(`--kept ${id}=${hash}`)], [0, true])
    })
  )

  it.live("names a row that was changed in the database, online, offline and by the audit", () =>
    Effect.gen(function* () {
      const running = yield* start()
      yield* aBusyMerchant(running)
      const env = envOf(running)
      const owner = yield* ownersConnection(running.database)
      const where = `merchant_id = '${running.merchant.merchantId}' and currency = 'USD' and sequence = 4`
      const id = yield* tamper(owner, `update ledger set amount = amount + 1 where ${where} returning id`)

      const online = yield* type(["ledger", "verify"], env)
      assert.strictEqual(online.code, 1)
      assert.match(online.stdout, new RegExp(`USD: ${id} is invalid \\(rule 1\\): its hash does not match its text`))
      assert.match(online.stdout, /HKD: 2 rows verified/)

      const file = path.join(yield* folder, "chain.csv")
      yield* type(["ledger", "export", file], env)
      const offline = yield* type(["ledger", "verify", file, "--json"], {})
      assert.strictEqual(offline.code, 1)
      assert.deepInclude(verdictsIn(offline.stdout)[0].broken, { id, rule: 1 })

      const audit = yield* runCli(["audit"], { DATABASE_URL: running.database })
      assert.strictEqual(audit.code, 1)
      assert.include(audit.stdout, id)
    })
  )

  it.live("names the row after one that was removed, and a kept row that is gone", () =>
    Effect.gen(function* () {
      const running = yield* start()
      yield* aBusyMerchant(running)
      const env = envOf(running)
      const whole = verdictsIn((yield* type(["ledger", "verify", "--json", "--currency", "USD"], env)).stdout)
      const owner = yield* ownersConnection(running.database)
      const where = (sequence: number) =>
        `merchant_id = '${running.merchant.merchantId}' and currency = 'USD' and sequence = ${sequence}`
      const [after] = yield* owner.unsafe<{ readonly id: string }>(`select id from ledger where ${where(4)}`)
      yield* tamper(owner, `delete from ledger where ${where(3)} returning id`)
      const cut = yield* type(["ledger", "verify", "--json", "--currency", "USD"], env)
      assert.deepInclude(verdictsIn(cut.stdout)[0].broken, { id: after!.id, rule: 2 })

      const { hash, id } = whole[0].head
      yield* tamper(owner, `delete from ledger where ${where(whole[0].rows)} returning id`)
      const gone = yield* type(["ledger", "verify", "--kept", `${id}=${hash}`], env)
      assert.strictEqual(gone.code, 1)
      assert.include(gone.stderr, `${id} from an earlier check is no longer in any chain`)
    })
  )

  it.live("finds a changed cell in an export, and refuses a file that is no chain", () =>
    Effect.gen(function* () {
      const running = yield* start()
      yield* aBusyMerchant(running)
      const file = path.join(yield* folder, "chain.csv")
      yield* type(["ledger", "export", file, "--currency", "USD"], envOf(running))
      const text = readFileSync(file, "utf8")
      writeFileSync(file, text.replace("payment_credit\n2000\n", "payment_credit\n9000\n"))
      const found = yield* type(["ledger", "verify", file, "--json"], {})
      assert.deepInclude(verdictsIn(found.stdout)[0].broken, { rule: 1 })
      for (const other of ["", "id,type\r\n1,2\r\n", "\u0000\u0001"]) {
        writeFileSync(file, other)
        const refused = yield* type(["ledger", "verify", file], {})
        assert.deepStrictEqual([refused.code, refused.stdout], [2, ""])
        assert.match(refused.stderr, /is not a hash chain[\s\S]*coffer ledger export/)
      }
      const missing = yield* type(["ledger", "verify", `${file}.not`], {})
      assert.match(missing.stderr, /can't be read/)
    })
  )
})
