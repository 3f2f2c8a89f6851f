/**
 * How far this machine's clock is from Postgres'. Webhook signatures carry our time, and receivers refuse one that is
 * more than five minutes off; due rows of one runner are read by another. A runner whose clock is further off than that
 * gives up its shards and its workers, and takes no writes, until the clock is right again (docs/decisions/0026). It is
 * the one place that asks Postgres for the time.
 */
import { Context, Effect, Latch, Layer, Metric, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { currentMillis } from "../runtime/clock.ts"
import { NewIds } from "../runtime/NewIds.ts"
import { onRealTime } from "../runtime/realTime.ts"

export class ClockSkew extends Context.Service<
  ClockSkew,
  {
    /** The last measurement. */
    readonly seconds: () => number
    /** True from the moment when it is above the limit until the clocks agree again. */
    readonly isTooLarge: () => boolean
    /** Waits while the clock is wrong. */
    readonly whenRight: Effect.Effect<void>
    readonly measure: Effect.Effect<void>
  }
>()("@coffer/platform/ClockSkew") {}

/** The machine's clock, also where a test moves the service's. A reference, so that a test can set it wrong. */
export const MachineTime = Context.Reference<Effect.Effect<number>>("coffer/platform/MachineTime", {
  defaultValue: () => onRealTime(currentMillis)
})

const interval = "10 seconds"
export const secondsOdd = 30
/** The difference that receivers of webhooks tolerate (spec: Events). */
export const secondsMax = 300

const gauge = Metric.gauge("coffer_clock_skew_seconds", {
  description: "This machine's clock minus Postgres', seconds"
})

/**
 * This machine's clock minus Postgres', in seconds. Postgres read its clock at some moment between the question and the
 * answer, which may be seconds apart on a busy machine. Of the differences that this leaves open it is the one nearest
 * to `known`.
 */
export const measureSkew = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  machineTime: Effect.Effect<number>,
  known = 0
) {
  const before = yield* machineTime
  const [row] = yield* sql<{ readonly now: number }>`
    select extract(epoch from clock_timestamp())::float8 as now`
  const after = yield* machineTime
  const now = row?.now ?? after / 1_000
  return Math.min(Math.max(known, before / 1_000 - now), after / 1_000 - now)
})

export const layer = Layer.effect(
  ClockSkew,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const machineTime = yield* MachineTime
    const ids = yield* NewIds
    let skew = 0
    const right = Latch.makeUnsafe(true)

    const measure = Effect.gen(function* () {
      const was = Math.abs(skew)
      skew = yield* measureSkew(sql, machineTime, skew)
      yield* Metric.update(gauge, skew)
      // A measurement is a little off itself (clocks count milliseconds), which is no reason to make other ids.
      ids.correct(Math.round(skew) * 1_000)
      if (Math.abs(skew) > secondsOdd && was <= secondsOdd) {
        yield* Effect.logError(`This machine's clock and Postgres' are ${Math.round(skew)} s apart; set both right`)
      }
      if (Math.abs(skew) > secondsMax && right.closeUnsafe()) {
        yield* Effect.logError(
          `This machine's clock is more than ${secondsMax} s wrong: this runner gives up its shards and its workers, ` +
            "and takes no writes until the clock is right"
        )
      }
      if (Math.abs(skew) <= secondsOdd && right.openUnsafe()) {
        yield* Effect.logInfo("This machine's clock is right again: this runner takes part again")
      }
    }).pipe(
      // DatabaseHealth reports that Postgres is away.
      Effect.catchTags({ SqlError: () => Effect.void })
    )
    yield* Metric.update(gauge, 0)
    yield* measure
    yield* Effect.forkScoped(Effect.delay(measure, interval).pipe(Effect.repeat(Schedule.forever), onRealTime))
    return ClockSkew.of({ seconds: () => skew, isTooLarge: () => !right.isOpen(), whenRight: right.await, measure })
  })
)
