/** Homes of embedded Postgres servers, and a program that plays the Coffer which runs one and may die. */
import { PgConnection } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { Effect, type Redacted, Schedule, type Scope } from "effect"
import { execFileSync, spawn, type SpawnOptions } from "node:child_process"
import { once } from "node:events"
import fs from "node:fs"
import os from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { start } from "../../../src/platform/embedded/EmbeddedPostgres.ts"
import { commandOf } from "../../../src/platform/embedded/DataDirLock.ts"
import { signalAll } from "../program/signalAll.ts"

const newPath = (): string => {
  const folder = fs.mkdtempSync(join(fs.realpathSync(os.tmpdir()), "coffer-ground-"))
  fs.chmodSync(folder, 0o711)
  return join(folder, "home")
}

/** A home yet to be made. At the end nothing runs in it and it is gone. */
export const newHome = Effect.acquireRelease(
  Effect.sync(newPath),
  Effect.fnUntraced(function* (home) {
    const pid = postmaster(home)
    if (yield* runs(pid)) signalAll([Number(pid)], "SIGQUIT")
    yield* Effect.repeat(runs(pid), { while: (still) => still, schedule: Schedule.spaced("20 millis") })
    fs.rmSync(dirname(home), { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
  })
)

/** A home that was started and stopped once: tests get copies of one, since a first start takes a second. */
let template: string

/** Makes it for the tests of a file. */
export const usesTemplate = () => {
  beforeAll(() => {
    template = newPath()
    return Effect.runPromise(Effect.scoped(start({ home: template })))
  })
  afterAll(() => fs.rmSync(dirname(template), { recursive: true, force: true }))
}

export const usedHome = Effect.tap(newHome, (home) => Effect.sync(() => execFileSync("cp", ["-a", template, home])))

type Body = (home: string) => Effect.fn.Return<unknown, unknown, Scope.Scope>
export const rulesIn = (home: typeof newHome, run: typeof it.live) => (rule: string, body: Body) =>
  run(rule, () => Effect.flatMap(home, Effect.fnUntraced(body)))
export const inNewHome = rulesIn(newHome, it.live)
export const inUsedHome = rulesIn(usedHome, it.live)

/** The pid that Postgres has written, "" when it has stopped. */
export const postmaster = (home: string): string => {
  const path = join(home, "postgres", "postmaster.pid")
  return fs.existsSync(path) ? fs.readFileSync(path, "utf8").replace(/\n[^]*/, "") : ""
}

export const runs = (pid: string) =>
  Effect.map(commandOf(pid), (command) => command?.includes("/postgres -D ") === true)

export const ask = Effect.fnUntraced(function* (url: Redacted.Redacted, sql: string) {
  const connection = yield* PgConnection.make({ url })
  return (yield* connection.queryValues(sql))[0]?.[0]
}, Effect.scoped)

export const refusal = (home: string) =>
  Effect.map(Effect.flip(Effect.scoped(start({ home }))), ({ message }) => message)

/** Keeps a word, waits for a signal, then still needs its database. */
const program = `
  import { PgConnection } from "@effect/sql-pg"
  import { Effect } from "effect"
  import { start } from "./src/platform/embedded/EmbeddedPostgres.ts"
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
export const coffer = (home: string, options: SpawnOptions = {}) =>
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
export const killed = Effect.fnUntraced(function* (home: string) {
  const { end, says } = yield* coffer(home)
  assert.strictEqual(yield* says, "ready")
  yield* end("SIGKILL")
})
