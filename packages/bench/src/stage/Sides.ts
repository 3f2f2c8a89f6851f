/** The programs that are compared, each in a process of its own on a database of its own, started and stopped here. */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import path from "node:path"
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
  readonly pid: number
  /** From the start of the process to the first answer that says it is ready, milliseconds. */
  readonly startMillis: number
  readonly stop: () => Promise<void>
}

export const operatorToken = "operator-token-of-the-bench-long-enough"

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
}

export const start = async (
  postgres: Postgres,
  name: SideName,
  database: string,
  { env, flags = [], folder = repository }: How = {}
): Promise<Side> => {
  const port = await freePort()
  const started = performance.now()
  const child = spawn(process.execPath, [...flags, ...programs[name]], {
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
      COFFER_HOME: path.join(postgres.home, `coffer-${database}`),
      BASELINE_VARIANT: name,
      ...(process.env["POOL"] === undefined ? {} : { POOL: process.env["POOL"] }),
      ...env
    },
    stdio: ["ignore", "ignore", "inherit"]
  })
  await isReady(child, name, port)
  return {
    name,
    database,
    port,
    pid: child.pid!,
    startMillis: performance.now() - started,
    stop: () => stop(child)
  }
}

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
