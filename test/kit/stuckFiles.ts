/**
 * A reporter that says which tests take long, and ends what is stuck. A time-out ends a test that waits, but not one
 * that blocks its event loop, nor a process that is stopped: the run would hang, and nothing would say where.
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
  let lastNews = performance.now()
  let isKilled = false
  let timer: NodeJS.Timeout | undefined

  const heard = ({ relativeModuleId }: TestModule) => {
    lastNews = performance.now()
    heardAt.set(relativeModuleId, lastNews)
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
    if (now - lastNews > stuckMillis + 2 * longMillis) {
      console.error("Stuck: no file of tests gives any news, and the run does not end.")
      process.exit(1)
    }
    const stuck = [...heardAt].filter(([, at]) => now - at > stuckMillis).map(([file]) => file)
    if (stuck.length === 0 || isKilled) return
    isKilled = true
    console.error(`Stuck, and not even a time-out ends it: ${stuck.join(", ")}. All workers are ended.`)
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
      lastNews = performance.now()
      heardAt.delete(relativeModuleId)
    },
    onTestRunEnd: () => {
      clearInterval(timer)
      // Vitest would wait for the end of each process that holds a worker's output, however long.
      setTimeout(() => {
        console.error("The tests are over, but a process that one of them has left behind holds their output.")
        process.exit()
      }, longMillis).unref()
    }
  }
}
