/** The programs that are compared, each in a process of its own on a database of its own, started and stopped here. */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import path from "node:path"
import type { Counters } from "./counters.ts"
import type { Postgres } from "./Postgres.ts"
import { secretKey } from "./rows.ts"

export type SideName = "service" | "before" | "script" | "at-once" | "ceiling"

export const titles: Record<SideName, string> = {
  service: "Coffer",
  before: "Coffer, before",
  script: "baseline: transaction script",
  "at-once": "baseline: one statement",
  ceiling: "ceiling"
}

export interface Side {
  readonly name: SideName
  readonly database: string
  readonly port: number
  /** Of the processes: one, or several runners of which the first is asked. */
  readonly pids: ReadonlyArray<number>
  /** From the start of the process to the first answer that says it is ready, milliseconds. */
  readonly startMillis: number
  /** What the processes have done since their start. */
  readonly count: () => Promise<Counters>
  readonly stop: () => Promise<void>
}

export const operatorToken = "operator-token-of-the-bench-long-enough"

const counters = path.join(import.meta.dirname, "counters.ts")
const repository = path.resolve(import.meta.dirname, "../../../..")

const programs: Record<SideName, ReadonlyArray<string>> = {
  service: ["src/main.ts", "serve"],
  before: ["src/main.ts", "serve"],
  script: ["packages/bench/src/baseline/main.ts"],
  "at-once": ["packages/bench/src/baseline/main.ts"],
  ceiling: ["packages/bench/src/ceiling/main.ts"]
}

export const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

export interface How {
  /** For Node. */
  readonly flags?: ReadonlyArray<string>
  /** Of another checkout. */
  readonly folder?: string | undefined
  readonly env?: Readonly<Record<string, string>>
  /** Where it keeps its files, if not under the name of the database. */
  readonly home?: string
}

export const start = async (
  postgres: Postgres,
  name: SideName,
  database: string,
  { env, flags = [], folder = repository, home = database }: How = {}
): Promise<Side> => {
  const port = await freePort()
  const started = performance.now()
  const child = spawn(process.execPath, ["--import", counters, ...flags, ...programs[name]], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      DATABASE_URL: postgres.urlOf(database),
      SECRET_KEY: secretKey,
      OPERATOR_TOKEN: operatorToken,
      HOST: "127.0.0.1",
      PORT: String(port),
      // All answer with addresses of the same length.
      PUBLIC_URL: "https://pay.example.com",
      COFFER_HOME: path.join(postgres.home, `coffer-${home}`),
      BASELINE_VARIANT: name,
      ...(process.env["POOL"] === undefined ? {} : { POOL: process.env["POOL"] }),
      ...env
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"]
  })
  await isReady(child, name, port)
  return {
    name,
    database,
    port,
    pids: [child.pid!],
    startMillis: performance.now() - started,
    count: () => countOf(child),
    stop: () => stop(child)
  }
}

/** Two runners of one cluster on one database. All requests go to the first, which owns half of what they are about. */
export const startPair = async (...given: Parameters<typeof start>): Promise<Side> => {
  const [postgres, name, database, how = {}] = given
  const runner = async (number: number) => {
    const RUNNER_PORT = String(await freePort())
    const env = { ...how.env, RUNNER_HOST: "127.0.0.1", RUNNER_PORT }
    return start(postgres, name, database, { ...how, env, home: `${database}-${number}` })
  }
  const [first, second] = [await runner(1), await runner(2)]
  await halvesOwned([first, second])
  return {
    ...first,
    pids: [...first.pids, ...second.pids],
    count: async () => {
      const [one, other] = [await first.count(), await second.count()]
      return { bytes: one.bytes + other.bytes, fibers: one.fibers + other.fibers, steps: one.steps + other.steps }
    },
    stop: async () => void (await Promise.all([first.stop(), second.stop()]))
  }
}

/** Waits until the first runner has handed its part over. */
const halvesOwned = async (runners: ReadonlyArray<Side>) => {
  const shardsOf = async ({ port }: Side) => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^effect_cluster_shards (\d+)/m.exec(text)?.[1] ?? 0)
  }
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    const [one = 0, other = 0] = await Promise.all(runners.map(shardsOf))
    if (one > 0 && other > 0 && one + other === 300) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error("the two runners have not shared the shards after a minute")
}

const countOf = (child: ChildProcess) =>
  new Promise<Counters>((resolve) => {
    child.once("message", (counted) => resolve(counted as Counters))
    child.send("count")
  })

const isReady = async (child: ChildProcess, name: SideName, port: number) => {
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    if (child.exitCode !== null) throw new Error(`${titles[name]} ended instead of serving`)
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    await response?.arrayBuffer()
    if (response?.status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`${titles[name]} is not ready after a minute`)
}

const stop = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    child.kill("SIGTERM")
    setTimeout(() => child.kill("SIGKILL"), 15_000).unref()
  })
