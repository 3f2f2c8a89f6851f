/** A shop's links to its terms and its words about privacy, and its colour, on pages for buyers (silences: K14). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(
    `alter table merchants add column terms_url text, add column privacy_url text, add column accent_color text`
  )
})
