/** Times, spans and fees as the console shows them. */
import { assert, it } from "@effect/vitest"
import { feeText } from "../../packages/console/src/merchant/moneyWords.ts"
import { dayText, spanText, timeText } from "../../packages/console/src/parts/values.tsx"

it("a time has its year unless it is this one, by real time and by the clock of the sandbox", () => {
  const now = Date.now()
  const nextYear = new Date(now).setFullYear(new Date(now).getFullYear() + 1)
  const [today, then] = [new Date(now).toISOString(), new Date(nextYear).toISOString()]
  const year = String(new Date(now).getFullYear())
  for (const text of [timeText, (time: string, _: "en", __: "short", at: number) => dayText(time, "en", at)]) {
    assert.notInclude(text(today, "en", "short", now), year)
    assert.include(text(today, "en", "short", nextYear), year)
    assert.include(text(then, "en", "short", nextYear), String(Number(year) + 1))
  }
})

it("a span is in its largest unit", () => {
  for (const [ms, text] of [
    [86_400_031, "1 day"],
    [129_600_000, "1.5 days"],
    [3_200, "3.2 sec"],
    [40, "40 ms"],
    [0, "0 ms"]
  ] as const) {
    assert.strictEqual(spanText(ms, "en"), text)
  }
  assert.strictEqual(spanText(86_400_031, "zh"), "1天")
})

it("a fee says in which currency its fixed part is", () => {
  assert.strictEqual(feeText({ basis_points: 290, fixed: 30 }, "en"), "2.90% + 0.30 (in the payment's currency)")
  assert.strictEqual(feeText({ basis_points: 290, fixed: 30 }, "zh"), "2.90% + 0.30 (按付款货币计)")
})
