/**
 * A worker's own Postgres: with transactions of other databases, rows would have other positions and order. It trusts
 * connections from this machine, and has no time limits.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { Effect } from "effect"
import * as TestPostgres from "../../testkit/src/TestPostgres.ts"

export interface Cluster {
  readonly url: string
  /** Where the gate reaches it, at a lower price than by TCP. */
  readonly socket: string
  /** For the homes of the services. */
  readonly folder: string
}

const flags = [
  "deadlock_timeout=1h",
  "autovacuum=off",
  "checkpoint_timeout=1h",
  // A view of all locks looks at every connection that there could be.
  "max_connections=100",
  // Each new database is read from its files, by the session itself and not by another process.
  "io_method=sync",
  "jit=off",
  "plan_cache_mode=force_generic_plan",
  "update_process_title=off",
  "wal_level=minimal",
  "max_wal_senders=0",
  // In the folder of its data.
  "unix_socket_directories=."
]

/** Runs it for the length of the surrounding scope. */
const start = Effect.gen(function* () {
  const { folder, url } = yield* TestPostgres.start({ flags })
  const data = path.join(folder, "home/postgres")
  writeFileSync(path.join(data, "pg_hba.conf"), "local all all trust\nhost all all 127.0.0.1/32 trust\n")
  const [pid] = readFileSync(path.join(data, "postmaster.pid"), "utf8").split("\n")
  process.kill(Number(pid), "SIGHUP")
  const homes = path.join(folder, "homes")
  mkdirSync(homes)
  chmodSync(homes, 0o700)
  const cluster: Cluster = { url, socket: path.join(data, `.s.PGSQL.${new URL(url).port}`), folder: homes }
  return cluster
})

/** Starts one for each that waits for it. They run until `work` is done. */
export const startAll = <A>(
  waiting: ReadonlyArray<{ readonly resolve: (made: Cluster) => void }>,
  work: Promise<A>
): Promise<A> => {
  const starting = Effect.forEach(waiting, ({ resolve }) => Effect.map(start, resolve))
  const working = Effect.promise(() => work)
  const both = Effect.all([starting, working], { concurrency: 2 })
  return Effect.runPromise(Effect.scoped(Effect.map(both, ([, made]) => made)))
}
