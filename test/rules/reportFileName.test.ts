/** The name under which a report is stored. */
import { reportFileName } from "@coffer/rules/reports/fileName"
import { assert, it } from "@effect/vitest"

it("a report's file is named by its kind, days, currency and zone, in characters that each disk takes", () => {
  const month = { report: "statement", format: "csv", from: "2026-11-01", to: "2026-11-30" } as const
  assert.strictEqual(
    reportFileName({ ...month, currency: "USD", time_zone: "America/Argentina/Buenos_Aires" }),
    "statement_2026-11-01_2026-11-30_USD_America-Argentina-Buenos_Aires.csv"
  )
  assert.strictEqual(
    reportFileName({ ...month, format: "jsonl", to: "2026-11-01", currency: null, time_zone: 'Etc/"GMT+5' }),
    "statement_2026-11-01_all_Etc--GMT+5.jsonl"
  )
})
