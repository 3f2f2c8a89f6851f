/** All that a run of the bench has found, and as text for people. */
import { type HalfLoad, type Memory, type StartUp, weightOf } from "../extras.ts"
import { type NewEvents, newEventsText } from "../deliveries/newEvent.ts"
import { type Leg, raceText } from "../deliveries/race.ts"
import type { Runs } from "../Scenario.ts"
import { titles } from "../stage/Sides.ts"
import type { Weight } from "../weight.ts"
import { type Line, lineOf, ratiosOf, tableOf } from "./table.ts"
import { weightsOf } from "./weights.ts"

export interface Results {
  readonly machine: ReadonlyArray<readonly [what: string, value: string]>
  readonly runs: Array<Runs[number]>
  growth?: ReadonlyArray<Growth>
  halfLoad?: HalfLoad
  startUp?: ReadonlyArray<StartUp>
  memory?: Memory
  weights?: ReadonlyArray<Weight>
  deliveries?: ReadonlyArray<Leg>
  newEvents?: NewEvents
}

export interface Growth {
  readonly what: string
  readonly who: string
  /** Processor time of the side and Postgres for each request, microseconds; undefined where unknown. */
  readonly small: number | undefined
  readonly large: number | undefined
  /** How many times less often it is done. */
  readonly slowdown: number
}

const pairs = [
  ["create", "growth-create", "growth-create-many"],
  ["list, first page", "growth-list", "list-first"]
] as const

const cost = ({ cpuPostgres, cpuSide }: Line) =>
  cpuPostgres === undefined || cpuSide === undefined ? undefined : cpuPostgres + cpuSide

/** The cost of one request beside ten thousand and beside a million orders in the table. */
export const growthOf = (runs: Runs): ReadonlyArray<Growth> =>
  pairs.flatMap(([what, small, large]) =>
    (["service", "script"] as const).flatMap((side) => {
      const line = (key: string) => {
        const run = runs.find(([scenario]) => scenario.key === key)
        return run && lineOf(run[1], side)
      }
      const [before, after] = [line(small), line(large)]
      if (before === undefined || after === undefined) return []
      const slowdown = before.perSecond / after.perSecond
      return [{ what, who: titles[side], small: cost(before), large: cost(after), slowdown }]
    })
  )

const micros = (value: number | undefined) => value?.toFixed(0) ?? "?"

export const textOf = ({
  deliveries,
  growth,
  halfLoad,
  machine,
  memory,
  newEvents,
  runs,
  startUp,
  weights
}: Results): string =>
  [
    "| | |\n|---|---|",
    ...machine.map(([what, value]) => `| ${what} | ${value} |`),
    ...(runs.length === 0 ? [] : ["", tableOf(runs), "", ratiosOf(runs)]),
    ...(growth === undefined || growth.length === 0
      ? []
      : [
          "",
          "| 10 thousand and 1 million orders | who | CPU µs, small | CPU µs, large | requests/s, small by large |",
          "|---|---|---|---|---|",
          ...growth.map(
            ({ large, slowdown, small, what, who }) =>
              `| ${what} | ${who} | ${micros(small)} | ${micros(large)} | ${slowdown.toFixed(2)} × |`
          )
        ]),
    ...(halfLoad === undefined
      ? []
      : [
          "",
          `Create at half of the most (${halfLoad.rate} a second, open loop): p50 ${halfLoad.p50.toFixed(1)} ms, ` +
            `p99 ${halfLoad.p99.toFixed(1)} ms.`
        ]),
    ...(startUp === undefined
      ? []
      : ["", `Start-up: ${startUp.map(({ millis, side }) => `${titles[side]} ${millis.toFixed(0)} ms`).join(", ")}.`]),
    ...(memory === undefined ? [] : ["", `Memory: ${weightOf(memory)}.`]),
    ...(weights === undefined ? [] : ["", weightsOf(weights)]),
    ...(deliveries === undefined ? [] : ["", raceText(deliveries)]),
    ...(newEvents === undefined ? [] : ["", newEventsText(newEvents)])
  ].join("\n")
