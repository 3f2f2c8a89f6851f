/**
 * A service that dies at a chosen step. At that step it stands still for ever and its cable to Postgres is cut, so that
 * nothing it had not committed can be written any more, as when a process is killed: Postgres rolls back what was open.
 * Another service then begins on the same database, at the time at which the first one died.
 */
import { Clock, Deferred, Effect, Exit, Layer, Scope } from "effect"
import { Faults } from "../../../src/platform/runtime/Faults.ts"
import { cable } from "../servers/Cable.ts"
import { type Running, start } from "../Service.ts"

export interface Point {
  readonly name: string
  /** Which visit of this point is meant, counted from 1. Visits of other points may come in between. */
  readonly nth: number
}

export type Side = "before" | "after"

export interface Life {
  readonly service: Running
  /** Counts from here, and dies when it comes to `at`; does `work` in the meantime. True when it died. */
  readonly watch: <E>(
    work: Effect.Effect<unknown, E>,
    at?: Point & { readonly side: Side }
  ) => Effect.Effect<{ readonly died: boolean; readonly passed: ReadonlyArray<Point> }, E>
  /** Closes the scope of a dead service in the background: it is not needed any more. */
  readonly bury: Effect.Effect<void>
}

/**
 * Rows of API logs are written behind the requests, many at a time, and are no step of any workflow: how often that
 * happens is chance. `test/store/logQueue.test.ts` has the crashes around them. A message to an order is no step of its
 * own either: what it commits is the Transactor's. Writes of a store beside the Transactor move no money, and neither do
 * those of notifications, which have a test of their own.
 */
const isStepOfMoney = (name: string) => !/^(Logs|Notifications|Orders|Store)\./.test(name)

/** One process on this database. */
export const live = Effect.fnUntraced(function* (
  database: string,
  begins: number,
  env: Record<string, string> = {},
  isStep = isStepOfMoney
) {
  const outer = yield* Effect.scope
  const scope = yield* Scope.fork(outer)
  const wire = yield* cable(database)
  const died = yield* Deferred.make<void>()
  const end = yield* Deferred.make<never>()

  let counts: Map<string, number> | undefined
  let passed: Array<Point> = []
  let due: (Point & { readonly side: Side }) | undefined
  let dead = false

  const stand = Effect.suspend(() => {
    if (!dead) {
      dead = true
      wire.cut()
      Deferred.doneUnsafe(died, Effect.void)
    }
    return Deferred.await(end)
  })
  const around = <A, E, R>(point: string, effect: Effect.Effect<A, E, R>, detail?: () => string) =>
    Effect.suspend((): Effect.Effect<A, E, R> => {
      if (dead) return stand
      const name = detail === undefined ? point : `${point}(${detail()})`
      if (counts === undefined || !isStep(name)) return effect
      const nth = (counts.get(name) ?? 0) + 1
      counts.set(name, nth)
      passed.push({ name, nth })
      if (due?.name !== name || due.nth !== nth) return effect
      return due.side === "before" ? stand : Effect.onExit(effect, () => stand)
    })

  const service = yield* start({
    clock: "test",
    database: wire.url,
    begins,
    env,
    faults: Layer.succeed(Faults, { around })
  }).pipe(Scope.provide(scope))

  const watch = <E>(work: Effect.Effect<unknown, E>, at?: Point & { readonly side: Side }) =>
    Effect.gen(function* () {
      counts = new Map()
      passed = []
      due = at
      yield* Effect.raceFirst(Deferred.await(died), work)
      counts = undefined
      return { died: dead, passed }
    })

  const bury = Effect.suspend(() => {
    Deferred.doneUnsafe(end, Exit.die("the process is dead"))
    return Effect.asVoid(Effect.forkIn(Scope.close(scope, Exit.void), outer, { startImmediately: true }))
  })
  const life: Life = { service, watch, bury }
  return life
})

/** When it is for this service. */
export const timeOf = ({ context }: Running) => Effect.provideContext(Clock.currentTimeMillis, context)
