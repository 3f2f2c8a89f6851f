/**
 * Idempotency keys of calls that Stripe may refuse for a while (`stripe_call_keys`, migration 0068). Stripe keeps a
 * refusal for its key for a day, so the next call after an answered refusal has a key of its own. A call without an
 * answer keeps its key: nobody knows what it did.
 */
import { Context, type DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Faults } from "../../platform/runtime/Faults.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { isoText } from "../../platform/runtime/codecs.ts"

export class CallKeys extends Context.Service<
  CallKeys,
  {
    /**
     * Asks under the present key of `name`. `isSpent`: after this failure Stripe answers the key with it for a day,
     * and a call with another key does nothing twice.
     */
    readonly using: <A, E>(
      name: string,
      isSpent: (failure: E) => boolean,
      ask: (key: string) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E>
    /** Removes names that were counted up before, which Stripe has forgotten; at most so many. */
    readonly drop: (before: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/stripe/CallKeys") {}

const Named = Schema.Struct({ name: Schema.String })

export const layer = Layer.effect(
  CallKeys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const find = SqlSchema.findOneOption({
      Request: Named,
      Result: Schema.Struct({ number: Schema.Int }),
      execute: ({ name }) => sql`select number from stripe_call_keys where name = ${name}`
    })
    const numberOf = (name: string) =>
      Effect.map(sqlDefects(find({ name })), (row) => (row._tag === "Some" ? row.value.number : 1))

    /** Of two calls under one key the second counts nothing. */
    const countUp = Effect.fnUntraced(function* (name: string, number: number) {
      const now = isoText(yield* currentTime)
      const write = sqlDefects(sql`insert into stripe_call_keys (name, number, counted_at)
        values (${name}, ${number + 1}, ${now}::text::timestamptz)
        on conflict (name) do update set number = excluded.number, counted_at = excluded.counted_at
          where stripe_call_keys.number < excluded.number`)
      yield* faults.around("Store.write", write, () => "stripe_call_keys")
    })

    return CallKeys.of({
      using: (name, isSpent, ask) =>
        Effect.flatMap(numberOf(name), (number) =>
          Effect.tapError(ask(number === 1 ? name : `${name}/${number}`), (failure) =>
            isSpent(failure) ? countUp(name, number) : Effect.void
          )
        ),
      drop: (before, limit) =>
        sqlDefects(
          Effect.map(
            sql`delete from stripe_call_keys where name in (select name from stripe_call_keys
              where counted_at < ${isoText(before)}::text::timestamptz limit ${limit}) returning 1`,
            ({ length }) => length
          )
        )
    })
  })
)
