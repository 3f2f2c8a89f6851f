/**
 * Rows of idempotency keys: read one, and delete those older than 24 hours. They are written through the Transactor.
 */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { type IdempotencyKey, idempotencyKeys } from "./IdempotencyClaim.ts"

export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    readonly find: (id: string) => Effect.Effect<Option.Option<IdempotencyKey>>
    /** Removes at most `limit` rows from before `time`, and answers how many. */
    readonly dropBefore: (time: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/idempotency/IdempotencyStore") {}

export const layer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const find = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: idempotencyKeys.row,
      execute: (id) => sql`select * from idempotency_keys where id = ${id}`
    })
    return IdempotencyStore.of({
      find: (id) => sqlDefects(Effect.map(find(id), Option.map(idempotencyKeys.read))),
      dropBefore: (time, limit) =>
        sqlDefects(
          Effect.map(
            sql`delete from idempotency_keys where id in (
              select id from idempotency_keys where created_at < ${DateTime.toDateUtc(time)}
              limit ${limit} for update skip locked) returning id`,
            (rows) => rows.length
          )
        )
    })
  })
)
