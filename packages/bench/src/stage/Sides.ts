/** The programs that are compared, each in a process of its own on a database of its own, started and stopped here. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import path from "node:path"
import { installEngines } from "../engines/install.ts"
import { type Balancing, type Behind, startBalancer } from "./balancer.ts"
import type { Counters } from "./counters.ts"
import type { Postgres } from "./Postgres.ts"
import { secretKey } from "./rows.ts"

export type SideName = "service" | "before" | "script" | "at-once" | "ceiling" | "dbos" | "restate"

export const titles: Record<SideName, string> = {
  service: "Coffer",
  before: "Coffer, before",
  script: "baseline: transaction script",
  "at-once": "baseline: one statement",
  ceiling: "ceiling",
  dbos: "DBOS",
  restate: "Restate"
}

export interface Side {
  readonly name: SideName
  readonly database: string
  /** The first of several runners'. */
  readonly port: number
  /** All runners', or that of their balancer. Requests go to them in turn. */
  readonly ports: ReadonlyArray<number>
  /** All runners', where there are several. */
  readonly runnerPorts?: ReadonlyArray<number>
  /** The processes', in the same order. */
  readonly pids: ReadonlyArray<number>
  /** From the start of the process to the first answer that says it is ready, milliseconds. */
  readonly startMillis: number
  /** The work of the processes since their start. */
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
  ceiling: ["packages/bench/src/ceiling/main.ts"],
  dbos: ["packages/bench/src/baseline/main.ts"],
  restate: ["packages/bench/src/engines/restate.ts"]
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
  /** Another checkout's. */
  readonly folder?: string | undefined
  readonly env?: Readonly<Record<string, string>>
  /** The folder of its files; default: named after the database. */
  readonly home?: string
}

export const start = async (
  postgres: Postgres,
  name: SideName,
  database: string,
  { env, flags = [], folder = repository, home = database }: How = {}
): Promise<Side> => {
  if (name === "dbos" || name === "restate") installEngines()
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
      // All answers have addresses of the same length.
      PUBLIC_URL: "https://pay.example.com",
      COFFER_HOME: path.join(postgres.home, `coffer-${home}`),
      BASELINE_VARIANT: name,
      ...(process.env["POOL"] === undefined ? {} : { POOL: process.env["POOL"] }),
      ...env
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // In its own session: Ctrl-C goes to the bench, which stops its sides.
    detached: true
  })
  await isReady(child, name, port)
  return {
    name,
    database,
    port,
    ports: [port],
    pids: [child.pid!, ...(name === "restate" ? childrenOf(child.pid!) : [])],
    startMillis: performance.now() - started,
    count: () => countOf(child),
    stop: () => stop(child)
  }
}

/** Runners of one cluster on one database, behind a balancer if there is to be one. */
export const startCluster = async (
  count: number,
  balancing: Balancing | undefined,
  ...args: Parameters<typeof start>
): Promise<Side> => {
  const [postgres, name, database, how = {}] = args
  const runners: Array<Side> = []
  const behind: Array<Behind> = []
  for (let number = 1; number <= count; number++) {
    const runnerPort = await freePort()
    const cluster = { RUNNER_HOST: "127.0.0.1", RUNNER_PORT: String(runnerPort), TRUSTED_PROXIES: "127.0.0.1" }
    const env = { ...how.env, ...cluster }
    const runner = await start(postgres, name, database, { ...how, env, home: `${database}-${number}` })
    runners.push(runner)
    behind.push({ port: runner.port, runnerPort })
  }
  await shardsShared(runners)
  const port = await freePort()
  const balancer = balancing && startBalancer(postgres.home, port, behind, balancing)
  return {
    ...runners[0]!,
    ports: balancer === undefined ? runners.flatMap(({ ports }) => ports) : [port],
    runnerPorts: runners.flatMap(({ ports }) => ports),
    pids: [...runners.flatMap(({ pids }) => pids), ...(balancer === undefined ? [] : [balancer.pid!])],
    count: async () => {
      const all = await Promise.all(runners.map((each) => each.count()))
      const names = Object.keys(all[0]!) as ReadonlyArray<keyof Counters>
      const sums = names.map((of) => [of, all.reduce((total, each) => total + each[of], 0)] as const)
      return Object.fromEntries(sums) as unknown as Counters
    },
    stop: async () => {
      balancer?.kill("SIGKILL")
      await Promise.all(runners.map((each) => each.stop()))
    }
  }
}

const metricsOf = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()

/** Waits until each runner has its part of the shards. */
const shardsShared = async (runners: ReadonlyArray<Side>) => {
  const shardsOf = async ({ port }: Side) =>
    Number(/^effect_cluster_shards (\d+)/m.exec(await metricsOf(port))?.[1] ?? 0)
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    const held = await Promise.all(runners.map(shardsOf))
    if (!held.includes(0) && held.reduce((sum, each) => sum + each, 0) === 300) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error("the runners have not shared the shards after a minute")
}

export interface CommandCounts {
  /** Commands for an object, wherever its owner is. */
  readonly all: number
  /** Those of them that another runner carried out. */
  readonly sentOn: number
}

/** The commands of all runners of a side since their start. */
export const commandCountsOf = async ({ port, runnerPorts = [port] }: Side): Promise<CommandCounts> => {
  const counts = { here: 0, elsewhere: 0 }
  for (const text of await Promise.all(runnerPorts.map(metricsOf))) {
    for (const [, owner, count] of text.matchAll(
      /^coffer_commands_asked_total\{.*owner="(here|elsewhere)".*\} (\d+)$/gm
    )) {
      counts[owner as keyof typeof counts] += Number(count)
    }
  }
  return { all: counts.here + counts.elsewhere, sentOn: counts.elsewhere }
}

const countOf = (child: ChildProcess) =>
  new Promise<Counters>((resolve) => {
    child.once("message", (counted) => resolve(counted as Counters))
    child.send("count")
  })

/** The processes that one has started; none where the system has no such file. */
const childrenOf = (pid: number): ReadonlyArray<number> => {
  const file = `/proc/${pid}/task/${pid}/children`
  return existsSync(file) ? readFileSync(file, "utf8").trim().split(" ").map(Number) : []
}

const isReady = async (child: ChildProcess, name: SideName, port: number) => {
  let answer = ""
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    if (child.exitCode !== null) throw new Error(`${titles[name]} ended instead of serving`)
    try {
      const response = await fetch(`http://127.0.0.1:${port}${name === "restate" ? "/wallet/0/isReady" : "/readyz"}`, {
        signal: AbortSignal.timeout(2_000)
      })
      answer = `${response.status} ${await response.text()}`
      if (response.status === 200) return
    } catch (error) {
      answer = String((error as Error).cause ?? error)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`${titles[name]} is not ready after a minute: ${answer}`)
}

const stop = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    child.kill("SIGTERM")
    setTimeout(() => child.kill("SIGKILL"), 15_000).unref()
  })
