/**
 * Named points at which a test may stop, fail or crash the program. In production `around` returns the effect that it
 * is given. Tests provide another layer (`test/kit/faults/Faults.ts`).
 */
import { Context, Effect, Layer } from "effect"

export class Faults extends Context.Service<
  Faults,
  {
    /** `detail` distinguishes points of the same name. Only tests evaluate it. */
    readonly around: <A, E, R>(
      point: string,
      effect: Effect.Effect<A, E, R>,
      detail?: () => string
    ) => Effect.Effect<A, E, R>
  }
>()("@coffer/platform/Faults") {}

export const layer = Layer.succeed(Faults, { around: (_, effect) => effect })
