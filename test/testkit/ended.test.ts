/** A process that ends without stopping its Coffer leaves nothing behind. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runs } from "../kit/servers/EmbeddedHome.ts"
import { eventually } from "../kit/Process.ts"

const newFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-ended-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
)

const foldersIn = (temporary: string) => readdirSync(temporary).filter((name) => name.startsWith("coffer-"))

/** A test of somebody that has started a Coffer. `last`: what its program does then. */
const started = Effect.fnUntraced(function* (temporary: string, last: string) {
  const program = `
    import { start } from "./packages/testkit/src/index.ts"
    await start()
    console.log("ready")
    ${last}
  `
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
    // Compiled once for all: the program is a thousand modules.
    env: { ...process.env, TMPDIR: temporary, NODE_COMPILE_CACHE: path.resolve("node_modules/.cache/coffer") },
    stdio: ["pipe", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  const [said] = yield* Effect.promise(() => once(child.stdout, "data"))
  assert.strictEqual(String(said), "ready\n")
  const [folder] = foldersIn(temporary)
  const [pid] = readFileSync(path.join(temporary, folder!, "home/postgres/postmaster.pid"), "utf8").split("\n")
  assert.isTrue(yield* runs(pid!))
  return { child, pid: pid!, ended: Effect.promise(() => ended) }
})

const waits = "process.stdin.resume()"
const exitsWhenTold = `process.stdin.once("data", () => process.exit(0))`

const assertGone = (temporary: string, pid: string) =>
  eventually(
    "Postgres and its folder to be gone",
    Effect.map(runs(pid), (still) => !still && foldersIn(temporary).length === 0)
  )

describe("a process with a Coffer", () => {
  it.live("that exits leaves no Postgres and no folder", () =>
    Effect.gen(function* () {
      const temporary = yield* newFolder
      const { child, ended, pid } = yield* started(temporary, exitsWhenTold)
      child.stdin.write("go\n")
      yield* ended
      yield* assertGone(temporary, pid)
    }).pipe(Effect.scoped)
  )

  it.live("that is killed leaves none either", () =>
    Effect.gen(function* () {
      const temporary = yield* newFolder
      const { child, ended, pid } = yield* started(temporary, waits)
      child.kill("SIGKILL")
      yield* ended
      yield* assertGone(temporary, pid)
    }).pipe(Effect.scoped)
  )

  it.live("that died together with its watcher is cleared away by the next start", () =>
    Effect.gen(function* () {
      const temporary = yield* newFolder
      const { child, ended, pid } = yield* started(temporary, waits)
      const [folder] = foldersIn(temporary)
      const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ")
      const watcher = children.find((id) => readFileSync(`/proc/${id}/cmdline`, "utf8").startsWith("sh\0"))
      process.kill(Number(watcher), "SIGKILL")
      child.kill("SIGKILL")
      yield* ended
      assert.isTrue(yield* runs(pid))
      utimesSync(path.join(temporary, folder!), new Date(0), new Date(0))
      const next = yield* started(temporary, exitsWhenTold)
      assert.isFalse(yield* runs(pid))
      assert.notInclude(foldersIn(temporary), folder)
      next.child.stdin.write("go\n")
      yield* next.ended
      yield* assertGone(temporary, next.pid)
    }).pipe(Effect.scoped)
  )
})
