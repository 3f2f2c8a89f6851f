/**
 * The embedded Postgres with real processes: what a first start makes, what closing and killing leave behind, and what
 * an operator reads when it does not start. Coffer itself, which must die here, is played by a child process.
 */
import { PgConnection } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted, Schedule, Scope } from "effect"
import { execFileSync, spawn, type SpawnOptions, spawnSync } from "node:child_process"
import { once } from "node:events"
import fs from "node:fs"
import net from "node:net"
import os from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { FreePort, start, type StartedPostgres } from "../../src/platform/embedded/EmbeddedPostgres.ts"
import { commandOf } from "../../src/platform/embedded/DataDirLock.ts"

const isRoot = process.getuid?.() === 0
const nobody = { uid: 65534, gid: 65534 }
/** In a checkout that only root may enter, no other user can run the program. */
const strangersMayRun = isRoot && spawnSync(process.execPath, ["--version"], nobody).status === 0

const newPath = (): string => {
  const folder = fs.mkdtempSync(join(fs.realpathSync(os.tmpdir()), "coffer-ground-"))
  fs.chmodSync(folder, 0o711)
  return join(folder, "home")
}

/** A home yet to be made. At the end nothing runs in it and it is gone. */
const newHome = Effect.acquireRelease(
  Effect.sync(newPath),
  Effect.fnUntraced(function* (home) {
    const pid = postmaster(home)
    if (yield* runs(pid)) process.kill(Number(pid), "SIGQUIT")
    yield* Effect.repeat(runs(pid), { while: (still) => still, schedule: Schedule.spaced("20 millis") })
    fs.rmSync(dirname(home), { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
  })
)

/** A home that was started and stopped once: copies of one, since a first start takes a second. */
const template = newPath()
beforeAll(() => Effect.runPromise(Effect.scoped(start({ home: template }))))
afterAll(() => fs.rmSync(dirname(template), { recursive: true, force: true }))
const usedHome = Effect.tap(newHome, (home) => Effect.sync(() => execFileSync("cp", ["-a", template, home])))

type Body = (home: string) => Effect.fn.Return<unknown, unknown, Scope.Scope>
const rulesIn = (home: typeof newHome, run: typeof it.live) => (rule: string, body: Body) =>
  run(rule, () => Effect.flatMap(home, Effect.fnUntraced(body)))
const inNewHome = rulesIn(newHome, it.live)
const inUsedHome = rulesIn(usedHome, it.live)

/** The pid that Postgres has written, "" when it has stopped. */
const postmaster = (home: string): string => {
  const path = join(home, "postgres", "postmaster.pid")
  return fs.existsSync(path) ? fs.readFileSync(path, "utf8").replace(/\n[^]*/, "") : ""
}

const runs = (pid: string) => Effect.map(commandOf(pid), (command) => command?.includes("/postgres -D ") === true)

const ask = Effect.fnUntraced(function* (url: Redacted.Redacted, sql: string) {
  const connection = yield* PgConnection.make({ url })
  return (yield* connection.queryValues(sql))[0]?.[0]
}, Effect.scoped)

const refusal = (home: string) => Effect.map(Effect.flip(Effect.scoped(start({ home }))), ({ message }) => message)

/** Keeps a word, waits for a signal, then still needs its database. */
const program = `
  import { PgConnection } from "@effect/sql-pg"
  import { Effect } from "effect"
  import { start } from "../ground/src/platform/embedded/EmbeddedPostgres.ts"
  const signal = new Promise((resolve) => ["SIGINT", "SIGTERM"].forEach((name) => process.once(name, resolve)))
  const serve = Effect.gen(function* () {
    const { url } = yield* start({ home: process.argv[1] })
    const ask = (sql) => Effect.scoped(Effect.flatMap(PgConnection.make({ url }), (client) => client.queryValues(sql)))
    yield* ask("CREATE TABLE kept AS SELECT 'silver' AS word")
    console.log("ready")
    console.log("got " + (yield* Effect.promise(() => signal)))
    console.log("still has " + (yield* ask("SELECT word FROM kept"))[0][0])
  })
  Effect.runPromise(Effect.scoped(serve)).then(() => console.log("closed"), (error) => console.log(error.message))
`

/** That program in a process group of its own, as a terminal would start it. */
const coffer = (home: string, options: SpawnOptions = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const words = ["--input-type=module-typescript", "-e", program, home]
      const child = spawn(process.execPath, words, { ...options, detached: true, stdio: ["ignore", "pipe", "inherit"] })
      const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
      const says = Effect.promise(() => lines.next().then(({ value }) => value as string))
      const exit = once(child, "exit")
      const end = (signal: NodeJS.Signals | 0) => Effect.promise(() => (child.kill(signal), exit))
      return { pid: child.pid!, says, end }
    }),
    ({ end }) => end("SIGTERM")
  )

/** A Coffer that was killed when it was up; its Postgres may still run. */
const killed = Effect.fnUntraced(function* (home: string) {
  const { end, says } = yield* coffer(home)
  assert.strictEqual(yield* says, "ready")
  yield* end("SIGKILL")
})

/** Waits, in a fiber, until initdb has begun in that home. */
const initialising = (home: string) =>
  Effect.callback<void>((resume) => {
    fs.mkdirSync(home)
    const watcher = fs.watch(home, (_, name) => {
      if (name?.startsWith("postgres.new-")) resume(Effect.sync(() => watcher.close()))
    })
  }).pipe(Effect.forkChild({ startImmediately: true }))

const succeeds = (command: string, words: ReadonlyArray<string>): boolean =>
  Exit.isSuccess(Effect.runSyncExit(Effect.try(() => execFileSync(command, words, { stdio: "ignore" }))))

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

  inNewHome("wants its password, which is random and in a file for its owner alone", function* (home) {
    const { url } = yield* start({ home })
    const file = join(home, "postgres.password")
    const password = fs.readFileSync(file, "utf8").trim()
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
    assert.match(password, /^[0-9a-f]{48}$/)
    const { reason } = yield* Effect.flip(ask(Redacted.make(Redacted.value(url).replace(password, "x")), "SELECT 1"))
    assert.propertyVal(reason, "_tag", "AuthenticationError")
    assert.notInclude(fs.readFileSync(join(home, "postgres.log"), "utf8"), password)
  })

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

describe("embedded Postgres: what the operator reads when it does not start", () => {
  const damages = [
    ["another major version", "PG_VERSION", "17\n", /FATAL: .*incompatible.*initialized by PostgreSQL version 17/],
    ["a damaged data directory", "global/pg_control", "", /(FATAL|PANIC): .*pg_control/],
    ["a setting it does not know", "postgresql.auto.conf", "colour = 'red'\n", /FATAL: configuration file .* errors/]
  ] as const
  for (const [what, file, content, said] of damages) {
    inUsedHome(`one line for ${what}, with Postgres' own words and where its log is`, function* (home) {
      fs.writeFileSync(join(home, "postgres", file), content)
      const message = yield* refusal(home)
      assert.match(message, said)
      assert.include(message, join(home, "postgres.log"))
      assert.notInclude(message, "\n")
    })
  }

  inNewHome("a home that is a file", function* (home) {
    fs.writeFileSync(home, "")
    assert.match(yield* refusal(home), /^\/\S+ cannot be Coffer's home: EEXIST: file already exists.*COFFER_HOME/)
  })

  describe.runIf(!isRoot || strangersMayRun)("or has", () => {
    inNewHome("a home that may not be written", function* (home) {
      fs.mkdirSync(home, { mode: 0o555 })
      const { says } = yield* coffer(home, isRoot ? nobody : {})
      assert.include(yield* says, `${home} cannot be Coffer's home: EACCES: permission denied`)
    })
  })

  inUsedHome("takes another port when the one it found is taken, but not for ever", function* (home) {
    const server = net.createServer().listen(0, "127.0.0.1")
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
    yield* Effect.promise(() => once(server, "listening"))
    const taken = Effect.succeed((server.address() as net.AddressInfo).port)
    let asked = 0
    const ports = (times: number) => Effect.suspend(() => (++asked <= times ? taken : FreePort.defaultValue()))
    yield* Effect.scoped(start({ home })).pipe(Effect.provideService(FreePort, ports(2)))
    assert.strictEqual(asked, 3)
    assert.include(yield* Effect.provideService(refusal(home), FreePort, ports(100)), "Address already in use")
    assert.strictEqual(asked, 3 + 5)
  })
})

describe.runIf(isRoot && process.platform === "linux")("embedded Postgres: started by root", () => {
  describe.runIf(strangersMayRun)("and", () => {
    inNewHome("by an ordinary user, who needs nothing of root", function* (home) {
      fs.mkdirSync(home)
      fs.chownSync(home, nobody.uid, nobody.gid)
      const { says } = yield* coffer(home, nobody)
      assert.strictEqual(yield* says, "ready")
      assert.strictEqual(fs.statSync(join(home, "postgres")).uid, nobody.uid)
    })
  })

  inNewHome("in a closed folder, which stays closed; or else it says which one is closed", function* (home) {
    const parent = dirname(home)
    fs.chmodSync(parent, 0o700)
    if (succeeds("setpriv", ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search", "true"])) {
      const { url } = yield* start({ home })
      assert.strictEqual(yield* ask(url, "SELECT 1"), 1)
    } else {
      assert.include(yield* refusal(home), `may not enter ${parent}. Keep Coffer`)
    }
    assert.strictEqual(fs.statSync(parent).mode & 0o777, 0o700)
  })

  if (!succeeds("unshare", ["-m", "true"])) return
  inNewHome("on a disk without room it says so", function* (home) {
    fs.mkdirSync(home)
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=30m,mode=711", "coffer", home])
    yield* Effect.addFinalizer(() => Effect.sync(() => execFileSync("umount", [home])))
    assert.match(yield* refusal(home), /initdb failed: .* Only \d+ kB of disk are free\. Its log is /)
  })
})
