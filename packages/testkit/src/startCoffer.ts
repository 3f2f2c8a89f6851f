/** The promise interface of a started Coffer, for `index.ts`, which loads this only on a supported Node. */
import { Effect, Exit, Scope } from "effect"
import * as coffer from "./coffer.ts"
import type { Coffer } from "./index.ts"
import type { Options } from "./options.ts"
import { clockAt } from "./Service.ts"

export const startCoffer = async (begins: Date, options: Options): Promise<Coffer> => {
  const scope = Scope.makeUnsafe()
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    if (Number.isNaN(begins.getTime())) throw new RangeError("begins: expected a valid Date")
    const made = await run(coffer.make(options, clockAt(begins.getTime())))
    return {
      ...made.place,
      now: () => new Date(made.now()),
      pass: (span) => run(made.pass(span)),
      atRest: () => run(made.atRest),
      newMerchant: (name = "Another merchant") => run(made.newMerchant(name)),
      receiveWebhooks: (hooks) => run(made.receiveWebhooks(hooks)),
      stop,
      [Symbol.asyncDispose]: stop
    }
  } catch (failure) {
    await stop()
    throw failure
  }
}
