/** The command line options of a campaign. Omitted probabilities are derived from each seed. */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import type { Plan } from "./play/play.ts"
import { calm, type Chances, chancesOf, type Kind, themeOf } from "./Weather.ts"
import { diceOf } from "./dice.ts"

const text = { type: "string" } as const
const flag = { type: "boolean", default: false } as const
const chances = Object.fromEntries(Object.keys(calm).map((kind) => [kind, text])) as Record<keyof Chances, typeof text>

export const parse = () => {
  const { values } = parseArgs({
    options: {
      ...chances,
      seed: text,
      seeds: text,
      workers: text,
      runners: text,
      orders: text,
      acts: text,
      without: { ...text, default: "" },
      trace: text,
      planted: { ...text, default: "" },
      /** Writes the table of crashes (docs/crash-table.md) to this file, in place of a campaign. */
      crashes: text,
      /** The only workflow whose crashes are played. */
      workflow: text,
      /** Where a worker writes its results. */
      result: text,
      twice: flag,
      bytes: flag,
      census: flag,
      /** Stops at the first broken world. */
      first: flag,
      /** Shrinks a broken world, and prints it. */
      shrink: flag,
      quiet: flag
    }
  })
  return values
}
export type Options = ReturnType<typeof parse>

/** `--seed 42`, `--seeds 1..20`. */
export const seedsOf = ({ seed, seeds }: Options): readonly [first: number, last: number] => {
  const [first, last] = (seeds ?? `${seed ?? 1}..${seed ?? 1}`).split("..").map(Number)
  if (!Number.isInteger(first) || !Number.isInteger(last)) throw new Error("seeds are given as 1..20")
  return [first!, last!]
}

/**
 * How many processes play a campaign: as many as there are processors. One with `--first`, which ends with the first
 * broken world of all, and with a trace, which is one file.
 */
export const workersOf = (options: Options): number => {
  if (options.first || options.trace !== undefined) return 1
  const [first, last] = seedsOf(options)
  return Math.max(1, Math.min(Number(options.workers ?? availableParallelism()), last - first + 1))
}

/** Themes that show most with several runners, each of which costs a world as much as all else. */
const amongRunners: ReadonlySet<Kind> = new Set(["line", "pause", "clock", "deaf"])
/** How often idle workers look for due rows. Rare looks let virtual time pass at a low price. */
const pollsMillis = [5_000, 20_000, 20_000, 60_000]

export const planOf = (options: Options, seed: number): Plan => {
  const own = chancesOf(seed)
  const chosen = Object.entries(own).map(([kind, chance]) => {
    const wanted = options[kind as keyof Chances]
    return [kind, wanted === undefined ? chance : Number(wanted)]
  })
  const dice = diceOf(seed ^ 0x6a09e667)
  const runners = dice.pick(amongRunners.has(themeOf(seed)) ? [1, 2, 2, 3] : [1, 1, 1, 1, 1, 1, 2])
  const orders = dice.pick([1, 2, 3, 3, 4, 6])
  return {
    seed,
    runners: Number(options.runners ?? runners),
    orders: Number(options.orders ?? orders),
    pollMillis: dice.pick(pollsMillis),
    acts: options.acts?.split(","),
    chances: Object.fromEntries(chosen) as unknown as Chances,
    without: new Set(options.without.split(",").filter(Boolean).map(Number)),
    showsBytes: options.bytes
  }
}
