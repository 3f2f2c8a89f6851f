/**
 * Rate against latency: an open loop at fractions of the maximum that a closed loop has just reached. Latency counts
 * from the moment when a request is due. The knee is the rate at which a side no longer keeps up.
 */
import { type Bench, lineOf } from "./Bench.ts"
import type { Options } from "./options.ts"
import { say } from "./say.ts"
import type { Round, Scenario } from "./Scenario.ts"
import { scenarios } from "./scenarios.ts"

/** One rate of one side. */
export interface Point {
  /** The scenario's. */
  readonly key: string
  readonly title: string
  /** Requests due per second; undefined: the closed loop that found the maximum. */
  readonly rate?: number
  readonly round: Round
}

const keys = ["create-keyed", "pay-spread", "read"]
/** Fractions of the service's maximum. */
const parts = [0.25, 0.5, 0.7, 0.85, 1]
/** A rate is measured this many times as long as a round: its slowest answers are one in a thousand. */
const longer = 2

export const curves = async (bench: Bench, options: Options, tell: (point: Point) => void): Promise<void> => {
  for (const scenario of keys.map((key) => scenarios.find((each) => each.key === key)!)) {
    const curve: Scenario = { ...scenario, sides: options.sides.length === 0 ? ["service"] : scenario.sides }
    const sides = bench.sidesOf(curve)
    const measure = async (side: (typeof sides)[number], rate?: number) => {
      const paced = rate === undefined ? {} : { rate, seconds: options.seconds * longer }
      const round = await bench.runOnce(curve, side, paced)
      say(`  ${scenario.title}${rate === undefined ? "" : ` at ${rate}/s`}: ${lineOf(round)}`)
      tell({ key: scenario.key, title: scenario.title, ...(rate === undefined ? {} : { rate }), round })
      return round.summary.perSecond
    }
    const most = new Map<string, number>()
    for (const side of sides) most.set(side, await measure(side))
    // All sides get the same rates.
    const whole = most.get("service") ?? Math.max(...most.values())
    for (const part of parts) for (const side of sides) await measure(side, Math.round(whole * part))
  }
}

/** The share of the rate that has to be answered. */
const keptUp = 0.99

/** The index of the first rate at which p99 exceeds the bound or answers fall behind; -1: none. */
export const kneeOf = (
  points: ReadonlyArray<{ readonly rate: number; readonly perSecond: number; readonly p99: number }>,
  boundMillis: number
): number => points.findIndex(({ p99, perSecond, rate }) => !(p99 <= boundMillis) || perSecond < rate * keptUp)
