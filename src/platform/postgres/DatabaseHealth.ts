/**
 * Whether Postgres answers at all. A caller that suspects an outage calls `suspect`, and one fiber asks Postgres on a
 * connection of its own, again and again until there is an answer. While there is none, statements fail at once instead
 * of waiting one by one, and the log has one line for the beginning and one for the end.
 */
import { isoText } from "@coffer/model/isoText"
import { Context, DateTime, Effect, Metric, Queue, Result } from "effect"
import type { SqlError } from "effect/sql"
import { currentMillis } from "../runtime/clock.ts"
import { bounded } from "../runtime/Deadline.ts"
import type { Watch } from "./BoundedClient.ts"
import { reasonOf } from "./databaseProblem.ts"
import { elapsedMillis, onRealTime } from "../runtime/realTime.ts"
import { unusable } from "./Servers.ts"
import { make as makeResults, type Results } from "./results.ts"
import { classesOfTheInstallation, isAnswer, refusalOf, troubleOf } from "./trouble.ts"

export class DatabaseHealth extends Context.Service<
  DatabaseHealth,
  {
    /** Asks Postgres on a connection of its own, at most once a second for all callers. */
    readonly answers: Effect.Effect<boolean>
    /** Whether it answers, or an outage has just begun: requests wait for its end. */
    readonly isUsable: Effect.Effect<boolean>
    /** The SQLSTATE while Postgres refuses most statements of this process (`results.ts`). */
    readonly refusing: Results["refusing"]
    /** The outcomes of change sets at Postgres. */
    readonly note: Results["note"]
    /**
     * Waits while an outage is suspected, so many milliseconds at most. False if it has not ended, and at once when it
     * lasts for longer than {@link heldOutageMillis} already.
     */
    readonly back: Watch["back"]
  }
>()("@coffer/platform/DatabaseHealth") {}

const reachable = Metric.gauge("coffer_database_reachable", { description: "1 while Postgres answers, 0 while not" })
const inUse = Metric.gauge("coffer_database_pool_in_use", { description: "Connections to Postgres in use" })
const waiting = Metric.gauge("coffer_database_pool_waiting", {
  description: "Statements and transactions that wait for a connection to Postgres"
})

const refusals = (sqlstate: string) =>
  Metric.counter("coffer_database_refusals_total", {
    description: "Statements that Postgres refused for reasons beyond a single row, by class of SQLSTATE",
    incremental: true,
    attributes: { sqlstate }
  })
/** One line for each SQLSTATE and this long. */
const refusalLogEvery = 60_000

const probeMillis = 2_000
const probeEvery = "500 millis"
const showEvery = "1 second"

/** Errors of this time after an outage follow from it: what was begun meanwhile has its limit (patience.ts). */
const aftermathMillis = 5_000
/** Log lines that may wait until it is known whether Postgres answers. */
const heldMax = 100

/**
 * Requests and writes wait for the end of an outage that is younger, so that a switchover and a restart refuse nobody.
 * Later ones are refused at once (docs/decisions/0265).
 */
export const heldOutageMillis = 10_000
/** An outage that is younger makes no runner unready: another runner would not serve the request sooner. */
const readyOutageMillis = 5_000

/** Looks for a server that can be used. It succeeds when one answers, whatever the answer. */
type Probe = Effect.Effect<void, SqlError.SqlError>

/** For a client whose failures are not reported here. It only looks for another server when one may be needed. */
export const assumeHealthy = Effect.fnUntraced(function* (probe: Probe) {
  const bell = yield* Queue.sliding<void>(1)
  const look = Effect.andThen(Effect.ignore(probe), Effect.sleep(probeEvery))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(bell), look)))
  const load: Watch["load"] = { waiting: 0, used: new Map() }
  const suspect = () => void Queue.offerUnsafe(bell, undefined)
  const back = () => Effect.as(Effect.sleep(probeEvery), true)
  const watch: Watch = { isAway: () => false, suspect, ended: () => undefined, back, load }
  const unlessAway = (tell: () => void) => tell()
  const yes = Effect.succeed(true)
  const health = { answers: yes, isUsable: yes, refusing: () => undefined, note: () => undefined, back }
  return { health: DatabaseHealth.of(health), watch, unlessAway }
})

export const make = Effect.fnUntraced(function* (place: string, probe: Probe) {
  const bell = yield* Queue.sliding<void>(1)
  const load: Watch["load"] = { waiting: 0, used: new Map() }
  let away: number | undefined
  let suspectedSince: number | undefined
  const waitingForBack = new Set<(isBack: boolean) => void>()
  let quietUntil = -Infinity
  const held: Array<() => void> = []
  const results = makeResults()
  const context = yield* Effect.context<never>()
  const lastTold = new Map<string, number>()
  for (const sqlstate of classesOfTheInstallation) yield* Metric.update(refusals(sqlstate), 0)
  const tellRefusal = (code: string, error: SqlError.SqlError) => {
    refusals(code.slice(0, 2)).updateUnsafe(1, context)
    if (elapsedMillis() - (lastTold.get(code) ?? -Infinity) < refusalLogEvery) return
    lastTold.set(code, elapsedMillis())
    const line = `Postgres at ${place} refuses statements: ${reasonOf(error)}`
    Effect.runForkWith(context)(Effect.logError(line, { sqlstate: code }))
  }
  const probed = Effect.result(bounded(probe, probeMillis, () => unusable("no answer in time")))

  const look = Effect.gen(function* () {
    const begun = yield* currentMillis
    while (true) {
      const found = yield* probed
      if (Result.isSuccess(found)) break
      if (away === undefined) {
        away = begun
        yield* Metric.update(reachable, 0)
        const since = isoText(DateTime.makeUnsafe(begun))
        const what = troubleOf(found.failure) === "readOnly" ? "takes no writes" : "does not answer"
        yield* Effect.logError(`Postgres at ${place} ${what} since ${since}`)
      }
      yield* Effect.sleep(probeEvery)
    }
    suspectedSince = undefined
    for (const tell of waitingForBack) tell(true)
    const lines = held.splice(0)
    if (away === undefined) return lines.forEach((tell) => tell())
    quietUntil = elapsedMillis() + aftermathMillis
    const seconds = Math.round(((yield* currentMillis) - away) / 1_000)
    away = undefined
    yield* Metric.update(reachable, 1)
    yield* Effect.logInfo(`Postgres at ${place} answers again, after ${seconds} s`)
  })

  const show = Effect.andThen(
    Effect.suspend(() => Metric.update(inUse, load.used.size)),
    Effect.suspend(() => Metric.update(waiting, load.waiting))
  )

  yield* Metric.update(reachable, 1)
  yield* Effect.addFinalizer(() => Effect.sync(() => held.splice(0).forEach((tell) => tell())))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(bell), look)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(show, Effect.sleep(showEvery))))

  const outageMillis = () => (suspectedSince === undefined ? 0 : elapsedMillis() - suspectedSince)
  const back = makeBack(() => suspectedSince !== undefined, outageMillis, waitingForBack)

  const watch: Watch = {
    isAway: () => away !== undefined,
    suspect: () => {
      suspectedSince ??= elapsedMillis()
      Queue.offerUnsafe(bell, undefined)
    },
    ended: (error) => {
      const refusal = refusalOf(error)
      // No answer is neither success nor refusal: `suspect` handles it.
      if (error === undefined || refusal !== undefined || isAnswer(error)) results.note("statements", refusal)
      if (refusal !== undefined) tellRefusal(refusal, error as SqlError.SqlError)
    },
    back,
    load
  }
  const unlessAway = (tell: () => void) => {
    if (away !== undefined || elapsedMillis() < quietUntil) return
    if (suspectedSince === undefined) tell()
    else if (held.length < heldMax) held.push(tell)
  }
  const isPassing = () => suspectedSince !== undefined && outageMillis() < readyOutageMillis
  const answers = onRealTime(yield* Effect.cachedWithTTL(Effect.map(probed, Result.isSuccess), "1 second"))
  const isUsable = Effect.map(answers, (answered) => answered || isPassing())
  const { note, refusing } = results
  return { health: DatabaseHealth.of({ answers, isUsable, refusing, note, back }), watch, unlessAway }
})

const makeBack =
  (isSuspected: () => boolean, outageMillis: () => number, waiting: Set<(isBack: boolean) => void>): Watch["back"] =>
  (millis) =>
    Effect.callback<boolean>((resume) => {
      if (!isSuspected()) return resume(Effect.succeed(true))
      const left = Math.min(millis, heldOutageMillis - outageMillis())
      if (left <= 0) return resume(Effect.succeed(false))
      const leave = () => {
        clearTimeout(timer)
        waiting.delete(end)
      }
      const end = (isBack: boolean) => {
        leave()
        resume(Effect.succeed(isBack))
      }
      const timer = setTimeout(() => end(false), left)
      waiting.add(end)
      return Effect.sync(leave)
    })
