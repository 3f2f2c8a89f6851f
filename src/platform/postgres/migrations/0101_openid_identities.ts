/** A person's identity at an OpenID provider. Each has one there, so an address that is given on opens nothing. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table openid_identities (
    issuer text not null,
    subject text not null,
    person_id text not null references people on delete cascade,
    created_at timestamptz not null,
    primary key (issuer, subject),
    unique (person_id, issuer)
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
