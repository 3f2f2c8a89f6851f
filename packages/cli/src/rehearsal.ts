/** Runs the steps of a rehearsal at Stripe and at the simulator, compares them, and cleans up at Stripe. */
import { Clock, Effect, Exit } from "effect"
import type { CliFailure } from "./CliFailure.ts"
import { type Difference, differencesOf } from "./rehearsalDiff.ts"
import {
  everyMethod,
  firstSteps,
  type Hand,
  type Method,
  methods,
  type Run,
  type Step,
  stepsOf
} from "./rehearsalSteps.ts"
import type { Answer, Body, World } from "./stripeWorld.ts"

export interface Result {
  readonly step: string
  /** `not reached`: a required step failed, or a person did not do their part. */
  readonly outcome: "same" | "different" | "not reached"
  readonly differences: ReadonlyArray<Difference>
}

export interface Rehearsal {
  readonly results: ReadonlyArray<Result>
  /** Methods of the account that the service offers, and the names of others. */
  readonly methods: ReadonlyArray<Method>
  readonly otherMethods: ReadonlyArray<string>
  /** The objects left at Stripe, by id, with the reason. */
  readonly left: ReadonlyArray<string>
}

/** A completed step: both answers, and the objects that it created at Stripe. */
export interface Taken {
  readonly result: Result
  readonly simulated?: Body
  readonly real?: Body
  readonly made?: Made
}

interface Made {
  readonly object: string
  readonly id: string
}

/** Stores progress, so that an interrupted rehearsal can resume. Without a file nothing is stored. */
export interface Progress {
  readonly file: string | undefined
  readonly taken: ReadonlyArray<Taken>
  readonly keep: (taken: Taken) => Effect.Effect<void, CliFailure>
  /** Everything is done, and nothing is left at Stripe. */
  readonly end: Effect.Effect<void, CliFailure>
}

export interface Options {
  readonly real: World
  readonly simulated: World
  /** Repeats at the simulator what the person did at Stripe. */
  readonly act: (hand: Hand) => Effect.Effect<unknown>
  /** Gives the simulated account the methods of the real one. */
  readonly hasMethods: (methods: ReadonlyArray<Method>) => Effect.Effect<unknown>
  readonly check: (answer: Body) => ReadonlyArray<string>
  readonly run: Run
  readonly progress: Progress
  /** How long a step is polled, and how long a person has, in milliseconds. */
  readonly patience: number
  readonly personsPatience: number
  readonly say: (line: string) => Effect.Effect<void>
}

const lookEvery = 1_000

export const rehearse = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Rehearsal, CliFailure> {
  const { progress, real, run, say } = options
  const results: Array<Result> = []
  const made: Array<Made> = []
  const worlds: Worlds = { simulated: new Map(), real: new Map() }
  const before = new Map(progress.taken.map((taken) => [taken.result.step, taken]))

  const walk = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
    for (const step of steps) {
      const known = before.get(step.name)
      const taken = known ?? (yield* take(step, worlds, options))
      if (known?.simulated !== undefined) worlds.simulated.set(step.name, known.simulated)
      if (known?.real !== undefined) worlds.real.set(step.name, known.real)
      if (taken.made !== undefined) made.push(taken.made)
      results.push(taken.result)
      // A step that was not reached is retried.
      if (known === undefined && taken.result.outcome !== "not reached") yield* progress.keep(taken)
      yield* say(`${String(results.length).padStart(2)}  ${step.name}: ${taken.result.outcome}`)
    }
  })
  const typesFound = (): ReadonlyArray<string> => worlds.real.get(everyMethod)?.payment_method_types ?? methods
  const found = () => methods.filter((method) => typesFound().includes(method))

  let left: ReadonlyArray<string> | undefined
  const clean = Effect.suspend(() => takeBack(real, made)).pipe(
    Effect.matchEffect({
      onFailure: () => say("left at Stripe: the objects of the last responses, since Stripe did not respond"),
      onSuccess: (all) =>
        Effect.tap(
          Effect.forEach(all, (each) => say(`left at Stripe: ${each}`), { discard: true }),
          Effect.sync(() => void (left = all))
        )
    })
  )
  yield* Effect.gen(function* () {
    yield* walk(firstSteps)
    yield* options.hasMethods(found())
    yield* walk(stepsOf(run, found()))
  }).pipe(
    // Cleans up even after an interruption, unless the run may be resumed.
    Effect.onExit((exit) =>
      progress.file !== undefined && Exit.isFailure(exit)
        ? say(`progress is saved in ${progress.file}: run the same command to resume, within ${goesOnHours} hours`)
        : clean
    )
  )
  if (left !== undefined) yield* progress.end
  const otherMethods = typesFound().filter((type) => !methods.some((method) => method === type))
  return { results, methods: found(), otherMethods, left: left ?? ["Stripe did not respond"] }
})

/** Stripe keeps idempotent answers for a day. After that the effect of a repeated call is unknown. */
export const goesOnHours = 20

interface Worlds {
  readonly simulated: Map<string, Body>
  readonly real: Map<string, Body>
}

const take = Effect.fnUntraced(function* (step: Step, worlds: Worlds, options: Options) {
  const { act, check, patience, personsPatience, real, say, simulated } = options
  const nothing: Taken = { result: { step: step.name, outcome: "not reached", differences: [] } }
  if (step.hand !== undefined) {
    const hand = step.hand((name) => worlds.real.get(name))
    if (hand === undefined) return nothing
    yield* say(`  ${hand.says}`)
  }
  const theirs = yield* answerOf(real, step, worlds.real, options, step.hand === undefined ? patience : personsPatience)
  if (step.hand !== undefined) {
    if (theirs === undefined) return nothing
    const hand = step.hand((name) => worlds.simulated.get(name))
    if (hand !== undefined) yield* act(hand)
  }
  // If Stripe does not show an object, the simulator is asked once whether it should exist.
  const ours = yield* answerOf(simulated, step, worlds.simulated, options, patience)
  // The payment of a declined card is in the error.
  const { id, object } = theirs?.body.error?.payment_intent ?? theirs?.body ?? {}
  const taken: Taken = {
    result: resultOf(step, ours, theirs, check),
    simulated: worlds.simulated.get(step.name),
    real: worlds.real.get(step.name),
    ...(typeof id === "string" && step.pick === undefined && { made: { object: String(object), id } })
  }
  return taken
})

const resultOf = (
  step: Step,
  ours: Answer | undefined,
  theirs: Answer | undefined,
  check: Options["check"]
): Result => {
  const outcome = (differences: ReadonlyArray<Difference>): Result => ({
    step: step.name,
    outcome: differences.length === 0 ? "same" : "different",
    differences
  })
  if (ours === undefined && theirs === undefined) return { step: step.name, outcome: "not reached", differences: [] }
  if (ours === undefined || theirs === undefined) {
    const there = (answer: Answer | undefined) => (answer === undefined ? "never appeared" : "appeared")
    return outcome([{ path: "answer", kind: "missing", simulator: there(ours), stripe: there(theirs) }])
  }
  return outcome(differencesOf(check, ours, theirs, step.loose))
}

/** The compared part of the answer; undefined if the step cannot run or gets no answer. */
const answerOf = Effect.fnUntraced(function* (
  world: World,
  step: Step,
  answers: Map<string, Body>,
  { run }: Options,
  patience: number
): Effect.fn.Return<Answer | undefined, CliFailure> {
  const lookUp = (name: string) => answers.get(name)
  const ask = step.ask(lookUp, run)
  if (ask === undefined) return undefined
  const until = (yield* Clock.currentTimeMillis) + patience
  while (true) {
    // After an interruption the repeated call gets the same answer.
    const answer = yield* world.call(ask, `${run.tag} ${step.name}`)
    const picked = answer.status >= 400 || step.pick === undefined ? answer.body : step.pick(answer.body, lookUp)
    if (picked !== undefined) {
      if (answer.status < 400) answers.set(step.name, picked)
      return { status: answer.status, body: picked }
    }
    if ((yield* Clock.currentTimeMillis) >= until) return undefined
    yield* Effect.sleep(lookEvery)
  }
})

/** Errors that mean there is nothing left to clean up. */
const done: ReadonlySet<string> = new Set(["charge_already_refunded", "charge_disputed"])

/** Refunds or cancels payments, expires sessions, deletes endpoints. Idempotent. */
const takeBack = Effect.fnUntraced(function* ({ call }: World, made: ReadonlyArray<Made>) {
  const left: Array<string> = []
  for (const [id, object] of new Map(made.map((each) => [each.id, each.object]))) {
    const path = pathOf(object, id)
    if (path === undefined) continue
    const { body, status } = yield* call({ method: "GET", path })
    if (status === 404) continue
    const refund = (payment: string) =>
      call({ method: "POST", path: "/v1/refunds", params: { payment_intent: payment } })
    if (object === "webhook_endpoint") yield* note(call({ method: "DELETE", path }), id, left)
    else if (object === "checkout.session") {
      if (body.status === "open") yield* note(call({ method: "POST", path: `${path}/expire` }), id, left)
      if (body.payment_status === "paid") yield* note(refund(body.payment_intent), id, left)
    } else if (body.status === "succeeded") yield* note(refund(id), id, left)
    else if (body.status !== "canceled") yield* note(call({ method: "POST", path: `${path}/cancel` }), id, left)
  }
  return left
})

const pathOf = (object: string, id: string): string | undefined => {
  switch (object) {
    case "checkout.session":
      return `/v1/checkout/sessions/${id}`
    case "payment_intent":
      return `/v1/payment_intents/${id}`
    case "webhook_endpoint":
      return `/v1/webhook_endpoints/${id}`
    default:
      return undefined
  }
}

const note = <E>(call: Effect.Effect<Answer, E>, id: string, left: Array<string>) =>
  Effect.map(call, ({ body, status }) => {
    const code = String(body?.error?.code ?? status)
    if (status >= 400 && !done.has(code)) left.push(`${id} (${code})`)
  })
