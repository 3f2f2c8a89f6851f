/**
 * `stripe_sessions.locale`: the language of a session at Stripe, where the order alone does not say it: `zh-HK` or
 * `zh-TW` of an order in Chinese whose buyer reads traditional characters. Null: as the order says. A session that is
 * asked for again has to be asked for with the same words.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table stripe_sessions add column locale text`
})
