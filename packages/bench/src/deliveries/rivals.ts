/** Starts a rival's process on an empty database. */
import { fork } from "node:child_process"
import { once } from "node:events"
import path from "node:path"
import type { Postgres } from "../stage/Postgres.ts"
import type { Template } from "./job.ts"
import type { Racer, RacerName } from "./Racer.ts"
import type { Ask } from "./rival.ts"

interface RivalStage {
  readonly postgres: Postgres
  readonly redisUrl: string
  readonly inFlight: number
  readonly urls: ReadonlyArray<string>
  readonly template: Template
}

export const startRival = async (
  name: Exclude<RacerName, "service" | "before">,
  { inFlight, postgres, redisUrl, template, urls }: RivalStage
): Promise<Racer> => {
  const database = `deliveries_${name.replace("-", "_")}`
  await postgres.query("coffer", `create database ${database}`)
  const child = fork(path.join(import.meta.dirname, "rival.ts"), [name], {
    serialization: "advanced",
    env: {
      ...process.env,
      DATABASE_URL: postgres.urlOf(database),
      REDIS_URL: redisUrl,
      IN_FLIGHT: String(inFlight)
    }
  })
  const answered = async () => {
    const gone = new AbortController()
    const ended = once(child, "exit", { signal: gone.signal }).then(() =>
      Promise.reject(new Error(`${name} has ended`))
    )
    ended.catch(() => undefined)
    await Promise.race([once(child, "message"), ended])
    gone.abort()
  }
  const ask = async (what: Ask) => {
    child.send(what)
    await answered()
  }
  await answered()
  return {
    name,
    pid: child.pid!,
    database,
    fill: (run, count) => ask({ fill: { run, count, urls, template } }),
    go: () => ask("go"),
    stored: () => ask("stored"),
    rest: () => ask("rest"),
    stop: async () => {
      child.disconnect()
      await once(child, "exit")
    }
  }
}
