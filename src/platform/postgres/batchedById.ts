/**
 * A row by its key, as most requests look for one: all that is asked for in one turn of the event loop is one query.
 */
import { Effect, type Option, Schema } from "effect"
import { type SqlError, SqlResolver } from "effect/sql"
import { defectOf } from "./trouble.ts"

export const batchedById = <Row>(options: {
  readonly row: Schema.Codec<Row, unknown>
  readonly idOf: (row: Row) => string
  /** The rows with these keys, in any order. */
  readonly select: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
}): ((id: string) => Effect.Effect<Option.Option<Row>>) => {
  const byId = SqlResolver.findById({
    Id: Schema.String,
    Result: options.row,
    ResultId: options.idOf,
    execute: options.select
  })
  return (id) =>
    Effect.matchEffect(SqlResolver.request(id, byId), {
      onSuccess: Effect.succeedSome,
      onFailure: (error) => (error._tag === "NoSuchElementError" ? Effect.succeedNone : Effect.die(defectOf(error)))
    })
}
