/** The report: the text of each section, from the lines of a run alone. */
import { newEventsText } from "../deliveries/newEvent.ts"
import { raceText } from "../deliveries/race.ts"
import { median } from "../driver/summary.ts"
import { weightOf } from "../extras.ts"
import { wayTitles } from "../ledgers/race.ts"
import { aims, type Found } from "../must.ts"
import type { Run } from "../Scenario.ts"
import { type SideName, titles } from "../stage/Sides.ts"
import {
  costOfPoint,
  type Curve,
  curvePicture,
  curvesOf,
  curveTable,
  flushPicture,
  soakPicture,
  soakTable
} from "./curves.ts"
import { linesOf, type RawLine } from "./raw.ts"
import { barsOf } from "./svg.ts"
import {
  costOf,
  fixed,
  type Line,
  lineOf,
  linesOfRun,
  microsOf,
  perCoreSecond,
  runsTable,
  tableOf,
  thousands
} from "./table.ts"
import { weightsOf } from "./weights.ts"

export interface Section {
  /** The marks of the page that enclose it. */
  readonly name: string
  readonly text: string
  readonly pictures?: ReadonlyArray<{ readonly name: string; readonly title: string; readonly svg: string }>
}

export const sectionsOf = (lines: ReadonlyArray<RawLine>): ReadonlyArray<Section> => {
  const [head] = linesOf(lines, "run")
  const bound = head?.options.bound ?? Number.NaN
  const runs = runsOf(lines)
  const points = linesOf(lines, "point")
  const curves = curvesOf(points, bound)
  const of = (...keys: ReadonlyArray<RegExp>) => runs.filter(({ key }) => keys.some((each) => each.test(key)))
  const closed = runs.filter(({ key }) => !/^(engines|flush|standby|runners|growth)/.test(key))
  const [slow, applied] = [of(/^flush/), of(/^standby/)]
  const minutes = linesOf(lines, "minute")
  const [ledgerRows] = linesOf(lines, "soak-books").map((line) => line.ledgerRows)
  return [
    textSection("payments", coreSeconds(runs, curves, head?.options.connections)),
    textSection("machine", head && tableOf(["", ""], head.machine)),
    closed.length > 0 && { name: "closed", text: runsTable(closed), pictures: barsOfRuns(closed) },
    textSection("engines", of(/^engines/).length > 0 && runsTable(of(/^engines/))),
    textSection("growth", growthTable(runs)),
    points.length > 0 && {
      name: "curve",
      text: curveTable(curves, points, bound),
      pictures: [{ name: "curve", title: "Rate against latency", svg: curvePicture(curves) }]
    },
    slow.length > 0 && {
      name: "flush",
      text: runsTable(of(/^(pay-hot$|flush)/)),
      pictures: [{ name: "flush", title: "Latency of a flush", svg: flushPicture(of(/^(pay-hot$|flush)/)) }]
    },
    textSection("standby", applied.length > 0 && runsTable(of(/^(pay-spread|standby)$/))),
    textSection("ledgers", ledgersTable(lines)),
    textSection("runners", of(/^runners/).length > 0 && runsTable(of(/^runners/))),
    textSection("process", processText(lines)),
    textSection("must", mustTable(runs, lines)),
    textSection("weights", linesOf(lines, "weights").map(({ weights }) => weightsOf(weights))[0]),
    textSection("deliveries", deliveriesText(lines)),
    minutes.length > 0 && {
      name: "soak",
      text: soakTable(minutes, ledgerRows),
      pictures: [{ name: "soak", title: "Soak", svg: soakPicture(minutes) }]
    }
  ].filter((section): section is Section => section !== false && section !== undefined)
}

const textSection = (name: string, text: string | false | undefined): Section | false =>
  text === undefined || text === false || text === "" ? false : { name, text }

const runsOf = (lines: ReadonlyArray<RawLine>): ReadonlyArray<Run> =>
  [...Map.groupBy(linesOf(lines, "round"), ({ key }) => key)].map(([key, all]) => ({
    key,
    title: all[0]!.title,
    rounds: all.map(({ round }) => round)
  }))

const find = (runs: ReadonlyArray<Run>, key: string, side: SideName = "service"): Line | undefined => {
  const run = runs.find((each) => each.key === key)
  return run && lineOf(run.rounds, side)
}

/** The first line of the result. */
const coreSeconds = (
  runs: ReadonlyArray<Run>,
  curves: ReadonlyArray<Curve>,
  connections: number | undefined
): string | undefined => {
  const [busy, lonely] = [find(runs, "pay-spread"), find(runs, "pay-lonely")]
  const parts: Array<string> = []
  const sum = ({ cpuPostgres, cpuSide }: Pick<Line, "cpuPostgres" | "cpuSide">) =>
    `1 / (${fixed(cpuSide)} + ${fixed(cpuPostgres)} µs)`
  if (busy !== undefined)
    parts.push(`**${perCoreSecond(busy)}** in a closed loop with ${connections} connections, ${sum(busy)}`)
  const curve = curves.find(({ points: [first] }) => first?.key === "pay-spread" && first.round.side === "service")
  const point = curve?.points[curve.knee] ?? curve?.points.at(-1)
  if (curve !== undefined && point !== undefined) {
    const cost = costOfPoint(point)
    const where = curve.knee < 0 ? "the highest rate, below the knee" : "the knee"
    parts.push(
      `**${perCoreSecond(cost)}** in an open loop at ${where}, ${thousands(point.rate)} a second, ${sum(cost)}`
    )
  }
  if (lonely !== undefined) parts.push(`**${perCoreSecond(lonely)}** with 4 connections, ${sum(lonely)}`)
  if (parts.length === 0) return undefined
  return `Payments a core-second, service and Postgres together, all processes but the driver: ${parts.join("; ")}.`
}

const barsOfRuns = (runs: ReadonlyArray<Run>) => {
  const picture = (title: string, partsOf: (line: Line) => ReadonlyArray<number>, labelOf: (total: number) => string) =>
    barsOf(
      title,
      runs.map((run) => ({
        title: run.title,
        bars: linesOfRun(run).map((line) => {
          const parts = partsOf(line)
          return { side: line.side, parts, label: labelOf(parts.reduce((sum, part) => sum + part, 0)) }
        })
      }))
    )
  return [
    {
      name: "throughput",
      title: "Requests a second",
      svg: picture("Requests a second, closed loop", ({ perSecond }) => [perSecond], thousands)
    },
    {
      name: "cpu",
      title: "Processor time",
      svg: picture(
        "Processor time of one request, µs: itself (dark), Postgres, driver (light)",
        ({ cpuDriver, cpuPostgres = 0, cpuSide = 0 }) => [cpuSide, cpuPostgres, cpuDriver],
        (total) => `${total.toFixed(0)} µs`
      )
    }
  ]
}

const pairs = [
  ["create", "growth-create", "growth-create-many"],
  ["list, first page", "growth-list", "list-first"]
] as const

/** The cost of one request with ten thousand and with many orders in the table. */
const growthTable = (runs: ReadonlyArray<Run>): string | undefined => {
  const rows = pairs.flatMap(([what, few, many]) =>
    (["service", "script"] as const).flatMap((side) => {
      const [small, large] = [find(runs, few, side), find(runs, many, side)]
      if (small === undefined || large === undefined) return []
      const slowdown = `${(small.perSecond / large.perSecond).toFixed(2)} ×`
      return [[what, titles[side], fixed(microsOf(small)), fixed(microsOf(large)), slowdown]]
    })
  )
  const columns = ["ten thousand and many orders", "who", "CPU µs, few", "CPU µs, many", "requests/s, few by many"]
  return rows.length === 0 ? undefined : tableOf(columns, rows)
}

const ledgersTable = (lines: ReadonlyArray<RawLine>): string | undefined => {
  const legs = linesOf(lines, "ledger")
  if (legs.length === 0) return undefined
  const groups = [...Map.groupBy(legs, ({ isHot, way }) => `${isHot ? 1 : 0} ${way}`)].toSorted(([a], [b]) =>
    a < b ? -1 : 1
  )
  return tableOf(
    ["transfers", "how", "a second", "a core-second", "p50 ms", "p99 ms", "CPU µs: itself", "Postgres"],
    groups.map(([, all]) => {
      const [{ isHot, way }] = all as [(typeof legs)[number]]
      const cost = costOf(all)
      return [
        isHot ? "one hot account" : "1,000 accounts",
        wayTitles[way],
        thousands(cost.perSecond),
        perCoreSecond(cost),
        cost.p50.toFixed(1),
        cost.p99.toFixed(1),
        fixed(cost.cpuSide),
        fixed(cost.cpuPostgres)
      ]
    })
  )
}

/** The median of a side's starts, milliseconds. */
const startOf = (lines: ReadonlyArray<RawLine>, side: SideName): number | undefined => {
  const starts = linesOf(lines, "start").filter((each) => each.side === side)
  return starts.length === 0 ? undefined : median(starts.map(({ millis }) => millis))
}

const processText = (lines: ReadonlyArray<RawLine>): string => {
  const sides = [...new Set(linesOf(lines, "start").map(({ side }) => side))]
  const starts = sides.map((side) => `${titles[side]} ${fixed(startOf(lines, side))} ms`)
  return [
    starts.length === 0
      ? ""
      : `From the start of the process to ready, on a database that is there: ${starts.join(", ")}.`,
    ...linesOf(lines, "memory").map((memory) => `Memory: ${weightOf(memory)}.`)
  ]
    .filter((text) => text !== "")
    .join("\n\n")
}

const foundOf = (runs: ReadonlyArray<Run>, lines: ReadonlyArray<RawLine>, own: "service" | "before"): Found => {
  const line = (key: string, side: SideName = own) => find(runs, key, side)
  const after = linesOf(lines, "memory").find(({ payments, side }) => side === own && payments === 100_000)?.after
  return {
    rate: (key, side) => line(key, side)?.perSecond,
    micros: (key) => {
      const found = line(key)
      return found && microsOf(found)
    },
    steps: (key) => line(key)?.steps,
    memory: after && after / 1_048_576,
    startMillis: startOf(lines, own)
  }
}

/** The aims that this run has figures for. */
const mustTable = (runs: ReadonlyArray<Run>, lines: ReadonlyArray<RawLine>): string | undefined => {
  const [now, before] = [foundOf(runs, lines, "service"), foundOf(runs, lines, "before")]
  const rows = aims.flatMap(({ bound, isAtLeast, of, then, unit, what }) => {
    const [value, earlier] = [of(now), of(before)]
    if (value === undefined) return []
    const text = (figure: number) => `${unit === "×" || unit === "s" ? figure.toFixed(2) : thousands(figure)} ${unit}`
    const reached = (isAtLeast ? value >= bound : value <= bound) ? "yes" : "no"
    const aimed = `${isAtLeast ? "at least" : "at most"} ${thousandsOr(bound)} ${unit}`
    return [[what, `${then} ${unit}`, aimed, earlier === undefined ? "" : text(earlier), text(value), reached]]
  })
  const columns = ["", "when it was asked", "asked", "before, this run", "now, this run", "reached"]
  return rows.length === 0 ? undefined : tableOf(columns, rows)
}

const thousandsOr = (value: number) => (value < 10 ? String(value) : thousands(value))

const deliveriesText = (lines: ReadonlyArray<RawLine>): string => {
  const legs = linesOf(lines, "delivery")
  const newEvents = linesOf(lines, "new-events").map(newEventsText)
  return [...(legs.length === 0 ? [] : [raceText(legs)]), ...newEvents].join("\n\n")
}

export const textOf = (sections: ReadonlyArray<Section>): string => sections.map(({ text }) => text).join("\n\n")
