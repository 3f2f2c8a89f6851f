/**
 * Reads and checks rows in slices of keys, so that the largest ledger takes no more memory than the smallest. Each
 * slice uses a connection of its own, so that no other statement waits behind it.
 */
import { type Check, type Subject, subjects, type Violation } from "@coffer/rules/wallet/laws"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { patiently } from "../platform/runtime/patience.ts"
import { anchorCheck } from "./anchorCheck.ts"
import { auditLogCheck } from "./auditLogCheck.ts"
import { ledgerChecks, walletChecks } from "./ledgerChecks.ts"
import { objectChecks } from "./objectChecks.ts"

export type Counts = Readonly<Record<Subject, number>>

/** Called while an audit runs. */
export interface Report {
  readonly violation: (violation: Violation) => Effect.Effect<unknown>
  /** After each slice, with the rows checked so far. */
  readonly progress: (checked: Counts) => Effect.Effect<void>
}

/** How far a walk through everything has come: up to this key of this table. */
export interface Position {
  readonly about: Subject
  readonly key: string
}

/** Tables in the order in which a walk goes through them. */
export const order = Object.keys(subjects) as ReadonlyArray<Subject>

const checks: ReadonlyArray<Check> = [...ledgerChecks, ...walletChecks, ...objectChecks, auditLogCheck, anchorCheck]
const checksOf = new Map(order.map((about) => [about, checks.filter((check) => check.about === about)]))

/** A slice of a large ledger may take longer than a request. */
const slicePatience = "5 minutes"

export type Slices = ReturnType<typeof makeSlices>

export const makeSlices = (sql: SqlClient.SqlClient) => {
  /** Rows whose columns are all text. */
  const texts = Effect.fnUntraced(function* (query: string, params: ReadonlyArray<unknown>) {
    return yield* decodeTexts(yield* patiently(slicePatience)(sql.unsafe(query, params)))
  }, sqlDefects)

  /** The next keys of the table after the position, one slice of them. */
  const keysAfter = Effect.fnUntraced(function* ({ about, key }: Position, until?: string) {
    const { key: column, slice } = subjects[about]
    const bound = `${until === undefined ? "" : `and ${column} <= $3`} ${about === "anchors" ? "and is_first" : ""}`
    const rows = yield* texts(
      `select ${column} as key from ${about} where ${column} > $1 ${bound} order by ${column} limit $2::int`,
      until === undefined ? [key, slice] : [key, slice, until]
    )
    return rows.map((row) => row["key"]!)
  })

  /** Checks rows, reports what it finds, and counts the rows. */
  const checker = (report: Report) => {
    const checked = Object.fromEntries(order.map((about) => [about, 0])) as Record<Subject, number>
    const check = Effect.fnUntraced(function* (about: Subject, keys: ReadonlyArray<string>) {
      const { slice } = subjects[about]
      for (let from = 0; from < keys.length; from += slice) {
        const some = keys.slice(from, from + slice)
        const found = yield* sql
          .withTransaction(Effect.forEach(checksOf.get(about)!, (law) => runCheck(sql, law, some)))
          .pipe(patiently(slicePatience))
        yield* Effect.forEach(found.flat(), report.violation, { discard: true })
        checked[about] += some.length
        yield* report.progress(checked)
      }
    }, sqlDefects)
    return { checked, check }
  }

  return { texts, keysAfter, checker }
}

const runCheck = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { about, law, query }: Check,
  keys: ReadonlyArray<string>
) {
  const rows = yield* sql.unsafe(`select * from (${query}) as found where detail is not null order by key`, [keys])
  return (yield* decodeFound(rows)).map((found): Violation => ({ law, table: about, ...found }))
})

const decodeFound = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ key: Schema.String, detail: Schema.String }))
)
const decodeTexts = Schema.decodeUnknownEffect(Schema.Array(Schema.Record(Schema.String, Schema.NullOr(Schema.String))))
