/** One Postgres for all concurrent Coffers of this process. It stops with the last of them. */
import { Effect, Logger, RcRef, Scope } from "effect"
import * as TestPostgres from "./TestPostgres.ts"

const acquire = Effect.gen(function* () {
  const { folder, url } = yield* TestPostgres.start()
  const tell = yield* TestPostgres.connect(url)
  return { folder, clone: TestPostgres.clone(url, tell) }
  // Its log is not for the person who runs the tests.
}).pipe(Effect.provide(Logger.layer([])))

/** `folder`: removed with it. `clone`: a separate migrated database for the length of the surrounding scope. */
export const sharedPostgres = RcRef.get(Effect.runSync(Scope.provide(RcRef.make({ acquire }), Scope.makeUnsafe())))
