/** Runs scenarios: sides in turn, rounds interleaved, the books checked after each run that moves money. */
import * as Driver from "./driver/Driver.ts"
import type { Load } from "./driver/load.ts"
import { p99 } from "./driver/summary.ts"
import { delayFlushes, makeMeasure, rest } from "./measure.ts"
import { firstWarmup, type Options } from "./options.ts"
import { say } from "./say.ts"
import type { Round, Scenario } from "./Scenario.ts"
import { assertBooksWhole } from "./stage/books.ts"
import * as Postgres from "./stage/Postgres.ts"
import { merchantsOf } from "./stage/rows.ts"
import * as Sides from "./stage/Sides.ts"
import { makeStages } from "./stage/stages.ts"
import * as Statements from "./stage/statements.ts"

const merchantsCount = 1_000

/** Connections of an open loop: enough that they never limit the rate. */
const openConnections = 256

export const open = async (options: Options) => {
  say("Starting Postgres")
  const postgres = await Postgres.start([...Postgres.forRounds, ...(options.statements ? [Statements.preload] : [])])
  const driver = Driver.start()
  const merchants = merchantsOf(merchantsCount)
  const stages = makeStages(postgres, merchants, options)
  const measure = makeMeasure(driver, postgres)

  const load = (overrides: Partial<Load> & Pick<Load, "kind">): Omit<Load, "ports"> => ({
    connections: overrides.rate === undefined ? options.connections : openConnections,
    warmupMillis: options.warmupSeconds * 1_000,
    millis: options.seconds * 1_000,
    ...overrides
  })

  /** Sends all requests, however long that takes. */
  const drive = async (side: Sides.Side, kind: Load["kind"]): Promise<void> => {
    await driver.run({ ...load({ kind }), ports: side.ports, warmupMillis: 0, millis: 600_000 }, {})
  }

  const known = new Set<string>()
  /** Payments per second of the fastest side so far. */
  let perSecond = 0
  /** One round of one side; with a rate as an open loop. */
  const runOnce = async (scenario: Scenario, name: Sides.SideName, { rate, seconds }: Paced = {}): Promise<Round> => {
    const { balancing, connections = options.connections, place, runners, size } = scenario
    // A side's first warm-up for a load also has to compile the code for it.
    const isFirst = !known.has(`${name} ${scenario.key}`)
    const warmup = options.warmupSeconds * (isFirst ? (scenario.firstWarmup ?? firstWarmup) : 1)
    known.add(`${name} ${scenario.key}`)
    await postgres.standby.follow(scenario.standby ?? false)
    const long = { warmup, seconds: seconds ?? options.seconds }
    const stage = await stages.stageOf(name, size, { balancing, runners, place, perSecond, ...long })
    const kind = await scenario.prepare({ ...stage, drive: (kind) => drive(stage.side, kind) })
    await rest(postgres, stage.side.database)
    await delayFlushes(postgres, scenario.slowFlush ?? 0)
    if (options.statements) await Statements.reset(postgres)
    const timed = { kind, warmupMillis: warmup * 1_000, millis: long.seconds * 1_000 }
    const round = await measure(stage.side, load(rate === undefined ? { ...timed, connections } : { ...timed, rate }))
    if (options.statements) for (const line of await Statements.top(postgres, stage.side.database)) say(`    ${line}`)
    await delayFlushes(postgres, 0)
    if (kind.kind === "pay" || kind.kind === "post") perSecond = Math.max(perSecond, round.summary.perSecond)
    if (!movesMoney(kind)) return round
    return { ...round, ledgerRows: await assertBooksWhole(postgres, stage.side.database) }
  }

  return {
    postgres,
    merchants,
    template: stages.template,
    stageOf: stages.stageOf,
    measure,
    load,
    drive,
    runOnce,
    sidesOf: (scenario: Scenario) => sidesOf(scenario, options),
    /** Runs scenarios in turn; `tell` is called with each round. */
    run: async (pair: ReadonlyArray<Scenario>, tell: Tell) => {
      await runInTurn(pair, options, runOnce, tell)
      await postgres.standby.remove()
    },
    close: async () => {
      driver.stop()
      await stages.stop()
      await postgres.stop()
    }
  }
}

interface Paced {
  /** Requests a second. */
  readonly rate?: number
  readonly seconds?: number
}

type Tell = (scenario: Scenario, round: Round) => void

export const movesMoney = ({ kind }: Load["kind"]) => kind === "pay" || kind === "refund"

export type Bench = Awaited<ReturnType<typeof open>>

/** Every round measures every side of every scenario. In each round another side goes first. */
const runInTurn = async (
  pair: ReadonlyArray<Scenario>,
  options: Options,
  runOnce: (scenario: Scenario, name: Sides.SideName) => Promise<Round>,
  tell: Tell
): Promise<void> => {
  for (let number = 0; number < options.rounds; number++) {
    for (const scenario of pair) {
      const names = sidesOf(scenario, options)
      for (let index = 0; index < names.length; index++) {
        const round = await runOnce(scenario, names[(index + number) % names.length]!)
        tell(scenario, round)
        say(`  ${scenario.title}, round ${number + 1} of ${options.rounds}: ${lineOf(round)}`)
      }
    }
  }
}

const sidesOf = (scenario: Scenario, { before, sides }: Options) => {
  const all = before === undefined ? scenario.sides : (["before", ...scenario.sides] as const)
  return all.filter((name) => sides.length === 0 || sides.includes(name))
}

export const lineOf = ({ commands, counted, cpu, idle, side, summary }: Round): string => {
  const { perSecond, unavailable } = summary
  const slow = p99(summary).toFixed(1)
  const micros = [cpu.side, cpu.postgres, cpu.driver].map((each) => each?.toFixed(0) ?? "?")
  return (
    `${Sides.titles[side]} ${perSecond.toFixed(0)}/s, p99 ${slow} ms, CPU µs ${micros.join(" + ")}, ` +
    `${(counted.bytes / 1_000).toFixed(0)} kB, ${counted.fibers.toFixed(1)} fibers, ${counted.steps.toFixed(0)} steps` +
    (unavailable === 0 ? "" : `, ${unavailable} answered 503`) +
    (commands === undefined ? "" : `, ${commands.sentOn.toFixed(3)} of ${commands.all.toFixed(3)} commands sent on`) +
    `; at rest ${[idle.side, idle.postgres].map((each) => each?.toFixed(0) ?? "?").join(" + ")} µs/s`
  )
}
