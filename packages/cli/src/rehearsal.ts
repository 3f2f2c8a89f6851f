/** Takes the steps of a rehearsal in both worlds, compares them, and takes back what it has made at Stripe. */
import { Clock, Effect } from "effect"
import type { CliFailure } from "./CliFailure.ts"
import { type Difference, differencesOf } from "./rehearsalDiff.ts"
import { type Run, type Step, steps } from "./rehearsalSteps.ts"
import type { Answer, Body, World } from "./stripeWorld.ts"

export interface Result {
  readonly step: string
  /** `not reached`: a step that it needs failed, or a person has not done it. */
  readonly outcome: "same" | "different" | "not reached"
  readonly differences: ReadonlyArray<Difference>
}

export interface Rehearsal {
  readonly results: ReadonlyArray<Result>
  /** The objects that are still at Stripe, by id and why. */
  readonly left: ReadonlyArray<string>
}

export interface Options {
  readonly real: World
  readonly simulated: World
  /** The buyer of the simulator does what the person did at Stripe. */
  readonly pay: (session: Body) => Effect.Effect<unknown>
  readonly check: (answer: Body) => ReadonlyArray<string>
  readonly run: Run
  readonly byHand: boolean
  /** How long a step is asked for again, and how long a person has. In milliseconds. */
  readonly patience: number
  readonly personsPatience: number
  readonly say: (line: string) => Effect.Effect<void>
}

const lookEvery = 1_000

export const rehearse = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Rehearsal, CliFailure> {
  const { byHand, real, say, simulated } = options
  const all = steps(byHand)
  const results: Array<Result> = []
  const made: Array<Body> = []
  const worlds = { simulated: new Map<string, Body>(), real: new Map<string, Body>() }

  const take = Effect.fnUntraced(function* (step: Step) {
    const page = step.page?.((name) => worlds.real.get(name))
    if (step.page !== undefined) {
      if (page === undefined) return undefined
      yield* say(`  open this page and pay: ${page.url}`)
    }
    const patience = step.page === undefined ? options.patience : options.personsPatience
    const theirs = yield* answerOf(real, step, worlds.real, options, patience)
    if (step.page !== undefined) {
      if (theirs === undefined) return undefined
      yield* options.pay(step.page((name) => worlds.simulated.get(name)))
    }
    // The simulator is asked once for an object that Stripe does not show: it says whether it should be there.
    const ours = yield* answerOf(simulated, step, worlds.simulated, options, options.patience)
    // The payment of a declined card stands in the error.
    if (theirs !== undefined && step.pick === undefined) made.push(theirs.body.error?.payment_intent ?? theirs.body)
    return { ours, theirs }
  })

  const walk = Effect.gen(function* () {
    for (const [index, step] of all.entries()) {
      const taken = yield* take(step)
      const result = resultOf(step, taken, options.check)
      results.push(result)
      yield* say(`${String(index + 1).padStart(2)}/${all.length}  ${step.name}: ${result.outcome}`)
    }
  })
  let left: ReadonlyArray<string> = []
  const clean = Effect.suspend(() => takeBack(real, made)).pipe(
    Effect.orElseSucceed(() => ["what the last answers were about: Stripe did not answer"]),
    Effect.tap((found) => Effect.sync(() => (left = found)))
  )
  // Also when it is stopped: what was made is taken back.
  yield* Effect.ensuring(
    walk,
    Effect.tap(clean, (found) => Effect.forEach(found, (what) => say(`left at Stripe: ${what}`)))
  )
  return { results, left }
})

interface Taken {
  readonly ours: Answer | undefined
  readonly theirs: Answer | undefined
}

const resultOf = (step: Step, taken: Taken | undefined, check: Options["check"]): Result => {
  const outcome = (differences: ReadonlyArray<Difference>): Result => ({
    step: step.name,
    outcome: differences.length === 0 ? "same" : "different",
    differences
  })
  if (taken === undefined || (taken.ours === undefined && taken.theirs === undefined)) {
    return { step: step.name, outcome: "not reached", differences: [] }
  }
  const { ours, theirs } = taken
  if (ours === undefined || theirs === undefined) {
    const there = (answer: Answer | undefined) => (answer === undefined ? "never appeared" : "appeared")
    return outcome([{ path: "answer", kind: "missing", simulator: there(ours), stripe: there(theirs) }])
  }
  return outcome(differencesOf(check, ours, theirs, step.loose))
}

/** The part that is compared; undefined if it cannot be asked for, or does not come. */
const answerOf = Effect.fnUntraced(function* (
  world: World,
  step: Step,
  seen: Map<string, Body>,
  { run }: Options,
  patience: number
): Effect.fn.Return<Answer | undefined, CliFailure> {
  const lookUp = (name: string) => seen.get(name)
  const ask = step.ask(lookUp, run)
  if (ask === undefined) return undefined
  const until = (yield* Clock.currentTimeMillis) + patience
  while (true) {
    const answer = yield* world.call(ask)
    const picked = answer.status >= 400 || step.pick === undefined ? answer.body : step.pick(answer.body, lookUp)
    if (picked !== undefined) {
      if (answer.status < 400) seen.set(step.name, picked)
      return { status: answer.status, body: picked }
    }
    if ((yield* Clock.currentTimeMillis) >= until) return undefined
    yield* Effect.sleep(lookEvery)
  }
})

/** Nothing of these is left to do. */
const done: ReadonlySet<string> = new Set(["charge_already_refunded", "charge_disputed"])

/** Payments are refunded or canceled, and sessions expired. A second run of it finds nothing to do. */
const takeBack = Effect.fnUntraced(function* ({ call }: World, made: ReadonlyArray<Body>) {
  const left: Array<string> = []
  const ids = new Set(
    made.filter(({ object }) => /^(payment_intent|checkout\.session)$/.test(object)).map(({ id }) => id)
  )
  for (const id of ids) {
    const isSession = String(id).startsWith("cs_")
    const path = isSession ? `/v1/checkout/sessions/${id}` : `/v1/payment_intents/${id}`
    const { body } = yield* call({ method: "GET", path })
    if (isSession) {
      if (body.status === "open") yield* note(call({ method: "POST", path: `${path}/expire` }), id, left)
      if (body.payment_status !== "paid") continue
      yield* note(
        call({ method: "POST", path: "/v1/refunds", params: { payment_intent: body.payment_intent } }),
        id,
        left
      )
    } else if (body.status === "succeeded") {
      yield* note(call({ method: "POST", path: "/v1/refunds", params: { payment_intent: id } }), id, left)
    } else if (body.status !== "canceled") {
      yield* note(call({ method: "POST", path: `${path}/cancel` }), id, left)
    }
  }
  return left
})

const note = <E>(call: Effect.Effect<Answer, E>, id: string, left: Array<string>) =>
  Effect.map(call, ({ body, status }) => {
    const code = String(body?.error?.code ?? status)
    if (status >= 400 && !done.has(code)) left.push(`${id} (${code})`)
  })
