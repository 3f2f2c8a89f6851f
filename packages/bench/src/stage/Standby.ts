/**
 * A standby of the bench's Postgres, whose commits then wait until it has applied them (`remote_apply`). It is a copy
 * of the running server's files, since the embedded Postgres has no program that copies a server, and runs as the same
 * user. It exists from the first round that needs one until its scenarios are over, and is stopped in rounds that need
 * none.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { appendFile, chmod, cp, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { Effect } from "effect"
import pg from "pg"
import { accountFor, environment } from "../../../../src/platform/embedded/DataDirLock.ts"
import { freePort } from "./Sides.ts"

interface Primary {
  readonly home: string
  /** As the superuser. */
  readonly primaryUrl: string
  readonly query: (database: string, text: string) => Promise<Array<Record<string, unknown>>>
}

export interface Standby {
  /** Whether commits wait for it from now on. Otherwise it does not run. */
  readonly follow: (wanted: boolean) => Promise<void>
  readonly pids: () => ReadonlyArray<number>
  /** Removes it with its files; the primary keeps no log for it. */
  readonly remove: () => Promise<void>
}

const slot = "bench_standby"
/** How long a start may take, including the catch-up. */
const patienceMillis = 120_000

export const makeStandby = (primary: Primary): Standby => {
  const { home, query } = primary
  const data = path.join(home, "standby")
  let copied = false
  let server: ChildProcess | undefined

  const run = (text: string) => query("coffer", text)
  const wait = async (names: string, commit: string) => {
    await run(`alter system set synchronous_standby_names = '${names}'`)
    await run(`alter system set synchronous_commit = ${commit}`)
    await run("select pg_reload_conf()")
  }

  const start = async () => {
    if (!copied) await copyPrimary(primary, data)
    copied = true
    server = await launch(primary, data)
    await wait("*", "remote_apply")
    const ready = `select 1 from pg_stat_replication where state = 'streaming' and sync_state = 'sync'
      and replay_lsn >= pg_current_wal_flush_lsn()`
    for (const end = performance.now() + patienceMillis; (await run(ready)).length === 0; await sleep(50)) {
      if (performance.now() > end || server.exitCode !== null) throw new Error("the standby does not follow")
    }
  }
  const stop = async () => {
    if (server === undefined) return
    // First, so that no commit waits for a standby that is gone.
    await wait("", "on")
    const ended = once(server, "exit")
    server.kill("SIGINT")
    await ended
    server = undefined
  }

  return {
    follow: (wanted) => (wanted === (server !== undefined) ? Promise.resolve() : wanted ? start() : stop()),
    pids: () => (server === undefined ? [] : [server.pid!]),
    remove: async () => {
      await stop()
      if (!copied) return
      copied = false
      await run(`select pg_drop_replication_slot('${slot}')`)
      await rm(data, { recursive: true, force: true })
    }
  }
}

/** A backup of the running server: its files, and the position from which the log has to be applied to them. */
const copyPrimary = async ({ home, primaryUrl, query }: Primary, data: string) => {
  const source = path.join(home, "postgres")
  await appendFile(path.join(source, "pg_hba.conf"), "host replication all 127.0.0.1/32 scram-sha-256\n")
  await query("coffer", "select pg_reload_conf()")
  const client = new pg.Client({ connectionString: primaryUrl })
  await client.connect()
  try {
    // From here on the primary keeps its log for the standby.
    await client.query(`select pg_create_physical_replication_slot('${slot}', true)`)
    await client.query("select pg_backup_start('bench', true)")
    const isLeft = /^(pg_wal|pg_replslot)\/|^postmaster\./
    await cp(source, data, { recursive: true, filter: (file) => !isLeft.test(path.relative(source, file)) })
    const { rows } = await client.query("select labelfile from pg_backup_stop(false)")
    await writeFile(path.join(data, "backup_label"), rows[0].labelfile)
    await writeFile(path.join(data, "standby.signal"), "")
    await chmod(data, 0o700)
    if (process.getuid?.() === 0) await promisify(execFile)("chown", ["-R", `--reference=${source}`, data])
  } finally {
    await client.end()
  }
}

const launch = async ({ home, primaryUrl }: Primary, data: string) => {
  const { ids, prefix, programs } = await Effect.runPromise(accountFor(path.join(home, "postgres")))
  const port = await freePort()
  const settings = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "shared_buffers=1GB",
    "max_connections=300",
    `primary_slot_name=${slot}`,
    `primary_conninfo=${primaryUrl.replace(/\/[^/]*$/, "/")}`
  ]
  const words = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])]
  const [command = "", ...rest] = [...prefix, path.join(programs, "postgres"), ...words]
  return spawn(command, rest, { cwd: "/", env: environment, stdio: "ignore", detached: true, ...ids })
}
