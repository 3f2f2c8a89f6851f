/**
 * Signals of new work: raised after its commit, for the worker that would otherwise find it at its next poll. Work that
 * this runner cannot begin at once is passed on to other runners (docs/decisions/0016). A signal may be lost; then the
 * rows are found by polling.
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
    /** Passes waiting work of this runner on to other runners. */
    readonly pass: (signal: Wakeup) => void
    /** Calls back at once on every pass. */
    readonly onPass: (listener: (signal: Wakeup) => void) => Effect.Effect<void>
    /** Another runner has passed work on. A signal without a listener here is for other runners. */
    readonly hear: (signal: Wakeup) => void
    /** Another runner has left. It may have committed work without a signal. */
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
