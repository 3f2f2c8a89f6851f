/** The auditor, as tests call it: from the database alone, the way a suspicious accountant would. */
import { assert } from "@effect/vitest"
import type { Violation } from "@coffer/rules/wallet/laws"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { make } from "../../src/audit/Auditor.ts"

/** What the whole database breaks of the published laws. */
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
