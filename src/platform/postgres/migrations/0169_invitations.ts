/**
 * Roles that were offered and not yet accepted (docs/decisions/0092). Who has a role today has accepted it. A
 * merchant's owner ends what a person's sessions may do there, and nowhere else. Sign-in links are counted by who asks,
 * and a browser in which a person has signed in is counted by itself.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // invited_by: the address of the person who offers it; null for operators.
  `create table invitations (
    invitation_id text primary key,
    belongs_to text not null,
    email text not null,
    name text,
    role text not null,
    invited_by text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    unique (belongs_to, email),
    check (case when belongs_to = 'installation' then role in ('viewer', 'support', 'finance', 'admin')
      else role in ('owner', 'developer', 'support', 'finance', 'viewer') end)
  )`,
  `create index invitations_of_address on invitations (email)`,
  `create index invitations_expiry on invitations (expires_at)`,
  // The number of an invitation becomes that of a person who was not known before.
  `create view people_and_invited as
    select person_id, email, name, created_at, last_seen_at, null::text as invited_to, null::text as invited_as
      from people
    union all
    select invitation_id, email, coalesce(name, email), created_at, null, belongs_to, role from invitations i
      where not exists (select from people p where p.person_id = i.invitation_id)`,
  // Postgres' lower() makes one letter of two that are different in an address.
  `alter table people drop constraint people_email_check`,
  `alter table memberships add column sessions_after timestamptz`,
  `create table known_browsers (
    person_id text not null references people on delete cascade,
    browser_hash text not null,
    seen_at timestamptz not null,
    primary key (person_id, browser_hash)
  )`,
  // Null in links that no stranger's request made.
  `alter table sign_in_links add column asker_hash text`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
