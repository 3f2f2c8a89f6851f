/** The days that a report's presets mean. */
import { assert, it } from "@effect/vitest"
import { daysOf, periodText } from "../../packages/console/src/merchant/reportDays.ts"

it("are whole months and quarters of the merchant's calendar, this month until today", () => {
  for (const [preset, today, from, to] of [
    ["lastMonth", "2026-11-29", "2026-10-01", "2026-10-31"],
    ["thisMonth", "2026-11-29", "2026-11-01", "2026-11-29"],
    ["lastQuarter", "2026-11-29", "2026-07-01", "2026-09-30"],
    // In January the periods before are last year's.
    ["lastMonth", "2026-01-31", "2025-12-01", "2025-12-31"],
    ["lastQuarter", "2026-02-01", "2025-10-01", "2025-12-31"],
    ["lastMonth", "2028-03-31", "2028-02-01", "2028-02-29"]
  ] as const) {
    assert.deepStrictEqual(daysOf(preset, today), { from, to }, `${preset} ${today}`)
  }
})

it("are said in words with their year, a whole month by its name", () => {
  for (const [from, to, words] of [
    ["2026-11-01", "2026-11-30", "November 2026"],
    ["2028-02-01", "2028-02-28", "Feb 1 – 28, 2028"],
    ["2026-10-01", "2026-12-31", "Oct 1 – Dec 31, 2026"],
    ["2026-11-29", "2026-11-29", "Nov 29, 2026"]
  ] as const) {
    assert.strictEqual(periodText(from, to, "en"), words)
  }
  assert.strictEqual(periodText("2026-11-01", "2026-11-30", "zh-CN"), "2026年11月")
})
