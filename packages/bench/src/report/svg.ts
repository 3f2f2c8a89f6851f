/** Charts of the results as SVG, readable on light and dark pages: bars, one group for each scenario, and lines. */
import type { SideName } from "../stage/Sides.ts"
import { titles } from "../stage/Sides.ts"

interface Bar {
  readonly side: SideName
  /** Stacked parts; one for a plain bar. */
  readonly parts: ReadonlyArray<number>
  readonly label: string
}

export interface Group {
  readonly title: string
  readonly bars: ReadonlyArray<Bar>
}

export const colours: Record<SideName, string> = {
  service: "#2f6fde",
  before: "#8fb2ef",
  script: "#c2703d",
  "at-once": "#d9a441",
  ceiling: "#7a8794",
  dbos: "#5b9e5f",
  restate: "#8a63b8"
}
/** The parts of a bar: the side itself, Postgres, the driver. */
const shades = [1, 0.55, 0.25]

const width = 860
const labelWidth = 230
const barHeight = 15
const gap = 16

const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]!)

export const barsOf = (title: string, groups: ReadonlyArray<Group>): string => {
  const longest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ parts }) => sum(parts))))
  const scale = (width - labelWidth - 190) / longest
  const drawn: Array<string> = []
  let y = 58
  for (const { bars, title: name } of groups) {
    drawn.push(`<text x="${labelWidth - 10}" y="${y + 11}" text-anchor="end">${escaped(name)}</text>`)
    for (const { label, parts, side } of bars) {
      let x = labelWidth
      for (const [index, part] of parts.entries()) {
        const size = `width="${(part * scale).toFixed(1)}" height="${barHeight - 2}"`
        drawn.push(`<rect x="${x.toFixed(1)}" y="${y}" ${size} fill="${colours[side]}" opacity="${shades[index]}"/>`)
        x += part * scale
      }
      drawn.push(`<text class="small" x="${(x + 6).toFixed(1)}" y="${y + 11}">${escaped(label)}</text>`)
      y += barHeight
    }
    y += gap
  }
  const sides = [...new Set(groups.flatMap(({ bars }) => bars.map(({ side }) => side)))]
  const legend = legendOf(sides.map((side) => ({ name: titles[side], colour: colours[side] })))
  return pictureOf(title, y, [...legend, ...drawn])
}

/** Several lines, such as p50 and p99 over the rate. */
export interface Panel {
  readonly title: string
  readonly x: string
  readonly y: string
  /** Whether the y axis is logarithmic. */
  readonly isLog: boolean
  /** A labelled position on the x axis. */
  readonly mark?: { readonly at: number; readonly label: string }
  readonly series: ReadonlyArray<{
    readonly name: string
    readonly colour: string
    readonly points: ReadonlyArray<readonly [x: number, y: number]>
  }>
}

const panelHeight = 200
const panelMargin = { left: 54, right: 14, top: 84, bottom: 26 }

/** Panels side by side. */
export const panelsOf = (title: string, panels: ReadonlyArray<Panel>): string => {
  const each = width / Math.max(1, panels.length)
  const all = panels[0]?.series ?? []
  const drawn = [
    ...(all.length > 1 ? legendOf(all) : []),
    ...panels.flatMap((panel, index) => panelOf(panel, index * each, each))
  ]
  return pictureOf(title, panelHeight + panelMargin.top + panelMargin.bottom, drawn)
}

const panelOf = ({ isLog, mark, series, title, x, y }: Panel, from: number, wide: number): ReadonlyArray<string> => {
  const all = series.flatMap(({ points }) => points).filter(([, value]) => Number.isFinite(value))
  if (all.length === 0) return []
  const [left, right] = [from + panelMargin.left, from + wide - panelMargin.right]
  const [top, bottom] = [panelMargin.top, panelMargin.top + panelHeight]
  const grow = (value: number) => (isLog ? Math.log10(Math.max(value, 1e-3)) : value)
  const xMax = Math.max(...all.map(([at]) => at)) || 1
  const low = isLog ? Math.floor(Math.min(...all.map(([, value]) => grow(value)))) : 0
  const high = isLog
    ? Math.max(low + 1, Math.ceil(Math.max(...all.map(([, value]) => grow(value)))))
    : Math.max(...all.map(([, value]) => value)) || 1
  const toX = (value: number) => (left + (value / xMax) * (right - left)).toFixed(1)
  const toY = (value: number) => (bottom - ((grow(value) - low) / (high - low)) * (bottom - top)).toFixed(1)
  const steps = isLog ? Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)) : [0, high / 2, high]
  return [
    `<text x="${left}" y="${top - 18}">${escaped(y === "" ? title : `${title}, ${y}`)}</text>`,
    ...steps.flatMap((value) => [
      `<line x1="${left}" x2="${right}" y1="${toY(value)}" y2="${toY(value)}" class="grid"/>`,
      `<text class="small" x="${left - 5}" y="${Number(toY(value)) + 4}" text-anchor="end">${short(value)}</text>`
    ]),
    `<text class="small" x="${left}" y="${bottom + 14}">0</text>`,
    `<text class="small" x="${right}" y="${bottom + 14}" text-anchor="end">${short(xMax)}</text>`,
    `<text class="small" x="${(left + right) / 2}" y="${bottom + 14}" text-anchor="middle">${escaped(x)}</text>`,
    ...(mark === undefined
      ? []
      : [
          `<line x1="${toX(mark.at)}" x2="${toX(mark.at)}" y1="${top}" y2="${bottom}" class="mark"/>`,
          `<text class="small" x="${toX(mark.at)}" y="${top - 5}" text-anchor="middle">${escaped(mark.label)}</text>`
        ]),
    ...series.map(({ colour, points }) => {
      const places = points.map(([at, value]) => `${toX(at)},${toY(value)}`)
      return `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${places.join(" ")}"/>`
    })
  ]
}

const legendOf = (names: ReadonlyArray<{ readonly name: string; readonly colour: string }>) =>
  names.map(
    ({ colour, name }, index) => `<rect x="${20 + index * 205}" y="32" width="11" height="11" fill="${colour}"/>
    <text class="small" x="${36 + index * 205}" y="42">${escaped(name)}</text>`
  )

const short = (value: number) =>
  value >= 10 || value === 0 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(2)))

const pictureOf = (title: string, height: number, drawn: ReadonlyArray<string>) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #24292f }
    .small { font-size: 11px }
    .title { font-weight: 600; font-size: 15px }
    .grid { stroke: #8b949e; stroke-opacity: 0.3 }
    .mark { stroke: #cf222e; stroke-dasharray: 4 3 }
    @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
  </style>
  <text class="title" x="20" y="20">${escaped(title)}</text>
  ${drawn.join("\n  ")}
</svg>
`

const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
