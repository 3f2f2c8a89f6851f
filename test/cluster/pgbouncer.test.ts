/** A pooler in front of Postgres is detected and refused, whatever its mode and settings. */
import { spawn } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isListening } from "../kit/servers/isListening.ts"
import { account, postgresFolder } from "../kit/servers/PostgresPair.ts"
import { commandRun } from "../kit/program/commandRun.ts"
import { eventually, newHome } from "../kit/Process.ts"
import { freePort, freshDatabase, operatorToken, secretKey } from "../kit/Service.ts"

const program = "/usr/sbin/pgbouncer"
const leftOut = !existsSync(program)
const title = "PgBouncer between the service and Postgres"

/** The same database through a PgBouncer of the test's own. */
const through = Effect.fnUntraced(function* (database: string, mode: string, ignored: string) {
  const folder = yield* postgresFolder
  const port = yield* freePort
  const { hostname, password, pathname, port: target, username } = new URL(database)
  const name = pathname.slice(1)
  const file = path.join(folder, "pgbouncer.ini")
  writeFileSync(
    file,
    `[databases]
${name} = host=${hostname} port=${target} dbname=${name} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
${ignored}
`
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program, [file], { cwd: folder, stdio: "ignore", ...account() })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  yield* eventually("PgBouncer to listen", isListening(port))
  return `postgres://${username}:${password}@127.0.0.1:${port}/${name}`
})

const startParameters = [
  "statement_timeout",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
  "tcp_keepalives_idle",
  "tcp_keepalives_interval",
  "tcp_keepalives_count",
  "enable_seqscan",
  "jit",
  "transaction_read_only"
]

describe.skipIf(leftOut)(leftOut ? `${title} (left out: this machine has no pgbouncer)` : title, () => {
  for (const mode of ["session", "transaction"]) {
    for (const [what, ignored] of [
      ["as it comes", ""],
      ["told to ignore what it does not know", `ignore_startup_parameters = ${startParameters.join(",")}`]
    ] as const) {
      it.live(`in ${mode} mode, ${what}, is refused by name`, () =>
        Effect.gen(function* () {
          const url = yield* through(yield* freshDatabase, mode, ignored)
          const env = { COFFER_HOME: yield* newHome, SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken }
          const { code, stderr } = yield* commandRun(["serve"], { ...env, DATABASE_URL: url })
          assert.strictEqual(code, 1, stderr)
          assert.match(
            stderr,
            /^coffer: PostgreSQL at 127\.0\.0\.1:\d+, database "\w+", cannot be used: This is a pooler such as PgBouncer/m
          )
        })
      )
    }
  }
})
