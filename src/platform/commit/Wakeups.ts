/**
 * "There is new work": raised after it was committed, heard by the worker that would otherwise find it at its next
 * look. Work that this runner cannot begin at once is passed on, and other runners hear of it (docs/decisions/0016).
 * A word may be lost; then the rows are found by looking.
 */
import { Context, Effect, Layer } from "effect"

/** The name of a table to which rows were committed, or another name by which a room wakes a worker of its own. */
export type Wakeup = string

/** `isOwn`: this runner has committed the work. */
export type Listener = (isOwn: boolean) => void

export class Wakeups extends Context.Service<
  Wakeups,
  {
    readonly raise: (signal: Wakeup) => void
    /** Calls back at once on every raise, for as long as the service lives. */
    readonly onRaise: (signal: Wakeup, listener: Listener) => Effect.Effect<void>
    /** Other runners are to hear of work that was raised here and waits. */
    readonly pass: (signal: Wakeup) => void
    /** Calls back at once on every pass. */
    readonly onPass: (listener: (signal: Wakeup) => void) => Effect.Effect<void>
    /** Another runner has passed it on. A word that no room here listens to is for others. */
    readonly hear: (signal: Wakeup) => void
    /** Another runner has gone. It may have committed work of which it has told no runner. */
    readonly runnerLeft: () => void
  }
>()("@coffer/platform/Wakeups") {}

export const layer = Layer.sync(Wakeups, () => {
  const listeners = new Map<Wakeup, Set<Listener>>()
  const passing = new Set<(signal: Wakeup) => void>()
  const call = (signal: Wakeup, isOwn: boolean) => {
    for (const listener of listeners.get(signal) ?? []) listener(isOwn)
  }
  return Wakeups.of({
    raise: (signal) => call(signal, true),
    onRaise: (signal, listener) =>
      Effect.sync(() => {
        listeners.set(signal, (listeners.get(signal) ?? new Set()).add(listener))
      }),
    pass: (signal) => {
      for (const listener of passing) listener(signal)
    },
    onPass: (listener) => Effect.sync(() => void passing.add(listener)),
    hear: (signal) => call(signal, false),
    runnerLeft: () => {
      for (const signal of listeners.keys()) call(signal, false)
    }
  })
})
