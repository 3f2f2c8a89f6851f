/**
 * The rows that a payment leaves behind take less room (docs/decisions/0024). The ledger's hashes are bytes; it is
 * listed along its wallets, and an object's rows and events are found by the object's number alone, which no two
 * merchants share. New events are packed (`events/eventBodies.ts`); older ones keep their text.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // As long as it takes: the ledger may be long.
  `set local statement_timeout = 0`,

  `drop index ledger_newest, ledger_currency, ledger_sequence, ledger_reference`,
  `alter table ledger
    alter column previous_hash type bytea using decode(previous_hash, 'hex'),
    alter column hash type bytea using decode(hash, 'hex')`,
  // The rows of a wallet in their order: ids rise with their numbers (law I2).
  `create unique index ledger_wallet on ledger (wallet_id, id)`,
  `create index ledger_reference on ledger (reference_id, id)`,

  `alter table events alter column body drop not null, add column packed bytea`,
  `drop index events_object`,
  `create index events_object on events (object_id, id)`,

  // A wallet's row is replaced by each batch of its payments; with room on its page no index is written.
  `alter table wallets set (fillfactor = 50)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }))
})
