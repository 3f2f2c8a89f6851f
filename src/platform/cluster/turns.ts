/**
 * Work on one object at a time, in the order in which it was asked for and in the fiber of whoever asks. An object that
 * nobody works on takes no memory.
 */
import { Effect, Metric, Semaphore } from "effect"
import { shownAs } from "../runtime/gauges.ts"
import { ActorUnavailable } from "./ask.ts"

export interface Turns {
  /** Waits until all earlier work with this key has ended, however it ended. The caller bounds the wait. */
  readonly inTurn: <A, E, R>(key: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ActorUnavailable, R>
  /** How many keys somebody works on now. */
  readonly size: () => number
  /** How many wait for another's work to end. */
  readonly waiting: () => number
}

const busy = Metric.gauge("coffer_objects_busy", { description: "Objects that a command is at work on, by kind" })
const inLine = Metric.gauge("coffer_commands_waiting", {
  description: "Commands that wait for an earlier one for the same object, by kind"
})

/** For as long as the scope is open. */
export const showTurns = (kind: string, { size, waiting }: Turns) =>
  Effect.andThen(
    shownAs(Metric.withAttributes(busy, { kind }), size),
    shownAs(Metric.withAttributes(inLine, { kind }), waiting)
  )

interface Line {
  readonly turn: Semaphore.Semaphore
  /** Who works, and who waits. */
  inside: number
}

/** At most `waitingMax` wait for one object. Whoever comes then is told to come back. */
export const makeTurns = (waitingMax: number): Turns => {
  const lines = new Map<string, Line>()
  let inside = 0

  const enter = (key: string): Line | undefined => {
    let line = lines.get(key)
    if (line === undefined) lines.set(key, (line = { turn: Semaphore.makeUnsafe(1), inside: 0 }))
    if (line.inside > waitingMax) return undefined
    line.inside++
    inside++
    return line
  }

  return {
    inTurn: <A, E, R>(key: string, work: Effect.Effect<A, E, R>) =>
      Effect.uninterruptibleMask((restore): Effect.Effect<A, E | ActorUnavailable, R> => {
        const line = enter(key)
        if (line === undefined) return crowded
        return Effect.onExit(restore(line.turn.withPermit(work)), () => {
          inside--
          if (--line.inside === 0) lines.delete(key)
          return Effect.void
        })
      }),
    size: () => lines.size,
    waiting: () => inside - lines.size
  }
}

const crowded = Effect.fail(new ActorUnavailable({ reason: "TooManyWaiting" }))
