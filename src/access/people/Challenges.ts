/**
 * Challenges for signing in: encrypted texts for one use by one browser, valid for some minutes. Each works once. It
 * has no row before it is used, so that a client without a session cannot fill a table.
 */
import { isoText } from "@coffer/model/isoText"
import { Context, DateTime, type Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { jsonText, parseJson } from "../../platform/runtime/codecs.ts"
import { Secrets, sha256 } from "../../platform/runtime/Secrets.ts"

export interface Challenge {
  readonly hash: string
  readonly expiresAt: DateTime.Utc
  /** The challenge as it was issued. */
  readonly content: Readonly<Record<string, string>>
}

export class Challenges extends Context.Service<
  Challenges,
  {
    /** `use`: the purpose and the browser or session. */
    readonly issue: (
      use: string,
      validity: Duration.Duration,
      content?: Readonly<Record<string, string>>
    ) => Effect.Effect<string>
    /** None: not issued for this use, or expired. */
    readonly read: (text: string, use: string) => Effect.Effect<Option.Option<Challenge>>
    /** Uses the challenge up; false if it was used before. In a transaction it is used with the commit. */
    readonly useUp: (challenge: Challenge) => Effect.Effect<boolean>
    /** Removes expired rows, at most `limit`, and answers how many. */
    readonly dropExpired: (now: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/people/Challenges") {}

const decode = Schema.decodeUnknownOption(
  Schema.Struct({ until: Schema.Number, content: Schema.Record(Schema.String, Schema.String) })
)

export const layer = Layer.effect(
  Challenges,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const unsealed = Option.liftThrowable(secrets.decrypt)

    return Challenges.of({
      issue: (use, validity, content = {}) =>
        Effect.map(currentTime, (now) => {
          const until = DateTime.toEpochMillis(DateTime.addDuration(now, validity))
          return secrets.encrypt(jsonText({ until, content }), `challenge ${use}`)
        }),
      read: Effect.fnUntraced(function* (text, use) {
        const found = Option.flatMap(Option.flatMap(unsealed(text, `challenge ${use}`), parseJson), decode)
        const now = DateTime.toEpochMillis(yield* currentTime)
        return Option.map(
          Option.filter(found, ({ until }) => until > now),
          ({ content, until }): Challenge => ({ hash: sha256(text), expiresAt: DateTime.makeUnsafe(until), content })
        )
      }),
      useUp: ({ expiresAt, hash }) =>
        sqlDefects(
          Effect.map(
            sql`insert into used_challenges (hash, expires_at)
              values (${hash}, ${isoText(expiresAt)}::text::timestamptz) on conflict (hash) do nothing returning 1`,
            ({ length }) => length > 0
          )
        ),
      dropExpired: (now, limit) =>
        sqlDefects(
          Effect.map(
            sql`delete from used_challenges where hash in (select hash from used_challenges
              where expires_at <= ${isoText(now)}::text::timestamptz limit ${limit}
              for update skip locked) returning 1`,
            ({ length }) => length
          )
        )
    })
  })
)
