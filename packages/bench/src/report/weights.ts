/** The weight of orders and payments in Postgres, as tables in Markdown. */
import { titles } from "../stage/Sides.ts"
import type { Cost, Disk, Weight } from "../weight.ts"
import { thousands } from "./table.ts"

/** Tables to which a paid order adds fewer bytes than this are not listed separately. */
const shownFrom = 10

export const weightsOf = (weights: ReadonlyArray<Weight>): string =>
  [
    row(`${thousands(weights[0]!.orders)} orders, created and paid`, weights, ({ side }) => titles[side]),
    `|---|${"---|".repeat(weights.length)}`,
    ...(["create", "pay"] as const).flatMap((what) => costLines(what, weights)),
    ...lines(
      weights,
      ({ disk }) => disk.keys(),
      "disk bytes per paid order: ",
      ({ disk }, name) => diskText(disk.get(name))
    ),
    row("disk bytes per paid order, all", weights, ({ disk }) => thousands(sumOf([...disk.values()].map(bytesOf)))),
    ...lines(
      weights,
      ({ hot }) => hot.keys(),
      "HOT updates of ",
      ({ hot }, name) => (hot.has(name) ? `${(100 * hot.get(name)!).toFixed(0)} %` : "")
    )
  ].join("\n")

const row = (what: string, weights: ReadonlyArray<Weight>, of: (weight: Weight) => string) =>
  `| ${what} | ${weights.map(of).join(" | ")} |`

const lines = (
  weights: ReadonlyArray<Weight>,
  namesOf: (weight: Weight) => Iterable<string>,
  what: string,
  of: (weight: Weight, name: string) => string
) =>
  [...new Set(weights.flatMap((weight) => [...namesOf(weight)]))]
    .toSorted()
    .map((name) => [name, weights.map((weight) => of(weight, name))] as const)
    .filter(([, cells]) => cells.some((cell) => cell !== ""))
    .map(([name, cells]) => `| ${what}${name} | ${cells.join(" | ")} |`)

const costLines = (what: "create" | "pay", weights: ReadonlyArray<Weight>) => {
  const line = (name: string, of: (cost: Cost) => string) =>
    row(`${what}: ${name}`, weights, (weight) => of(weight[what]))
  return [
    line("index entries", ({ entries }) => entries.toFixed(1)),
    line("bytes of the log", ({ walBytes }) => thousands(walBytes)),
    line("and of full pages", ({ fullPageBytes }) => thousands(fullPageBytes)),
    line("CPU µs, itself + Postgres", ({ cpu }) => cpu.map((each) => each.toFixed(0)).join(" + ")),
    ...lines(
      weights,
      (weight) => weight[what].entriesByIndex.keys(),
      `${what}: entries of `,
      (weight, name) => weight[what].entriesByIndex.get(name)?.toFixed(2) ?? ""
    )
  ]
}

const sumOf = (values: ReadonlyArray<number>) => values.reduce((total, each) => total + each, 0)
const bytesOf = ({ indexes, rows }: Disk) => rows + sumOf([...indexes.values()])

const diskText = (disk: Disk | undefined) => {
  if (disk === undefined || Math.abs(bytesOf(disk)) < shownFrom) return ""
  const indexes = [...disk.indexes].map(([name, bytes]) => `${name} ${thousands(bytes)}`)
  return `${thousands(bytesOf(disk))} (rows ${thousands(disk.rows)}; ${indexes.join(", ")})`
}
