/** The statement that the console shows by days. */
import type { StatementLine } from "@coffer/contract/ReportLines"
import { assert, it } from "@effect/vitest"
import { walletDaysOf } from "../../packages/console/src/merchant/statementDays.ts"

const line = (day: number, of: StatementLine["line"], available: number, more: Partial<StatementLine> = {}) =>
  ({
    object: "statement_line",
    currency: "USD",
    from: `2026-11-0${day}`,
    to: `2026-11-0${day}`,
    line: of,
    count: of === "opening" || of === "closing" ? 0 : 1,
    amount: of === "opening" || of === "closing" ? 0 : available,
    available,
    frozen: 0,
    sequence: of === "opening" || of === "closing" ? day : null,
    hash: null,
    ...more
  }) satisfies StatementLine

const quiet = (day: number, available: number) => [line(day, "opening", available), line(day, "closing", available)]

it("the days of a statement on which nothing moved are counted, and the period has a total that adds up", () => {
  const first = [line(1, "opening", 0), line(1, "payment_credit", 500), line(1, "closing", 500)]
  const last = [
    line(4, "opening", 500),
    line(4, "payment_credit", 250),
    line(4, "refund_debit", -100),
    line(4, "closing", 650)
  ]
  const [days, ...others] = walletDaysOf([...first, ...quiet(2, 500), ...quiet(3, 500), ...last])
  assert.deepStrictEqual(others, [])
  assert.strictEqual(days!.quiet, 2)
  assert.deepStrictEqual(days!.lines, [...first, ...last])
  assert.deepStrictEqual(
    days!.total.map(({ available, count, from, line, to }) => [line, count, available, from, to]),
    [
      ["opening", 0, 0, "2026-11-01", "2026-11-04"],
      ["payment_credit", 2, 750, "2026-11-01", "2026-11-04"],
      ["refund_debit", 1, -100, "2026-11-01", "2026-11-04"],
      ["closing", 0, 650, "2026-11-01", "2026-11-04"]
    ]
  )
})

it("a statement of a single day is shown whole, each currency by itself", () => {
  const hkd = quiet(1, 9).map((each) => ({ ...each, currency: "HKD" }) as const)
  const found = walletDaysOf([...quiet(1, 5), ...hkd])
  assert.deepStrictEqual(
    found.map(({ currency, lines, quiet: left, total }) => [currency, lines.length, left, total.length]),
    [
      ["USD", 2, 0, 0],
      ["HKD", 2, 0, 0]
    ]
  )
})
