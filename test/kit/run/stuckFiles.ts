/**
 * A reporter that says which tests take long, and ends what is stuck. A time-out ends a test that waits, but not one
 * that blocks its event loop, nor a process that is stopped: the run would hang, and nothing would say where.
 */
import { spawnSync } from "node:child_process"
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node"

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

/** How many ended how, as Vitest says it at the end, and whether all is well. */
const totalsOf = (modules: ReadonlyArray<TestModule>) => {
  const tests = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result().state)
  const count = (state: string) => tests.filter((each) => each === state).length
  const [failed, passed, skipped] = [count("failed"), count("passed"), count("skipped")]
  const ok = modules.every((module) => module.ok()) && failed + passed + skipped === tests.length
  return { ok, text: `${passed} passed, ${failed} failed, ${skipped} skipped` }
}

/** A test that runs: since when, and how many times it was named. */
interface Running {
  readonly since: number
  told: number
}

const nameLong = (tests: ReadonlyMap<TestCase, Running>, longMillis: number, now: number) => {
  for (const [{ fullName, module }, state] of tests) {
    const times = Math.floor((now - state.since) / longMillis)
    if (times === state.told) continue
    state.told = times
    const seconds = Math.round((now - state.since) / 1000)
    console.error(`Still running after ${seconds} s: ${module.relativeModuleId} > ${fullName}`)
  }
}

/** A worker whose files are over may still wait for something. Vitest waits for it without a limit. */
const endOver = (over: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): never => {
  const { ok, text } = totalsOf(over)
  console.error("All files of tests are over, but a worker does not end. The run is ended.", ...errors)
  console.log(text)
  killWorkers()
  process.exit(ok && errors.length === 0 ? 0 : 1)
}

/** When each file that runs was heard of last. Vitest may tell of a test when its file has ended: this is no news. */
export const makeNews = () => {
  const heardAt = new Map<string, number>()
  const ended = new Set<string>()
  return {
    heard: (file: string, now: number) => void (ended.has(file) || heardAt.set(file, now)),
    ended: (file: string) => {
      ended.add(file)
      heardAt.delete(file)
    },
    silentSince: (moment: number) => [...heardAt].filter(([, at]) => at < moment).map(([file]) => file)
  }
}

export const stuckFiles = ({ longMillis = 120_000, stuckMillis }: Limits): Reporter => {
  const news = makeNews()
  const tests = new Map<TestCase, Running>()
  const over: Array<TestModule> = []
  let lastNews = performance.now()
  let isKilled = false
  let vitest: Vitest | undefined
  let filesCount = Infinity
  let timer: NodeJS.Timeout | undefined

  const heard = ({ relativeModuleId }: TestModule) => {
    lastNews = performance.now()
    news.heard(relativeModuleId, lastNews)
  }

  const look = () => {
    const now = performance.now()
    nameLong(tests, longMillis, now)
    const silence = now - lastNews
    if (over.length >= filesCount && silence > longMillis) endOver(over, vitest?.state.getUnhandledErrors() ?? [])
    if (silence > stuckMillis + 2 * longMillis) {
      console.error("Stuck: no file of tests gives any news, and the run does not end.")
      process.exit(1)
    }
    const stuck = news.silentSince(now - stuckMillis)
    if (stuck.length === 0 || isKilled) return
    isKilled = true
    console.error(`Stuck, and not even a time-out ends it: ${stuck.join(", ")}. All workers are ended.`)
    killWorkers()
  }

  return {
    onInit: (given) => {
      vitest = given
    },
    onTestRunStart: (files) => {
      filesCount = files.length
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
    onTestModuleEnd: (module) => {
      lastNews = performance.now()
      news.ended(module.relativeModuleId)
      over.push(module)
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
