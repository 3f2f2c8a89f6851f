/**
 * "There is new work": raised after it was committed, heard by the worker that would otherwise find it at its next
 * look. In this process only; other runners find the rows by looking.
 */
import { Context, Effect, Layer } from "effect"
import type { TableName } from "./Tables.ts"

/**
 * Rows were committed to this table; an order has money that must go back; the sandbox's bank has to report; a new
 * sandbox is to be seeded.
 */
export type Signal = TableName | "stray_payments" | "sandbox_reports" | "sandbox_seeds"

export class Signals extends Context.Service<
  Signals,
  {
    readonly raise: (signal: Signal) => void
    /** Calls back at once on every raise, for as long as the service lives. */
    readonly onRaise: (signal: Signal, listener: () => void) => Effect.Effect<void>
  }
>()("@coffer/ground/Signals") {}

export const layer = Layer.sync(Signals, () => {
  const listeners = new Map<Signal, Set<() => void>>()
  return Signals.of({
    raise: (signal) => {
      for (const listener of listeners.get(signal) ?? []) listener()
    },
    onRaise: (signal, listener) =>
      Effect.sync(() => {
        listeners.set(signal, (listeners.get(signal) ?? new Set()).add(listener))
      })
  })
})
