/**
 * The confirmed mail addresses of a merchant. An address that a merchant's person has typed may be a stranger's: it is
 * confirmed once its owner has followed a link, which a person of the merchant with that address has done by signing
 * in. Addresses that operators set are confirmed.
 */
import { isoText } from "@coffer/model/isoText"
import { normalEmail, typedAddressesADay } from "@coffer/rules/people/signIn"
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { storableText } from "../../platform/postgres/storable.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { MailBudget, untilTomorrow } from "./MailBudget.ts"

interface Addressed {
  readonly merchant_id: string
  readonly contact_email: string | null
  readonly support_email: string | null
}

/** The people of a merchant have typed too many addresses today. */
export class TooManyAddresses extends Schema.TaggedError<TooManyAddresses>()("TooManyAddresses", {
  lasts: Schema.Duration
}) {}

/** How long a typed address is kept that is not set: the change that sets it may be under way. */
const setWithin = Duration.hours(1)

export class ConfirmedAddresses extends Context.Service<
  ConfirmedAddresses,
  {
    /** A person of the merchant has typed it. Comes before the change that sets it. */
    readonly doubt: (merchantId: string, email: string) => Effect.Effect<void, TooManyAddresses>
    /** An operator has set it. Comes after the change. */
    readonly trust: (merchantId: string, email: string) => Effect.Effect<void>
    readonly has: (merchantId: string, email: string) => Effect.Effect<boolean>
    /** Whom to notify: the first owner if no address is confirmed. Null: the merchant has no owner. */
    readonly of: (merchant: Addressed) => Effect.Effect<string | null>
    /** Forgets addresses that are no longer set, at most `limit`, and answers how many. */
    readonly dropOld: (limit: number) => Effect.Effect<number>
  }
>()("@coffer/mail/ConfirmedAddresses") {}

export const layer = Layer.effect(
  ConfirmedAddresses,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const budget = yield* MailBudget
    const asKept = (email: string) => storableText(normalEmail(email))
    /** People of the merchant who have signed in. */
    const present = (merchantId: string) => sql`memberships m join people p using (person_id)
      where m.belongs_to = ${merchantId} and (p.last_seen_at is not null
        or exists (select from known_browsers k where k.person_id = p.person_id))`
    const has = (merchantId: string, email: string) =>
      sqlDefects(
        Effect.map(
          sql`select where not exists (select from unconfirmed_addresses
              where merchant_id = ${merchantId} and email = ${asKept(email)})
            or exists (select from ${present(merchantId)} and p.email = ${asKept(email)})`,
          ({ length }) => length > 0
        )
      )

    return ConfirmedAddresses.of({
      doubt: Effect.fnUntraced(function* (merchantId, email) {
        if (!(yield* budget.take([{ counted: `addresses typed at ${merchantId}`, max: typedAddressesADay }]))) {
          return yield* new TooManyAddresses({ lasts: Duration.millis(yield* untilTomorrow) })
        }
        const now = isoText(yield* currentTime)
        yield* sqlDefects(
          sql`insert into unconfirmed_addresses (merchant_id, email, created_at)
            values (${merchantId}, ${asKept(email)}, ${now}::text::timestamptz)
            on conflict (merchant_id, email) do update set created_at = excluded.created_at`
        )
      }),
      trust: (merchantId, email) =>
        sqlDefects(
          Effect.asVoid(
            sql`delete from unconfirmed_addresses where merchant_id = ${merchantId} and email = ${asKept(email)}`
          )
        ),
      has,
      of: Effect.fnUntraced(function* ({ contact_email, merchant_id, support_email }) {
        const set = [contact_email, support_email].filter((email) => email !== null)
        for (const email of set) if (yield* has(merchant_id, email)) return email
        if (set.length === 0) return null
        const [owner] = yield* sqlDefects(
          sql<{ readonly email: string }>`select p.email from ${present(merchant_id)} and m.role = 'owner'
            order by m.created_at limit 1`
        )
        return owner?.email ?? null
      }),
      dropOld: Effect.fnUntraced(function* (limit) {
        const before = isoText(DateTime.subtractDuration(yield* currentTime, setWithin))
        // Postgres' lower() maps some different addresses to one: then the row stays.
        const isSet = (column: string) => sql`lower(btrim(m.${sql(column)})) is not distinct from lower(u.email)`
        const dropped = yield* sqlDefects(
          sql`delete from unconfirmed_addresses where (merchant_id, email) in (
            select u.merchant_id, u.email from unconfirmed_addresses u join merchants m using (merchant_id)
            where u.created_at < ${before}::text::timestamptz
              and not (${isSet("contact_email")} or ${isSet("support_email")})
            limit ${limit} for update of u skip locked) returning 1`
        )
        return dropped.length
      })
    })
  })
)
