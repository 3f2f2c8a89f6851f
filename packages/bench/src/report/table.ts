/** Rounds as a table in Markdown: their medians, and ratios to the baselines and to the ceiling. */
import { median, p50, p99, type Summary } from "../driver/summary.ts"
import type { Cpu, Round, Run } from "../Scenario.ts"
import { type SideName, titles } from "../stage/Sides.ts"

/** The medians of the rounds of one side. */
export interface Line {
  readonly side: SideName
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly cpuSide: number | undefined
  readonly cpuPostgres: number | undefined
  readonly cpuDriver: number
  readonly kilobytes: number
  readonly fibers: number
  readonly steps: number
}

export const lineOf = (rounds: ReadonlyArray<Round>, side: SideName): Line | undefined => {
  const mine = rounds.filter((round) => round.side === side)
  if (mine.length === 0) return undefined
  const middle = (of: (round: Round) => number) => median(mine.map(of))
  return {
    side,
    ...costOf(mine),
    cpuDriver: middle(({ cpu }) => cpu.driver),
    kilobytes: middle(({ counted }) => counted.bytes / 1_000),
    fibers: middle(({ counted }) => counted.fibers),
    steps: middle(({ counted }) => counted.steps)
  }
}

/** The figures that each kind of race has. */
export const costOf = (
  rounds: ReadonlyArray<{ readonly summary: Summary; readonly cpu: Pick<Cpu, "side" | "postgres"> }>
) => {
  const known = (of: (cpu: Pick<Cpu, "side" | "postgres">) => number | undefined) => {
    const values = rounds.flatMap(({ cpu }) => of(cpu) ?? [])
    return values.length < rounds.length ? undefined : median(values)
  }
  return {
    perSecond: median(rounds.map(({ summary }) => summary.perSecond)),
    p50: median(rounds.map(({ summary }) => p50(summary))),
    p99: median(rounds.map(({ summary }) => p99(summary))),
    cpuSide: known(({ side }) => side),
    cpuPostgres: known(({ postgres }) => postgres)
  }
}

/** Microseconds per request, of all processes except the driver. */
export const microsOf = ({ cpuPostgres, cpuSide }: Pick<Line, "cpuPostgres" | "cpuSide">): number | undefined =>
  cpuPostgres === undefined || cpuSide === undefined ? undefined : cpuSide + cpuPostgres

/** Requests per second that one core could answer. */
export const perCoreSecond = (line: Pick<Line, "cpuPostgres" | "cpuSide">): string => {
  const micros = microsOf(line)
  return micros === undefined ? "?" : thousands(1_000_000 / micros)
}

export const tableOf = (columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [rowOf(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(rowOf)].join("\n")

const rowOf = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

const columns = [
  "scenario",
  "who",
  "requests/s",
  "a core-second",
  "of script",
  "of one statement",
  "of ceiling",
  "p50 ms",
  "p99 ms",
  "CPU µs: itself",
  "Postgres",
  "driver",
  "kB allocated",
  "fibers",
  "steps"
]

const sideNames = [
  "before",
  "service",
  "script",
  "at-once",
  "ceiling",
  "dbos",
  "restate"
] as const satisfies ReadonlyArray<SideName>

export const linesOfRun = ({ rounds }: Run): ReadonlyArray<Line> =>
  sideNames.flatMap((side) => lineOf(rounds, side) ?? [])

export const runsTable = (runs: ReadonlyArray<Run>): string =>
  tableOf(
    columns,
    runs.flatMap((run) => {
      const lines = linesOfRun(run)
      const rate = (side: SideName) => lines.find((line) => line.side === side)?.perSecond
      return lines.map((line, index) => {
        const ratio = (side: SideName) => {
          const other = rate(side)
          return other === undefined || line.side === side ? "" : `${(line.perSecond / other).toFixed(2)} ×`
        }
        return [
          index === 0 ? run.title : "",
          titles[line.side],
          thousands(line.perSecond),
          perCoreSecond(line),
          ratio("script"),
          ratio("at-once"),
          ratio("ceiling"),
          line.p50.toFixed(1),
          line.p99.toFixed(1),
          fixed(line.cpuSide),
          fixed(line.cpuPostgres),
          fixed(line.cpuDriver),
          fixed(line.kilobytes),
          line.fibers.toFixed(1),
          fixed(line.steps)
        ]
      })
    })
  )

export const fixed = (value: number | undefined): string => value?.toFixed(0) ?? "?"
export const thousands = (value: number): string => Math.round(value).toLocaleString("en")
