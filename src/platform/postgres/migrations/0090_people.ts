/**
 * People who sign in to the console: of merchants, and of the installation, who are its operators. Nothing that lets
 * anybody in is stored as it is: links and sessions are known by the HMAC of their secret.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table people (
    person_id text primary key,
    email text not null unique check (email = lower(email)),
    name text not null,
    created_at timestamptz not null,
    last_seen_at timestamptz
  )`,
  // belongs_to: the number of a merchant, or 'installation', whose roles are the operators'.
  `create table memberships (
    person_id text not null references people on delete cascade,
    belongs_to text not null,
    role text not null,
    created_at timestamptz not null,
    primary key (belongs_to, person_id),
    check (case when belongs_to = 'installation' then role in ('viewer', 'support', 'finance', 'admin')
      else role in ('owner', 'developer', 'support', 'finance', 'viewer') end)
  )`,
  `create index memberships_of_person on memberships (person_id)`,
  // browser_hash: of the secret in a cookie of the browser that asked. Null: any browser may use it.
  `create table sign_in_links (
    token_hash text primary key,
    person_id text not null references people on delete cascade,
    browser_hash text,
    created_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  `create index sign_in_links_of_person on sign_in_links (person_id, created_at)`,
  `create index sign_in_links_expiry on sign_in_links (expires_at)`,
  `create table person_sessions (
    session_id text primary key,
    token_hash text not null unique,
    person_id text not null references people on delete cascade,
    way text not null check (way in ('link', 'passkey', 'openid')),
    ip text not null,
    user_agent text not null,
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  `create index person_sessions_of on person_sessions (person_id, session_id)`,
  `create index person_sessions_expiry on person_sessions (expires_at)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
