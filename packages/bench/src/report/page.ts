/** Puts results and pictures into docs/performance.md, between its two marks; what people wrote around them stays. */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import type { Runs } from "../Scenario.ts"
import type { SideName } from "../stage/Sides.ts"
import { barsOf } from "./svg.ts"
import { type Results, textOf } from "./results.ts"
import { type Line, lineOf, thousands } from "./table.ts"

const docs = path.resolve(import.meta.dirname, "../../../../docs")
const [begin, end] = ["<!-- bench: begin -->", "<!-- bench: end -->"]

export const publish = async (results: Results): Promise<void> => {
  const folder = path.join(docs, "performance")
  await mkdir(folder, { recursive: true })
  const shown = results.runs.filter(([{ key }]) => !key.startsWith("growth"))
  await writeFile(
    path.join(folder, "throughput.svg"),
    picture("Requests a second, closed loop", shown, ({ perSecond }) => [perSecond], thousands)
  )
  await writeFile(
    path.join(folder, "cpu.svg"),
    picture(
      "Processor time of one request, µs: itself (dark), Postgres, driver (light)",
      shown,
      ({ cpuDriver, cpuPostgres = 0, cpuSide = 0 }) => [cpuSide, cpuPostgres, cpuDriver],
      (total) => `${total.toFixed(0)} µs`
    )
  )
  const page = path.join(docs, "performance.md")
  const text = await readFile(page, "utf8")
  const [before, rest = ""] = text.split(begin)
  const after = rest.split(end)[1] ?? "\n"
  const pictures = "![Requests a second](performance/throughput.svg)\n\n![Processor time](performance/cpu.svg)"
  await writeFile(page, `${before}${begin}\n\n${textOf(results)}\n\n${pictures}\n\n${end}${after}`)
}

const picture = (
  title: string,
  runs: Runs,
  partsOf: (line: Line) => ReadonlyArray<number>,
  labelOf: (total: number) => string
) =>
  barsOf(
    title,
    runs.map(([scenario, rounds]) => ({
      title: scenario.title,
      bars: scenario.sides.flatMap((side: SideName) => {
        const line = lineOf(rounds, side)
        if (line === undefined) return []
        const parts = partsOf(line)
        return [{ side, parts, label: labelOf(parts.reduce((sum, part) => sum + part, 0)) }]
      })
    }))
  )
