/**
 * The runs of the program that have ended. A row names the run that works on it. Once that run has ended, the row is
 * free, and another process need not wait. The answer may be wrong for a process that is paused or has lost its
 * connection. A process that has just lost its own connection takes no other for dead (`Doubt.ts`). The row's version
 * has to decide then: a run that was taken for dead must write nothing. Model: models/claim.pml.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Doubt } from "./Doubt.ts"
import * as Tenancy from "./Tenancy.ts"
import { ThisRunner } from "./ThisRunner.ts"

export class Runs extends Context.Service<
  Runs,
  {
    /** The number of this run; null where others cannot tell whether it has ended. */
    readonly own: number | null
    /** Whether `run` has ended with its work undone. Only for work that is not under way in this process. */
    readonly isAbandoned: (run: number | null) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("@coffer/cluster/Runs") {}

export const layer = Layer.effect(
  Runs,
  Effect.gen(function* () {
    const { place } = yield* ThisRunner
    const sql = yield* SqlClient.SqlClient
    const own = yield* Tenancy.Run
    const doubt = yield* Doubt
    const hasEnded = Effect.fnUntraced(function* (run: number) {
      const sessions = yield* Tenancy.sessionsOf(sql, own, run)
      if (own !== null) doubt.saw(sessions.own)
      return sessions.other === null && !doubt.isOpen()
    })
    return Runs.of({
      own,
      isAbandoned: (run) => {
        // Only this process could be at work on it, and the caller says that it is not.
        if (place === undefined || (run !== null && run === own)) return Effect.succeed(true)
        return run === null ? Effect.succeed(false) : hasEnded(run)
      }
    })
  })
)
