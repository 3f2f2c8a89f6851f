/**
 * Lists with their filters that people of a merchant have saved under a name, for themselves or for all of its people.
 * They go with the role of the person who saved them.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table saved_views (
    view_id text primary key,
    belongs_to text not null,
    person_id text not null,
    page text not null,
    name text not null,
    query text not null,
    is_shared boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    foreign key (belongs_to, person_id) references memberships on delete cascade
  )`,
  `create index saved_views_of on saved_views (belongs_to, person_id, view_id)`,
  `create index saved_views_shared on saved_views (belongs_to, view_id) where is_shared`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
