/** Rows of passkeys. A challenge is used up in the transaction of its use. */
import { isoText } from "@coffer/model/isoText"
import { PersonId, passkeyPrefix } from "@coffer/model/Ids"
import { passkeysMax } from "@coffer/rules/people/signIn"
import { Context, type DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { type Challenge, Challenges } from "./Challenges.ts"

const Passkey = Schema.Struct({
  passkey_id: Schema.String,
  person_id: PersonId,
  credential_id: Schema.String,
  public_key: Schema.String,
  counter: Schema.Int,
  /** Its transports, separated by commas. */
  transports: Schema.String,
  name: Schema.String,
  is_synced: Schema.Boolean,
  created_at: TimeColumn,
  last_used_at: Schema.NullOr(TimeColumn)
})
export type Passkey = typeof Passkey.Type

export interface NewPasskey extends Pick<
  Passkey,
  "person_id" | "credential_id" | "public_key" | "counter" | "transports" | "name" | "is_synced"
> {
  readonly now: DateTime.Utc
  /** The session in which it is registered. A reset of access may have ended it meanwhile. */
  readonly sessionId: string
  /** Whether the person may have no other. */
  readonly isFirst: boolean
}

/** The reason why nothing was written. */
export type NotRegistered = "ended" | "used" | "too_many" | "known" | "not_first"

export class PasskeyStore extends Context.Service<
  PasskeyStore,
  {
    /** Newest first. */
    readonly of: (personId: PersonId) => Effect.Effect<ReadonlyArray<Passkey>>
    readonly byCredential: (credentialId: string) => Effect.Effect<Option.Option<Passkey>>
    readonly insert: (passkey: NewPasskey, challenge: Challenge) => Effect.Effect<Passkey | NotRegistered>
    /**
     * Records a sign-in with this counter. None: the challenge was used, the passkey is gone, or the counter was not
     * higher than before.
     */
    readonly use: (
      passkey: Passkey,
      counter: number,
      challenge: Challenge,
      now: DateTime.Utc
    ) => Effect.Effect<Option.Option<Passkey>>
    readonly rename: (personId: PersonId, passkeyId: string, name: string) => Effect.Effect<Option.Option<Passkey>>
    /** Removes the passkey and ends its sessions, except one. `last`: it stays, since the person has no other. */
    readonly remove: (
      personId: PersonId,
      passkeyId: string,
      options: { readonly sparesLast: boolean; readonly keepsSession: string }
    ) => Effect.Effect<Option.Option<Passkey | "last">>
  }
>()("@coffer/people/PasskeyStore") {}

export const layer = Layer.effect(
  PasskeyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const writing = <A>(write: Effect.Effect<A>) => faults.around("Store.write", write, () => "passkeys")
    const { first, of } = makeReads(sql)
    /** Changes of a person's passkeys are serialized. */
    const inTurn = <A, E, R>(personId: PersonId, write: Effect.Effect<A, E, R>) =>
      sqlDefects(
        Effect.andThen(sql`select from people where person_id = ${personId} for no key update`, write).pipe(
          sql.withTransaction
        )
      )
    const { insert, remove, use } = makeWrites(sql, yield* Challenges, yield* NewIds)

    return PasskeyStore.of({
      of: (personId) => sqlDefects(of(personId)),
      byCredential: (id) => sqlDefects(first(sql`select * from passkeys where credential_id = ${id}`)),
      insert: (passkey, challenge) => writing(inTurn(passkey.person_id, insert(passkey, challenge))),
      use: (passkey, counter, challenge, now) =>
        writing(sqlDefects(sql.withTransaction(use(passkey, counter, challenge, now)))),
      rename: (personId, passkeyId, name) =>
        writing(
          sqlDefects(
            first(sql`update passkeys set name = ${name}
              where person_id = ${personId} and passkey_id = ${passkeyId} returning *`)
          )
        ),
      remove: (personId, passkeyId, options) => writing(inTurn(personId, remove(personId, passkeyId, options)))
    })
  })
)

const makeReads = (sql: SqlClient.SqlClient) => {
  const read = Schema.decodeUnknownEffect(Schema.Array(Passkey))
  const passkeys = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) => Effect.flatMap(rows, read)
  return {
    first: <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
      Effect.map(passkeys(rows), ([passkey]) => Option.fromUndefinedOr(passkey)),
    of: (personId: PersonId) =>
      passkeys(sql`select * from passkeys where person_id = ${personId} order by passkey_id desc limit ${passkeysMax}`)
  }
}

/** Each of them runs in a transaction. */
const makeWrites = (sql: SqlClient.SqlClient, { useUp }: Challenges["Service"], ids: NewIds["Service"]) => {
  const { first, of } = makeReads(sql)
  const at = (time: DateTime.Utc) => sql`${isoText(time)}::text::timestamptz`

  const insert = Effect.fnUntraced(function* (passkey: NewPasskey, challenge: Challenge) {
    const { counter, credential_id, is_synced, isFirst, name, now, person_id, public_key, transports } = passkey
    const session = yield* sql`select from person_sessions where session_id = ${passkey.sessionId} for key share`
    if (session.length === 0) return "ended" as const
    if (!(yield* useUp(challenge))) return "used" as const
    const { length } = yield* of(person_id)
    if (isFirst && length > 0) return "not_first" as const
    if (length >= passkeysMax) return "too_many" as const
    const id = yield* ids.next(passkeyPrefix)
    const inserted = yield* first(sql`insert into passkeys
      (passkey_id, person_id, credential_id, public_key, counter, transports, name, is_synced, created_at)
      values (${id}, ${person_id}, ${credential_id}, ${public_key}, ${String(counter)}::text::bigint, ${transports},
        ${name}, ${is_synced}, ${at(now)})
      on conflict (credential_id) do nothing returning *`)
    return Option.isSome(inserted) ? inserted.value : ("known" as const)
  })

  const use = Effect.fnUntraced(function* (
    { passkey_id }: Passkey,
    counted: number,
    challenge: Challenge,
    now: DateTime.Utc
  ) {
    if (!(yield* useUp(challenge))) return Option.none()
    const counter = sql`${String(counted)}::text::bigint`
    // Authenticators without a counter always send 0.
    return yield* first(sql`update passkeys
      set counter = ${counter}, last_used_at = greatest(last_used_at, ${at(now)})
      where passkey_id = ${passkey_id} and (counter < ${counter} or (counter = 0 and ${counter} = 0)) returning *`)
  })

  const remove = Effect.fnUntraced(function* (
    personId: PersonId,
    passkeyId: string,
    { keepsSession, sparesLast }: { readonly sparesLast: boolean; readonly keepsSession: string }
  ) {
    const all = yield* of(personId)
    const found = all.find(({ passkey_id }) => passkey_id === passkeyId)
    if (found === undefined) return Option.none()
    if (sparesLast && all.length === 1) return Option.some("last" as const)
    yield* sql`delete from passkeys where passkey_id = ${passkeyId}`
    yield* sql`delete from person_sessions
      where person_id = ${personId} and passkey_id = ${passkeyId} and session_id <> ${keepsSession}`
    return Option.some(found)
  })

  return { insert, remove, use }
}
