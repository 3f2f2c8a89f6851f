/** A service of the test kit whose clock stands still until the driver moves it. */
import { Effect, Exit, Scope } from "effect"
import * as coffer from "../../../testkit/src/coffer.ts"
import { clockAt } from "../../../testkit/src/Service.ts"
import type { House } from "./place.ts"

export const startHouse = async (begins: Date): Promise<House & AsyncDisposable> => {
  const scope = Scope.makeUnsafe()
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  const made = await run(coffer.make({ seed: false }, clockAt(begins.getTime())))
  return {
    url: made.place.url,
    operatorToken: made.place.operatorToken,
    now: () => new Date(made.now()),
    pass: (millis) => run(made.pass(millis)),
    leap: (millis) => run(made.leap(millis)),
    atRest: () => run(made.atRest),
    [Symbol.asyncDispose]: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
