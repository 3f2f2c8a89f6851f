/** The auditor, as tests call it: from the database alone, the way a suspicious accountant would. */
import { createHash } from "node:crypto"
import { assert } from "@effect/vitest"
import { chainText } from "@coffer/rules/wallet/post"
import type { Violation } from "@coffer/rules/wallet/laws"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { make } from "../../src/shared/audit/Auditor.ts"

/** The violations of the published laws in the whole database. */
export const violationsOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const found: Array<Violation> = []
  yield* make(sql).all({
    violation: (violation) => Effect.sync(() => void found.push(violation)),
    progress: () => Effect.void
  })
  return found
})

/** Every law of docs/ledger.md holds, for every row. */
export const assertLedgerWhole = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  assert.deepStrictEqual(yield* violationsOf(sql), [])
})

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** As a forger would who can write, and compute: the hashes of a wallet fit what its rows say now. */
export const rehash = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, walletId: string) {
  // oxlint-disable-next-line no-explicit-any -- rows as they are
  const rows = yield* sql<any>`select * from ledger where wallet_id = ${walletId} order by sequence`
  let head = { id: "", hash: "" }
  for (const row of rows) {
    const text = chainText(walletId, {
      id: row.id,
      sequence: Number(row.sequence),
      type: row.type,
      amount: Number(row.amount),
      balanceBefore: Number(row.balance_before),
      balanceAfter: Number(row.balance_after),
      frozenAfter: Number(row.frozen_after),
      referenceId: row.reference_id,
      description: row.description,
      createdAt: row.created_at,
      previousHash: head.hash
    })
    head = { id: row.id, hash: sha256(text) }
    yield* sql`update ledger set previous_hash = decode(${text.split("\n")[1]!}, 'hex'),
      hash = decode(${head.hash}, 'hex') where id = ${row.id}`
  }
  yield* sql`update wallets set head_id = ${head.id}, head_hash = ${head.hash} where wallet_id = ${walletId}`
})
