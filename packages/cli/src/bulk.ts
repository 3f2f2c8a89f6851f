/**
 * Bulk actions: one object after the other, within a rate limit. Each is tried once in a run. The summary, even of an
 * interrupted run, says what was done, what was not, and why.
 */
import { Clock, Console, Effect } from "effect"
import { Flag } from "effect/cli"
import { type CliFailure, Reported } from "./CliFailure.ts"
import { json } from "./frame.ts"
import { shownJson } from "./json.ts"
import { type Column, count, table } from "./output.ts"
import { plain } from "./plain.ts"
import { progress } from "./progress.ts"

/**
 * `skipped`: it was done already. `waiting`: a second person has to make the same request. `unknown`: no answer came,
 * and it was not retried.
 */
export type Outcome =
  | { readonly outcome: "done" }
  | { readonly outcome: "skipped" | "waiting" | "refused" | "unknown"; readonly problem: string }

export const done: Outcome = { outcome: "done" }

/**
 * The outcome for one object. If it is gone or refuses, the run continues. Other failures would be the same for each
 * object.
 */
export const outcomeOf = <A>(
  call: Effect.Effect<A, CliFailure>,
  notFound: string,
  succeeded: (answer: A) => Outcome = () => done
): Effect.Effect<Outcome, CliFailure> =>
  Effect.matchEffect(call, {
    onSuccess: (answer) => Effect.succeed(succeeded(answer)),
    onFailure: (failure) =>
      failure.code === "conflict" || failure.code === notFound
        ? Effect.succeed<Outcome>({ outcome: "refused", problem: failure.message })
        : Effect.fail(failure)
  })

export interface Bulk<Item> {
  /** For people: "deliveries", "resent". */
  readonly called: string
  readonly acted: string
  readonly idOf: (item: Item) => string
  readonly columns: ReadonlyArray<Column<Item>>
  /** A failure here ends the run: each of the others would fail alike. */
  readonly act: (item: Item) => Effect.Effect<Outcome, CliFailure>
}

export const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Show what would be done, without doing it")
)

const rateMax = 50

export const rate = Flag.Int("rate").pipe(
  Flag.filter(
    (rate) => rate >= 1 && rate <= rateMax,
    (rate) => `expected 1 to ${rateMax}, got ${rate}`
  ),
  Flag.optional,
  Flag.withDescription(`Maximum per second, up to ${rateMax}`)
)

export const inBulk = Effect.fnUntraced(function* <Item>(
  bulk: Bulk<Item>,
  items: ReadonlyArray<Item>,
  options: { readonly dryRun: boolean; readonly perSecond: number }
) {
  if (options.dryRun) return yield* showOnly(bulk, items)
  const asJson = yield* json
  const outcomes: Array<Outcome> = []
  yield* actOnEach(bulk, items, options.perSecond, asJson, outcomes).pipe(
    Effect.ensuring(Effect.suspend(() => summarize(bulk, items.length, outcomes, asJson)))
  )
  if (outcomes.some(({ outcome }) => outcome === "refused" || outcome === "unknown")) {
    return yield* new Reported({ exitCode: 1 })
  }
})

const showOnly = Effect.fnUntraced(function* <Item>(
  { acted, called, columns }: Bulk<Item>,
  items: ReadonlyArray<Item>
) {
  yield* (yield* table(columns))(items)
  yield* Console.error(`${count(items.length)} ${called} would be ${acted}. Dry run: nothing was changed.`)
})

const actOnEach = Effect.fnUntraced(function* <Item>(
  { act, acted, idOf }: Bulk<Item>,
  items: ReadonlyArray<Item>,
  perSecond: number,
  asJson: boolean,
  outcomes: Array<Outcome>
) {
  const report = yield* progress(items.length)
  let next = yield* Clock.currentTimeMillis
  for (const item of items) {
    const now = yield* Clock.currentTimeMillis
    if (next > now) yield* Effect.sleep(next - now)
    // Faster calls do not make up for a slow one.
    next = Math.max(next, now) + 1_000 / perSecond
    const outcome = yield* act(item)
    outcomes.push(outcome)
    const problem = "problem" in outcome ? outcome.problem : null
    if (asJson) yield* Console.log(shownJson({ id: idOf(item), outcome: outcome.outcome, problem }))
    else if (problem !== null) yield* Console.error(`coffer: ${plain(`${idOf(item)} was not ${acted}: ${problem}`)}`)
    yield* report(outcomes.length)
  }
})

/** On standard output, unless that has a JSON line for each object. */
const summarize = <Item>(
  { acted, called }: Bulk<Item>,
  total: number,
  outcomes: ReadonlyArray<Outcome>,
  asJson: boolean
) => {
  const reasons = new Map<string, number>()
  for (const one of outcomes) {
    if (!("problem" in one)) continue
    const reason = `${one.outcome}: ${withoutNumbers(one.problem)}`
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  const succeeded = outcomes.filter(({ outcome }) => outcome === "done").length
  const left = total - outcomes.length
  const lines = [
    `${count(succeeded)} of ${count(total)} ${called} were ${acted}.`,
    ...[...reasons].map(([reason, times]) => `  ${count(times)} ${plain(reason)}`),
    ...(left === 0 ? [] : [`  ${count(left)} remaining: the run was interrupted; run the same command again`])
  ]
  return (asJson ? Console.error : Console.log)(lines.join("\n"))
}

/** A reason without the numbers of its object, so that equal reasons are counted together. */
const withoutNumbers = (problem: string): string =>
  problem.replace(/ \(req_\w+\)$/, "").replace(/[A-Za-z_]+_[0-9A-HJKMNP-TV-Z]{26}/g, "…")
