/**
 * The effect of a small change: `--together --before <folder>`. Both programs are under load at the same time, so that
 * the machine's speed, which varies by half from minute to minute, is the same for both. The ratios of rounds vary by a
 * few percent; with alternating rounds they vary by a third. Each program has half of the connections and its own
 * driver; the absolute figures are those of a machine with twice the work.
 */
import { type Bench, movesMoney } from "./Bench.ts"
import * as Driver from "./driver/Driver.ts"
import { median, type Summary } from "./driver/summary.ts"
import { rest } from "./measure.ts"
import { firstWarmup, type Options } from "./options.ts"
import { say } from "./say.ts"
import type { Scenario, Stage } from "./Scenario.ts"
import { assertBooksWhole } from "./stage/books.ts"
import type { Counters } from "./stage/counters.ts"
import * as Threads from "./stage/threads.ts"

/** The figures of one request. */
interface Figures {
  /** Processor time, microseconds: the program's with all its threads, and that of its sessions of Postgres. */
  readonly service: number
  readonly postgres: number
  readonly steps: number
  readonly bytes: number
  readonly perSecond: number
}

/** One round of both programs. */
interface Pair {
  readonly before: Figures
  readonly now: Figures
}

export interface Compared {
  readonly title: string
  readonly rounds: ReadonlyArray<Pair>
}

/** Two programs would share a standby, and wait for each other's flushes. */
export const isComparable = ({ runners, slowFlush, standby }: Scenario): boolean =>
  runners === undefined && slowFlush === undefined && standby !== true

export const together = async (
  bench: Bench,
  options: Options,
  scenarios: ReadonlyArray<Scenario>
): Promise<ReadonlyArray<Compared>> => {
  const drivers = [Driver.start(), Driver.start()] as const
  try {
    const compared: Array<Compared> = []
    for (const scenario of scenarios) {
      say(scenario.title)
      const rounds: Array<Pair> = []
      for (let number = 0; number < options.rounds; number++) {
        // In turn, so that a driver's own speed does not favour one program.
        const [one, other] = number % 2 === 0 ? drivers : drivers.toReversed()
        const pair = await roundOf(bench, { scenario, options, isFirst: number === 0 }, [one!, other!])
        rounds.push(pair)
        say(`  round ${number + 1} of ${options.rounds}: ${lineOf(pair)}`)
      }
      compared.push({ title: scenario.title, rounds })
    }
    return compared
  } finally {
    for (const driver of drivers) driver.stop()
  }
}

interface Round {
  readonly scenario: Scenario
  readonly options: Options
  readonly isFirst: boolean
}

const roundOf = async (
  bench: Bench,
  { isFirst, options, scenario }: Round,
  [ofBefore, ofNow]: readonly [Driver.Driver, Driver.Driver]
): Promise<Pair> => {
  const warmup = options.warmupSeconds * (isFirst ? (scenario.firstWarmup ?? firstWarmup) : 1)
  const long = { warmup, seconds: options.seconds, place: scenario.place }
  const ready = async (name: "before" | "service") => {
    const stage: Omit<Stage, "drive"> = await bench.stageOf(name, scenario.size, long)
    const kind = await scenario.prepare({ ...stage, drive: (kind) => bench.drive(stage.side, kind) })
    await rest(bench.postgres, stage.side.database)
    const connections = Math.ceil((scenario.connections ?? options.connections) / 2)
    return { side: stage.side, load: bench.load({ kind, connections, warmupMillis: warmup * 1_000 }) }
  }
  const [before, now] = [await ready("before"), await ready("service")]

  const run = async (driver: Driver.Driver, { load, side }: Awaited<ReturnType<typeof ready>>): Promise<Figures> => {
    const look = () => ({
      counts: side.count(),
      works: Threads.worksOf(side.pids[0]!, bench.postgres.postmasters()[0]!, side.database)
    })
    let from = look()
    const summary = await driver.run({ ...load, ports: side.ports }, { warm: () => (from = look()) })
    const to = look()
    return figuresOf(summary, Threads.between(from.works, to.works), [await from.counts, await to.counts])
  }
  const [first, second] = await Promise.all([run(ofBefore, before), run(ofNow, now)])
  for (const { load, side } of [before, now]) {
    if (movesMoney(load.kind)) await assertBooksWhole(bench.postgres, side.database)
  }
  return { before: first, now: second }
}

const figuresOf = (
  { perSecond, requests }: Summary,
  works: Threads.Works,
  [from, to]: readonly [from: Counters, to: Counters]
): Figures => {
  const micros = (...groups: ReadonlyArray<string>) =>
    groups.reduce((sum, group) => sum + (works.get(group)?.micros ?? 0), 0) / requests
  return {
    service: micros("service", "service's other threads"),
    postgres: micros("sessions"),
    steps: (to.steps - from.steps) / requests,
    bytes: (to.bytes - from.bytes) / requests,
    perSecond
  }
}

// Report --------------------------------------------------------------------------

const ratio =
  (of: (figures: Figures) => number) =>
  ({ before, now }: Pair) =>
    of(now) / of(before)

const both = ({ postgres, service }: Figures) => service + postgres

const lineOf = ({ before, now }: Pair): string =>
  [before, now]
    .map(
      ({ perSecond, postgres, service }) =>
        `${perSecond.toFixed(0)}/s ${service.toFixed(0)} + ${postgres.toFixed(0)} µs`
    )
    .join(", now ")

/** A table: for each load the medians of the rounds' ratios, now to before, with the lowest and the highest. */
export const togetherText = (compared: ReadonlyArray<Compared>): string => {
  const columns: ReadonlyArray<readonly [title: string, of: (figures: Figures) => number]> = [
    ["service's CPU", ({ service }) => service],
    ["Postgres' CPU", ({ postgres }) => postgres],
    ["both", both],
    ["a second", ({ perSecond }) => perSecond],
    ["steps", ({ steps }) => steps],
    ["bytes allocated", ({ bytes }) => bytes]
  ]
  const cellOf = (rounds: ReadonlyArray<Pair>, of: (figures: Figures) => number) => {
    const ratios = rounds.map(ratio(of))
    return `${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
  }
  return [
    `| now, of before | ${columns.map(([title]) => title).join(" | ")} |`,
    `|${"---|".repeat(columns.length + 1)}`,
    ...compared.map(({ rounds, title }) => `| ${title} | ${columns.map(([, of]) => cellOf(rounds, of)).join(" | ")} |`)
  ].join("\n")
}
