/** Days in a time zone, statements of wallets, and ranges of bytes, as reports have them (docs/reports.md). */
import { LedgerType } from "@coffer/model/Ledger"
import { assert, describe, it } from "@effect/vitest"
import { byteRange } from "@coffer/rules/reports/byteRange"
import { dayAfter, dayIn, daysBetween, daysUntil, periodOf, readDay, startOf, zoneOf } from "@coffer/rules/reports/days"
import { entriesOf, noHead, opened, withRow } from "@coffer/rules/reports/statement"
import fc from "fast-check"

const start = (day: string, zone: string) => new Date(startOf(day, zoneOf(zone)!)).toISOString()
/** By another way than the one that is tested. */
const dayBy = (millis: number, timeZone: string) =>
  new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(millis)

describe("a day", () => {
  it("begins at midnight of its zone, by the offset that holds then", () => {
    assert.strictEqual(start("2026-03-29", "Europe/Berlin"), "2026-03-28T23:00:00.000Z")
    assert.strictEqual(start("2026-03-30", "Europe/Berlin"), "2026-03-29T22:00:00.000Z")
    assert.strictEqual(start("2026-10-26", "Europe/Berlin"), "2026-10-25T23:00:00.000Z")
    assert.strictEqual(start("2026-11-24", "Asia/Kolkata"), "2026-11-23T18:30:00.000Z")
  })

  it("begins with the moment of the leap where the clock leaps over midnight", () => {
    assert.strictEqual(start("2018-11-04", "America/Sao_Paulo"), "2018-11-04T03:00:00.000Z")
    assert.strictEqual(start("2026-04-24", "Africa/Cairo"), "2026-04-23T22:00:00.000Z")
  })

  it("begins with the first of two midnights", () => {
    assert.strictEqual(start("2026-11-01", "America/Havana"), "2026-11-01T04:00:00.000Z")
  })

  it("that a zone has skipped has no moment", () => {
    assert.strictEqual(start("2011-12-30", "Pacific/Apia"), start("2011-12-31", "Pacific/Apia"))
  })

  it("ends where the next one begins, and has all its moments and no others, in every zone", () => {
    const zones = Intl.supportedValuesOf("timeZone")
    const moments = fc.record({
      zone: fc.constantFrom(...zones),
      millis: fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2037, 11, 31) })
    })
    fc.assert(
      fc.property(moments, ({ millis, zone }) => {
        const day = dayIn(millis, zoneOf(zone)!)
        assert.strictEqual(day, dayBy(millis, zone))
        assert.isAtMost(startOf(day, zoneOf(zone)!), millis)
        assert.isAbove(startOf(dayAfter(day), zoneOf(zone)!), millis)
      }),
      { numRuns: 500 }
    )
  })

  it("is read as a date of the calendar and as nothing else", () => {
    for (const text of ["2026-02-30", "2026-13-01", "2026-1-1", "26-01-01", "1969-12-31", "9999-01-01", "", "today"]) {
      assert.isUndefined(readDay(text), text)
    }
    assert.strictEqual(readDay("2024-02-29"), "2024-02-29")
    assert.strictEqual(daysBetween("2026-02-28", "2026-03-01"), 2)
    assert.deepStrictEqual(daysUntil("2026-03-01", 3), ["2026-02-27", "2026-02-28", "2026-03-01"])
  })
})

describe("a time zone", () => {
  it("is known by its name, an old one too, and never by an offset", () => {
    for (const name of ["UTC", "Europe/Berlin", "Asia/Calcutta", "Asia/Kolkata", "America/Argentina/ComodRivadavia"]) {
      assert.isDefined(zoneOf(name), name)
    }
    for (const name of ["+01:00", "GMT+1", "Nowhere/City", "", "../etc", "Europe/", "a".repeat(100)]) {
      assert.isUndefined(zoneOf(name), name)
    }
  })
})

describe("periods", () => {
  const utc = zoneOf("UTC")!
  const all = (range: Parameters<typeof periodOf>[0]) => {
    const found: Array<string> = []
    for (let period = periodOf(range, utc, 0); period !== undefined; period = periodOf(range, utc, found.length)) {
      found.push(`${period.from} ${period.to} ${new Date(period.end).toISOString().slice(0, 10)}`)
    }
    return found
  }

  it("by month end with the month, and the first and the last with the range", () => {
    assert.deepStrictEqual(all({ from: "2025-12-15", to: "2026-03-02", interval: "month" }), [
      "2025-12-15 2025-12-31 2026-01-01",
      "2026-01-01 2026-01-31 2026-02-01",
      "2026-02-01 2026-02-28 2026-03-01",
      "2026-03-01 2026-03-02 2026-03-03"
    ])
  })

  it("by day are all its days, and the whole range is one", () => {
    const range = { from: "2026-02-27", to: "2026-03-01" }
    assert.deepStrictEqual(all({ ...range, interval: "day" }), [
      "2026-02-27 2026-02-27 2026-02-28",
      "2026-02-28 2026-02-28 2026-03-01",
      "2026-03-01 2026-03-01 2026-03-02"
    ])
    assert.deepStrictEqual(all({ ...range, interval: "range" }), ["2026-02-27 2026-03-01 2026-03-02"])
  })
})

describe("a statement", () => {
  const rows = fc.array(
    fc.record({
      type: fc.constantFrom(...LedgerType.literals),
      amount: fc.integer({ min: -1_000, max: 1_000 }),
      available: fc.integer({ min: -1_000, max: 1_000 }),
      frozen: fc.integer({ min: -1_000, max: 1_000 })
    })
  )

  it("of a wallet that was never used begins with zeros, and without a hash", () =>
    assert.deepStrictEqual(noHead, { available: 0, frozen: 0, sequence: 0, hash: "" }))

  it("adds up: the opening balance and what each type has changed are the closing balance", () => {
    fc.assert(
      fc.property(rows, rows, (before, during) => {
        let head = noHead
        const rowOf = ({ amount, available, frozen, type }: (typeof before)[number]) => {
          const row = {
            type,
            amount,
            balance_before: head.available,
            balance_after: head.available + available,
            frozen_after: head.frozen + frozen,
            sequence: head.sequence + 1,
            hash: `hash ${head.sequence + 1}`
          }
          head = { available: row.balance_after, frozen: row.frozen_after, sequence: row.sequence, hash: row.hash }
          return row
        }
        before.map(rowOf)
        const opening = head
        const entries = entriesOf(during.map(rowOf).reduce(withRow, opened(opening)))
        const changes = entries.slice(1, -1)
        const sum = (of: "available" | "frozen" | "amount" | "count") =>
          changes.reduce((total, entry) => total + entry[of], 0)
        assert.deepStrictEqual({ ...entries[0] }, { line: "opening", count: 0, amount: 0, ...opening })
        assert.deepStrictEqual({ ...entries.at(-1) }, { line: "closing", count: 0, amount: 0, ...head })
        assert.strictEqual(opening.available + sum("available"), head.available)
        assert.strictEqual(opening.frozen + sum("frozen"), head.frozen)
        assert.strictEqual(sum("count"), during.length)
        assert.strictEqual(
          sum("amount"),
          during.reduce((total, { amount }) => total + amount, 0)
        )
      })
    )
  })
})

describe("a range of bytes", () => {
  it("is one part of the file, or the whole where nothing else is asked for", () => {
    const cases = [
      [undefined, "whole"],
      ["bytes=0-", { from: 0, to: 10 }],
      ["bytes=4-", { from: 4, to: 10 }],
      ["bytes=4-6", { from: 4, to: 7 }],
      ["bytes=4-4", { from: 4, to: 5 }],
      ["bytes=4-99", { from: 4, to: 10 }],
      ["bytes=-3", { from: 7, to: 10 }],
      ["bytes=-99", { from: 0, to: 10 }],
      ["bytes=10-", "beyond"],
      ["bytes=-0", "beyond"],
      ["bytes=6-4", "whole"],
      ["bytes=-", "whole"],
      ["bytes=0-1,4-5", "whole"],
      ["lines=0-1", "whole"],
      ["bytes=9999999999999999-", "whole"]
    ] as const
    for (const [header, range] of cases) assert.deepStrictEqual(byteRange(header, 10), range, header)
    assert.strictEqual(byteRange("bytes=0-", 0), "beyond")
    assert.strictEqual(byteRange("bytes=-3", 0), "beyond")
  })
})
