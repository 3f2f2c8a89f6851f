/**
 * "There is new work in this table": raised by the Transactor after it has committed rows, waited for by the worker
 * that would otherwise find them at its next look. In this process only; other runners find the rows by looking.
 */
import { Context, Effect, Layer } from "effect"
import type { TableName } from "./Tables.ts"

export class Signals extends Context.Service<
  Signals,
  {
    readonly raise: (table: TableName) => void
    /** Calls back at once on every raise, until the scope that asked is closed. */
    readonly onRaise: (table: TableName, listener: () => void) => Effect.Effect<void>
  }
>()("@coffer/ground/Signals") {}

export const layer = Layer.sync(Signals, () => {
  const listeners = new Map<TableName, Set<() => void>>()
  return Signals.of({
    raise: (table) => {
      for (const listener of listeners.get(table) ?? []) listener()
    },
    onRaise: (table, listener) =>
      Effect.sync(() => {
        listeners.set(table, (listeners.get(table) ?? new Set()).add(listener))
      })
  })
})
