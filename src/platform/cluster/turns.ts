/**
 * Work on one object at a time, in the order in which it was asked for and in the fiber of its caller. An object that
 * no command works on takes no memory.
 */
import { Effect, Metric, Semaphore } from "effect"
import { shownAs } from "@coffer/cluster/shownAs"
import { OwnerUnavailable } from "./ask.ts"
import { RenewedMap } from "../runtime/renewed.ts"

export interface Turns {
  /** Waits until all earlier work with this key has ended, however it ended. The caller bounds the wait. */
  readonly inTurn: <A, E, R>(key: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | OwnerUnavailable, R>
  /** The same for a read, which is not counted as a command. */
  readonly readInTurn: Turns["inTurn"]
  /** How many keys a command works on now. */
  readonly size: () => number
  /** How many commands wait for another one's work to end. */
  readonly waiting: () => number
}

const busy = Metric.gauge("coffer_objects_busy", { description: "Objects with a command under way, by kind" })
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
  /** Work that is done, and work that waits. */
  inside: number
  /** Those of them that are commands. */
  commands: number
}

/** At most `waitingMax` wait for one object. A further one has to retry. */
export const makeTurns = (waitingMax: number): Turns => {
  const lines = new RenewedMap<string, Line>()
  let busyLines = 0
  let commands = 0

  const enter = (key: string, isCommand: boolean): Line | undefined => {
    let line = lines.get(key)
    if (line === undefined) lines.set(key, (line = { turn: Semaphore.makeUnsafe(1), inside: 0, commands: 0 }))
    if (line.inside > waitingMax) return undefined
    line.inside++
    if (!isCommand) return line
    commands++
    if (line.commands++ === 0) busyLines++
    return line
  }

  const leave = (key: string, line: Line, isCommand: boolean) => {
    if (--line.inside === 0) lines.delete(key)
    if (!isCommand) return
    commands--
    if (--line.commands === 0) busyLines--
  }

  const turn =
    (isCommand: boolean): Turns["inTurn"] =>
    <A, E, R>(key: string, work: Effect.Effect<A, E, R>) =>
      Effect.uninterruptibleMask((restore): Effect.Effect<A, E | OwnerUnavailable, R> => {
        const line = enter(key, isCommand)
        if (line === undefined) return crowded
        return Effect.onExit(restore(line.turn.withPermit(work)), () => {
          leave(key, line, isCommand)
          return Effect.void
        })
      })

  return { inTurn: turn(true), readInTurn: turn(false), size: () => busyLines, waiting: () => commands - busyLines }
}

const crowded = Effect.fail(new OwnerUnavailable({ reason: "TooManyWaiting" }))
