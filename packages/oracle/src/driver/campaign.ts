/**
 * Runs many programs, each from a seed, until nothing new is seen. Then every operation must have succeeded and every
 * error code must have occurred, except those listed here with a reason.
 */
import { operations } from "../Oracle.ts"
import { type Marks, noMarks } from "./marks.ts"
import type { Place } from "./place.ts"
import { type Failure, play } from "./play.ts"
import { programOf } from "./programs.ts"
import { shrink } from "./shrink.ts"

export interface Campaign {
  readonly seed: number
  readonly stepsOfProgram: number
  /** No new program starts after this many steps. */
  readonly stepsMax: number
  /** The plateau: the campaign ends after this many steps without a new signature. */
  readonly quietSteps: number
  /** A progress line is written after about this many steps. */
  readonly tellEvery: number
  readonly tell: (line: string) => void
  /** How often a failing program is tried with fewer steps. */
  readonly shrinkTries: number
}

export interface Outcome {
  readonly steps: number
  readonly marks: Marks
  readonly failure: (Failure & { readonly seed: number }) | undefined
  /** The number of final steps without a new signature. */
  readonly quiet: number
}

const merchants = 2

export const campaign = async (
  place: Place,
  { quietSteps, seed: first, shrinkTries, stepsMax, stepsOfProgram, tell, tellEvery }: Campaign
): Promise<Outcome> => {
  const marks = noMarks()
  let steps = 0
  let quiet = 0
  let last = { steps: 0, signatures: 0, at: performance.now() }
  for (let seed = first; steps < stepsMax && quiet < quietSteps; seed++) {
    const before = marks.signatures.size
    const program = programOf(seed, stepsOfProgram, merchants)
    const failure = await play(place, program, marks)
    if (failure !== undefined) {
      tell(`seed ${seed} differs at step ${failure.step + 1} in ${failure.kind}; shrinking`)
      const shrunk = await shrink(place, program, failure, shrinkTries)
      return { steps: steps + failure.step + 1, marks, quiet, failure: { ...shrunk, seed } }
    }
    steps += program.length
    quiet = marks.signatures.size === before ? quiet + program.length : 0
    if (steps - last.steps < tellEvery) continue
    const rate = (steps - last.steps) / ((performance.now() - last.at) / 1_000)
    const grown = marks.signatures.size - last.signatures
    tell(
      `${steps} steps equal up to seed ${seed}: ${marks.signatures.size} signatures (${grown} new), ` +
        `${quiet} steps without a new one, ${rate.toFixed(0)} steps a second`
    )
    last = { steps, signatures: marks.signatures.size, at: performance.now() }
  }
  return { steps, marks, quiet, failure: undefined }
}

/** Codes of docs/errors.md that no program here can produce, with the reason. */
export const unmet: Readonly<Record<string, string>> = {
  delivery_not_found: "deliveries are not stated yet",
  report_not_found: "reports are not stated yet",
  default_endpoint_secret_managed: "a default endpoint is made in the console",
  internal_error: "nothing fails beneath the service"
}

/** Codes that depend on concurrency: their absence is not a gap. */
const byChance: ReadonlySet<string> = new Set(["idempotency_in_progress"])

/** What a whole campaign should have seen and has not. `codes`: those of docs/errors.md. */
export const gapsOf = ({ marks }: Pick<Outcome, "marks">, codes: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...operations.filter((name) => !marks.succeeded.has(name)).map((name) => `${name} never succeeded`),
  ...codes
    .filter((code) => !marks.codes.has(code) && !(code in unmet) && !byChance.has(code))
    .map((code) => `${code} was never met`),
  ...Object.keys(unmet)
    .filter((code) => marks.codes.has(code))
    .map((code) => `${code} was met, and is listed as unmet`)
]

/** A difference as a story of calls. */
export const storyOf = ({ difference, seed, story }: NonNullable<Outcome["failure"]>): string =>
  [
    `Seed ${seed}: the service and the oracle differ.`,
    ...story.map((line, index) => `${`${index + 1}`.padStart(4)}. ${line}`),
    `At ${difference.at} the oracle says ${JSON.stringify(difference.expected)},`,
    `and the service ${JSON.stringify(difference.actual)?.slice(0, 2_000)}.`
  ].join("\n")
