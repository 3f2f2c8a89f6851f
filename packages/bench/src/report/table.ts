/** The results as a table in Markdown: medians of the rounds, and ratios to the baselines and to the ceiling. */
import { median } from "../driver/summary.ts"
import type { Round, Runs } from "../Scenario.ts"
import { type SideName, titles } from "../stage/Sides.ts"

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
  const known = (of: (round: Round) => number | undefined) =>
    mine.some((round) => of(round) === undefined) ? undefined : middle((round) => of(round)!)
  return {
    side,
    perSecond: middle(({ summary }) => summary.perSecond),
    p50: middle(({ summary }) => summary.p50),
    p99: middle(({ summary }) => summary.p99),
    cpuSide: known(({ cpu }) => cpu.side),
    cpuPostgres: known(({ cpu }) => cpu.postgres),
    cpuDriver: middle(({ cpu }) => cpu.driver),
    kilobytes: middle(({ counted }) => counted.bytes / 1_000),
    fibers: middle(({ counted }) => counted.fibers),
    steps: middle(({ counted }) => counted.steps)
  }
}

const columns = [
  "scenario",
  "who",
  "requests/s",
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
const headed = (names: ReadonlyArray<string>) => [rowOf(names), `|${"---|".repeat(names.length)}`]
const rowOf = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

export const tableOf = (results: Runs): string =>
  [
    ...headed(columns),
    ...results.flatMap(([scenario, rounds]) => {
      const lines = (["before", ...scenario.sides] as const).flatMap((side) => lineOf(rounds, side) ?? [])
      const rate = (side: SideName) => lines.find((line) => line.side === side)?.perSecond
      return lines.map((line, index) => {
        const ratio = (side: SideName) => {
          const other = rate(side)
          return other === undefined || line.side === side ? "" : `${(line.perSecond / other).toFixed(2)} ×`
        }
        const cells = [
          index === 0 ? scenario.title : "",
          titles[line.side],
          thousands(line.perSecond),
          ratio("script"),
          ratio("at-once"),
          ratio("ceiling"),
          line.p50.toFixed(1),
          line.p99.toFixed(1),
          line.cpuSide?.toFixed(0) ?? "?",
          line.cpuPostgres?.toFixed(0) ?? "?",
          line.cpuDriver.toFixed(0),
          line.kilobytes.toFixed(0),
          line.fibers.toFixed(1),
          line.steps.toFixed(0)
        ]
        return rowOf(cells)
      })
    })
  ].join("\n")

const figures = [
  ["requests/s", ({ perSecond }) => perSecond],
  ["p50", ({ p50 }) => p50],
  ["p99", ({ p99 }) => p99],
  ["CPU: itself", ({ cpuSide }) => cpuSide],
  ["kB", ({ kilobytes }) => kilobytes],
  ["Postgres", ({ cpuPostgres }) => cpuPostgres],
  ["driver", ({ cpuDriver }) => cpuDriver]
] as const satisfies ReadonlyArray<readonly [string, (line: Line) => number | undefined]>

/** Each figure of Coffer's as a ratio to the script's and to the ceiling's. */
export const ratiosOf = (results: Runs): string =>
  [
    ...headed(["Coffer, as a ratio to", "in", ...figures.map(([name]) => name)]),
    ...(["script", "ceiling"] as const).flatMap((side) =>
      results.flatMap(([{ title }, rounds]) => {
        const [ours, theirs] = [lineOf(rounds, "service"), lineOf(rounds, side)]
        if (ours === undefined || theirs === undefined) return []
        const ratios = figures.map(([, of]) => {
          const [mine, other] = [of(ours), of(theirs)]
          return mine === undefined || other === undefined ? "?" : `${(mine / other).toFixed(2)} ×`
        })
        return [rowOf([titles[side], title, ...ratios])]
      })
    )
  ].join("\n")

export const thousands = (value: number): string => Math.round(value).toLocaleString("en")
