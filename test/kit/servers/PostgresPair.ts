/**
 * A primary and its synchronous standby, of Debian's PostgreSQL: the embedded one has no program that copies a server.
 * Suites that need it say so when it is not installed. The servers run on free ports of the loopback, as the user
 * postgres where root runs the tests, and end with the test.
 */
import { execFile, execFileSync } from "node:child_process"
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { connect, eventually } from "../Process.ts"
import { freePort } from "../Service.ts"
import { signalAll } from "../program/signalAll.ts"
import { familyOf } from "../faults/Stall.ts"

const versions = "/usr/lib/postgresql"
const isRoot = process.getuid?.() === 0
const programs = (existsSync(versions) ? readdirSync(versions) : [])
  .toSorted((a, b) => Number(b) - Number(a))
  .map((version) => path.join(versions, version, "bin"))
  .find((folder) => existsSync(path.join(folder, "pg_basebackup")))

export const leftOut = programs === undefined
export const named = (name: string) => (leftOut ? `${name} (left out: this machine has no postgresql package)` : name)

export const account = () =>
  isRoot
    ? {
        uid: Number(execFileSync("id", ["-u", "postgres"], { encoding: "utf8" })),
        gid: Number(execFileSync("id", ["-g", "postgres"], { encoding: "utf8" }))
      }
    : {}

/** Runs a program of Postgres to its end, and answers what it printed. */
export const pg = (program: string, ...words: ReadonlyArray<string>) =>
  Effect.promise(() =>
    promisify(execFile)(path.join(programs!, program), words, {
      cwd: "/",
      env: { LC_ALL: "C", TZ: "UTC", PATH: process.env["PATH"] ?? "" },
      ...account()
    }).then(({ stdout }) => stdout)
  )

export interface PostgresServer {
  readonly port: number
  readonly data: string
  /** Waits until it takes connections. */
  readonly start: Effect.Effect<void>
  readonly stop: (how: "fast" | "immediate") => Effect.Effect<void>
  /** Its processes, the postmaster first; none when it does not run. */
  readonly processes: () => ReadonlyArray<number>
  readonly signal: (signal: NodeJS.Signals) => void
  readonly promote: Effect.Effect<void>
  /** Which standbys a commit waits for: `*` or nothing. */
  readonly waitFor: (names: string) => Effect.Effect<void>
}

export const superuser = "coffer"
export const app = "coffer_app"

/** A folder that the user postgres owns. */
export const postgresFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(path.join(tmpdir(), "coffer-postgres-"))
    const { gid, uid } = account()
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }))
)

/** A server whose data is in this folder, which may not be there yet. It ends with the scope. */
export const serverIn = Effect.fnUntraced(function* (folder: string, name: string) {
  const port = yield* freePort
  const data = path.join(folder, name)
  const pid = () => {
    const file = path.join(data, "postmaster.pid")
    return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : undefined
  }
  const processes = () => {
    const main = pid()
    return main === undefined || !isAlive(main) ? [] : familyOf(main)
  }
  const signal = (signal: NodeJS.Signals) => signalAll(processes(), signal)
  const options = [`-p ${port}`, "-c listen_addresses=127.0.0.1", "-c unix_socket_directories=", "-c fsync=off"]
  const server: PostgresServer = {
    port,
    data,
    processes,
    signal,
    start: Effect.asVoid(
      pg("pg_ctl", "start", "-w", "-t", "60", "-s", "-D", data, "-l", `${data}.log`, "-o", options.join(" "))
    ),
    stop: (how) => Effect.asVoid(pg("pg_ctl", "stop", "-w", "-s", "-D", data, "-m", how)),
    promote: Effect.asVoid(pg("pg_ctl", "promote", "-w", "-s", "-D", data)),
    waitFor: (names) =>
      Effect.andThen(
        Effect.sync(() => writeFileSync(path.join(data, "sync.conf"), `synchronous_standby_names = '${names}'\n`)),
        Effect.asVoid(pg("pg_ctl", "reload", "-s", "-D", data))
      )
  }
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      const left = processes()
      signal("SIGKILL")
      yield* eventually(
        "Postgres to end",
        Effect.sync(() => !left.some(isAlive))
      )
    })
  )
  return server
})

const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))

/** A new server with the database `coffer` and the role of a service, which runs. */
export const newServer = Effect.fnUntraced(function* (
  folder: string,
  name: string,
  settings: ReadonlyArray<string> = ["wal_level = replica", "max_connections = 200", "wal_keep_size = 256MB"]
) {
  const server = yield* serverIn(folder, name)
  yield* pg(
    "initdb",
    "-D",
    server.data,
    `--username=${superuser}`,
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "-N"
  )
  appendFileSync(
    path.join(server.data, "postgresql.conf"),
    [...settings, "include_if_exists = 'sync.conf'", ""].join("\n")
  )
  yield* server.start
  yield* Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* connect(addressOf([server], superuser, "postgres"))
      yield* sql.unsafe(`create role ${app} login`)
      yield* sql.unsafe(`create database coffer owner ${superuser}`)
    })
  )
  return server
})

/** A standby of a server that runs, once every commit waits for it. */
export const standbyOf = Effect.fnUntraced(function* (primary: PostgresServer, folder: string, name: string) {
  const standby = yield* serverIn(folder, name)
  yield* copy(primary, standby)
  return standby
})

/** Makes a server a new synchronous standby of another, whatever it was before. */
export const copy = Effect.fnUntraced(function* (primary: PostgresServer, standby: PostgresServer) {
  rmSync(standby.data, { recursive: true, force: true })
  const from = `postgres://${superuser}@127.0.0.1:${primary.port}/?application_name=standby`
  yield* pg("pg_basebackup", "-D", standby.data, "-d", from, "-R", "-X", "stream", "-c", "fast")
  writeFileSync(path.join(standby.data, "sync.conf"), "")
  yield* standby.start
  yield* primary.waitFor("*")
  yield* Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* connect(addressOf([primary], superuser))
      yield* eventually(
        "the standby to be synchronous",
        Effect.map(sql`select 1 from pg_stat_replication where sync_state = 'sync'`, ({ length }) => length > 0)
      )
    })
  )
})

export const addressOf = (servers: ReadonlyArray<PostgresServer>, role: string, database = "coffer") =>
  `postgres://${role}@${servers.map(({ port }) => `127.0.0.1:${port}`).join(",")}/${database}`
