/** Curves as tables and pictures: rate against latency, slower flushes, a standby, and the soak. */
import { kneeOf, type Point } from "../curve.ts"
import { countOf } from "../driver/histogram.ts"
import { p50, p99, p999 } from "../driver/summary.ts"
import type { Run } from "../Scenario.ts"
import type { Minute } from "../soak.ts"
import { titles } from "../stage/Sides.ts"
import { colours, type Panel, panelsOf } from "./svg.ts"
import { fixed, linesOfRun, perCoreSecond, tableOf, thousands } from "./table.ts"

/** The rates of one side for one load, rising, and the place of the knee among them. */
export interface Curve {
  readonly points: ReadonlyArray<Required<Point>>
  readonly knee: number
}

export const curvesOf = (points: ReadonlyArray<Point>, boundMillis: number): ReadonlyArray<Curve> =>
  [...Map.groupBy(points, ({ key, round }) => `${key} ${round.side}`).values()].map((all) => {
    const rated = all
      .filter((point): point is Required<Point> => point.rate !== undefined)
      .toSorted((a, b) => a.rate - b.rate)
    const figures = rated.map(({ rate, round: { summary } }) => ({
      rate,
      perSecond: summary.perSecond,
      p99: p99(summary)
    }))
    return { points: rated, knee: kneeOf(figures, boundMillis) }
  })

export const costOfPoint = ({ round: { cpu } }: Point) => ({ cpuSide: cpu.side, cpuPostgres: cpu.postgres })

export const curveTable = (curves: ReadonlyArray<Curve>, points: ReadonlyArray<Point>, boundMillis: number): string =>
  [
    tableOf(
      [
        "load",
        "who",
        "fall due a second",
        "answered",
        "p50 ms",
        "p99 ms",
        "p99.9 ms",
        "CPU µs: itself",
        "Postgres",
        "a core-second",
        ""
      ],
      curves.flatMap(({ knee, points: rated }) =>
        [...points.filter((point) => isClosedOf(point, rated[0])), ...rated].map((point, index) => {
          const { round, title } = point
          const { summary } = round
          return [
            index === 0 ? title : "",
            index === 0 ? titles[round.side] : "",
            point.rate === undefined ? "closed loop" : thousands(point.rate),
            thousands(summary.perSecond),
            p50(summary).toFixed(1),
            p99(summary).toFixed(1),
            p999(summary).toFixed(1),
            fixed(round.cpu.side),
            fixed(round.cpu.postgres),
            perCoreSecond(costOfPoint(point)),
            rated[knee] === point ? "the knee" : ""
          ]
        })
      )
    ),
    "",
    `The knee is the first rate whose p99 exceeds ${boundMillis} ms, or of which less than 99 % is answered in time.`
  ].join("\n")

const isClosedOf = (point: Point, first: Point | undefined) =>
  point.rate === undefined && point.key === first?.key && point.round.side === first.round.side

const shades = [
  ["p50", "#2f6fde", p50],
  ["p99", "#c2703d", p99],
  ["p99.9", "#7a8794", p999]
] as const

export const curvePicture = (curves: ReadonlyArray<Curve>): string =>
  panelsOf(
    "Rate against latency, from the moment when a request falls due",
    curves
      .filter(({ points }) => points.length > 0 && points[0]!.round.side === "service")
      .map(({ knee, points }): Panel => {
        const at = points[knee]?.rate
        return {
          title: points[0]!.title,
          x: "requests a second",
          y: "ms",
          isLog: true,
          ...(at === undefined ? {} : { mark: { at, label: "knee" } }),
          series: shades.map(([name, colour, of]) => ({
            name,
            colour,
            points: points.map(({ rate, round }) => [rate, of(round.summary)] as const)
          }))
        }
      })
  )

/** The delay of a flush, by the key of its scenario. */
const flushOf = (key: string) => Number(/^flush-(\d+)$/.exec(key)?.[1] ?? 0)

export const flushPicture = (runs: ReadonlyArray<Run>): string => {
  const lines = runs.flatMap((run) => linesOfRun(run).map((line) => ({ ...line, millis: flushOf(run.key) })))
  const panel = (title: string, y: string, of: (line: (typeof lines)[number]) => number): Panel => ({
    title,
    x: "ms that each flush takes longer",
    y,
    isLog: true,
    series: [...Map.groupBy(lines, ({ side }) => side)].filter(isLine).map(([side, all]) => ({
      name: titles[side],
      colour: colours[side],
      points: all.toSorted((a, b) => a.millis - b.millis).map((line) => [line.millis, of(line)] as const)
    }))
  })
  return panelsOf("Payments to one hot wallet, by the latency of a flush", [
    panel("payments", "a second", ({ perSecond }) => perSecond),
    panel("p99", "ms", ({ p99 }) => p99)
  ])
}

/** Whether a side was measured with several latencies; the ceiling was not. */
const isLine = ([, all]: readonly [unknown, ReadonlyArray<unknown>]) => all.length > 1

const linesMax = 24
const megabytes = (bytes = Number.NaN) => fixed(bytes / 1_048_576)

/** At most a page of lines, including the last one. */
const some = (minutes: ReadonlyArray<Minute>) => {
  const step = Math.ceil(minutes.length / linesMax)
  return minutes.filter((_, index) => (minutes.length - 1 - index) % step === 0)
}

/** `ledgerRows` were checked afterwards, if the soak reached its end. */
export const soakTable = (minutes: ReadonlyArray<Minute>, ledgerRows: number | undefined): string =>
  [
    tableOf(
      [
        "after",
        "answered a second",
        "p50 ms",
        "p99 ms",
        "503",
        "CPU µs: itself",
        "Postgres",
        "memory MB",
        "dead rows",
        "of all",
        "tables MB",
        "indexes MB",
        "disk MB",
        "log MB"
      ],
      some(minutes).map((minute) => [
        minute.seconds < 600 ? `${fixed(minute.seconds)} s` : `${fixed(minute.seconds / 60)} min`,
        minute.summary.perSecond.toFixed(1),
        p50(minute.summary).toFixed(1),
        p99(minute.summary).toFixed(1),
        String(minute.summary.unavailable),
        fixed(minute.cpu.side),
        fixed(minute.cpu.postgres),
        megabytes(minute.memoryBytes),
        thousands(minute.deadRows),
        `${((100 * minute.deadRows) / Math.max(1, minute.deadRows + minute.liveRows)).toFixed(1)} %`,
        megabytes(minute.tableBytes),
        megabytes(minute.indexBytes),
        megabytes(minute.diskBytes),
        megabytes(minute.logBytes)
      ])
    ),
    "",
    `${thousands(minutes.reduce((sum, { summary }) => sum + countOf(summary.latencies), 0))} requests in ` +
      `${((minutes.at(-1)?.seconds ?? 0) / 3_600).toFixed(2)} hours, ${minutes[0]?.rate} a second: of twenty 6 keyed ` +
      `creates, 6 reads, 5 payments, 2 lists, 1 refund.` +
      (ledgerRows === undefined ? "" : ` Afterwards the books were whole: ${thousands(ledgerRows)} rows of the ledger.`)
  ].join("\n")

export const soakPicture = (minutes: ReadonlyArray<Minute>): string => {
  const panel = (title: string, y: string, of: (minute: Minute) => number): Panel => ({
    title,
    x: "minutes",
    y,
    isLog: false,
    series: [{ name: title, colour: colours.service, points: minutes.map((each) => [each.seconds / 60, of(each)]) }]
  })
  return panelsOf("Soak", [
    panel("p99", "ms", ({ summary }) => p99(summary)),
    panel("memory", "MB", ({ memoryBytes = 0 }) => memoryBytes / 1_048_576),
    panel("dead rows", "", ({ deadRows }) => deadRows),
    panel("disk", "MB", ({ diskBytes }) => diskBytes / 1_048_576)
  ])
}
