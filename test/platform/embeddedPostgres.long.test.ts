/**
 * The embedded Postgres with real processes: what a first start makes, and what closing and killing leave behind.
 * Coffer itself, which must die here, is played by a child process.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted, Scope } from "effect"
import { spawn } from "node:child_process"
import fs from "node:fs"
import { join } from "node:path"
import { start, type StartedPostgres } from "../../src/platform/embedded/EmbeddedPostgres.ts"
import {
  ask,
  coffer,
  inNewHome,
  inUsedHome,
  killed,
  postmaster,
  refusal,
  rulesIn,
  runs,
  usedHome,
  usesTemplate
} from "../kit/servers/EmbeddedHome.ts"

usesTemplate()

const isRoot = process.getuid?.() === 0

/** Waits, in a fiber, until initdb has begun in that home. */
const initialising = (home: string) =>
  Effect.callback<void>((resume) => {
    fs.mkdirSync(home)
    const watcher = fs.watch(home, (_, name) => {
      if (name?.startsWith("postgres.new-")) resume(Effect.sync(() => watcher.close()))
    })
  }).pipe(Effect.forkChild({ startImmediately: true }))

describe("embedded Postgres", () => {
  inNewHome("makes the database on the first start, and finds the data again on the second", function* (home) {
    const keep = ({ url }: StartedPostgres) => ask(url, "CREATE TABLE kept AS SELECT 'gold' AS word")
    const first = yield* Effect.scoped(Effect.tap(start({ home }), keep))
    const { firstStart, url } = yield* start({ home })
    assert.deepStrictEqual([first.firstStart, firstStart], [true, false])
    assert.strictEqual(yield* ask(url, "SELECT current_database() || ' has ' || word FROM kept"), "coffer has gold")
  })

  inUsedHome("is durable, speaks UTF-8 and UTC, and takes further settings", function* (home) {
    const { url } = yield* start({ home, flags: ["work_mem=5MB"] })
    const settings = "fsync synchronous_commit full_page_writes server_encoding timezone listen_addresses work_mem"
    const shown = yield* Effect.forEach(settings.split(" "), (name) => ask(url, `SHOW ${name}`))
    assert.deepStrictEqual(shown, ["on", "on", "on", "UTF8", "UTC", "127.0.0.1", "5MB"])
  })

  inNewHome(
    "wants its password, which is random; the password and the lock are files for their owner alone",
    function* (home) {
      const { url } = yield* start({ home })
      const file = join(home, "postgres.password")
      const password = fs.readFileSync(file, "utf8").trim()
      for (const each of [file, join(home, "coffer.lock")]) assert.strictEqual(fs.statSync(each).mode & 0o777, 0o600)
      assert.match(password, /^[0-9a-f]{48}$/)
      const { reason } = yield* Effect.flip(ask(Redacted.make(Redacted.value(url).replace(password, "x")), "SELECT 1"))
      assert.propertyVal(reason, "_tag", "AuthenticationError")
      assert.notInclude(fs.readFileSync(join(home, "postgres.log"), "utf8"), password)
    }
  )

  inUsedHome("gives the data a new password when the file is lost", function* (home) {
    fs.rmSync(join(home, "postgres.password"))
    const { url } = yield* start({ home })
    assert.strictEqual(yield* ask(url, "SELECT 1"), 1)
  })

  rulesIn(usedHome, it.effect)("is gone when the scope has closed, also under a test's clock", function* (home) {
    const scope = yield* Scope.make()
    yield* start({ home }).pipe(Scope.provide(scope))
    const pid = postmaster(home)
    assert.isTrue(yield* runs(pid))
    yield* Scope.close(scope, Exit.void)
    assert.isFalse(yield* runs(pid))
  })
})

describe("embedded Postgres: when Coffer is stopped or killed", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    inUsedHome(`${signal} to the whole process group leaves Postgres alone until the scope closes`, function* (home) {
      const { end, pid, says } = yield* coffer(home)
      assert.strictEqual(yield* says, "ready")
      process.kill(-pid, signal)
      assert.strictEqual(yield* says, `got ${signal}`)
      assert.strictEqual(yield* says, "still has silver")
      assert.strictEqual(yield* says, "closed")
      assert.deepStrictEqual(yield* end(0), [0, null])
      assert.strictEqual(postmaster(home), "")
    })
  }

  inUsedHome("refuses a home that another Coffer uses, and names that one, until it is dead", function* (home) {
    const other = yield* coffer(home)
    assert.strictEqual(yield* other.says, "ready")
    const inUse = `${home} is in use by another Coffer process (pid ${other.pid}).`
    assert.strictEqual(yield* refusal(home), `${inUse} Stop it, or set COFFER_HOME to another folder.`)
    yield* other.end("SIGKILL")
    yield* start({ home })
    assert.include(yield* refusal(home), `another Coffer process (pid ${process.pid})`)
  })

  inUsedHome("after kill -9 the next start replaces the Postgres left behind, and nothing is lost", function* (home) {
    yield* killed(home)
    const orphan = postmaster(home)
    assert.isTrue(yield* runs(orphan))
    const { url } = yield* start({ home })
    assert.isFalse(yield* runs(orphan))
    assert.strictEqual(yield* ask(url, "SELECT word FROM kept"), "silver")
  })

  inUsedHome("after kill -9 of Postgres as well, its pid file is no hindrance", function* (home) {
    yield* killed(home)
    process.kill(Number(postmaster(home)), "SIGKILL")
    const { url } = yield* start({ home })
    assert.strictEqual(yield* ask(url, "SELECT word FROM kept"), "silver")
  })

  inUsedHome("a pid file that names another program by now is no hindrance to us, nor we to it", function* (home) {
    const { gid, uid } = fs.statSync(join(home, "postgres"))
    const other = spawn("sleep", ["600"], isRoot ? { uid, gid } : {})
    yield* Effect.addFinalizer(() => Effect.sync(() => other.kill()))
    const pidFile = join(home, "postgres", "postmaster.pid")
    fs.writeFileSync(pidFile, `${other.pid}\n${home}/postgres\n1700000000\n5432\n\n127.0.0.1\n0 0\nready\n`)
    fs.chownSync(pidFile, uid, gid)
    const { url } = yield* start({ home })
    assert.strictEqual(yield* ask(url, "SELECT 1"), 1)
    assert.isNull(other.exitCode ?? other.signalCode)
  })

  inNewHome("a first start killed half-way does not spoil the next", function* (home) {
    const began = yield* initialising(home)
    const { end } = yield* coffer(home)
    yield* Fiber.join(began)
    yield* end("SIGKILL")
    fs.mkdirSync(join(home, "postgres.new-older"))
    assert.isTrue((yield* start({ home })).firstStart)
    assert.isFalse(fs.existsSync(join(home, "postgres.new-older")))
  })

  inNewHome("a first start interrupted half-way leaves nothing behind", function* (home) {
    const began = yield* initialising(home)
    const starting = yield* Effect.forkChild(Effect.scoped(start({ home })))
    yield* Fiber.join(began)
    yield* Fiber.interrupt(starting)
    assert.sameMembers(fs.readdirSync(home), ["coffer.lock", "postgres.log"])
  })
})
