/**
 * Runs many programs, each from a seed, until nothing new is seen. Then every operation must have succeeded and every
 * error code must have occurred, except those listed here with a reason.
 */
import { operations } from "../Oracle.ts"
import { journalIn, type Total } from "./journal.ts"
import { type Marks, noMarks } from "./marks.ts"
import type { Place } from "./place.ts"
import { type Failure, isCutOff, playAbreast } from "./play.ts"
import { abreast, programOf } from "./programs.ts"
import { shrink } from "./shrink.ts"

export interface Campaign {
  readonly seed: number
  readonly stepsOfProgram: number
  /** No new program starts after this many steps, */
  readonly stepsMax: number
  /** or after this time. */
  readonly millisMax: number
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
  /** A file of campaigns that are one: their steps and signatures count together. */
  readonly journal?: string | undefined
}

export interface Outcome extends Total {
  readonly marks: Marks
  readonly failures: ReadonlyArray<Failed>
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
  { failuresMax, millisMax, quietSteps, seed: first, shrinkMillis, stepsMax, stepsOfHouse, ...options }: Campaign
): Promise<Outcome> => {
  const { stepsOfProgram, tell, tellEvery } = options
  const marks = noMarks()
  const failures: Array<Failed> = []
  const journal = journalIn(options.journal, marks)
  let sum = journal.read()
  const curve = curveOf(marks, sum)
  const ends = performance.now() + millisMax
  let seed = first
  let longest: Run = { steps: 0, seeds: [first, first] }
  let current = longest
  const isOn = () =>
    sum.steps < stepsMax && sum.quiet < quietSteps && failures.length < failuresMax && performance.now() < ends
  while (isOn()) {
    await using place = await open()
    for (let ofHouse = 0; isOn() && ofHouse < stepsOfHouse;) {
      const seeds = Array.from({ length: abreast - (seed % abreast) }, (_, index) => seed + index)
      const programs = seeds.map((each) => programOf(each, stepsOfProgram, merchants))
      const ended = (await playAbreast(place, programs, marks)).flatMap((failure, index) =>
        failure === undefined ? [] : [{ ...failure, seed: seeds[index]! }]
      )
      const found = ended.filter(({ kind }) => kind !== isCutOff)
      for (const { difference, kind, seed: of, step } of ended) {
        if (kind === isCutOff) tell(`seed ${of} was cut off at step ${step + 1}: ${String(difference.actual)}`)
      }
      if (ended.length === programs.length && found.length === 0) throw new Error("the service answers no program")
      for (const failure of found.slice(0, failuresMax - failures.length)) {
        tell(`seed ${failure.seed} differs at step ${failure.step + 1} in ${failure.kind}`)
        const shrunk = await shrink(place, programs[seeds.indexOf(failure.seed)]!, failure, {
          millis: shrinkMillis,
          tell
        })
        failures.push({ ...shrunk, seed: failure.seed })
        tell(storyOf(failures.at(-1)!))
      }
      const played = (programs.length - ended.length) * stepsOfProgram
      ofHouse += played
      sum = journal.add(played)
      seed += programs.length
      const isEqual = found.length === 0
      current = isEqual
        ? { steps: current.steps + played, seeds: [current.seeds[0], seed - 1] }
        : { steps: 0, seeds: [seed, seed] }
      if (current.steps > longest.steps) longest = current
      curve.tell(sum.steps, tellEvery, (line) => tell(`${line}, up to seed ${seed - 1}, ${current.steps} in a row`))
    }
  }
  return { ...sum, marks, failures, longest }
}

/** The signatures over the steps. */
const curveOf = ({ signatures }: Marks, { steps: begins }: Total) => {
  let last = { steps: begins, signatures: signatures.size, at: performance.now() }
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

const ofInstallation = "shows the installation, which has no rule of its own"
const ofPeople = "the console's tests play who may invite, remove and recover whom"
const asFiles = "is written to a file after the answer; its content is that of the reports that are played"
const ofReceivers = "what receivers got is compared instead, by event, address, signature and number of attempts"

/** Operations of the two APIs that no program calls, by what they begin with, each with the reason. */
export const leftOut: Readonly<Record<string, string>> = {
  "GET /v1/ledger": "the auditor and the verifier of the ledger check the chain",
  "POST /v1/reports": asFiles,
  "GET /v1/reports": asFiles,
  "GET /v1/reports/payout": "needs the payout before; money and store tests play 1,000 histories of it",
  "GET /v1/logs": "each program looks its last call up, beside the steps",
  "GET /v1/erasures": "is a list; erasures are read one by one",
  "GET /v1/webhook_deliveries": ofReceivers,
  "POST /v1/webhook_deliveries": ofReceivers,
  "GET /v1/test_helpers/clock": "the driver moves the clock of all merchants",
  "POST /v1/test_helpers/clock": "the driver moves the clock of all merchants",
  "POST /operator/v1/merchants": "each program begins with it",
  "GET /operator/v1/merchants": "is a list of all programs' merchants, which are played abreast",
  "POST /operator/v1/merchants/keys": "ends the key that the programs call with",
  "GET /operator/v1/merchants/signing_secret": "is read as the merchant reads it",
  "GET /operator/v1/merchants/api_keys": "is a list; the keys are read one by one",
  "POST /operator/v1/merchants/api_keys": "changes a name or a list of addresses, as settings do",
  "GET /operator/v1/merchants/channels": "the programs' channel is the sandbox's bank",
  "POST /operator/v1/merchants/channels": "the programs' channel is the sandbox's bank",
  "GET /operator/v1/reconciliation": "the sandbox's bank has no books of its own",
  "POST /operator/v1/merchants/files": "is uploaded as the merchant uploads it",
  "POST /operator/v1/orders": "closes a payment of an acquirer",
  "GET /operator/v1/merchants/orders": "the merchant's timeline, with fees of acquirers",
  "GET /operator/v1/merchants/webhook_deliveries": ofReceivers,
  "GET /operator/v1/webhook_deliveries": ofReceivers,
  "POST /operator/v1/webhook_deliveries": ofReceivers,
  "GET /operator/v1/operators": ofPeople,
  "POST /operator/v1/operators": ofPeople,
  "GET /operator/v1/people": ofPeople,
  "POST /operator/v1/people": ofPeople,
  "GET /operator/v1/approvals": ofPeople,
  "GET /operator/v1/audit_log": ofInstallation,
  "GET /operator/v1/erasures": "is of all merchants, which are played abreast",
  "POST /operator/v1/erasures": "is of all merchants, which are played abreast",
  "POST /operator/v1/exports": "is of all merchants, which are played abreast",
  "GET /operator/v1/cluster": ofInstallation,
  "POST /operator/v1/cluster": ofInstallation,
  "GET /operator/v1/doctor": ofInstallation,
  "GET /operator/v1/held_up": ofInstallation,
  "POST /operator/v1/stray_sessions": ofInstallation,
  "GET /operator/v1/merchants/overview": "the newest rows of lists that are played",
  "GET /operator/v1/search": "finds an object among those of all programs",
  "GET /operator/v1/merchants/logs": "each program looks its last call up, beside the steps"
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
