/**
 * Takes the signatures of checkout addresses out of rows that were written with them (silences: O11). The field is
 * found by its place: the first name `checkout_url` in an order's JSON is the order's own, since a quote within a text
 * is escaped and metadata comes later. Each table is one statement, which writes each row that has a signature once.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const name = `'"checkout_url":"'`

/** The text without the signature in its first checkout address. */
const cut = (column: string) =>
  `left(${column}, strpos(${column}, ${name}) - 1) ||
    regexp_replace(substr(${column}, strpos(${column}, ${name})), ${signed}, '\\1"')`
/** At its beginning: `"checkout_url":"…/checkout/<trade number>.<end>` and the signature behind it. */
const signed = `'^("checkout_url":"[^"]*/checkout/[A-Z0-9_]+\\.[0-9]+)\\.[^"]*"'`
const isSigned = (column: string) =>
  `strpos(${column}, ${name}) > 0 and substr(${column}, strpos(${column}, ${name})) ~ ${signed}`

const statements = [
  // As long as it takes: there may be many events.
  `set local statement_timeout = 0`,
  `update events set body = ${cut("body")} where type like 'payment.%' and ${isSigned("body")}`,
  `update idempotency_keys set data = ${cut("data")}
    where data like '{"object":"order",%' and ${isSigned("data")}`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }))
})
