/**
 * The addresses of a merchant that mails may go to. One that a merchant's person has typed may be a stranger's: it
 * counts once its owner has followed a link, which a person of the merchant with that address has done by signing in.
 * What operators set counts.
 */
import { normalEmail } from "@coffer/rules/people/signIn"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { storableText } from "../platform/postgres/storable.ts"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"

interface Addressed {
  readonly merchant_id: string
  readonly contact_email: string | null
  readonly support_email: string | null
}

export class ConfirmedAddresses extends Context.Service<
  ConfirmedAddresses,
  {
    /** A person of the merchant has typed it. */
    readonly doubt: (merchantId: string, email: string) => Effect.Effect<void>
    /** An operator has set it. */
    readonly trust: (merchantId: string, email: string) => Effect.Effect<void>
    readonly has: (merchantId: string, email: string) => Effect.Effect<boolean>
    /** Whom to tell of something: where none of the addresses counts, the first owner. Null: the merchant has none. */
    readonly of: (merchant: Addressed) => Effect.Effect<string | null>
  }
>()("@coffer/mail/ConfirmedAddresses") {}

export const layer = Layer.effect(
  ConfirmedAddresses,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
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
      doubt: (merchantId, email) =>
        sqlDefects(
          Effect.asVoid(
            sql`insert into unconfirmed_addresses (merchant_id, email) values (${merchantId}, ${asKept(email)})
              on conflict do nothing`
          )
        ),
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
      })
    })
  })
)
