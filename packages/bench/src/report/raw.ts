/**
 * All measurements of a run as lines of JSON, in order. A report is made from these lines alone, so it can be made
 * again from the file.
 */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs"
import path from "node:path"
import type { Point } from "../curve.ts"
import type { NewEvents } from "../deliveries/newEvent.ts"
import type { Leg as Delivery } from "../deliveries/race.ts"
import type { Memory, StartUp } from "../extras.ts"
import type { Leg as LedgerLeg } from "../ledgers/race.ts"
import type { Options } from "../options.ts"
import type { Round } from "../Scenario.ts"
import type { Minute } from "../soak.ts"
import type { Weight } from "../weight.ts"

/** The run itself: when, on what, and of which commit. */
export interface Head {
  readonly at: string
  readonly commit: string
  /** The commit that was measured next to it. */
  readonly before?: string
  readonly machine: ReadonlyArray<readonly [what: string, value: string]>
  /** Without the names of folders. */
  readonly options: Omit<Options, "raw" | "from" | "before">
}

export type RawLine =
  | ({ readonly kind: "run" } & Head)
  | { readonly kind: "round"; readonly key: string; readonly title: string; readonly round: Round }
  | ({ readonly kind: "point" } & Point)
  | ({ readonly kind: "ledger" } & LedgerLeg)
  | ({ readonly kind: "start" } & StartUp)
  | ({ readonly kind: "memory" } & Memory)
  | { readonly kind: "weights"; readonly weights: ReadonlyArray<Weight> }
  | ({ readonly kind: "delivery" } & Delivery)
  | ({ readonly kind: "new-events" } & NewEvents)
  | ({ readonly kind: "minute" } & Minute)
  /** The books were intact after a soak. */
  | { readonly kind: "soak-books"; readonly ledgerRows: number }

/** Lines of one kind. */
export const linesOf = <Kind extends RawLine["kind"]>(lines: ReadonlyArray<RawLine>, kind: Kind) =>
  lines.filter((line): line is Extract<RawLine, { readonly kind: Kind }> => line.kind === kind)

/** JSON has neither maps nor NaN. */
const plain = (_: string, value: unknown): unknown =>
  value instanceof Map ? { map: [...value] } : typeof value === "number" && !Number.isFinite(value) ? "NaN" : value

const revived = (_: string, value: unknown): unknown => {
  if (value === "NaN") return Number.NaN
  const { map } = (value ?? {}) as { readonly map?: unknown }
  return Array.isArray(map) ? new Map(map as Array<[string, unknown]>) : value
}

export const rawText = (line: RawLine): string => `${JSON.stringify(line, plain)}\n`

/** A truncated last line, for example after a full disk, is left out. */
export const readRaw = (text: string): ReadonlyArray<RawLine> =>
  text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line, revived) as RawLine)

export const readRawFile = (file: string) => readRaw(readFileSync(file, "utf8"))

/** Makes a file in the folder, named by the moment and the commit, and appends to it. */
export const openRaw = (folder: string, { at, commit }: Pick<Head, "at" | "commit">) => {
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `${at.replace(/[:.]/g, "-")}-${commit.slice(0, 8)}.jsonl`)
  return { file, append: (line: RawLine) => appendFileSync(file, rawText(line)) }
}
