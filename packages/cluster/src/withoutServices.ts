/**
 * Removes services from a context that are no longer needed there. Adding to a context costs time in proportion to its
 * size, and keeping one for each entity costs memory.
 */
import { Context } from "effect"

/** Services that every fiber needs: its scope, the clock, loggers and other references. */
const everyFibers = /^effect\/(Clock|Console|Logger|Random|References|Scheduler|Scope|Tracer)\b/

/** The context with the services that every fiber needs, and with these. */
export const withoutServices = <R>(
  context: Context.Context<R>,
  ...services: ReadonlyArray<{ readonly key: string }>
): Context.Context<R> => {
  const kept = new Set(services.map(({ key }) => key))
  return Context.makeUnsafe(new Map([...context.mapUnsafe].filter(([key]) => everyFibers.test(key) || kept.has(key))))
}
