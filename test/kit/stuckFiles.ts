/**
 * A reporter that says which tests take long, and ends a worker that is stuck. A time-out ends a test that waits, but
 * not one that blocks its event loop, nor a process that is stopped: the run would hang, and nothing would say where.
 */
import { spawnSync } from "node:child_process"
import type { Reporter, TestCase, TestModule } from "vitest/node"

export interface Limits {
  /** After so long without any news of a file its worker is ended. Longer than a test's and a hook's time-outs. */
  readonly stuckMillis: number
  /** After so long a test is named, and again each time that it has taken as long once more; two minutes. */
  readonly longMillis?: number
}

/** Vitest names the files of a worker that has been killed, and fails the run. */
const killWorkers = () => {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
  for (const line of stdout.split("\n")) {
    const [, pid, parent, args = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    if (Number(parent) === process.pid && args.includes("workers/forks.js")) process.kill(Number(pid), "SIGKILL")
  }
}

export const stuckFiles = ({ longMillis = 120_000, stuckMillis }: Limits): Reporter => {
  const heardAt = new Map<string, number>()
  const tests = new Map<TestCase, { readonly since: number; told: number }>()
  const ended = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const heard = ({ relativeModuleId }: TestModule) => {
    heardAt.set(relativeModuleId, performance.now())
  }

  const look = () => {
    const now = performance.now()
    for (const [test, state] of tests) {
      const times = Math.floor((now - state.since) / longMillis)
      if (times > state.told) {
        const seconds = Math.round((now - state.since) / 1000)
        console.error(`Still running after ${seconds} s: ${test.module.relativeModuleId} > ${test.fullName}`)
        state.told = times
      }
    }
    const stuck = [...heardAt].filter(([file, at]) => now - at > stuckMillis && !ended.has(file))
    if (stuck.length === 0) return
    for (const [file] of stuck) {
      console.error(`Stuck, and not even a time-out ends it: ${file}. All workers are ended.`)
      ended.add(file)
    }
    killWorkers()
  }

  return {
    onTestRunStart: () => {
      timer = setInterval(look, longMillis / 4).unref()
    },
    onTestModuleStart: heard,
    onTestCaseReady: (test) => {
      heard(test.module)
      tests.set(test, { since: performance.now(), told: 0 })
    },
    onTestCaseResult: (test) => {
      heard(test.module)
      tests.delete(test)
    },
    onTestModuleEnd: ({ relativeModuleId }) => {
      heardAt.delete(relativeModuleId)
    },
    onTestRunEnd: () => clearInterval(timer)
  }
}
