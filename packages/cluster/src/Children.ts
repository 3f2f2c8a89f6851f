/**
 * Runners of one machine as children of this process. Node's cluster opens the HTTP port here and hands each connection
 * to one of them in turn, so the port stays open while any of them stops. One that ends unexpectedly is restarted with
 * backoff. A rolling restart replaces one child after the other.
 */
import cluster, { type Worker } from "node:cluster"
import { randomInt } from "node:crypto"
import { createServer } from "node:net"
import { Deferred, Duration, Effect, Exit, Latch, Schema } from "effect"
import { elapsedMillis } from "./realTime.ts"
import { giveToAnswering } from "./handover.ts"
import { leavingMessage, readyMessage } from "./parent.ts"

/** The pause before an ended child is restarted. It doubles each time until a child has lived long enough. */
export const pauses = {
  first: Duration.millis(500),
  longest: Duration.seconds(30),
  /** After this long the backoff is reset. */
  enough: Duration.minutes(1)
}
/** A child should limit its own stop to less. This is for one that hangs. */
const stopMillisMax = 10_000
/** How long a replacement waits until all children are ready before it continues or gives up. */
export const readyPatience = Duration.minutes(2)

/** The first child ended before it was ready. Its own lines in the log say why. */
export class FirstChildEnded extends Schema.TaggedError<FirstChildEnded>()("FirstChildEnded", {
  message: Schema.String
}) {}

export interface Options<E, R> {
  readonly count: number
  readonly program: string
  /** The arguments of the program. */
  readonly words: ReadonlyArray<string>
  /** Additional environment variables for the child with this number, from 1, at each start. */
  readonly environmentOf: (number: number) => Effect.Effect<Readonly<Record<string, string>>, E, R>
}

interface Seat {
  readonly number: number
  readonly ready: Latch.Latch
  child: Child | undefined
  wasReady: boolean
}

interface Child {
  readonly worker: Worker
  readonly ended: Deferred.Deferred<string>
  readonly since: number
  /** A rolling restart has stopped it, so the next one starts without a pause. */
  isReplaced: boolean
}

export interface Children {
  /** Waits until all are ready at the same time. */
  readonly allReady: Effect.Effect<void>
  /**
   * Replaces one child after the other, each once all are ready. False if one was not ready in time; the rest is then
   * kept.
   */
  readonly replaceAll: Effect.Effect<boolean>
}

/**
 * Runs the children, and `work` in parallel. The first child is started alone, so that it creates what all share. Ends
 * when it is interrupted, and then all children have ended.
 */
export const run = <E, R, E2, R2>(
  options: Options<E, R>,
  work: (children: Children) => Effect.Effect<never, E2, R2>
): Effect.Effect<never, E | E2 | FirstChildEnded, R | R2> =>
  Effect.suspend(() => {
    cluster.setupPrimary({
      exec: options.program,
      args: [...options.words],
      // The parent prints the greetings. Log lines go to the parent's output.
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    const seats = Array.from({ length: options.count }, (_, index): Seat => ({
      number: index + 1,
      ready: Latch.makeUnsafe(false),
      child: undefined,
      wasReady: false
    }))
    const allReady: Effect.Effect<void> = Effect.suspend(() => {
      const missing = seats.find(({ ready }) => !ready.isOpen())
      return missing === undefined ? Effect.void : Effect.andThen(missing.ready.await, allReady)
    })
    const keepers = seats.map((seat) => {
      const kept = keep(seat, options)
      return seat.number === 1 ? kept : Effect.andThen(seats[0]!.ready.await, kept)
    })
    const working = work({ allReady, replaceAll: replaceAll(seats, allReady) })
    return Effect.andThen(Effect.all([working, ...keepers], { concurrency: "unbounded", discard: true }), Effect.never)
  })

/** Starts a child again whenever it has ended. */
const keep = Effect.fnUntraced(function* <E, R>(seat: Seat, { environmentOf }: Options<E, R>) {
  let pause = pauses.first
  for (;;) {
    const environment = yield* environmentOf(seat.number)
    const { isReplaced, lived, how, pid } = yield* runChild(seat, environment)
    if (isReplaced) continue
    if (seat.number === 1 && !seat.wasReady) {
      return yield* new FirstChildEnded({ message: `Runner 1 did not start (${how}). See its output above.` })
    }
    if (Duration.isGreaterThanOrEqualTo(lived, pauses.enough)) pause = pauses.first
    yield* Effect.logWarning(
      `runner ${seat.number} (pid ${pid}) ended by itself (${how}); ` +
        `it is started again in ${Duration.toSeconds(pause)} s`
    )
    yield* Effect.sleep(pause)
    pause = Duration.min(Duration.times(pause, 2), pauses.longest)
  }
})

/** One child from its start to its end. An interruption stops it, and waits for that. */
const runChild = (seat: Seat, environment: Readonly<Record<string, string>>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => spawnChild(seat, environment)),
    (child) =>
      Effect.map(Deferred.await(child.ended), (how) => ({
        how,
        isReplaced: child.isReplaced,
        pid: child.worker.process.pid,
        lived: Duration.millis(elapsedMillis() - child.since)
      })),
    stop
  )

const spawnChild = (seat: Seat, environment: Readonly<Record<string, string>>): Child => {
  const worker = cluster.fork(environment)
  giveToAnswering(worker)
  const ended = Deferred.makeUnsafe<string>()
  const end = (how: string) => {
    seat.ready.closeUnsafe()
    Deferred.doneUnsafe(ended, Exit.succeed(how))
  }
  worker.on("message", (message) => {
    if (message === leavingMessage && worker.isConnected()) worker.send(leavingMessage)
    if (message !== readyMessage) return
    seat.wasReady = true
    seat.ready.openUnsafe()
  })
  worker.once("exit", (code, signal) => end(signal ?? `exit code ${code}`))
  // Without a pid the child could not be started. With one, a message could not be sent: ignored.
  worker.on("error", (error) => worker.process.pid === undefined && end(error.message))
  return (seat.child = { worker, ended, since: elapsedMillis(), isReplaced: false })
}

const stop = ({ ended, worker }: Child) =>
  Effect.suspend(() => {
    if (Deferred.isDoneUnsafe(ended)) return Effect.void
    worker.process.kill("SIGTERM")
    const late = setTimeout(() => worker.process.kill("SIGKILL"), stopMillisMax)
    return Effect.onExit(Deferred.await(ended), () => Effect.sync(() => clearTimeout(late)))
  })

const replaceAll = (seats: ReadonlyArray<Seat>, allReady: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const readyInTime = Effect.map(Effect.timeoutOption(allReady, readyPatience), ({ _tag }) => _tag === "Some")
    yield* Effect.logInfo(`rolling restart of ${seats.length} runners, one after the other`)
    for (const seat of seats) {
      if (!(yield* readyInTime)) return yield* logAbandoned(seats)
      const child = seat.child!
      // One that has just ended by itself keeps its pause, and its line in the log.
      if (Deferred.isDoneUnsafe(child.ended)) continue
      child.isReplaced = true
      seat.ready.closeUnsafe()
      yield* stop(child)
    }
    if (!(yield* readyInTime)) return yield* logAbandoned(seats)
    yield* Effect.logInfo("rolling restart done")
    return true
  })

const logAbandoned = (seats: ReadonlyArray<Seat>) => {
  const missing = seats.filter(({ ready }) => !ready.isOpen()).map(({ number }) => number)
  return Effect.as(
    Effect.logError(
      `the rolling restart is given up: ${missing.length === 1 ? "runner" : "runners"} ${missing.join(", ")} ` +
        `not ready within ${Duration.toSeconds(readyPatience)} s. The others go on as they are.`
    ),
    false
  )
}

/** Below the ephemeral ports, so that it is still free when the runner opens it. */
export const freePorts = { first: 20_000, last: 32_000 } as const

/** No port was found. `code` is that of Node; with `EADDRINUSE` every port that was tried is taken. */
export class NoFreePort extends Schema.TaggedError<NoFreePort>()("NoFreePort", {
  code: Schema.optionalKey(Schema.String),
  message: Schema.String
}) {}

/** A port that is free at the address where a runner will listen. */
export const freePort = (host: string): Effect.Effect<number, NoFreePort> =>
  Effect.suspend(() => tryPort(host, randomInt(freePorts.first, freePorts.last))).pipe(
    Effect.retry({ times: 50, while: ({ code }) => code === "EADDRINUSE" }),
    Effect.mapError(({ code, message }) => new NoFreePort({ message, ...(code === undefined ? {} : { code }) }))
  )

const tryPort = (host: string, port: number) =>
  Effect.callback<number, NodeJS.ErrnoException>((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.fail(error)))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resume(Effect.succeed(port))))
  })
