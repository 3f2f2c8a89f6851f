/** Runs scenarios: sides in turn, rounds interleaved, the books looked at after each run that moves money. */
import * as Driver from "./driver/Driver.ts"
import type { Load } from "./driver/load.ts"
import { firstWarmup, type Options } from "./options.ts"
import type { Round, Runs, Scenario, Size, Stage } from "./Scenario.ts"
import { seeded } from "./scenarios.ts"
import { assertBooksWhole } from "./stage/books.ts"
import { cpuMicros } from "./stage/cpu.ts"
import * as Ground from "./stage/Ground.ts"
import { insertMerchants, insertOrders, merchantsOf } from "./stage/rows.ts"
import * as Sides from "./stage/Sides.ts"
import * as Statements from "./stage/statements.ts"

const merchantsCount = 1_000
const smallCount = 10_000
/** More payments than any side takes in a second. */
const perSecondMax = 3_000

export const say = (text: string) => process.stderr.write(`${text}\n`)

export const open = async (options: Options) => {
  say("Starting Postgres")
  const ground = await Ground.start(options.statements ? [Statements.preload] : [])
  const driver = Driver.start()
  const merchants = merchantsOf(merchantsCount)
  const sides = new Map<string, Sides.Side>()
  const templates = new Set<Size>()
  const countOf = (size: Size) => (size === "small" ? smallCount : options.many)

  const template = async (size: Size) => {
    const name = `template_${size}`
    if (templates.has(size)) return name
    templates.add(size)
    say(`Filling a table with ${countOf(size).toLocaleString("en")} orders`)
    await Ground.migrated(ground, name)
    await insertMerchants(ground, name, merchants)
    await insertOrders(ground, name, seeded({ merchants, count: countOf(size) }))
    await ground.query(name, "vacuum analyze")
    return name
  }

  /** The side on its own database, started when it is first asked for. */
  const side = async (name: Sides.SideName, size: Size, place: string): Promise<Sides.Side> => {
    const database = `${name.replace("-", "_")}_${place}`
    const known = sides.get(database)
    if (known !== undefined) return known
    await Ground.clone(ground, await template(size), database)
    say(`Starting ${Sides.titles[name]} (${place} table)`)
    const started = await Sides.start(ground, name, database, {
      flags: name === "service" ? options.node : [],
      folder: name === "before" ? options.before : undefined
    })
    sides.set(database, started)
    return started
  }

  const stageOf = async (
    name: Sides.SideName,
    size: Size,
    {
      place = size,
      warmup = options.warmupSeconds
    }: { readonly place?: string | undefined; readonly warmup?: number } = {}
  ): Promise<Stage> => ({
    ground,
    side: await side(name, size, place),
    merchants,
    size,
    count: countOf(size),
    requestsMax: Math.ceil((options.seconds + warmup) * perSecondMax)
  })

  /** One load on one side, with the processor time of everybody. */
  const measure = async ({ name, pid, port }: Sides.Side, load: Omit<Load, "port">): Promise<Round> => {
    let before: ReadonlyArray<number | undefined> = []
    const look = () => [cpuMicros(pid), cpuMicros(ground.postmaster)]
    const summary = await driver.run({ ...load, port }, () => (before = look()))
    const after = look()
    const each = (index: number) => {
      const [from, to] = [before[index], after[index]]
      return from === undefined || to === undefined ? undefined : (to - from) / summary.requests
    }
    return {
      side: name,
      summary,
      cpu: { side: each(0), postgres: each(1), driver: summary.driverMicros / summary.requests }
    }
  }

  /** API logs of the run before are written, its rows are vacuumed, and what it left dirty is on the disk. */
  const settle = async (database: string) => {
    await new Promise((resolve) => setTimeout(resolve, 400))
    await ground.query(database, "vacuum analyze")
    await ground.query("coffer", "checkpoint")
  }

  const load = (overrides: Partial<Load> & Pick<Load, "kind">): Omit<Load, "port"> => ({
    connections: options.connections,
    warmupMillis: options.warmupSeconds * 1_000,
    millis: options.seconds * 1_000,
    ...overrides
  })

  const slowDown = async (millis: number) => {
    // Waits before each flush, whether or not others are about to commit.
    await ground.query("coffer", `alter system set commit_delay = ${millis * 1_000}`)
    await ground.query("coffer", `alter system set commit_siblings = ${millis === 0 ? 5 : 0}`)
    await ground.query("coffer", "select pg_reload_conf()")
  }

  const once = async (scenario: Scenario, name: Sides.SideName, isFirst: boolean): Promise<Round> => {
    // Code that has not been run for this load yet is not compiled either, on any side.
    const warmup = options.warmupSeconds * (isFirst ? (scenario.firstWarmup ?? firstWarmup) : 1)
    const stage = await stageOf(name, scenario.size, { place: scenario.place, warmup })
    const kind = await scenario.prepare(stage)
    await settle(stage.side.database)
    await slowDown(scenario.slowFlush ?? 0)
    if (options.statements) await Statements.reset(ground)
    const round = await measure(stage.side, load({ kind, warmupMillis: warmup * 1_000 }))
    if (options.statements) for (const line of await Statements.top(ground, stage.side.database)) say(`    ${line}`)
    await slowDown(0)
    if (scenario.checked === true) await assertBooksWhole(ground, stage.side.database)
    return round
  }

  const tell = ({ title }: Scenario, number: number, { cpu, side, summary }: Round) => {
    const { p99, perSecond, unavailable } = summary
    const micros = [cpu.side, cpu.postgres, cpu.driver].map((each) => each?.toFixed(0) ?? "?")
    say(
      `  ${title}, round ${number + 1} of ${options.rounds}: ${Sides.titles[side]} ` +
        `${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(1)} ms, CPU µs ${micros.join(" + ")}` +
        (unavailable === 0 ? "" : `, ${unavailable} answered 503`)
    )
  }

  const namesOf = (scenario: Scenario) => {
    const all = options.before === undefined ? scenario.sides : (["before", ...scenario.sides] as const)
    return all.filter((name) => options.sides.length === 0 || options.sides.includes(name))
  }

  const run = async (pair: ReadonlyArray<Scenario>): Promise<Runs> => {
    const runs = pair.map((scenario) => [scenario, new Array<Round>()] as const)
    for (let number = 0; number < options.rounds; number++) {
      for (const [scenario, rounds] of runs) {
        const names = namesOf(scenario)
        // Another one begins each time.
        for (let index = 0; index < names.length; index++) {
          const round = await once(scenario, names[(index + number) % names.length]!, number === 0)
          rounds.push(round)
          tell(scenario, number, round)
        }
      }
    }
    return runs
  }

  const close = async () => {
    driver.stop()
    await Promise.all([...sides.values()].map(({ stop }) => stop()))
    await ground.stop()
  }

  /** As many requests as there are, for as long as it takes. */
  const drive = (at: Sides.Side, kind: Load["kind"]) =>
    driver.run({ ...load({ kind }), port: at.port, warmupMillis: 0, millis: 600_000 }, () => undefined)

  return { ground, merchants, template, stageOf, measure, drive, load, settle, run, close }
}

export type Bench = Awaited<ReturnType<typeof open>>
