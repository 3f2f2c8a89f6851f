/** Pictures of the results as SVG: bars, one group for each scenario, readable in light and dark pages. */
import type { SideName } from "../stage/Sides.ts"
import { titles } from "../stage/Sides.ts"

interface Bar {
  readonly side: SideName
  /** Parts that stand on one another; one for a plain bar. */
  readonly parts: ReadonlyArray<number>
  readonly label: string
}

export interface Group {
  readonly title: string
  readonly bars: ReadonlyArray<Bar>
}

const colours: Record<SideName, string> = {
  service: "#2f6fde",
  before: "#8fb2ef",
  script: "#c2703d",
  "at-once": "#d9a441",
  ceiling: "#7a8794"
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
  const legend = sides.map(
    (side, index) => `<rect x="${20 + index * 205}" y="32" width="11" height="11" fill="${colours[side]}"/>
    <text class="small" x="${36 + index * 205}" y="42">${escaped(titles[side])}</text>`
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" role="img" aria-label="${escaped(title)}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #24292f }
    .small { font-size: 11px }
    .title { font-weight: 600; font-size: 15px }
    @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
  </style>
  <text class="title" x="20" y="20">${escaped(title)}</text>
  ${[...legend, ...drawn].join("\n  ")}
</svg>
`
}

const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
