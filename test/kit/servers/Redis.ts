/** A Redis of the test's own, where the program is installed; the suites that need it say so when it is not. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { Effect, Redacted } from "effect"
import { freePort } from "../Service.ts"

const program = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .map((folder) => path.join(folder, "redis-server"))
  .find(existsSync)
export const leftOut = program === undefined
export const named = (name: string) => (leftOut ? `${name} (left out: this machine has no redis-server)` : name)

interface RedisServer {
  readonly url: Redacted.Redacted
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  readonly kill: Effect.Effect<void>
  /** Starts it, again if need be, and waits until it takes connections. */
  readonly run: Effect.Effect<void>
}

/** Not yet running. */
export const redis = Effect.gen(function* () {
  const port = yield* freePort
  const folder = mkdtempSync(path.join(tmpdir(), "coffer-redis-"))
  let child: ChildProcess | undefined

  const kill = Effect.callback<void>((resume) => {
    if (child === undefined) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
    child = undefined
  })
  const run = Effect.callback<void>((resume) => {
    const flags = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
    child = spawn(program!, flags, { stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout!.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes("Ready to accept connections")) resume(Effect.void)
    })
  })
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      kill,
      Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
  )
  const server: RedisServer = {
    url: Redacted.make(`redis://127.0.0.1:${port}`),
    signal: (signal) => Effect.sync(() => child?.kill(signal)),
    kill,
    run
  }
  return server
})

export const running = Effect.tap(redis, ({ run }) => run)
