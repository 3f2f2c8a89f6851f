/** A real Redis for the queue that uses it, with an append-only file, so that its jobs survive a restart. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { freePort } from "../stage/Sides.ts"

export const startRedis = async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "coffer-bench-redis-"))
  const port = await freePort()
  const durable = ["--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction"]
  const child = spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, ...durable], {
    stdio: "ignore"
  })
  const isMissing = await Promise.race([once(child, "spawn").then(() => false), once(child, "error").then(() => true)])
  if (isMissing) return undefined
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid!,
    stop: async () => {
      child.kill("SIGTERM")
      await once(child, "exit")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

export type Redis = NonNullable<Awaited<ReturnType<typeof startRedis>>>
