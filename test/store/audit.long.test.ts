/**
 * The published laws: a busy day breaks none of them, and a row that breaks one by SQL is reported, with its name.
 * Each case runs in a transaction that is rolled back, on a database of this file's own.
 */
import { readFileSync } from "node:fs"
import { assert, describe, layer } from "@effect/vitest"
import { laws, type Violation } from "@coffer/rules/wallet/laws"
import { Context, DateTime, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { anchorCheck } from "../../src/shared/audit/anchorCheck.ts"
import { auditLogCheck } from "../../src/shared/audit/auditLogCheck.ts"
import { make } from "../../src/shared/audit/Auditor.ts"
import { ledgerChecks, walletChecks } from "../../src/shared/audit/ledgerChecks.ts"
import { objectChecks } from "../../src/shared/audit/objectChecks.ts"
import type { Report } from "../../src/shared/audit/slices.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { busyDay } from "../kit/stories/busyDay.ts"
import { rehash, violationsOf } from "../kit/ledger.ts"
import { asOwner, freshDatabase, start } from "../kit/Service.ts"
import { cases as ledgerCases } from "./auditCases.ts"
import { chainCases } from "./auditChainCases.ts"

const cases = [...ledgerCases, ...chainCases]

class Books extends Context.Service<
  Books,
  {
    readonly sql: SqlClient.SqlClient
    readonly rich: string
    readonly poor: string
    readonly pendingRefund: string
  }
>()("test/audit/Books") {}

/** The day is over and the service stopped; its database remains. */
const books = Layer.effect(
  Books,
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const left = yield* Effect.scoped(Effect.flatMap(start({ database, clock: "test" }), busyDay))
    const context = yield* Layer.build(
      Postgres.layer({ url: Redacted.make(asOwner(database)), connections: 2, name: "test" })
    )
    return { sql: Context.get(context, SqlClient.SqlClient), ...left }
  })
)

/** The violations that one of the auditor's checks finds, each once. */
const foundBy = Effect.fnUntraced(function* (look: (report: Report) => Effect.Effect<unknown>) {
  const found = new Map<string, Violation>()
  yield* look({
    violation: (violation) =>
      Effect.sync(() => found.set(`${violation.law} ${violation.table} ${violation.key}`, violation)),
    progress: () => Effect.void
  })
  return [...found.values()]
})

const changedSince = (sql: SqlClient.SqlClient, since: DateTime.Utc) =>
  foundBy((report) => make(sql).changes(since, report))

/** As a round of the auditor does. */
const foundByRound = (sql: SqlClient.SqlClient) =>
  foundBy((report) => Effect.andThen(make(sql).changes(DateTime.makeUnsafe(0), report), make(sql).anchors(report)))

const walked = (sql: SqlClient.SqlClient) =>
  foundBy((report) =>
    Effect.gen(function* () {
      const auditor = make(sql)
      let position = yield* auditor.further(undefined, report)
      while (position !== undefined) position = yield* auditor.further(position, report)
    })
  )

const inOrder = (violations: ReadonlyArray<Violation>) =>
  violations.map(({ key, law, table }) => `${law} ${table} ${key}`).toSorted()

layer(books, { excludeTestServices: true })("the auditor", (it) => {
  it.effect("finds nothing wrong with a busy day, on which there was something of everything", () =>
    Effect.gen(function* () {
      const { sql } = yield* Books
      assert.deepStrictEqual(yield* violationsOf(sql), [])
      const types = yield* sql`select distinct type from ledger order by type`
      assert.strictEqual(types.length, 13, "every type of the ledger")
      const forced = yield* sql`select wallet_id from wallets where available < 0`
      assert.strictEqual(forced.length, 1, "one wallet is below zero")
      for (const [table, count] of [
        ["orders", 6],
        ["refunds", 4],
        ["disputes", 4],
        ["payouts", 5]
      ] as const) {
        const statuses = yield* sql.unsafe(`select distinct status from ${table}`)
        assert.isAtLeast(statuses.length, count, `${table} in every status`)
      }
    })
  )

  describe("names the law and the row when an attacker", () => {
    for (const { found, hashed, name, statements } of cases) {
      it.effect(name, () =>
        Effect.gen(function* () {
          const { sql, ...names } = yield* Books
          const text = (statement: string) =>
            statement.replace(/\$(\w+)/g, (_, key: string) => names[key as keyof typeof names])
          const seen = yield* Effect.flip(
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`alter table ledger disable trigger all`
                yield* sql`alter table audit_log disable trigger all`
                let rows: ReadonlyArray<{ readonly key?: string }> = []
                for (const statement of statements) rows = yield* sql.unsafe(text(statement))
                assert.isAbove(rows.length, 0, "something was broken")
                if (hashed) {
                  for (const { wallet_id } of yield* sql<{ wallet_id: string }>`select wallet_id from wallets`) {
                    yield* rehash(sql, wallet_id)
                  }
                }
                const keys = new Set(rows.map(({ key }) => key))
                const violations = yield* violationsOf(sql)
                const listed = inOrder(violations)
                assert.deepStrictEqual(inOrder(yield* foundByRound(sql)), listed)
                assert.deepStrictEqual(inOrder(yield* walked(sql)), listed)
                // After the day nothing new was written.
                assert.deepStrictEqual(yield* changedSince(sql, DateTime.makeUnsafe("2000-01-01T00:00:00Z")), [])
                return yield* Effect.fail(
                  violations.map(
                    ({ detail, key, law, table }) => [`${law} ${table} ${keys.has(key) ? "=" : "+"}`, detail] as const
                  )
                )
              })
            )
          )
          assert.isArray(seen, String(seen))
          const lines = seen as ReadonlyArray<readonly [string, string]>
          assert.deepStrictEqual(
            lines.map(([line]) => line).toSorted(),
            found.map((each) => each.join(" ")).toSorted(),
            JSON.stringify(lines, undefined, 2)
          )
          for (const [, detail] of lines) assert.isAbove(detail.length, 5)
        })
      )
    }

    it("every law is published in the same words", () => {
      const published = readFileSync("docs/ledger.md", "utf8")
      for (const [law, words] of Object.entries(laws)) assert.include(published, `| ${law} | ${words} |`)
    })

    it("there is a case for every law, and for every statement that looks for one", () => {
      const shown = new Set(cases.flatMap(({ found }) => found.map(([law, table]) => `${law} ${table}`)))
      const all = [...ledgerChecks, ...walletChecks, ...objectChecks, auditLogCheck, anchorCheck].map(
        ({ about, law }) => `${law} ${about}`
      )
      assert.sameMembers([...shown], all)
      assert.sameMembers([...new Set(cases.flatMap(({ found }) => found.map(([law]) => law)))], Object.keys(laws))
    })
  })
})
