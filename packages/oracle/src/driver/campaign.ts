/**
 * Runs many programs, each from a seed, until nothing new is seen. Then every operation must have succeeded and every
 * error code must have occurred, except those listed here with a reason.
 */
import { operations } from "../Oracle.ts"
import { type Marks, noMarks } from "./marks.ts"
import type { Place } from "./place.ts"
import { type Failure, playAbreast } from "./play.ts"
import { abreast, programOf } from "./programs.ts"
import { shrink } from "./shrink.ts"

export interface Campaign {
  readonly seed: number
  readonly stepsOfProgram: number
  /** No new program starts after this many steps. */
  readonly stepsMax: number
  /** The plateau: the campaign ends after this many steps without a new signature. */
  readonly quietSteps: number
  /** A line of the curve is written after about this many steps. */
  readonly tellEvery: number
  readonly tell: (line: string) => void
  /** For how long a failing program is tried with fewer steps. */
  readonly shrinkMillis: number
  /** The campaign ends after this many failing programs. */
  readonly failuresMax: number
  /** A service works this many steps, so that its database and its log of calls stay small. */
  readonly stepsOfHouse: number
}

export interface Outcome {
  /** Steps of programs without a difference. */
  readonly steps: number
  readonly marks: Marks
  readonly failures: ReadonlyArray<Failed>
  /** The number of final steps without a new signature. */
  readonly quiet: number
  /** The longest run of steps without a difference, and its seeds. */
  readonly longest: Run
}

type Failed = Failure & { readonly seed: number }

interface Run {
  readonly steps: number
  readonly seeds: readonly [first: number, last: number]
}

const merchants = 2

export const campaign = async (
  open: () => Promise<Place & AsyncDisposable>,
  { failuresMax, quietSteps, seed: first, shrinkMillis, stepsMax, stepsOfHouse, ...options }: Campaign
): Promise<Outcome> => {
  const { stepsOfProgram, tell, tellEvery } = options
  const marks = noMarks()
  const failures: Array<Failed> = []
  const curve = curveOf(marks)
  let steps = 0
  let quiet = 0
  let seed = first
  let longest: Run = { steps: 0, seeds: [first, first] }
  let current = longest
  const isOn = () => steps < stepsMax && quiet < quietSteps && failures.length < failuresMax
  while (isOn()) {
    await using place = await open()
    for (const end = steps + stepsOfHouse; isOn() && steps < end;) {
      const before = marks.signatures.size
      const seeds = Array.from({ length: abreast - (seed % abreast) }, (_, index) => seed + index)
      const programs = seeds.map((each) => programOf(each, stepsOfProgram, merchants))
      const found = (await playAbreast(place, programs, marks)).flatMap((failure, index) =>
        failure === undefined ? [] : [{ ...failure, seed: seeds[index]! }]
      )
      for (const failure of found.slice(0, failuresMax - failures.length)) {
        tell(`seed ${failure.seed} differs at step ${failure.step + 1} in ${failure.kind}`)
        const shrunk = await shrink(place, programs[seeds.indexOf(failure.seed)]!, failure, {
          millis: shrinkMillis,
          tell
        })
        failures.push({ ...shrunk, seed: failure.seed })
        tell(storyOf(failures.at(-1)!))
      }
      const played = (programs.length - found.length) * stepsOfProgram
      steps += played
      seed += programs.length
      const isEqual = found.length === 0
      current = isEqual
        ? { steps: current.steps + played, seeds: [current.seeds[0], seed - 1] }
        : { steps: 0, seeds: [seed, seed] }
      if (current.steps > longest.steps) longest = current
      quiet = marks.signatures.size === before ? quiet + played : 0
      curve.tell(steps, tellEvery, (line) => tell(`${line}, up to seed ${seed - 1}, ${current.steps} in a row`))
    }
  }
  return { steps, marks, quiet, failures, longest }
}

/** The signatures over the steps. */
const curveOf = ({ signatures }: Marks) => {
  let last = { steps: 0, signatures: 0, at: performance.now() }
  return {
    tell: (steps: number, every: number, tell: (line: string) => void) => {
      if (steps - last.steps < every) return
      const rate = (steps - last.steps) / ((performance.now() - last.at) / 1_000)
      const grown = signatures.size - last.signatures
      tell(`${steps} steps equal: ${signatures.size} signatures (${grown} new), ${rate.toFixed(0)} steps a second`)
      last = { steps, signatures: signatures.size, at: performance.now() }
    }
  }
}

/** Codes of docs/errors.md that no program here can produce, with the reason. */
export const unmet: Readonly<Record<string, string>> = {
  default_endpoint_secret_managed: "a default endpoint is made in the console",
  internal_error: "nothing fails beneath the service"
}

/** Codes that depend on concurrency: their absence is not a gap. */
const byChance: ReadonlySet<string> = new Set(["idempotency_in_progress"])

/** What is compared beside the operations (`Game.ts`). */
const surfaces = [
  "a webhook",
  "a call in the log",
  ...["orders", "refunds", "disputes", "balance_transactions"].map((list) => `CSV of /v1/${list}`)
]

/** What a whole campaign should have seen and has not. `codes`: those of docs/errors.md. */
export const gapsOf = ({ marks }: Pick<Outcome, "marks">, codes: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...[...operations, ...surfaces].filter((name) => !marks.succeeded.has(name)).map((name) => `${name} never succeeded`),
  ...codes
    .filter((code) => !marks.codes.has(code) && !(code in unmet) && !byChance.has(code))
    .map((code) => `${code} was never met`),
  ...Object.keys(unmet)
    .filter((code) => marks.codes.has(code))
    .map((code) => `${code} was met, and is listed as unmet`)
]

/** A difference as a story of calls. */
export const storyOf = ({ difference, seed, story }: Failed): string =>
  [
    `Seed ${seed}: the service and the oracle differ.`,
    ...story.map((line, index) => `${`${index + 1}`.padStart(4)}. ${line}`),
    `At ${difference.at} the oracle says ${JSON.stringify(difference.expected)},`,
    `and the service ${JSON.stringify(difference.actual)?.slice(0, 2_000)}.`
  ].join("\n")
