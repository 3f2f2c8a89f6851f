/** HAProxy of the distribution before runners on this machine, with the file of docker/. */
import { spawn } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"

const program = "/usr/sbin/haproxy"
export const hasHaproxy = existsSync(program)

/** `plain`: each write goes to the runner with the fewest requests. `learning`: to the one that has its wallet. */
export type Balancing = "plain" | "learning"

export interface Behind {
  readonly port: number
  /** RUNNER_PORT; RUNNER_HOST is 127.0.0.1. */
  readonly runnerPort: number
}

const file = path.resolve(import.meta.dirname, "../../../../docker/haproxy.cfg")

/** The file with these runners in place of those of compose.yaml, of which the others are left out. */
const configOf = (port: number, runners: ReadonlyArray<Behind>, balancing: Balancing) => {
  const at = (of: (runner: Behind) => number) => (_: string, number: string) =>
    `127.0.0.1:${of(runners[Number(number) - 1]!)}`
  return readFileSync(file, "utf8")
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .split("\n")
    .filter((line) => runners.length >= Number(/runner-(\d)/.exec(line)?.[1] ?? 0))
    .filter((line) => balancing === "learning" || !/^ *(use-server|http-request track-sc0|http-response)/.test(line))
    .join("\n")
    .replace(
      /runner-(\d):8080/g,
      at((runner) => runner.port)
    )
    .replace(
      /runner-(\d):7000/g,
      at((runner) => runner.runnerPort)
    )
}

/** `folder`: for its file. It runs until it is killed. */
export const startBalancer = (
  folder: string,
  port: number,
  runners: ReadonlyArray<Behind>,
  balancing: Balancing = "learning"
) => {
  const config = path.join(folder, `haproxy-${port}.cfg`)
  writeFileSync(config, configOf(port, runners, balancing))
  return spawn(program, ["-db", "-f", config], { stdio: "ignore" })
}
