/**
 * The folder of one run, in the system's temporary folder. It is removed with the scope, or when the process ends or is
 * killed. The next run removes leftovers of a power failure.
 */
import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import type { Socket } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { Effect } from "effect"
import * as DataDirLock from "../../../src/platform/embedded/DataDirLock.ts"
import * as EmbeddedPostgres from "../../../src/platform/embedded/EmbeddedPostgres.ts"

const prefix = "coffer-testkit-"

/** A home of Postgres in it is called `home`. */
export const runFolder = Effect.gen(function* () {
  yield* removeDead
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), prefix))),
    (made) => Effect.sync(() => remove(made))
  )
  // If root runs the tests, Postgres runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711)
  yield* DataDirLock.acquire(folder)
  yield* watch(folder)
  return folder
})

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })

/**
 * Stops Postgres and removes the folder as soon as this process has ended in any way, which closes the pipe. Windows
 * has no such shell; there the next run cleans up.
 */
const watch = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      if (process.platform === "win32") return undefined
      const child = spawn("sh", ["-c", afterwards, "sh", folder], {
        cwd: "/",
        detached: true,
        stdio: ["pipe", "ignore", "ignore"]
      })
      child.on("error", () => undefined)
      child.unref()
      // A pipe to a child is a socket, and would keep this process alive.
      ;(child.stdin as Socket | null)?.unref()
      return child
    }),
    (child) => Effect.sync(() => child?.kill("SIGKILL"))
  )

const afterwards = `
  read -r line
  pid=$(head -n 1 "$1/home/postgres/postmaster.pid") && kill -QUIT "$pid"
  for turn in 1 2 3 4 5 6 7 8 9 10; do
    [ -n "$pid" ] && kill -0 "$pid" && sleep 1 || break
  done
  rm -rf "$1"
`

/** A new folder may not be locked yet. */
const millisToLock = 60_000

/** A running process holds the lock of its folder. */
const removeDead = Effect.suspend(() =>
  Effect.forEach(
    readdirSync(tmpdir()).filter((name) => name.startsWith(prefix)),
    (name) => Effect.ignore(Effect.scoped(removeIfDead(path.join(tmpdir(), name)))),
    { discard: true }
  )
)

const removeIfDead = Effect.fnUntraced(function* (folder: string) {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found === undefined || Date.now() - found.mtimeMs < millisToLock) return
  if (process.getuid !== undefined && found.uid !== process.getuid()) return
  yield* DataDirLock.acquire(folder)
  yield* EmbeddedPostgres.stopLeft(path.join(folder, "home"))
  remove(folder)
})
