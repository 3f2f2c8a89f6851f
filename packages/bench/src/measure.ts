/** Measures one load on one side, with the processor time of everybody, and prepares Postgres for it. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Driver } from "./driver/Driver.ts"
import type { Load } from "./driver/load.ts"
import type { Round } from "./Scenario.ts"
import type { Counters } from "./stage/counters.ts"
import { cpuMicros } from "./stage/cpu.ts"
import type { Postgres } from "./stage/Postgres.ts"
import type { Side } from "./stage/Sides.ts"

/** For so long nothing is asked of a side, to count what it does by itself. */
const idleMillis = 1_500

export const makeMeasure =
  (driver: Driver, postgres: Postgres) =>
  async ({ count, name, pids, port }: Side, load: Omit<Load, "port">): Promise<Round> => {
    const readCpu = () => [sumOf(pids.map(cpuMicros)), cpuMicros(postgres.postmaster)]
    let before: ReadonlyArray<number | undefined> = []
    // What the side does by itself is not the requests'.
    const idle = [await count(), await sleep(idleMillis).then(count)] as const
    let countedBefore = count()
    const summary = await driver.run({ ...load, port }, () => {
      before = readCpu()
      countedBefore = count()
    })
    const after = readCpu()
    const [from, to] = [await countedBefore, await count()]
    const each = (of: keyof Counters) =>
      (to[of] - from[of] - ((idle[1][of] - idle[0][of]) * summary.millis) / idleMillis) / summary.requests
    const perRequest = (index: number) => {
      const [from, to] = [before[index], after[index]]
      return from === undefined || to === undefined ? undefined : (to - from) / summary.requests
    }
    return {
      side: name,
      summary,
      cpu: { side: perRequest(0), postgres: perRequest(1), driver: summary.driverMicros / summary.requests },
      counted: { bytes: each("bytes"), fibers: each("fibers"), steps: each("steps") }
    }
  }

const sumOf = (all: ReadonlyArray<number | undefined>): number | undefined =>
  all.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0)

/** Lets the API logs of the run before be written, vacuums its rows, and flushes what it left dirty. */
export const settle = async (postgres: Postgres, database: string) => {
  await sleep(400)
  await postgres.query(database, "vacuum analyze")
  await postgres.query("coffer", "checkpoint")
}

/** Makes each flush of the log take this much longer, whether or not other transactions are about to commit. */
export const delayFlushes = async (postgres: Postgres, millis: number) => {
  await postgres.query("coffer", `alter system set commit_delay = ${millis * 1_000}`)
  await postgres.query("coffer", `alter system set commit_siblings = ${millis === 0 ? 5 : 0}`)
  await postgres.query("coffer", "select pg_reload_conf()")
}
