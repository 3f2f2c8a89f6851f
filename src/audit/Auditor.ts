/**
 * Front door to the auditor: holds rows against the published laws (`@coffer/rules/wallet/laws`). It only reads, in
 * slices of keys, so that the largest ledger takes no more memory than the smallest; each slice has a connection of its
 * own, so that nobody else's statement waits behind it.
 */
import { prefixes } from "@coffer/model/Ids"
import { idsCreated } from "@coffer/rules/lists/created"
import { type Check, type Subject, subjects, type Violation } from "@coffer/rules/wallet/laws"
import { Context, type DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { patiently } from "../platform/runtime/patience.ts"
import { span } from "../platform/runtime/span.ts"
import { ledgerChecks, walletChecks } from "./ledgerChecks.ts"
import { objectChecks } from "./objectChecks.ts"

export type Counts = Readonly<Record<Subject, number>>

/** Told as it goes. */
export interface Report {
  readonly violation: (violation: Violation) => Effect.Effect<unknown>
  /** After each slice: how many rows were checked up to now. */
  readonly progress: (checked: Counts) => Effect.Effect<void>
}

/** Where a walk through everything stands: up to this key of this table. */
export interface Position {
  readonly about: Subject
  readonly key: string
}

export class Auditor extends Context.Service<
  Auditor,
  {
    /** Everything there is at its start. */
    readonly all: (report: Report) => Effect.Effect<Counts>
    /** What was written since, and what that concerns: wallets, orders, refunds, disputes, payouts, events. */
    readonly changes: (since: DateTime.Utc, report: Report) => Effect.Effect<void>
    /** These rows. */
    readonly some: (about: Subject, keys: ReadonlyArray<string>, report: Report) => Effect.Effect<void>
    /** One slice further through everything; undefined where it ends. */
    readonly further: (from: Position | undefined, report: Report) => Effect.Effect<Position | undefined>
  }
>()("@coffer/audit/Auditor") {}

const order = Object.keys(subjects) as ReadonlyArray<Subject>
const checks: ReadonlyArray<Check> = [...ledgerChecks, ...walletChecks, ...objectChecks]
const checksOf = new Map(order.map((about) => [about, checks.filter((check) => check.about === about)]))

/** A slice of a large ledger may take longer than a request. */
const slicePatience = "5 minutes"

const Found = Schema.Array(Schema.Struct({ key: Schema.String, detail: Schema.String }))
const Texts = Schema.Array(Schema.Record(Schema.String, Schema.NullOr(Schema.String)))

export const make = (sql: SqlClient.SqlClient): Auditor["Service"] => {
  const run = Effect.fnUntraced(function* ({ about, law, query }: Check, keys: ReadonlyArray<string>) {
    const rows = yield* sql.unsafe(`select * from (${query}) as found where detail is not null order by key`, [keys])
    return (yield* Schema.decodeUnknownEffect(Found)(rows)).map((found): Violation => ({ law, table: about, ...found }))
  })

  const texts = Effect.fnUntraced(function* (query: string, params: ReadonlyArray<unknown>) {
    return yield* Schema.decodeUnknownEffect(Texts)(yield* patiently(slicePatience)(sql.unsafe(query, params)))
  }, sqlDefects)

  /** Counts what it checks. */
  const visitor = (report: Report) => {
    const checked = Object.fromEntries(order.map((about) => [about, 0])) as Record<Subject, number>
    const visit = Effect.fnUntraced(function* (about: Subject, keys: ReadonlyArray<string>) {
      const { slice } = subjects[about]
      for (let from = 0; from < keys.length; from += slice) {
        const some = keys.slice(from, from + slice)
        const found = yield* sql
          .withTransaction(Effect.forEach(checksOf.get(about)!, (check) => run(check, some)))
          .pipe(patiently(slicePatience))
        yield* Effect.forEach(found.flat(), report.violation, { discard: true })
        checked[about] += some.length
        yield* report.progress(checked)
      }
    }, sqlDefects)
    return { checked, visit }
  }

  const keysAfter = Effect.fnUntraced(function* ({ about, key }: Position, until?: string) {
    const { key: name, slice } = subjects[about]
    const bound = until === undefined ? "" : `and ${name} <= $3`
    const rows = yield* texts(
      `select ${name} as key from ${about} where ${name} > $1 ${bound} order by ${name} limit $2::int`,
      until === undefined ? [key, slice] : [key, slice, until]
    )
    return rows.map((row) => row["key"]!)
  })

  const all = span("Auditor.all")(function* (report: Report) {
    const { checked, visit } = visitor(report)
    for (const about of order) {
      // What comes after the start is for the next audit: a service that goes on writing must not keep this one busy.
      const [last] = yield* texts(`select max(${subjects[about].key}) as key from ${about}`, [])
      const until = last?.["key"] ?? ""
      for (let keys = yield* keysAfter({ about, key: "" }, until); keys.length > 0;) {
        yield* visit(about, keys)
        keys = yield* keysAfter({ about, key: keys.at(-1)! }, until)
      }
    }
    return checked
  })

  const further = span("Auditor.further")(function* (from: Position | undefined, report: Report) {
    const position = from ?? { about: order[0]!, key: "" }
    const keys = yield* keysAfter(position)
    yield* visitor(report).visit(position.about, keys)
    if (keys.length > 0) return { about: position.about, key: keys.at(-1)! }
    const next = order[order.indexOf(position.about) + 1]
    return next === undefined ? undefined : { about: next, key: "" }
  })

  const changes = span("Auditor.changes")(function* (since: DateTime.Utc, report: Report) {
    const { visit } = visitor(report)
    const wallets = new Set<string>()

    /** Whatever these numbers stand for, and the orders of what belongs to one. */
    const objects = Effect.fnUntraced(function* (numbers: ReadonlyArray<string>) {
      const of = (about: Subject) => [...new Set(numbers.filter((number) => subjectOf(number) === about))]
      const [refunds, disputes] = [of("refunds"), of("disputes")]
      const owning = yield* texts(
        `select trade_no from refunds where refund_no = any($1) union
          select trade_no from disputes where dispute_no = any($2)`,
        [refunds, disputes]
      )
      yield* visit("refunds", refunds)
      yield* visit("disputes", disputes)
      yield* visit("payouts", of("payouts"))
      yield* visit("orders", [...new Set([...of("orders"), ...owning.map((row) => row["trade_no"]!)])])
    })

    for (const { about, concerns, prefix, wallet } of written) {
      const { key: name, slice } = subjects[about]
      const columns = concerns.map((column, index) => `${column} as number${index}`).join(", ")
      let { above } = idsCreated(prefix, { from: since, to: undefined })
      for (let full = true; full;) {
        const rows = yield* texts(
          `select ${name} as key, ${wallet} as wallet, ${columns} from ${about}
            where ${name} > $1 order by ${name} limit $2::int`,
          [above, slice]
        )
        yield* visit(
          about,
          rows.map((row) => row["key"]!)
        )
        yield* objects(rows.flatMap((row) => concerns.map((_, index) => row[`number${index}`]!)))
        for (const { wallet: walletId } of rows) if (walletId !== null && walletId !== undefined) wallets.add(walletId)
        full = rows.length === slice
        above = rows.at(-1)?.["key"] ?? above
      }
    }
    yield* visit("wallets", [...wallets])
  })

  return { all, further, changes, some: (about, keys, report) => visitor(report).visit(about, keys) }
}

const ownWallet = "concat_ws('/', merchant_id, mode, currency)"

/** What is numbered by time: new rows, the wallets that they are about, and the objects that they concern. */
const written = [
  { about: "ledger", prefix: prefixes.ledger, wallet: "wallet_id", concerns: ["reference_id"] },
  { about: "events", prefix: prefixes.event, wallet: "null", concerns: ["object_id", "trade_no"] },
  { about: "refunds", prefix: prefixes.refund, wallet: ownWallet, concerns: ["trade_no"] },
  { about: "disputes", prefix: prefixes.dispute, wallet: ownWallet, concerns: ["trade_no"] },
  { about: "payouts", prefix: prefixes.payout, wallet: ownWallet, concerns: ["payout_no"] }
] as const satisfies ReadonlyArray<{ readonly about: Subject } & Record<string, unknown>>

const subjectOf = (number: string): Subject | undefined => {
  if (number.startsWith(prefixes.tradeNo.live)) return "orders"
  if (number.startsWith(prefixes.refund)) return "refunds"
  if (number.startsWith(prefixes.dispute)) return "disputes"
  return number.startsWith(prefixes.payout) ? "payouts" : undefined
}

export const layer = Layer.effect(Auditor, Effect.map(SqlClient.SqlClient, make))
