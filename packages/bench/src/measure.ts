/** Measures one load on one side, with the CPU time of all processes, and prepares Postgres for it. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Driver } from "./driver/Driver.ts"
import type { Load } from "./driver/load.ts"
import type { Round } from "./Scenario.ts"
import type { Counters } from "./stage/counters.ts"
import { cpuMicros } from "./stage/cpu.ts"
import type { Postgres } from "./stage/Postgres.ts"
import { type CommandCounts, commandCountsOf, type Side } from "./stage/Sides.ts"

/** How long a side gets no requests, to measure its background work. */
const idleMillis = 3_000
/** How often: a side that has just started is not at rest yet, so the lowest value counts. */
const looksMax = 2

interface Rest {
  readonly counts: readonly [from: Counters, to: Counters]
  readonly rested: ReadonlyArray<number | undefined>
}

export const makeMeasure = (driver: Driver, postgres: Postgres) => {
  const readCpu = ({ pids }: Side) => [sumOf(pids.map(cpuMicros)), sumOf(postgres.postmasters().map(cpuMicros))]

  const restOf = async (side: Side): Promise<Rest> => {
    const resting = readCpu(side)
    const counts = [await side.count(), await sleep(idleMillis).then(side.count)] as const
    return { counts, rested: difference(resting, readCpu(side)) }
  }
  const rests = new Map<Side, Array<Rest>>()

  return async (side: Side, load: Omit<Load, "ports">): Promise<Round> => {
    const { count, name, ports, runnerPorts } = side
    const looks = rests.get(side) ?? []
    rests.set(side, looks)
    if (looks.length < looksMax) looks.push(await restOf(side))
    // The side's background work does not belong to the requests.
    const [{ counts: idle, rested }] = looks.toSorted((a, b) => (a.rested[0] ?? 0) - (b.rested[0] ?? 0)) as [Rest]
    let before: ReadonlyArray<number | undefined> = []
    const countCommands = runnerPorts === undefined ? () => Promise.resolve(undefined) : () => commandCountsOf(side)
    let [countedBefore, countsBefore] = [count(), countCommands()]
    const warm = () => {
      before = readCpu(side)
      ;[countedBefore, countsBefore] = [count(), countCommands()]
    }
    const summary = await driver.run({ ...load, ports }, { warm })
    const after = readCpu(side)
    const [from, to] = [await countedBefore, await count()]
    const commands = difference(valuesOf(await countsBefore), valuesOf(await countCommands()))
    const each = (of: keyof Counters) =>
      (to[of] - from[of] - ((idle[1][of] - idle[0][of]) * summary.millis) / idleMillis) / summary.requests
    // Nor does the work of the side and Postgres without requests.
    const taken = difference(before, after).map(
      // Nothing, where the side does not use Postgres.
      (micros, index) => micros && Math.max(0, micros - ((rested[index] ?? 0) * summary.millis) / idleMillis)
    )
    const perRequest = (sum: number | undefined) => sum && sum / summary.requests
    const perSecond = (sum: number | undefined) => sum && (sum * 1_000) / idleMillis
    return {
      side: name,
      summary,
      cpu: {
        side: perRequest(taken[0]),
        postgres: perRequest(taken[1]),
        driver: summary.driverMicros / summary.requests
      },
      counted: { bytes: each("bytes"), fibers: each("fibers"), steps: each("steps") },
      idle: { side: perSecond(rested[0]), postgres: perSecond(rested[1]) },
      commands:
        runnerPorts === undefined ? undefined : { all: perRequest(commands[0])!, sentOn: perRequest(commands[1])! }
    }
  }
}

const valuesOf = (counts: CommandCounts | undefined) => [counts?.all, counts?.sentOn]

const difference = (from: ReadonlyArray<number | undefined>, to: ReadonlyArray<number | undefined>) =>
  to.map((after, index) => (after === undefined || from[index] === undefined ? undefined : after - from[index]))

const sumOf = (all: ReadonlyArray<number | undefined>): number | undefined =>
  all.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0)

/** Waits for the API logs of the previous run, vacuums its rows, and flushes its dirty pages. */
export const rest = async (postgres: Postgres, database: string) => {
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
