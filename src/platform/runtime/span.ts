/**
 * `Effect.fn` for what requests pass through: a span where spans are collected, and nothing where they are not.
 * `Effect.fn` itself takes a stack and sets two services in either case: about 15 µs each, and a payment had five. What
 * it has noted stays in the context, with the arguments of the call, and an actor that the call wakes keeps it as long
 * as it is awake: a tenth of what such an actor weighed (docs/performance-notes.md).
 */
import { Effect, References } from "effect"

export const span = (name: string): Effect.fn.Traced =>
  ((...given: Parameters<Effect.fn.Traced>) => {
    const spanned = Effect.fn(name)(...given) as Function
    const plain = (Effect.fnUntraced as Function)(...given) as Function
    return (...args: ReadonlyArray<unknown>) =>
      Effect.withFiber((fiber) => (fiber.getRef(References.TracerEnabled) ? spanned(...args) : plain(...args)))
  }) as Effect.fn.Traced
