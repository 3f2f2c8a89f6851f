/**
 * The embedded Postgres of another Coffer that is running, for a second program that only reads. Nothing is started or
 * stopped here.
 */
import { Effect, Redacted } from "effect"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { inHome } from "./DataDirLock.ts"

/** Whether this home already has an embedded Postgres. */
export const isKeptIn = (home: string): Effect.Effect<boolean> =>
  Effect.sync(() => existsSync(join(home, "postgres", "PG_VERSION")) || existsSync(join(home, "postgres.password")))

/** The address of the running Postgres; undefined while it is not ready. */
export const find = Effect.fnUntraced(function* (home: string) {
  const lines = yield* inHome(home, () => readFile(join(home, "postgres", "postmaster.pid"), "utf8").catch(() => ""))
  const [, , , port, , , , state] = lines.split("\n").map((line) => line.trim())
  if (port === undefined || state !== "ready") return undefined
  const password = yield* inHome(home, () => readFile(join(home, "postgres.password"), "utf8"))
  return Redacted.make(`postgres://coffer:${encodeURIComponent(password.trim())}@127.0.0.1:${port}/coffer`)
})
