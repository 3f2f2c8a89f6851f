/** Amounts and times as buyers read them. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { money, time } from "../../src/shared/pages/amounts.ts"

describe("money", () => {
  const table: ReadonlyArray<readonly [number, string]> = [
    [1, "US$0.01"],
    [99, "US$0.99"],
    [100, "US$1.00"],
    [99_999, "US$999.99"],
    [100_000, "US$1,000.00"],
    [123_456_789, "US$1,234,567.89"],
    [100_000_000_000, "US$1,000,000,000.00"]
  ]
  for (const [minor, shown] of table)
    it(`${minor} is ${shown}`, () => assert.strictEqual(money(minor, "USD", "en"), shown))

  it("each currency has its own sign, in both languages", () =>
    assert.deepStrictEqual(
      ["USD", "HKD", "CNY"].map((currency) => [money(1, currency, "en"), money(1, currency, "zh")]),
      [
        ["US$0.01", "US$0.01"],
        ["HK$0.01", "HK$0.01"],
        ["CN¥0.01", "¥0.01"]
      ]
    ))
})

describe("time", () => {
  const at = DateTime.makeUnsafe("2026-11-21T09:30:00Z")
  it("is written in the page's language, with its zone", () =>
    assert.deepStrictEqual([time(at, "en"), time(at, "zh")], ["21 Nov 2026, 09:30 UTC", "2026年11月21日 09:30 UTC"]))
})
