/**
 * "There is new work": raised after it was committed, heard by the worker that would otherwise find it at its next
 * look. In this process only; other runners find the rows by looking.
 */
import { Context, Effect, Layer } from "effect"
import type { TableName } from "./Table.ts"

/**
 * Rows were committed to this table; an order has money that must go back; the sandbox's bank has to report; a new
 * sandbox is to be seeded.
 */
export type Wakeup = TableName | "stray_payments" | "sandbox_reports" | "sandbox_seeds"

export class Wakeups extends Context.Service<
  Wakeups,
  {
    readonly raise: (signal: Wakeup) => void
    /** Calls back at once on every raise, for as long as the service lives. */
    readonly onRaise: (signal: Wakeup, listener: () => void) => Effect.Effect<void>
  }
>()("@coffer/platform/Wakeups") {}

export const layer = Layer.sync(Wakeups, () => {
  const listeners = new Map<Wakeup, Set<() => void>>()
  return Wakeups.of({
    raise: (signal) => {
      for (const listener of listeners.get(signal) ?? []) listener()
    },
    onRaise: (signal, listener) =>
      Effect.sync(() => {
        listeners.set(signal, (listeners.get(signal) ?? new Set()).add(listener))
      })
  })
})
