/** The days that a report's presets mean. */
import { assert, it } from "@effect/vitest"
import { daysOf } from "../../packages/console/src/merchant/reportDays.ts"

it("are whole months and quarters of the merchant's calendar, this month until today", () => {
  for (const [preset, now, zone, from, to] of [
    ["lastMonth", "2026-11-29T12:00:00Z", "UTC", "2026-10-01", "2026-10-31"],
    ["thisMonth", "2026-11-29T12:00:00Z", "UTC", "2026-11-01", "2026-11-29"],
    ["lastQuarter", "2026-11-29T12:00:00Z", "UTC", "2026-07-01", "2026-09-30"],
    // In January the periods before are last year's.
    ["lastMonth", "2026-01-31T12:00:00Z", "UTC", "2025-12-01", "2025-12-31"],
    ["lastQuarter", "2026-02-01T12:00:00Z", "UTC", "2025-10-01", "2025-12-31"],
    ["lastMonth", "2028-03-31T12:00:00Z", "UTC", "2028-02-01", "2028-02-29"],
    // The month has begun in the merchant's zone, and not at Greenwich, or the other way round.
    ["thisMonth", "2026-10-31T20:00:00Z", "Asia/Shanghai", "2026-11-01", "2026-11-01"],
    ["lastMonth", "2026-11-01T02:00:00Z", "America/New_York", "2026-09-01", "2026-09-30"],
    ["lastQuarter", "2026-09-30T16:30:00Z", "Asia/Shanghai", "2026-07-01", "2026-09-30"]
  ] as const) {
    assert.deepStrictEqual(daysOf(preset, new Date(now), zone), { from, to }, `${preset} ${now} ${zone}`)
  }
})
