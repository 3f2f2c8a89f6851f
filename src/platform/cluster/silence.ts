/**
 * Runners that are there and do not answer, such as one whose process is frozen. The first callers wait as long as they
 * may. Those after them are told sooner to come back, until something is heard again. The log says so.
 */
import { Duration, Effect, Exit, Layer } from "effect"
import { ClusterError, Runners } from "effect/cluster"
import { elapsedMillis } from "../runtime/realTime.ts"

/** A runner that has answered nothing for this long, though it was asked, is silent. */
const silentAfterMillis = 2_000
/** How long a command waits for a silent runner. One that has woken up answers in time. */
const silentPatience = Duration.seconds(1)

interface Line {
  readonly name: string
  waiting: number
  /** When it was last heard, or first asked since. */
  heardAt: number
  /** Somebody has given up. */
  isGivenUp: boolean
  isTold: boolean
}

export const layer = Layer.effect(
  Runners.Runners,
  Effect.gen(function* () {
    const runners = yield* Runners.makeRpc
    const lines = new Map<string, Line>()

    const lineTo = ({ host, port }: { readonly host: string; readonly port: number }): Line => {
      const name = `${host}:${port}`
      let line = lines.get(name)
      if (line === undefined) {
        lines.set(name, (line = { name, waiting: 0, heardAt: 0, isGivenUp: false, isTold: false }))
      }
      return line
    }

    const listening = <A, E, R>(line: Line, call: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        if (line.waiting++ === 0) line.heardAt = elapsedMillis()
        return Effect.onExit(call, (exit) => {
          line.waiting--
          if (Exit.hasInterrupts(exit)) {
            line.isGivenUp ||= elapsedMillis() - line.heardAt > silentAfterMillis
            return Effect.void
          }
          const silentSeconds = (elapsedMillis() - line.heardAt) / 1_000
          const wasTold = line.isTold
          Object.assign(line, { heardAt: elapsedMillis(), isGivenUp: false, isTold: false })
          return wasTold
            ? Effect.logInfo(`the runner ${line.name} answers again, or has gone, after ${silentSeconds.toFixed(1)} s`)
            : Effect.void
        })
      })

    const isSilent = ({ heardAt, isGivenUp, waiting }: Line) =>
      isGivenUp || (waiting > 0 && elapsedMillis() - heardAt > silentAfterMillis)

    const tell = (line: Line) => {
      if (line.isTold) return Effect.void
      line.isTold = true
      return Effect.logWarning(
        `the runner ${line.name} does not answer: commands for what it owns are answered 503 after ` +
          `${Duration.toSeconds(silentPatience)} s, until it does or its shards have moved`
      )
    }

    return Runners.Runners.of({
      ...runners,
      send: (options) => {
        if (options.message._tag !== "OutgoingRequest") return runners.send(options)
        const { address } = options.message.envelope
        const line = lineTo(options.address)
        const call = listening(line, runners.send(options))
        if (!isSilent(line)) return call
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
