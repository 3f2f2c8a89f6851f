/**
 * Reads and checks rows in slices of keys, so that the largest ledger takes no more memory than the smallest. Each
 * slice uses a connection of its own, so that no other statement waits behind it.
 */
import { type Check, type Subject, subjects, type Violation } from "@coffer/rules/wallet/laws"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"
import { patiently } from "../../platform/runtime/patience.ts"
import { anchorCheck } from "./anchorCheck.ts"
import { auditLogCheck } from "./auditLogCheck.ts"
import { ledgerChecks, walletChecks, wholeWalletChecks } from "./ledgerChecks.ts"
import { objectChecks } from "./objectChecks.ts"

export type Counts = Readonly<Record<Subject, number>>

/** Called while an audit runs. */
export interface Report {
  readonly violation: (violation: Violation) => Effect.Effect<unknown>
  /** After each slice, with the rows checked so far. */
  readonly progress: (checked: Counts) => Effect.Effect<void>
}

/** The position of a walk through everything: this key of this table. */
export interface Position {
  readonly about: Subject
  readonly key: string
}

/** Tables in the order in which a walk goes through them. */
export const order = Object.keys(subjects) as ReadonlyArray<Subject>

const checks: ReadonlyArray<Check> = [...ledgerChecks, ...walletChecks, ...objectChecks, auditLogCheck, anchorCheck]
const checksOf = new Map(order.map((about) => [about, checks.filter((check) => check.about === about)]))

/** Rows of each wallet that one statement sums up. */
const summedMax = 200_000

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

  /** The current stored sums of these wallets. The first time takes many statements. */
  const advance = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, alive: Effect.Effect<void>, anew = false) {
    const next = (again: boolean) =>
      Effect.map(
        texts("select advance_ledger_sums($1, $2::int, $3::boolean)::text as more", [keys, summedMax, again]),
        ([row]) => row?.["more"] !== "0"
      )
    for (let hasMore = yield* next(anew); hasMore; hasMore = yield* next(false)) yield* alive
  })

  /** Sums of all rows of these wallets from the first row on, without the stored sums. */
  const sumsOf = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, alive: Effect.Effect<void>) {
    let found: ReadonlyArray<Texts> = []
    for (let hasMore = true; hasMore; yield* alive) {
      const rows: ReadonlyArray<Texts> = yield* texts(summing, [keys, jsonText(found), summedMax])
      hasMore = rows.some(({ rows }) => rows === String(summedMax))
      found = rows
    }
    return found
  })

  /** Violations by the sums of all rows. */
  const checkWhole = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, alive: Effect.Effect<void>) {
    const sums = jsonText(yield* sumsOf(keys, alive))
    return yield* runChecks(sql, wholeWalletChecks, keys, [sums])
  })

  /**
   * Violations of the stored sums, compared with those of all rows: rows that were changed and changed back may have
   * left wrong stored sums.
   */
  const checkMoved = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, alive: Effect.Effect<void>) {
    yield* advance(keys, alive)
    const suspect = yield* runChecks(sql, walletChecks, keys)
    if (suspect.length === 0) return suspect
    const suspects = [...new Set(suspect.map(({ key }) => key))]
    const found = yield* checkWhole(suspects, alive)
    if (found.length < suspect.length) yield* advance(suspects, alive, true)
    return found
  })

  /** Checks rows, reports what it finds, and counts the rows. `isWhole`: each wallet by all of its rows. */
  const checker = (report: Report, { isWhole = false }: { readonly isWhole?: boolean } = {}) => {
    const checked = Object.fromEntries(order.map((about) => [about, 0])) as Record<Subject, number>
    const alive = Effect.suspend(() => report.progress(checked))
    const checkWallets = isWhole ? checkWhole : checkMoved
    const check = Effect.fnUntraced(function* (about: Subject, keys: ReadonlyArray<string>) {
      const { slice } = subjects[about]
      for (let from = 0; from < keys.length; from += slice) {
        const some = keys.slice(from, from + slice)
        const found = yield* about === "wallets"
          ? checkWallets(some, alive)
          : runChecks(sql, checksOf.get(about)!, some)
        yield* Effect.forEach(found, report.violation, { discard: true })
        checked[about] += some.length
        yield* alive
      }
    }, sqlDefects)
    return { checked, check }
  }

  return { texts, keysAfter, checker }
}

/** The next rows of each wallet, with the sums so far (`$2`) added. */
const summing = `select k.wallet_id, coalesce(n.rows, 0)::text as rows, coalesce(n.row_id, b.row_id) as row_id,
    coalesce(n.frozen, b.frozen)::text as frozen,
    ${["moved", "revenue", "fee", "refund", "payout", "lost"]
      .map((name) => `(coalesce(b.${name}, 0) + coalesce(n.${name}, 0))::text as ${name}`)
      .join(", ")}
  from unnest($1::text[]) k (wallet_id) left join jsonb_to_recordset($2::jsonb) as b (wallet_id text, row_id text,
      frozen bigint, moved bigint, revenue bigint, fee bigint, refund bigint, payout bigint, lost bigint)
      using (wallet_id)
    left join lateral sum_ledger(k.wallet_id, coalesce(b.row_id, ''), coalesce(b.frozen, 0), $3::int) n on true`

/** At one moment of the database. `more`: parameters after the keys. */
const runChecks = (
  sql: SqlClient.SqlClient,
  checks: ReadonlyArray<Check>,
  keys: ReadonlyArray<string>,
  more: ReadonlyArray<unknown> = []
) =>
  sql
    .withTransaction(
      Effect.forEach(
        checks,
        Effect.fnUntraced(function* ({ about, law, query }) {
          const used = query.includes("$2") ? [keys, ...more] : [keys]
          const rows = yield* sql.unsafe(
            `select * from (${query}) as found where detail is not null order by key`,
            used
          )
          return (yield* decodeFound(rows)).map((found): Violation => ({ law, table: about, ...found }))
        })
      )
    )
    .pipe(
      Effect.map((found) => found.flat()),
      patiently(slicePatience)
    )

const decodeFound = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ key: Schema.String, detail: Schema.String }))
)
const Texts = Schema.Record(Schema.String, Schema.NullOr(Schema.String))
type Texts = typeof Texts.Type
const decodeTexts = Schema.decodeUnknownEffect(Schema.Array(Texts))
