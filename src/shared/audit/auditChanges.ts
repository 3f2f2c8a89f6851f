/** Audits the rows since a moment, and their wallets and objects. */
import { prefixes } from "@coffer/model/Ids"
import { idsCreated } from "@coffer/rules/lists/created"
import { type Subject, subjects } from "@coffer/rules/wallet/laws"
import { type DateTime, Effect } from "effect"
import { span } from "../../platform/runtime/span.ts"
import type { Report, Slices } from "./slices.ts"

const ownWallet = "concat_ws('/', merchant_id, mode, currency)"

/** Tables whose ids rise with time. `wallet` and `concerns`: columns with the wallet and the objects of a row. */
const written = [
  { about: "ledger", prefix: prefixes.ledger, wallet: "wallet_id", concerns: ["reference_id"] },
  { about: "events", prefix: prefixes.event, wallet: "null", concerns: ["object_id", "trade_no"] },
  { about: "refunds", prefix: prefixes.refund, wallet: ownWallet, concerns: ["trade_no"] },
  { about: "disputes", prefix: prefixes.dispute, wallet: ownWallet, concerns: ["trade_no"] },
  { about: "payouts", prefix: prefixes.payout, wallet: ownWallet, concerns: ["payout_no"] },
  { about: "audit_log", prefix: prefixes.auditEntry, wallet: "null", concerns: [] }
] as const satisfies ReadonlyArray<Written>

interface Written {
  readonly about: Subject
  readonly prefix: string
  readonly wallet: string
  readonly concerns: ReadonlyArray<string>
}

export const makeChanges = (slices: Slices) =>
  span("Auditor.changes")(function* (since: DateTime.Utc, report: Report) {
    const { check } = slices.checker(report)
    const wallets = new Set<string>()
    for (const table of written) {
      let { above } = idsCreated(table.prefix, { from: since, to: undefined })
      for (let isFull = true; isFull;) {
        const rows = yield* newRows(slices, table, above)
        yield* check(
          table.about,
          rows.map(({ key }) => key)
        )
        const numbers = rows.flatMap(({ numbers }) => numbers)
        yield* checkObjects(slices, check, numbers)
        for (const { wallet } of rows) if (wallet !== null) wallets.add(wallet)
        isFull = rows.length === subjects[table.about].slice
        above = rows.at(-1)?.key ?? above
      }
    }
    yield* check("wallets", [...wallets])
  })

/** One slice of the rows after this key, with the wallet and the numbers of the objects of each. */
const newRows = Effect.fnUntraced(function* (slices: Slices, { about, concerns, wallet }: Written, above: string) {
  const { key, slice } = subjects[about]
  const columns = concerns.map((column, index) => `, ${column} as number${index}`).join("")
  const rows = yield* slices.texts(
    `select ${key} as key, ${wallet} as wallet${columns} from ${about}
      where ${key} > $1 order by ${key} limit $2::int`,
    [above, slice]
  )
  return rows.map((row) => ({
    key: row["key"]!,
    wallet: row["wallet"] ?? null,
    numbers: concerns.map((_, index) => row[`number${index}`]!)
  }))
})

/** Checks the objects with these numbers, and the orders of refunds and disputes. */
const checkObjects = Effect.fnUntraced(function* (
  slices: Slices,
  check: ReturnType<Slices["checker"]>["check"],
  numbers: ReadonlyArray<string>
) {
  const of = (about: Subject) => [...new Set(numbers.filter((number) => subjectOf(number) === about))]
  const [refunds, disputes] = [of("refunds"), of("disputes")]
  const orders = yield* slices.texts(
    `select trade_no from refunds where refund_no = any($1) union
      select trade_no from disputes where dispute_no = any($2)`,
    [refunds, disputes]
  )
  yield* check("refunds", refunds)
  yield* check("disputes", disputes)
  yield* check("payouts", of("payouts"))
  yield* check("orders", [...new Set([...of("orders"), ...orders.map((row) => row["trade_no"]!)])])
})

const subjectOf = (number: string): Subject | undefined => {
  if (number.startsWith(prefixes.tradeNo.live)) return "orders"
  if (number.startsWith(prefixes.refund)) return "refunds"
  if (number.startsWith(prefixes.dispute)) return "disputes"
  return number.startsWith(prefixes.payout) ? "payouts" : undefined
}
