/**
 * `Effect.fn` for code that every request runs: it makes a span only if spans are collected. `Effect.fn` itself always
 * captures a stack and adds two services to the context. That costs about 15 µs a call, and a payment made five calls.
 * The added services hold the arguments of the call (docs/performance-notes.md).
 *
 * It takes generators only, as the type says: `Effect.fn` takes other functions too, `Effect.fnUntraced` does not.
 */
import { Effect, References } from "effect"

export const span = (name: string): Effect.fn.Untraced =>
  ((...definition: Parameters<Effect.fn.Traced>) => {
    const spanned = Effect.fn(name)(...definition) as Function
    const plain = (Effect.fnUntraced as Function)(...definition) as Function
    return (...args: ReadonlyArray<unknown>) =>
      Effect.withFiber((fiber) => (fiber.getRef(References.TracerEnabled) ? spanned(...args) : plain(...args)))
  }) as Effect.fn.Untraced
