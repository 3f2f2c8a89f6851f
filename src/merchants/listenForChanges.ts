/**
 * Hears of changes of merchants that other runners make. A connection can be dead without saying so, so this runner
 * sends itself a notification each second, over the connection that listens. One that comes back proves that every
 * change committed before it was sent has been heard. Not bound to the service's clock: sockets keep real time.
 */
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Fiber, Queue, Schedule, Schema } from "effect"
import { elapsedMillis, onRealTime } from "../platform/runtime/realTime.ts"
import { changedChannel } from "./MerchantStore.ts"

const beatInterval = "1 second"
/** For so long after a heartbeat that was heard is what was read before it believed. */
const silenceMaxMillis = 3_000

class NoHeartbeat extends Schema.TaggedError<NoHeartbeat>()("NoHeartbeat", {}) {}

interface Hearing {
  /** Whether a change that is older than {@link silenceMaxMillis} would have been heard. */
  readonly isProven: () => boolean
}

/** `forget` drops what was read of merchants. `runner` is a name that no other runner has. */
export const listenForChanges = Effect.fnUntraced(function* (runner: string, forget: Effect.Effect<void>) {
  const { config } = yield* PgClient.PgClient
  const ownBeat = `${beatPrefix}${runner}:`
  let provenAt = -Infinity
  let isDeaf = false

  const hear = (connection: PgConnection.PgConnection) =>
    Effect.scoped(
      Effect.gen(function* () {
        const began = elapsedMillis()
        const pinned = yield* connection.pin
        const said = yield* pinned.listen(changedChannel)
        // What changed while nobody listened is unknown, so nothing from before is kept.
        yield* forget
        provenAt = began
        if (isDeaf) yield* Effect.logInfo("hearing of merchant changes again")
        isDeaf = false

        const beat = Effect.suspend(() =>
          pinned.query("select pg_notify($1, $2)", [changedChannel, ownBeat + elapsedMillis()])
        )
        const take = Effect.flatMap(Queue.take(said), ({ payload }) => {
          if (!payload.startsWith(beatPrefix)) return forget
          if (payload.startsWith(ownBeat)) provenAt = Number(payload.slice(ownBeat.length))
          return Effect.void
        })
        return yield* Effect.raceFirst(Effect.forever(take), Effect.repeat(beat, Schedule.spaced(beatInterval)))
      })
    )

  const watch = Effect.suspend(() => {
    const began = elapsedMillis()
    return Effect.suspend(() =>
      elapsedMillis() - Math.max(began, provenAt) > silenceMaxMillis ? Effect.fail(new NoHeartbeat()) : Effect.void
    ).pipe(Effect.repeat(Schedule.spaced(beatInterval)))
  })

  // A connection of its own, since one that is silent has to be closed before anything that waits for it can end.
  const listen = Effect.scoped(
    Effect.gen(function* () {
      const waiting = yield* Effect.scope
      const own = PgConnection.make({ ...config, applicationName: `${config.applicationName ?? "coffer"} listener` })
      return yield* Effect.scoped(
        Effect.flatMap(own, (connection) =>
          Effect.flatMap(Effect.forkIn(hear(connection), waiting), (hearing) =>
            Effect.raceFirst(Fiber.join(hearing), watch)
          )
        )
      )
    })
  )

  yield* onRealTime(listen).pipe(
    Effect.onExit(() =>
      Effect.sync(() => {
        provenAt = -Infinity
      })
    ),
    Effect.tapCause((cause) => {
      if (isDeaf) return Effect.void
      isDeaf = true
      return Effect.logWarning("not hearing of merchant changes; keys are read from the database", cause)
    }),
    Effect.ignoreCause,
    Effect.repeat(Schedule.spaced("1 second")),
    Effect.forkScoped
  )
  const hearing: Hearing = { isProven: () => elapsedMillis() - provenAt < silenceMaxMillis }
  return hearing
})

/** What stands before a heartbeat's runner and time. No merchant's number begins so. */
const beatPrefix = "beat:"
