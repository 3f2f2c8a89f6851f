/**
 * Journals of random histories are what hledger and Beancount take, with the wallet's balances to the minor unit. All
 * files of a run go to one process of each program; accounts bear the number of the history.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Currency, twoDecimals } from "@coffer/model/Money"
import { journalClosing, journalEntry, journalHeader } from "@coffer/rules/reports/journal"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import fc from "fast-check"
import { Reports } from "../../src/reads/reports/Reports.ts"
import { linesText, reportHeader } from "../../src/reads/reports/ReportView.ts"
import { type Running, start } from "../kit/Service.ts"
import { rounds } from "../kit/run/soak.ts"
import { dayMillis, history, isoDay, localDay, rowsOf, storedRows } from "../kit/stories/ledgerHistories.ts"

class Service extends Context.Service<Service, Running>()("test/journals") {}

const has = (program: string) => spawnSync(program, ["--version"]).status === 0
const formats = ["hledger", "beancount"] as const
const reportsOf = ["transactions", "statement"] as const
const parts = { available: "Available", frozen: "Frozen" } as const

const sample = fc.sample(history, { numRuns: rounds(120, 1_000), seed: 20_261_129 })

/** The files of a run, and what each account has to have at the end, as `account currency` and an amount. */
const written = Effect.gen(function* () {
  const running = yield* Service
  const reports = Context.get(running.context, Reports)
  const account = { merchantId: MerchantId.make(running.merchant.merchantId), mode: Mode.make("live") }
  const folder = mkdtempSync(path.join(tmpdir(), "coffer-journals-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
  for (const format of formats) mkdirSync(path.join(folder, format))
  const expected = new Map<string, string>()
  for (const [round, one] of sample.entries()) {
    const rows = rowsOf(one, account)
    yield* storedRows(running, account, rows)
    const from = isoDay(Date.parse(one.day) - one.before * dayMillis)
    const to = isoDay(Date.parse(from) + one.length * dayMillis)
    const dayOf = localDay(one.zone)
    for (const report of reportsOf) {
      const interval = report === "statement" ? { interval: one.interval } : {}
      const range = { from, to, time_zone: one.zone, format: "hledger" as const, ...interval }
      const { lines, terms } = yield* reports.answer(account, { report, ...range })
      const name = `H${round}${report}`
      for (const format of formats) {
        const text = reportHeader({ ...terms, format }) + linesText({ ...terms, format }, lines)
        writeFileSync(path.join(folder, format, `${name}.${format}`), text.replaceAll(":Coffer:", `:${name}:`))
      }
      for (const currency of Currency.literals) {
        const last = rows.filter((row) => row.currency === currency && dayOf(row) <= to).at(-1)
        if (last === undefined) continue
        expected.set(`Assets:${name}:${parts.available} ${currency}`, twoDecimals(last.balanceAfter))
        expected.set(`Assets:${name}:${parts.frozen} ${currency}`, twoDecimals(last.frozenAfter))
      }
    }
  }
  writeFileSync(path.join(folder, "hledger.journal"), "include hledger/*.hledger\n")
  writeFileSync(path.join(folder, "main.beancount"), 'include "beancount/*.beancount"\n')
  return { folder, expected }
})

/** Balances of the wallets' accounts that are not zero. */
const balancesIn = (rows: string) =>
  rows
    .split(/\r?\n/)
    .map((row) =>
      row
        .replaceAll('"', "")
        .split(",")
        .map((cell) => cell.trim())
    )
    .filter(([account, , amount]) => /:(Available|Frozen)$/.test(account ?? "") && Number(amount) !== 0)
    .map(([account, currency, amount]) => `${account} ${currency} ${amount}`)
    .toSorted()
const balancesOf = (expected: ReadonlyMap<string, string>) =>
  [...expected]
    .filter(([, amount]) => Number(amount) !== 0)
    .map(([place, amount]) => `${place} ${amount}`)
    .toSorted()

const output = (program: string, ...words: ReadonlyArray<string>) =>
  execFileSync(program, words, { encoding: "utf8", maxBuffer: 2 ** 28 })

const hostile = [
  'a "quoted" \\ end',
  "two\nlines\r\n2026-01-02 * Injected\n    Assets:Coffer:Available  1.00 USD\n    Income:Coffer:Payments",
  "; a comment, date:2020-01-01, [2020-01-01]",
  "2026-01-02 open Assets:Mine",
  "(code) | = @ {1.00 USD} ! *",
  "\u2028\u2029\u0085\u202e\u0000",
  '"\n2026-01-02 close Assets:Coffer:Available',
  ""
]

describe.skipIf(!has("hledger") || !has("bean-check"))("of hledger and Beancount, of Debian's packages,", () => {
  it("words of others stay where they stand, whatever they are", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "coffer-journals-"))
    const terms = { report: "transactions", from: "2026-01-01", to: "2026-01-31", timeZone: "UTC", asOf: "now" }
    for (const format of formats) {
      const texts = hostile.map((words, index) =>
        journalEntry(format, {
          date: "2026-01-01",
          currency: "USD",
          type: "payment_credit",
          description: words,
          change: { available: 100, frozen: 0 },
          after: { available: 100 * (index + 1), frozen: 0 },
          tags: [["out_trade_no", words]]
        })
      )
      const end = { available: 100 * hostile.length, frozen: 0 }
      const closing = journalClosing(format, "2026-01-31", "USD", end)
      const header = journalHeader(format, { ...terms, complete: true, currencies: ["USD"] })
      writeFileSync(path.join(folder, `one.${format}`), header + texts.join("") + closing)
    }
    const [journal, beancount] = [path.join(folder, "one.hledger"), path.join(folder, "one.beancount")]
    assert.strictEqual(output("hledger", "check", "--strict", "ordereddates", "-f", journal), "")
    const days = output("hledger", "print", "-O", "csv", "-f", journal)
      .split("\n")
      .filter((row) => /^"\d+","\d/.test(row))
    // Two postings for each entry, and the two of the balance.
    assert.lengthOf(
      days.filter((row) => row.includes('"2026-01-01"')),
      2 * hostile.length
    )
    assert.lengthOf(days, 2 * hostile.length + 2)
    assert.strictEqual(output("bean-check", "--no-cache", beancount), "")
    const rows = output("bean-query", "-q", "-f", "csv", beancount, "select date, account, number").split("\n")
    assert.lengthOf(
      rows.filter((row) => row.includes("2026-01-01")),
      2 * hostile.length
    )
    rmSync(folder, { recursive: true })
  })

  layer(Layer.effect(Service, start()), { excludeTestServices: true })("journals", (it) => {
    it.effect(`of ${sample.length} random histories are accepted, in order, with the balances of the wallets`, () =>
      Effect.gen(function* () {
        const { expected, folder } = yield* written
        const journal = path.join(folder, "hledger.journal")
        assert.strictEqual(output("hledger", "check", "--strict", "ordereddates", "-f", journal), "")
        const columns = ["-O", "csv", "--layout=bare", "--flat", "--no-total", "-f", journal]
        assert.deepStrictEqual(balancesIn(output("hledger", "balance", ...columns)), balancesOf(expected))

        const beancount = path.join(folder, "main.beancount")
        assert.strictEqual(output("bean-check", "--no-cache", beancount), "")
        const query = "select account, currency, sum(number) group by account, currency"
        assert.deepStrictEqual(
          balancesIn(output("bean-query", "-q", "-f", "csv", beancount, query)),
          balancesOf(expected)
        )
      })
    )
  })
})
