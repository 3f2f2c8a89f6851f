/** Passkeys of people, and the secrets of a way in that were used: each of them works once. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // public_key: what WebAuthn calls a COSE key, in base64url. It opens nothing.
  `create table passkeys (
    passkey_id text primary key,
    person_id text not null references people on delete cascade,
    credential_id text not null unique,
    public_key text not null,
    counter bigint not null,
    transports text not null,
    name text not null,
    is_synced boolean not null,
    created_at timestamptz not null,
    last_used_at timestamptz
  )`,
  `create index passkeys_of_person on passkeys (person_id, passkey_id)`,
  // A challenge is a sealed text. Only one that was used has a row, until it would have expired.
  `create table used_challenges (
    hash text primary key,
    expires_at timestamptz not null
  )`,
  `create index used_challenges_expiry on used_challenges (expires_at)`,
  // Sessions that a passkey opened end with it.
  `alter table person_sessions add column passkey_id text`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
