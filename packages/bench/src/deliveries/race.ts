/**
 * Deliveries per second: the same signed posts to the same receiver by Coffer, by queues that one could use instead,
 * and by a loop without a queue. All deliveries are queued before the first is made. The time runs from the first
 * arrival until each has arrived and its outcome is stored. Sides take turns, round after round.
 */
import { median } from "../driver/summary.ts"
import type { Options } from "../options.ts"
import { say } from "../say.ts"
import { cpuMicros } from "../stage/cpu.ts"
import type { Postgres } from "../stage/Postgres.ts"
import * as Statements from "../stage/statements.ts"
import { eventId } from "./job.ts"
import { type Racer, type RacerName, racerTitles } from "./Racer.ts"
import { startRedis } from "./Redis.ts"
import { startRival } from "./rivals.ts"
import { startService } from "./service.ts"
import { type Sink, startSink } from "./Sink.ts"

/** Posts of a rival under way. */
const postsAtOnce = 64

export interface Leg {
  readonly side: RacerName
  readonly perSecond: number
  /** CPU time of a delivery, microseconds; undefined if the system does not report it. */
  readonly cpu: {
    readonly side: number | undefined
    readonly store: number | undefined
    readonly sink: number | undefined
  }
  /** Bytes of Postgres' log for a delivery. */
  readonly walBytes: number
}

const count = (options: Options) => (options.quick ? 2_000 : 10_000)

/** `tell` is called with each leg that counts. */
export const raceDeliveries = async (postgres: Postgres, options: Options, tell: (leg: Leg) => void): Promise<void> => {
  const sink = await startSink()
  const redis = await startRedis()
  const racers: Array<Racer> = []
  try {
    const isWanted = (name: RacerName) => options.sides.length === 0 || options.sides.includes(name)
    const { racer, template } = await startService("service", { postgres, sink, how: { flags: options.node } })
    racers.push(racer)
    if (options.before !== undefined) {
      racers.push((await startService("before", { postgres, sink, how: { folder: options.before } })).racer)
    }
    const stage = { postgres, redisUrl: redis?.url ?? "", inFlight: postsAtOnce, urls: sink.urls, template }
    for (const name of ["plain", "graphile", "pg-boss", ...(redis === undefined ? [] : ["bullmq" as const])] as const) {
      if (isWanted(name)) racers.push(await startRival(name, stage))
    }
    const stores = [...postgres.postmasters(), ...(redis === undefined ? [] : [redis.pid])]
    for (let round = 0; round <= options.rounds; round++) {
      for (let index = 0; index < racers.length; index++) {
        const racer = racers[(index + round) % racers.length]!
        if (!isWanted(racer.name) && racer.name !== "before") continue
        if (options.statements) await Statements.reset(postgres)
        const leg = await runLeg({ postgres, sink, stores, count: count(options), run: `R${round}` }, racer)
        if (options.statements && racer.database !== undefined) {
          for (const line of await Statements.top(postgres, racer.database)) say(`    ${line}`)
        }
        // The first round compiles the code of all sides.
        if (round > 0) tell(leg)
        say(`  deliveries, round ${round} of ${options.rounds}: ${lineOf(leg)}`)
      }
    }
  } finally {
    for (const racer of racers) await racer.stop()
    await redis?.stop()
    sink.stop()
  }
}

interface Track {
  readonly postgres: Postgres
  readonly sink: Sink
  /** Processes of the side that stores outcomes. */
  readonly stores: ReadonlyArray<number>
  readonly count: number
  readonly run: string
}

const runLeg = async ({ count, postgres, run, sink, stores }: Track, racer: Racer): Promise<Leg> => {
  await racer.fill(run, count)
  if (racer.database !== undefined) await postgres.query(racer.database, "vacuum analyze")
  await postgres.query("coffer", "checkpoint")
  const { arrived } = await sink.expect(count)
  await racer.go()
  const walBefore = await walPosition(postgres)
  const before = [cpuMicros(racer.pid), sumOf(stores), cpuMicros(sink.pid)]
  const { body, first, posts } = await arrived
  await racer.stored()
  const millis = performance.timeOrigin + performance.now() - first
  const after = [cpuMicros(racer.pid), sumOf(stores), cpuMicros(sink.pid)]
  const walBytes = ((await walPosition(postgres)) - walBefore) / count
  await racer.rest()
  if (!body.includes(eventId(run, 0).slice(0, -6))) throw new Error(`${racerTitles[racer.name]} posted "${body}"`)
  if (posts !== count) say(`  ${racerTitles[racer.name]} posted ${posts} times for ${count} deliveries`)
  const [side, store, ofSink] = before.map((from, index) => {
    const to = after[index]
    return from === undefined || to === undefined ? undefined : (to - from) / count
  })
  return { side: racer.name, perSecond: (count * 1_000) / millis, cpu: { side, store, sink: ofSink }, walBytes }
}

const sumOf = (pids: ReadonlyArray<number>) =>
  pids.map(cpuMicros).reduce((sum, micros) => (sum === undefined || micros === undefined ? undefined : sum + micros))

const walPosition = async ({ query }: Postgres): Promise<number> => {
  const [row] = await query("coffer", "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as at")
  return Number(row!["at"])
}

const fixed = (value: number | undefined) => value?.toFixed(0) ?? "?"

const lineOf = ({ cpu, perSecond, side, walBytes }: Leg) =>
  `${racerTitles[side]} ${fixed(perSecond)}/s, CPU µs ${fixed(cpu.side)} + ${fixed(cpu.store)} + ${fixed(cpu.sink)}, ` +
  `log ${fixed(walBytes)} bytes`

/** A table of medians, with ratios of Coffer to each. */
export const raceText = (legs: ReadonlyArray<Leg>): string => {
  const middle = (side: RacerName, of: (leg: Leg) => number | undefined) => {
    const known = legs.filter((leg) => leg.side === side).flatMap((leg) => of(leg) ?? [])
    return known.length === 0 ? undefined : median(known)
  }
  const ours = middle("service", ({ perSecond }) => perSecond)
  const sides = [...new Set(legs.map(({ side }) => side))].toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
  return [
    "| deliveries | a second | Coffer to it | CPU µs: itself | Postgres, Redis | receiver | log bytes |",
    "|---|---|---|---|---|---|---|",
    ...sides.map((side) => {
      const rate = middle(side, ({ perSecond }) => perSecond)
      const ratio = side === "service" || ours === undefined ? "" : `${(ours / rate!).toFixed(2)} ×`
      const parts = [
        middle(side, ({ cpu }) => cpu.side),
        middle(side, ({ cpu }) => cpu.store),
        middle(side, ({ cpu }) => cpu.sink),
        side === "plain" || side === "bullmq" ? undefined : middle(side, ({ walBytes }) => walBytes)
      ]
      const cells = parts.map((part) => (part === undefined ? "" : Math.round(part).toLocaleString("en")))
      return `| ${[racerTitles[side], Math.round(rate!).toLocaleString("en"), ratio, ...cells].join(" | ")} |`
    })
  ].join("\n")
}

const order: ReadonlyArray<RacerName> = ["service", "before", "graphile", "pg-boss", "bullmq", "plain"]
