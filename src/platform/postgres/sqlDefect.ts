/**
 * A database that does not answer, or a row that is not what our own migrations made it. Both are defects, because no
 * caller can act on them. The edge answers 503 to troubles that pass (`trouble.ts`). It logs the others and answers
 * 500. A worker survives both.
 */
import { Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql"
import { defectOf } from "./trouble.ts"

type Broken = SqlError.SqlError | Schema.SchemaError

export const sqlDefects = <A, E, R>(effect: Effect.Effect<A, E | Broken, R>): Effect.Effect<A, Exclude<E, Broken>, R> =>
  Effect.catchIf(effect, isBroken, (error) => Effect.die(defectOf(error))) as Effect.Effect<A, Exclude<E, Broken>, R>

const isBroken = (error: unknown): error is Broken =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  (error._tag === "SqlError" || error._tag === "SchemaError")
