/** The doctor's findings (docs/doctor.md): the verdict of a check, and what the operator should do. */
import { Effect, Schema } from "effect"
import { bounded } from "../../platform/runtime/Deadline.ts"
import { onRealTime } from "../../platform/runtime/realTime.ts"

/** From best to worst. */
export const statuses = ["not applicable", "ok", "warning", "error"] as const
export type Status = (typeof statuses)[number]

/** Sentences for people. Neither holds a secret. */
export interface Verdict {
  readonly status: Status
  readonly observation: string
  /** Null if there is nothing to do. */
  readonly advice: string | null
}

export interface Finding extends Verdict {
  /** Also the heading of its section in docs/doctor.md. */
  readonly name: string
}

export const fine = (observation: string): Verdict => ({ status: "ok", observation, advice: null })
export const notApplicable = (observation: string): Verdict => ({ status: "not applicable", observation, advice: null })
export const warning = (observation: string, advice: string): Verdict => ({ status: "warning", observation, advice })
export const error = (observation: string, advice: string): Verdict => ({ status: "error", observation, advice })
/** An error only with real money. */
export const errorIf = (isLive: boolean) => (isLive ? error : warning)

/** Why a check could not be made. */
export class Unmade extends Schema.TaggedError<Unmade>()("Unmade", { reason: Schema.String }) {}

export interface Check {
  readonly name: string
  readonly look: Effect.Effect<Verdict, Unmade>
}

/** The time limit of a check. */
export const checkMillisMax = 5_000

/** Runs all checks in parallel, and answers their findings in the order of the list. */
export const examine = (checks: ReadonlyArray<Check>): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.forEach(checks, runCheck, { concurrency: "unbounded" }).pipe(onRealTime)

const runCheck = ({ look, name }: Check): Effect.Effect<Finding> =>
  bounded(look, checkMillisMax, () => new Unmade({ reason: `no response within ${checkMillisMax / 1_000} s` })).pipe(
    Effect.catchTags({ Unmade: ({ reason }) => Effect.succeed(unmade(reason)) }),
    Effect.catchDefect((defect) => Effect.succeed(unmade(String(defect)))),
    Effect.map((verdict) => ({ name, ...verdict }))
  )

const unmade = (reason: string): Verdict =>
  warning(`This could not be checked: ${reason.replace(/[.\s]+$/, "")}.`, "Fix this, then run the doctor again.")

export const worstOf = (findings: ReadonlyArray<Finding>): Status =>
  findings.reduce<Status>(
    (worst, { status }) => (statuses.indexOf(status) > statuses.indexOf(worst) ? status : worst),
    "not applicable"
  )
