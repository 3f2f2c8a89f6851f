/**
 * How many mails of a kind may go out on one day of real time: of one merchant, to one address. The caller names the
 * counter, without an address in it. Several limits apply together: if one is reached, none is counted.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { unmovedMillis } from "../../platform/runtime/MerchantClocks.ts"

export interface MailBound {
  /** What is counted, such as `invitations of mer_…`. */
  readonly counted: string
  readonly max: number
}

const dayMillis = 86_400_000
const today = Effect.map(unmovedMillis, (now) => Math.floor(now / dayMillis))
/** Milliseconds until the counts begin again. */
export const untilTomorrow = Effect.map(unmovedMillis, (now) => dayMillis - (now % dayMillis))

export class MailBudget extends Context.Service<
  MailBudget,
  {
    /** Counts one mail. False: one of the bounds is reached. */
    readonly take: (bounds: ReadonlyArray<MailBound>) => Effect.Effect<boolean>
    /** Removes counts of other days, at most `limit`, and answers how many. */
    readonly dropOld: (limit: number) => Effect.Effect<number>
  }
>()("@coffer/mail/MailBudget") {}

export const layer = Layer.effect(
  MailBudget,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const count = ({ counted, max }: MailBound, day: number) =>
      Effect.flatMap(
        sql`insert into mail_counts as c (counted, day, mails) values (${counted}, ${day}, 1)
          on conflict (counted) do update set day = greatest(c.day, excluded.day),
            mails = case when c.day < excluded.day then 1 else c.mails + 1 end
            where c.day < excluded.day or c.mails < ${max} returning 1`,
        ({ length }) => (length > 0 ? Effect.void : Effect.fail("reached" as const))
      )
    // In sorted order, so that two callers cannot deadlock.
    const ordered = (bounds: ReadonlyArray<MailBound>) =>
      bounds.toSorted((one, other) => (one.counted < other.counted ? -1 : 1))

    return MailBudget.of({
      take: Effect.fnUntraced(function* (bounds) {
        const day = yield* today
        return yield* sqlDefects(
          Effect.forEach(ordered(bounds), (bound) => count(bound, day), { discard: true }).pipe(
            sql.withTransaction,
            Effect.as(true),
            Effect.catchIf(
              (error) => error === "reached",
              () => Effect.succeed(false)
            )
          )
        )
      }),
      dropOld: (limit) =>
        Effect.flatMap(today, (day) =>
          sqlDefects(
            Effect.map(
              sql`delete from mail_counts where counted in (select counted from mail_counts
                where day < ${day - 1} limit ${limit} for update skip locked) returning 1`,
              ({ length }) => length
            )
          )
        )
    })
  })
)
