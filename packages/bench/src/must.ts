/** The required aims: the loads that they need, and how each figure is computed from the rounds. */
import type { Scenario } from "./Scenario.ts"
import { scenarios } from "./scenarios.ts"
import type { SideName } from "./stage/Sides.ts"

/** The loads, each with the rivals that it is compared with. Those of one pair are measured in turn. */
const loads: ReadonlyArray<readonly [key: string, rivals: ReadonlyArray<SideName>, pair?: string]> = [
  ["create", ["ceiling"], "must: creates"],
  ["create-keyed", ["at-once"], "must: creates"],
  ["read", ["ceiling"]],
  ["pay-spread", []],
  ["pay-lonely", []],
  ["refund", []],
  ["runners-pay-1", []],
  ["runners-pay-2", []]
]

export const mustScenarios: ReadonlyArray<Scenario> = loads.map(([key, rivals, pair]) => {
  const scenario = scenarios.find((each) => each.key === key)!
  return { ...scenario, sides: ["service", ...rivals], pair: pair ?? scenario.pair ?? key }
})

/** The medians of a side's rounds, by scenario; undefined if it was not measured. */
export interface Found {
  readonly rate: (key: string, side?: SideName) => number | undefined
  /** Processor time of the service and Postgres together, microseconds. */
  readonly micros: (key: string) => number | undefined
  readonly steps: (key: string) => number | undefined
  readonly memory: number | undefined
  readonly startMillis: number | undefined
}

export interface Aim {
  readonly what: string
  /** When it was asked. */
  readonly then: string
  readonly bound: number
  readonly isAtLeast: boolean
  readonly unit: "×" | "µs" | "MB" | "s"
  readonly of: (found: Found) => number | undefined
}

const ratio = (part: number | undefined, whole: number | undefined) =>
  part === undefined || whole === undefined ? undefined : part / whole

const aim = (
  what: string,
  then: string,
  [isAtLeast, bound, unit]: readonly [isAtLeast: boolean, bound: number, unit: Aim["unit"]],
  of: Aim["of"]
): Aim => ({ what, then, bound, isAtLeast, unit, of })

export const aims: ReadonlyArray<Aim> = [
  aim("keyed create, of plain create", "0.46 to 0.58", [true, 0.9, "×"], ({ rate }) =>
    ratio(rate("create-keyed"), rate("create"))
  ),
  aim("keyed create, of the one statement with a key", "0.8", [true, 1.25, "×"], ({ rate }) =>
    ratio(rate("create-keyed"), rate("create-keyed", "at-once"))
  ),
  aim("create, of the ceiling", "0.55", [true, 0.65, "×"], ({ rate }) =>
    ratio(rate("create"), rate("create", "ceiling"))
  ),
  aim("read one, of the ceiling", "0.45", [true, 0.6, "×"], ({ rate }) => ratio(rate("read"), rate("read", "ceiling"))),
  aim("payment, service and Postgres", "740", [false, 550, "µs"], ({ micros }) => micros("pay-spread")),
  aim("a lonely payment (4 connections), both", "5,400", [false, 2_700, "µs"], ({ micros }) => micros("pay-lonely")),
  aim("refund, both", "3,355", [false, 2_000, "µs"], ({ micros }) => micros("refund")),
  aim("payment with two runners: steps, of one runner's", "1.6", [false, 1.25, "×"], ({ steps }) =>
    ratio(steps("runners-pay-2"), steps("runners-pay-1"))
  ),
  aim("memory after 100,000 payments", "460", [false, 350, "MB"], ({ memory }) => memory),
  aim(
    "start to ready, database there",
    "1.6",
    [false, 0.7, "s"],
    ({ startMillis }) => startMillis && startMillis / 1_000
  )
]
