/**
 * Statements of random histories add up to the ledger to the minor unit, across time zones and month ends. The
 * expectation is computed from the rows of the ledger in another way: by the local date of each row. The soak has a
 * thousand histories.
 */
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import fc from "fast-check"
import { Reports } from "../../src/reads/reports/Reports.ts"
import { type Running, start } from "../kit/Service.ts"
import { rounds } from "../kit/run/soak.ts"
import {
  dayMillis,
  history,
  type History,
  isoDay,
  localDay,
  type Row,
  rowsOf,
  storedRows
} from "../kit/stories/ledgerHistories.ts"

class Service extends Context.Service<Service, Running>()("test/statements") {}

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
      const running = yield* Service
      const { context, merchant } = running
      const reports = Context.get(context, Reports)
      const account = { merchantId: MerchantId.make(merchant.merchantId), mode: Mode.make("live") }
      let movements = 0
      for (const [round, one] of sample.entries()) {
        const rows = rowsOf(one, account)
        yield* storedRows(running, account, rows)
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
