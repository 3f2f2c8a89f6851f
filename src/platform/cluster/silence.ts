/**
 * Runners that are there and do not answer, such as one whose process is frozen. The first callers wait as long as they
 * may. Those after them are told sooner to come back, until something is heard again. The log says so.
 *
 * A runner that only waits, for shards that are on their way to it or for the database, is not silent: it answers
 * pings.
 */
import { Duration, Effect, Exit, Layer, type Scope } from "effect"
import { ClusterError, type RunnerAddress, Runners } from "effect/cluster"
import { elapsedMillis } from "../runtime/realTime.ts"

/** A runner that has answered nothing for this long, not even pings, is silent. */
const silentAfterMillis = 3_000
/** From one ping to the next, while somebody waits for an answer. */
const pingInterval = Duration.seconds(1)
/** How long a command waits for a silent runner. */
const silentPatience = Duration.seconds(1)

interface Line {
  readonly address: RunnerAddress.RunnerAddress
  waiting: number
  /** When it was last heard, or first asked since. */
  heardAt: number
  isPinged: boolean
  isTold: boolean
}

type Ping = Runners.Runners["Service"]["ping"]

export const layer = Layer.effect(
  Runners.Runners,
  Effect.gen(function* () {
    const runners = yield* Runners.makeRpc
    const scope = yield* Effect.scope
    const lines = new Map<string, Line>()

    const lineTo = (address: RunnerAddress.RunnerAddress): Line => {
      const name = nameOf(address)
      let line = lines.get(name)
      if (line === undefined) {
        lines.set(name, (line = { address, waiting: 0, heardAt: 0, isPinged: false, isTold: false }))
      }
      return line
    }

    return Runners.Runners.of({
      ...runners,
      send: (options) => {
        if (options.message._tag !== "OutgoingRequest") return runners.send(options)
        const { address } = options.message.envelope
        const line = lineTo(options.address)
        const wasSilent = isSilent(line)
        const call = listening(line, runners.ping, scope, runners.send(options))
        if (!wasSilent) return call
        return Effect.andThen(
          tell(line),
          Effect.timeoutOrElse(call, {
            duration: silentPatience,
            // Of the errors that are not tried again, the one that says to come back.
            orElse: () => Effect.fail(new ClusterError.MailboxFull({ address }))
          })
        )
      }
    })
  })
)

const nameOf = ({ host, port }: RunnerAddress.RunnerAddress): string => `${host}:${port}`

const isSilent = ({ heardAt, isTold, waiting }: Line) =>
  isTold || (waiting > 0 && elapsedMillis() - heardAt > silentAfterMillis)

const listening = <A, E, R>(line: Line, ping: Ping, scope: Scope.Scope, call: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    if (line.waiting++ === 0 && !line.isTold) line.heardAt = elapsedMillis()
    const answer = Effect.onExit(call, (exit) => {
      line.waiting--
      return Exit.hasInterrupts(exit) ? Effect.void : heard(line)
    })
    if (line.isPinged) return answer
    line.isPinged = true
    return Effect.andThen(Effect.forkIn(Effect.delay(pinging(line, ping), pingInterval), scope), answer)
  })

/** While somebody waits, or it is silent. */
const pinging = (line: Line, ping: Ping): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (line.waiting === 0 && !line.isTold) {
      line.isPinged = false
      return Effect.void
    }
    return Effect.timeoutOption(Effect.exit(ping(line.address)), pingInterval).pipe(
      Effect.flatMap(({ _tag }) => (_tag === "Some" ? heard(line) : isSilent(line) ? tell(line) : Effect.void)),
      Effect.andThen(Effect.sleep(pingInterval)),
      Effect.andThen(pinging(line, ping))
    )
  })

const heard = (line: Line) => {
  const seconds = (elapsedMillis() - line.heardAt) / 1_000
  const { isTold } = line
  Object.assign(line, { heardAt: elapsedMillis(), isTold: false })
  if (!isTold) return Effect.void
  return Effect.logInfo(`the runner ${nameOf(line.address)} answers again, or is gone, after ${seconds.toFixed(1)} s`)
}

const tell = (line: Line) => {
  if (line.isTold) return Effect.void
  line.isTold = true
  return Effect.logWarning(
    `the runner ${nameOf(line.address)} does not answer: commands for what it owns are answered 503 after ` +
      `${Duration.toSeconds(silentPatience)} s, until it does or its shards have moved`
  )
}
