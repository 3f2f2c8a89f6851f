/**
 * Where many ask for links in a person's name, one link serves all browsers that ask (docs/choices.md, U44).
 * `shared_at`: the address of the console at which it works; null: the link is of one browser.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table sign_in_links add column shared_at text`,
  `create table sharing_browsers (
    token_hash text not null references sign_in_links on delete cascade,
    browser_hash text not null,
    primary key (token_hash, browser_hash)
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
