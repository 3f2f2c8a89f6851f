/**
 * Contexts that cost little to carry. Whoever adds to a context pays for what is in it, and so does whoever keeps one
 * for each actor: what was taken from a context once need not stay in it (docs/decisions/0009).
 */
import { Context } from "effect"

/** What belongs to every fiber: its scope, the clock, loggers and the other references. */
const everyFibers = /^effect\/(Clock|Console|Logger|Random|References|Scheduler|Scope|Tracer)\b/

/** The context with what belongs to every fiber, and with these services. */
export const withoutServices = <R>(
  context: Context.Context<R>,
  ...services: ReadonlyArray<{ readonly key: string }>
): Context.Context<R> => {
  const kept = new Set(services.map(({ key }) => key))
  return Context.makeUnsafe(new Map([...context.mapUnsafe].filter(([key]) => everyFibers.test(key) || kept.has(key))))
}
