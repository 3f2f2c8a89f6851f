/** The doctor's checks on real things: a role of Postgres, a mail server, files, a folder of backups. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { checks } from "../../src/channels.ts"
import { diagnose } from "../../src/door/doctor/doctor.ts"
import { Unmade } from "../../src/door/doctor/Finding.ts"
import type { Installation } from "../../src/door/doctor/Installation.ts"
import { connectionsVerdict } from "../../src/door/doctor/postgresChecks.ts"
import { type Changes, installationWith, roomsWith } from "../kit/program/installation.ts"
import { mailServer } from "../kit/servers/MailServer.ts"
import { connect } from "../kit/Process.ts"
import { leftOut, named, running } from "../kit/servers/Redis.ts"
import { freePort, freshDatabase, ownersConnection, start } from "../kit/Service.ts"
import { password, proxying } from "../webhooks/proxy.ts"

const look = Effect.fnUntraced(function* (installation: Installation, name: string) {
  const finding = (yield* diagnose(installation, checks)).find((each) => each.name === name)!
  return [finding.status, finding.observation] as const
})

const seen = (changes: Changes, name: string) => look(installationWith(changes), name)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-doctor-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

describe("of the database", () => {
  it.live("the service's role is distinguished from one that could change the ledger", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const all = yield* diagnose(installationWith({ sql: yield* connect(url), url }), checks)
      const statusOf = (name: string) => all.find((each) => each.name === name)?.status
      assert.deepStrictEqual(
        ["postgres", "migrations", "postgres role", "postgres tls", "clock", "connections"].map(statusOf),
        ["ok", "ok", "ok", "ok", "ok", "ok"]
      )
      const [status, said] = yield* seen({ sql: yield* ownersConnection(url) }, "postgres role")
      assert.strictEqual(status, "error")
      assert.match(said, /is a superuser/)
      const [embedded] = yield* seen({ sql: yield* ownersConnection(url), embedded: true }, "postgres role")
      assert.strictEqual(embedded, "not applicable")
    })
  )

  it.live("its disk is looked at where it is on this machine and may be known", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const sql = yield* ownersConnection(url)
      const [, here] = yield* seen({ sql, url }, "postgres disk")
      assert.match(here, /free at .*postgres/)
      const [elsewhere] = yield* seen({ sql, url: "postgres://db.example/coffer" }, "postgres disk")
      assert.strictEqual(elsewhere, "not applicable")
    })
  )

  it.live("a newer migration, another SECRET_KEY and the runners beside are noticed", () =>
    Effect.gen(function* () {
      const sql = yield* ownersConnection(yield* freshDatabase)
      yield* sql`insert into coffer_migrations (migration_id, name) values (9999, 'of the future')`
      yield* sql`insert into secret_check (value) values ('of another key')`
      assert.strictEqual((yield* seen({ sql }, "migrations"))[0], "error")
      assert.strictEqual((yield* seen({ sql }, "secret key"))[0], "error")
      const [status] = yield* seen({ sql, connections: 10_000 }, "connections")
      assert.strictEqual(status, "error")
    })
  )

  it.live("live merchants without an account at Stripe are counted, and none is when all have one", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { api } = yield* start({ database })
      const sql = yield* connect(database)
      const acquirer = Effect.suspend(() => seen({ sql }, "acquirer"))
      const setAccount = (merchantId: string, isActive: boolean) =>
        sql`update merchant_modes set channel_accounts = ${JSON.stringify({ stripe: { isActive } })}::text::jsonb
          where merchant_id = ${merchantId} and mode = 'live'`
      const [first, second] = [yield* api.newMerchant(), yield* api.newMerchant()]
      for (const { merchantId } of [first, second]) {
        yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true })
      }
      assert.strictEqual((yield* acquirer)[0], "error")
      yield* setAccount(first.merchantId, true)
      yield* setAccount(second.merchantId, false)
      const [status, said] = yield* acquirer
      assert.deepStrictEqual([status, said.slice(0, 19)], ["warning", "1 of 2 live merchan"])
      yield* setAccount(second.merchantId, true)
      assert.strictEqual((yield* acquirer)[0], "ok")
      assert.strictEqual((yield* seen({ isLive: false }, "acquirer"))[0], "not applicable")
    })
  )

  it.live("what needs it says so when it is away", () =>
    Effect.gen(function* () {
      const reason = "PostgreSQL at db.example:5432 cannot be used"
      const away = { ...installationWith(), database: Effect.fail(new Unmade({ reason })) }
      assert.deepStrictEqual(yield* look(away, "postgres"), ["error", reason])
      const [status, said] = yield* look(away, "clock")
      assert.deepStrictEqual([status, said], ["warning", "This could not be checked: the database is not responding."])
    })
  )
})

describe("of connections", () => {
  it("says how many each process may have so that one more fits, and nothing lower than seven", () => {
    const adviceOf = (runners: number) =>
      connectionsVerdict({ connections: 20 }, { limit: 97, others: 3, runners }).advice ?? ""
    assert.match(adviceOf(4), /set DATABASE_CONNECTIONS to 16:/)
    assert.match(adviceOf(9), /set DATABASE_CONNECTIONS to 7:/)
    assert.strictEqual(adviceOf(10), "Raise max_connections.")
  })
})

describe("of the settings", () => {
  it.live("one that stops the start is an error, and what depends on the settings says so", () =>
    Effect.gen(function* () {
      const reason = "SECRET_KEY is too easy to guess: use 32 random bytes."
      const wrong = { ...installationWith(), settings: Effect.fail(new Unmade({ reason })) }
      assert.deepStrictEqual(yield* look(wrong, "settings"), ["error", reason])
      assert.deepStrictEqual(yield* look(wrong, "mail"), [
        "warning",
        "This could not be checked: a setting is invalid."
      ])
    })
  )

  it.live("a proxy that is no address is an error", () =>
    Effect.gen(function* () {
      const [status, said] = yield* seen({ settings: { trustedProxies: "10.0.0.1, nonsense" } }, "proxies")
      assert.deepStrictEqual([status, said.slice(0, 25)], ["error", "TRUSTED_PROXIES: nonsense"])
    })
  )

  it.live("a runner's name is looked up, and its port is tried", () =>
    Effect.gen(function* () {
      const place = { host: "127.0.0.1", port: yield* freePort, listenHost: "127.0.0.1", auth: "secret_key" as const }
      assert.match((yield* seen({ settings: { runner: place } }, "runner port"))[1], /nothing responds now/)
      const nowhere = { ...place, host: "no-such-host.invalid" }
      assert.match((yield* seen({ settings: { runner: nowhere } }, "runner port"))[1], /can't be resolved/)
    })
  )
})

describe("of other programs", () => {
  it.live("the mail server is called, and the reason of no answer is reported", () =>
    Effect.gen(function* () {
      const { url } = yield* mailServer()
      assert.strictEqual((yield* seen({ settings: roomsWith({ smtpUrl: Redacted.make(url) }) }, "mail"))[0], "ok")
      const none = Redacted.make(`smtp://127.0.0.1:${yield* freePort}`)
      const [status, said] = yield* seen({ settings: roomsWith({ smtpUrl: none }) }, "mail")
      assert.strictEqual(status, "error")
      assert.match(said, /ECONNREFUSED/)
    })
  )

  it.live("a Redis that is away is an error, and runners without one are a warning", () =>
    Effect.gen(function* () {
      const redisUrl = Redacted.make(`redis://127.0.0.1:${yield* freePort}`)
      const [status, said] = yield* seen({ settings: { redisUrl } }, "redis")
      assert.deepStrictEqual([status, /is not responding/.test(said)], ["error", true])
      const runner = { host: "127.0.0.1", port: 1, listenHost: "127.0.0.1", auth: "secret_key" as const }
      assert.strictEqual((yield* seen({ settings: { runner } }, "redis"))[0], "warning")
    })
  )

  it.live.skipIf(leftOut)(named("a Redis that answers is fine"), () =>
    Effect.gen(function* () {
      const { url } = yield* running
      assert.strictEqual((yield* seen({ settings: { redisUrl: url } }, "redis"))[0], "ok")
    })
  )
})

describe("of Stripe", () => {
  it.live("a proxy that lets nothing through is reported as the proxy's failure, without its password", () =>
    Effect.gen(function* () {
      const api = new URL("https://stripe.example")
      const { asked, url: proxy } = yield* proxying(() => 403)
      const [status, said] = yield* seen({ settings: roomsWith({ api, proxy }) }, "stripe")
      assert.strictEqual(status, "error")
      assert.match(said, /^STRIPE_PROXY at 127\.0\.0\.1:\d+ opens no connection to stripe\.example: .* 403\.$/)
      assert.notInclude(said, password)
      assert.deepStrictEqual(
        asked.map(({ target }) => target),
        ["stripe.example:443"]
      )
    })
  )

  it.live("both hosts are tried by the proxy, that of calls and that of files of evidence", () =>
    Effect.gen(function* () {
      const { asked, url: proxy } = yield* proxying(() => 403)
      yield* seen({ settings: roomsWith({ api: new URL("https://api.stripe.com"), proxy }) }, "stripe")
      assert.sameMembers(
        asked.map(({ target }) => target),
        ["api.stripe.com:443", "files.stripe.com:443"]
      )
    })
  )

  it.live("it is not asked where no merchant has an account", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      yield* start({ database })
      const api = new URL("http://127.0.0.1:1")
      const sql = yield* connect(database)
      assert.strictEqual((yield* seen({ sql, settings: roomsWith({ api }) }, "stripe"))[0], "not applicable")
      yield* sql`update merchant_modes set channel_accounts = '{"stripe": {"isActive": true}}'`
      assert.deepStrictEqual(yield* seen({ sql, settings: roomsWith({ api }) }, "stripe"), [
        "error",
        "Stripe can't be reached at 127.0.0.1:1: ECONNREFUSED."
      ])
    })
  )
})

describe("of files", () => {
  it.live("a secret that others may read is found", () =>
    Effect.gen(function* () {
      const home = yield* folder
      writeFileSync(path.join(home, "secret.key"), "x", { mode: 0o600 })
      assert.strictEqual((yield* seen({ home }, "secret files"))[0], "ok")
      chmodSync(path.join(home, "secret.key"), 0o640)
      assert.match((yield* seen({ home }, "secret files"))[1], /can read secret\.key/)
      assert.strictEqual((yield* seen({ home }, "disk"))[1].includes(home), true)
    })
  )

  it.live("evidence that another runner keeps in a home of its own is missed", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const sql = yield* ownersConnection(yield* freshDatabase)
      mkdirSync(path.join(home, "files"))
      for (const name of ["of-this-runner", "of-another"]) {
        yield* sql`insert into files (name, merchant_id, mode, content_type, size, created_at)
          values (${name}, 'mer_1', 'sandbox', 'image/png', 1, now())`
      }
      writeFileSync(path.join(home, "files", "of-this-runner"), "x")
      const [status, said] = yield* seen({ home, sql }, "evidence")
      assert.strictEqual(status, "error")
      assert.match(said, /^1 of the 2 newest evidence files are missing in /)
      writeFileSync(path.join(home, "files", "of-another"), "x")
      assert.strictEqual((yield* seen({ home, sql }, "evidence"))[0], "ok")
    })
  )

  it.live("the limit of open files is compared with what connections of clients need", () =>
    Effect.gen(function* () {
      const [status, said] = yield* seen({ settings: { clientConnections: 1e12 } }, "open files")
      assert.match(`${status}: ${said}`, /^error: A process may open \d+ files|^not applicable: |^ok: .*any number/)
    })
  )

  it.live("the newest backup counts, however deep it is, and a missing folder is reported", () =>
    Effect.gen(function* () {
      const backups = yield* folder
      assert.match((yield* seen({ backups }, "backups"))[1], /There are no files in/)
      const deep = path.join(backups, "2026", "november")
      mkdirSync(deep, { recursive: true })
      const old = Date.now() / 1_000 - 100 * 3_600
      for (const [file, time] of [
        [path.join(backups, "a.dump"), old],
        [path.join(deep, "b.dump"), old + 50 * 3_600]
      ] as const) {
        writeFileSync(file, "x")
        utimesSync(file, time, time)
      }
      const [status, said] = yield* seen({ backups }, "backups")
      assert.strictEqual(status, "error")
      assert.match(said, /november\/b\.dump, 50 hours old/)
      writeFileSync(path.join(deep, "c.dump"), "x")
      assert.strictEqual((yield* seen({ backups }, "backups"))[0], "ok")
      assert.match((yield* seen({ backups: "/nowhere" }, "backups"))[1], /could not be checked: ENOENT/)
    })
  )
})
