/**
 * Many programs, each from a seed, until nothing new is met. Then every operation must have succeeded and every code of
 * the errors must have been met, but for those that are listed here with their reason.
 */
import { operations } from "../Oracle.ts"
import { type Failure, type Marks, noMarks, type Place, play } from "./play.ts"
import { programOf } from "./programs.ts"
import { shrink } from "./shrink.ts"

export interface Campaign {
  readonly seed: number
  readonly stepsOfProgram: number
  /** No new program is begun after so many steps. */
  readonly stepsMax: number
  /** It has seen all when so many programs have shown nothing new. */
  readonly quietPrograms: number
  readonly tell: (line: string) => void
}

export interface Outcome {
  readonly steps: number
  readonly marks: Marks
  readonly failure: (Failure & { readonly seed: number }) | undefined
  /** How many signatures were new in each program. */
  readonly growth: ReadonlyArray<number>
}

const merchants = 2

export const campaign = async (
  place: Place,
  { quietPrograms, seed: first, stepsMax, stepsOfProgram, tell }: Campaign
) => {
  const marks = noMarks()
  const growth: Array<number> = []
  let steps = 0
  for (let seed = first; steps < stepsMax; seed++) {
    const before = marks.signatures.size
    const program = programOf(seed, stepsOfProgram, merchants)
    const failure = await play(place, program, marks)
    steps += failure === undefined ? program.length : failure.step + 1
    if (failure !== undefined) {
      tell(`seed ${seed} differs at step ${failure.step + 1}; shrinking`)
      const shrunk = await shrink(place, program, failure)
      return { steps, marks, growth, failure: { ...shrunk, seed } } satisfies Outcome
    }
    growth.push(marks.signatures.size - before)
    tell(`seed ${seed}: ${program.length} steps equal, ${marks.signatures.size} signatures (${growth.at(-1)} new)`)
    if (growth.length >= quietPrograms && growth.slice(-quietPrograms).every((grown) => grown === 0)) break
  }
  return { steps, marks, growth, failure: undefined } satisfies Outcome
}

/** Codes of docs/errors.md that no program here can meet, and why. */
export const unmet: Readonly<Record<string, string>> = {
  delivery_not_found: "deliveries are not stated yet",
  report_not_found: "reports are not stated yet",
  erasure_not_found: "erasures are not stated yet",
  ip_not_allowed: "allowlists are not stated yet",
  forbidden: "keys with scopes are not stated yet",
  default_endpoint_secret_managed: "a default endpoint is made in the console",
  idempotency_in_progress: "programs have one caller, who waits for each answer",
  internal_error: "nothing fails beneath the service"
}

/** What a whole campaign must have met and has not. `codes`: those of docs/errors.md. */
export const gapsOf = ({ marks }: Pick<Outcome, "marks">, codes: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...operations.filter((name) => !marks.succeeded.has(name)).map((name) => `${name} never succeeded`),
  ...codes.filter((code) => !marks.codes.has(code) && !(code in unmet)).map((code) => `${code} was never met`),
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
    `and the service ${JSON.stringify(difference.actual)}.`
  ].join("\n")
