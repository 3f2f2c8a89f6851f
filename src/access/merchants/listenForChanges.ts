/**
 * Listens for other runners' changes of merchants, and for work that they pass on. A connection can be dead without an
 * error. So this runner sends itself a heartbeat each second over the connection that listens: one that comes back
 * proves that every change committed before it was sent has been received. Uses real time, as sockets do.
 *
 * Work that this runner passes on is sent over the same connection, outside of the transaction that made the work: a
 * NOTIFY makes commits wait for one another (docs/decisions/0016).
 */
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Fiber, Queue, Schedule, Schema } from "effect"
import { type Wakeup, Wakeups } from "../../platform/commit/Wakeups.ts"
import { DatabaseHealth } from "../../platform/postgres/DatabaseHealth.ts"
import { elapsedMillis, onRealTime } from "../../platform/runtime/realTime.ts"
import { makeClockNews } from "./clockNews.ts"
import { changedChannel } from "./MerchantStore.ts"

const heartbeatInterval = "1 second"
/** The cache is trusted for this long after the newest heartbeat that came back was sent. */
const silenceMaxMillis = 3_000

class NoHeartbeat extends Schema.TaggedError<NoHeartbeat>()("NoHeartbeat", {}) {}

/** The interval of passing on work, each kind once. */
const passInterval = "10 millis"

interface Listener {
  /** Whether a change older than {@link silenceMaxMillis} would have been received. */
  readonly isProven: () => boolean
  /** Waits until the other runners know this offset of a sandbox's clock. */
  readonly clockIsHeard: (merchantId: string, offset: number) => Effect.Effect<void>
}

const answer = (pinned: Pinned, word: string | undefined) =>
  word === undefined ? Effect.void : Effect.asVoid(pinned.query("select pg_notify($1, $2)", [changedChannel, word]))

type Pinned = Effect.Success<PgConnection.PgConnection["pin"]>

/**
 * `forget` drops the cached merchant of this number, or all if it is not a number. `reread` drops all, and reads the
 * clocks. `runner` is a unique name.
 */
export const listenForChanges = Effect.fnUntraced(function* (
  runner: string,
  {
    forget,
    reread
  }: { readonly forget: (merchantId: string) => Effect.Effect<void>; readonly reread: Effect.Effect<void> }
) {
  const pg = yield* PgClient.PgClient
  const health = yield* DatabaseHealth
  const clockNews = yield* makeClockNews(runner)
  const wakeups = yield* Wakeups
  const ownHeartbeat = `${heartbeatPrefix}${runner}:`
  const ownWork = `${workPrefix}${runner}:`
  let provenAt = -Infinity
  /** The time of the newest heartbeat of another runner. */
  let othersAt = -Infinity

  /** The connection to the server. */
  let config = pg.config
  let failures = 0
  let isWarned = false
  const nextPassed = yield* takePassedWork(wakeups, () => elapsedMillis() - othersAt <= silenceMaxMillis)

  const receive = (connection: PgConnection.PgConnection) =>
    Effect.scoped(
      Effect.gen(function* () {
        const began = elapsedMillis()
        const pinned = yield* connection.pin
        const notifications = yield* pinned.listen(changedChannel)
        // Changes while this runner did not listen are unknown, so nothing read before is kept.
        yield* reread
        provenAt = began
        if (isWarned) yield* Effect.logInfo("receiving merchant changes again")
        isWarned = false
        failures = 0

        const sendHeartbeat = Effect.suspend(() =>
          pinned.query("select pg_notify($1, $2)", [changedChannel, ownHeartbeat + elapsedMillis()])
        )
        const take = Effect.flatMap(Queue.take(notifications), ({ payload }) => {
          if (payload.startsWith(ownHeartbeat)) provenAt = Number(payload.slice(ownHeartbeat.length))
          else if (payload.startsWith(heartbeatPrefix)) {
            othersAt = elapsedMillis()
            clockNews.beat(payload.split(":")[1]!)
          } else if (!payload.startsWith(workPrefix)) {
            const news = clockNews.take(payload)
            return news === undefined ? forget(payload) : answer(pinned, news.answer)
          } else if (!payload.startsWith(ownWork)) wakeups.hear(payload.slice(payload.lastIndexOf(":") + 1))
          return Effect.void
        })
        const heartbeats = Effect.repeat(sendHeartbeat, Schedule.spaced(heartbeatInterval))

        const passOn = Effect.gen(function* () {
          const words = Array.from(yield* nextPassed, (signal) => ownWork + signal)
          yield* pinned.query("select pg_notify($1, word) from unnest($2::text[]) as word", [changedChannel, words])
          yield* Effect.sleep(passInterval)
        })
        // Signals and heartbeats may be lost with the database: their commits need not wait for the disk.
        yield* pinned.query("set synchronous_commit to off", [])
        return yield* Effect.raceAllFirst([Effect.forever(take), heartbeats, Effect.forever(passOn)])
      })
    )

  const failOnSilence = Effect.suspend(() => {
    const began = elapsedMillis()
    // A server that is no longer used gets no writes, so it sends no changes.
    return failWhen(() => pg.config !== config || elapsedMillis() - Math.max(began, provenAt) > silenceMaxMillis)
  })

  const own = Effect.suspend(() => {
    config = pg.config
    return PgConnection.make({ ...config, applicationName: `${config.applicationName ?? "coffer"} listener` })
  })
  yield* onRealTime(receiveFrom(own, receive, failOnSilence)).pipe(
    Effect.onExit(() => Effect.sync(() => (provenAt = -Infinity))),
    // DatabaseHealth reports that Postgres is away. A connection that was closed is opened again at the next try.
    Effect.tapCause((cause) =>
      Effect.gen(function* () {
        if (!(yield* health.answers) || ++failures < 2 || isWarned) return
        isWarned = true
        yield* Effect.logWarning("not receiving merchant changes; keys are read from the database", cause)
      })
    ),
    Effect.ignoreCause,
    Effect.repeat(Schedule.spaced("1 second")),
    Effect.forkScoped
  )
  const isProven = () => elapsedMillis() - provenAt < silenceMaxMillis
  return { isProven, clockIsHeard: clockNews.isHeard } satisfies Listener
})

const failWhen = (isSilent: () => boolean) =>
  Effect.suspend(() => (isSilent() ? Effect.fail(new NoHeartbeat()) : Effect.void)).pipe(
    Effect.repeat(Schedule.spaced(heartbeatInterval))
  )

/**
 * The connection's scope closes before the scope of the fiber that reads from it: on a dead connection that fiber
 * cannot end until the connection is closed.
 */
const receiveFrom = <A, E, E2, R, R2>(
  connect: Effect.Effect<PgConnection.PgConnection, E, R>,
  receive: (connection: PgConnection.PgConnection) => Effect.Effect<A, E2, R2>,
  failOnSilence: Effect.Effect<unknown, NoHeartbeat>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const fiberScope = yield* Effect.scope
      return yield* Effect.scoped(
        Effect.flatMap(connect, (connection) =>
          Effect.flatMap(Effect.forkIn(receive(connection), fiberScope), (receiving) =>
            Effect.raceFirst(Fiber.join(receiving), failOnSilence)
          )
        )
      )
    })
  )

/** Waits for work that this runner passes on, and answers each kind once. Without other runners none is passed on. */
const takePassedWork = Effect.fnUntraced(function* (wakeups: Wakeups["Service"], isAnybodyThere: () => boolean) {
  const passed = new Set<Wakeup>()
  const somePassed = yield* Queue.sliding<void>(1)
  yield* wakeups.onPass((signal) => {
    if (!isAnybodyThere()) return
    passed.add(signal)
    Queue.offerUnsafe(somePassed, undefined)
  })
  return Effect.map(Queue.take(somePassed), () => {
    const taken = [...passed]
    passed.clear()
    return taken
  })
})

/** The prefix of a heartbeat; its runner and time follow. No merchant id has it. */
const heartbeatPrefix = "beat:"
/** The prefix of passed-on work; its runner and the name of the wakeup follow. */
const workPrefix = "work:"
