/**
 * Statements of random histories add up to the ledger to the minor unit, across time zones and month ends. The
 * expectation is computed from the rows of the ledger in another way: by the local date of each row. The soak has a
 * thousand histories.
 */
import { createHash } from "node:crypto"
import { createdAtOf, idBody, MerchantId, Mode } from "@coffer/model/Ids"
import type { LedgerType } from "@coffer/model/Ledger"
import { Currency } from "@coffer/model/Money"
import { emptyWallet, type LedgerRow, type WalletName, walletIdOf } from "@coffer/rules/wallet/Wallet"
import { type Movement, post } from "@coffer/rules/wallet/post"
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Result } from "effect"
import fc from "fast-check"
import { Reports } from "../../src/reads/reports/Reports.ts"
import { type Running, start } from "../kit/Service.ts"
import { rounds } from "../kit/run/soak.ts"

class Service extends Context.Service<Service, Running>()("test/statements") {}

const dayMillis = 86_400_000
/** Days on which a zone changes its clocks, and ends of months and years. */
const days = [
  "2024-02-28",
  "2024-10-26",
  "2024-10-31",
  "2025-01-30",
  "2025-03-08",
  "2025-03-29",
  "2025-04-24",
  "2025-08-30",
  "2025-10-04",
  "2025-10-25"
]
const zones = [...Intl.supportedValuesOf("timeZone"), "UTC", "Asia/Kolkata", "Pacific/Chatham", "Australia/Lord_Howe"]

const deed = fc.record({
  kind: fc.constantFrom("pay", "pay", "pay", "refund", "refundNow", "dispute", "payout", "end", "end", "end"),
  amount: fc.integer({ min: 1, max: 100_000 }),
  currency: fc.constantFrom(...Currency.literals),
  /** Milliseconds since the one before. */
  later: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 12 * 3_600_000 })),
  isGood: fc.boolean(),
  chosen: fc.nat()
})
const history = fc.record({
  day: fc.constantFrom(...days),
  hour: fc.integer({ min: -14, max: 14 }),
  deeds: fc.array(deed, { minLength: 1, maxLength: 80 }),
  zone: fc.constantFrom(...zones),
  interval: fc.constantFrom("day" as const, "month" as const, "range" as const),
  before: fc.integer({ min: -2, max: 5 }),
  length: fc.integer({ min: 0, max: 30 })
})
type History = typeof history extends fc.Arbitrary<infer One> ? One : never
interface Row extends LedgerRow {
  readonly currency: Currency
}

interface Hold {
  readonly kind: "refund" | "dispute" | "payout"
  readonly currency: Currency
  readonly amount: number
  readonly reference: string
}

const endings = {
  refund: { good: ["refund_debit"], bad: ["refund_unfreeze"] },
  dispute: { good: ["dispute_unfreeze"], bad: ["dispute_debit", "dispute_fee"] },
  payout: { good: ["payout_success", "payout_fee"], bad: ["payout_unfreeze"] }
} as const

/** The rows of three wallets, as the rules of postings make them. */
const rowsOf = ({ day, deeds, hour }: History, account: Omit<WalletName, "currency">): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  const wallets = new Map<Currency, ReturnType<typeof emptyWallet>>()
  let open: ReadonlyArray<Hold> = []
  let millis = Date.parse(`${day}T00:00:00Z`) + hour * 3_600_000
  let number = 0
  const book = (currency: Currency, movements: ReadonlyArray<Movement>) => {
    const wallet = wallets.get(currency) ?? emptyWallet({ ...account, currency }, DateTime.makeUnsafe(0))
    const digits = createHash("sha256").update(`${++number}`).digest().subarray(0, 16)
    digits[15] = 0
    const body = idBody(millis, digits)
    const digest = (text: string) => createHash("sha256").update(text).digest("hex")
    const posted = post(wallet, { movements, reserve: 0 }, { now: createdAtOf(body), idBody: body, digest })
    if (Result.isFailure(posted)) return false
    wallets.set(currency, posted.success.wallet)
    rows.push(...posted.success.rows.map((row) => ({ ...row, currency })))
    return true
  }
  const movement = (type: LedgerType, amount: number, referenceId: string, unfrozen = false): Movement => ({
    type,
    amount,
    referenceId,
    description: "Of a test",
    ...(unfrozen ? { unfrozen } : {})
  })
  for (const { amount, chosen, currency, isGood, kind, later } of deeds) {
    millis += later
    const reference = `${kind}-${number}`
    switch (kind) {
      case "pay":
        book(currency, [
          movement("payment_credit", amount, reference),
          movement("fee_debit", 0 - (amount >> 4), reference)
        ])
        break
      case "refundNow":
        if (book(currency, [movement("refund_debit", 0 - amount, reference, true)]) && !isGood) {
          book(currency, [movement("refund_unfreeze", amount, reference, true)])
        }
        break
      case "end": {
        const hold = open[chosen % open.length]
        if (hold === undefined) break
        open = open.filter((each) => each !== hold)
        const types = endings[hold.kind][isGood ? "good" : "bad"]
        book(
          hold.currency,
          types.map((type) =>
            type.endsWith("_fee")
              ? movement(type, -7, hold.reference)
              : movement(type, type.endsWith("unfreeze") ? hold.amount : 0 - hold.amount, hold.reference)
          )
        )
        break
      }
      default:
        if (book(currency, [movement(`${kind as Hold["kind"]}_freeze`, 0 - amount, reference)])) {
          open = [...open, { kind: kind as Hold["kind"], currency, amount, reference }]
        }
    }
  }
  return rows
}

/** The wallets' rows alone: nothing has moved them. */
const stored = Effect.fnUntraced(function* (account: Omit<WalletName, "currency">, rows: ReadonlyArray<Row>) {
  const { sql } = yield* Service
  const columns = rows.map((row) => ({
    id: row.id,
    wallet_id: walletIdOf({ ...account, currency: row.currency }),
    sequence: row.sequence,
    merchant_id: account.merchantId,
    mode: account.mode,
    currency: row.currency,
    type: row.type,
    amount: row.amount,
    balance_before: row.balanceBefore,
    balance_after: row.balanceAfter,
    frozen_after: row.frozenAfter,
    reference_id: row.referenceId,
    description: row.description,
    created_at: DateTime.formatIso(row.createdAt),
    previous_hash: `\\x${row.previousHash}`,
    hash: `\\x${row.hash}`
  }))
  yield* sql`select test_without_triggers(${`delete from ledger where merchant_id = '${account.merchantId}'`})`
  const values = `jsonb_populate_recordset(null::ledger, '${JSON.stringify(columns)}')`
  yield* sql`select test_without_triggers(${`insert into ledger select * from ${values}`})`
})

/** By the local date of each row, and not by ids. */
const localDay = (zone: string) => {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" })
  return (row: Row) => format.format(DateTime.toEpochMillis(row.createdAt))
}

const isoDay = (millis: number) => new Date(millis).toISOString().slice(0, 10)

const periodsOf = (from: string, to: string, interval: History["interval"]) => {
  const all: Array<string> = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMillis) all.push(isoDay(at))
  const groups = Map.groupBy(all, (day) => (interval === "day" ? day : interval === "month" ? day.slice(0, 7) : ""))
  return [...groups.values()].map((some) => ({ from: some[0]!, to: some.at(-1)! }))
}

const total = <A>(items: ReadonlyArray<A>, of: (item: A) => number) => items.reduce((sum, item) => sum + of(item), 0)

const expectedOf = (rows: ReadonlyArray<Row>, { interval, zone }: History, from: string, to: string) => {
  const dayOf = localDay(zone)
  return Currency.literals.flatMap((currency) => {
    const own = rows.filter((row) => row.currency === currency)
    return periodsOf(from, to, interval).flatMap((period) => {
      const before = own.filter((row) => dayOf(row) < period.from).at(-1)
      const within = own.filter((row) => dayOf(row) >= period.from && dayOf(row) <= period.to)
      const after = within.at(-1) ?? before
      if (after === undefined) return []
      const balance = (line: "opening" | "closing", row: Row | undefined) => ({
        object: "statement_line",
        currency,
        ...period,
        line,
        count: 0,
        amount: 0,
        available: row?.balanceAfter ?? 0,
        frozen: row?.frozenAfter ?? 0,
        sequence: row?.sequence ?? 0,
        hash: row?.hash ?? ""
      })
      return [balance("opening", before), { within }, balance("closing", after)]
    })
  })
}

const sample = fc.sample(history, { numRuns: rounds(25, 1_000), seed: 20_261_125 })

layer(Layer.effect(Service, start()), { excludeTestServices: true })("statements", (it) => {
  it.effect(`of ${sample.length} random histories add up to the ledger, across time zones and month ends`, () =>
    Effect.gen(function* () {
      const { context, merchant } = yield* Service
      const reports = Context.get(context, Reports)
      const account = { merchantId: MerchantId.make(merchant.merchantId), mode: Mode.make("live") }
      let movements = 0
      for (const [round, one] of sample.entries()) {
        const rows = rowsOf(one, account)
        yield* stored(account, rows)
        const from = isoDay(Date.parse(one.day) - one.before * dayMillis)
        const to = isoDay(Date.parse(from) + one.length * dayMillis)
        const range = { from, to, time_zone: one.zone }
        const why = `history ${round}: ${one.zone} ${from} ${to} ${one.interval}`
        const { lines } = yield* reports.answer(account, { report: "statement", interval: one.interval, ...range })
        const expected = expectedOf(rows, one, from, to)
        // Balances are those of the ledger's rows, and between two of them stand the sums of the rows between.
        assert.deepStrictEqual(
          lines.filter((line) => "line" in line && (line.line === "opening" || line.line === "closing")),
          expected.filter((each) => "line" in each) as never,
          why
        )
        let index = 0
        for (const each of expected) {
          if ("line" in each) {
            index++
            continue
          }
          const types = [...Map.groupBy(each.within, ({ type }) => type)]
          const shown = lines.slice(index, index + types.length)
          for (const [type, some] of types) {
            const line = shown.find((found) => "line" in found && found.line === type)
            assert.deepInclude(line, { count: some.length, amount: total(some, ({ amount }) => amount) }, why)
            movements += some.length
          }
          const [opening, closing] = [lines[index - 1]!, lines[index + types.length]!]
          assert.isTrue("line" in opening && "line" in closing)
          for (const name of ["available", "frozen"] as const) {
            const changed = total(shown, (line) => (name in line ? (line as Record<typeof name, number>)[name] : 0))
            assert.strictEqual(
              (opening as Record<typeof name, number>)[name] + changed,
              (closing as Record<typeof name, number>)[name],
              why
            )
          }
          index += types.length
        }
        assert.strictEqual(index, lines.length, why)

        const dayOf = localDay(one.zone)
        const charged = rows.filter((row) => /fee/.test(row.type) && dayOf(row) >= from && dayOf(row) <= to)
        const fees = yield* reports.answer(account, { report: "fees", ...range })
        assert.strictEqual(
          total(fees.lines, (line) => ("fee" in line ? line.fee : 0)),
          total(charged, ({ amount }) => 0 - amount),
          why
        )
        const at = rows[Math.floor(rows.length / 2)]?.createdAt
        const frozen = yield* reports.answer(account, {
          report: "frozen",
          ...(at === undefined ? {} : { at: DateTime.formatIso(at) })
        })
        for (const currency of Currency.literals) {
          const own = rows.filter((row) => row.currency === currency)
          const head = own
            .filter((row) => at !== undefined && row.createdAt.epochMilliseconds < at.epochMilliseconds)
            .at(-1)
          const some = frozen.lines.flatMap((line) => ("kind" in line && line.currency === currency ? [line] : []))
          assert.deepInclude(some.at(-1), { kind: "total", amount: head?.frozenAfter ?? 0 }, why)
          assert.strictEqual(
            total(some.slice(0, -1), ({ amount }) => amount),
            head?.frozenAfter ?? 0,
            why
          )
        }
      }
      assert.isAbove(movements, sample.length)
    })
  )
})
