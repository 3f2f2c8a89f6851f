/**
 * How the query of a list is read, and what a page says of the rest (spec: List conventions; silences: G9, P1 to P3).
 */
import { idBody, prefixes } from "@coffer/model/Ids"
import {
  type CreatedRange,
  idsCreated,
  newerThan,
  olderThan,
  readCreated,
  readTimestamp
} from "@coffer/rules/lists/created"
import { pageOfAll } from "@coffer/rules/lists/pageOfAll"
import { pageOf, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import * as fc from "fast-check"

const isoOf = (text: string) => {
  const time = readTimestamp(text)
  return time && DateTime.formatIso(time)
}

describe("a timestamp", () => {
  it.each([
    ["0", "1970-01-01T00:00:00.000Z"],
    ["1767225600", "2026-01-01T00:00:00.000Z"],
    ["0001767225600".slice(1), "2026-01-01T00:00:00.000Z"],
    ["253402300799", "9999-12-31T23:59:59.000Z"],
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.500Z"],
    ["2026-01-01T00:00:00.123456Z", "2026-01-01T00:00:00.123Z"],
    ["2026-01-01T08:00:00+08:00", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01T08:00:00+0800", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01T08:00:00 08:00", "2026-01-01T00:00:00.000Z"],
    ["2025-12-31T16:30-07:30", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01T00:00", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01T00:00:00", "2026-01-01T00:00:00.000Z"],
    ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"]
  ])("%s is %s", (text, iso) => {
    assert.strictEqual(isoOf(text), iso)
  })

  it.each([
    ["", " ", "now", "-1", "1.5", "1e9", "+5", "0x10", "１２", "1767225600000", "253402300800", "NaN", "Infinity"],
    ["2026-01-01", "2026-1-1T00:00:00Z", "20260101T000000Z", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00z"],
    ["2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-30T00:00:00Z", "2027-02-29T00:00:00Z"],
    ["2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+25:00"],
    // No year of four digits, or none any more once the offset is taken off.
    ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"],
    ["2026-01-01T00:00:00Z ", " 2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z\n", "2026-01-01T00:00:00.Z"]
  ])("is nothing else, such as %j and the like", (...texts) => {
    for (const text of texts) assert.isUndefined(readTimestamp(text), text)
  })
})

const refusedParam = (query: Parameters<typeof readPageRequest>[0]) =>
  Result.match(readPageRequest(query), { onSuccess: () => undefined, onFailure: ({ param }) => param })

describe("the request for a page", () => {
  it("is for the 20 newest when it says nothing", () => {
    assert.deepStrictEqual(Result.getOrThrow(readPageRequest({})), {
      limit: 20,
      cursor: undefined,
      created: { from: undefined, to: undefined }
    })
  })

  it("has a cursor on one side", () => {
    const { cursor } = Result.getOrThrow(readPageRequest({ ending_before: "x", limit: 7 }))
    assert.deepStrictEqual(cursor, { param: "ending_before", id: "x" })
    const older = Result.getOrThrow(readPageRequest({ starting_after: "x" })).cursor
    assert.deepStrictEqual(older, { param: "starting_after", id: "x" })
  })

  it("names what is wrong with it, and of several things the first: limit, both cursors, created[gte], created[lte]", () => {
    const wrong = {
      limit: "abc",
      starting_after: "a",
      ending_before: "b",
      "created[gte]": "soon",
      "created[lte]": "late"
    }
    const problemOf = (query: typeof wrong | Omit<typeof wrong, "limit">) =>
      Result.getOrThrow(Result.flip(readPageRequest(query))).problem
    assert.strictEqual(problemOf(wrong), "must be a whole number from 1 to 100. For the next page send starting_after")
    const { limit: _limit, ...both } = wrong
    assert.strictEqual(problemOf(both), "cannot be sent together with starting_after. Send one of them")
    assert.strictEqual(refusedParam(wrong), "limit")
    assert.strictEqual(refusedParam({ ...wrong, limit: 1 }), "ending_before")
    const { starting_after: _, ...one } = wrong
    assert.strictEqual(refusedParam({ ...one, limit: 1 }), "created[gte]")
    assert.strictEqual(refusedParam({ ...one, limit: 1, "created[gte]": "0" }), "created[lte]")
    assert.isUndefined(refusedParam({ ...one, limit: 1, "created[gte]": "0", "created[lte]": "0" }))
  })
})

describe("a page", () => {
  const request = (param?: "starting_after" | "ending_before") => ({
    limit: 2,
    cursor: param && { param, id: "x" },
    created: { from: undefined, to: undefined }
  })

  it("has more when one row more than it shows was found, and only then", () => {
    assert.deepStrictEqual(pageOf([3, 2, 1], request()), { data: [3, 2], hasMore: true })
    assert.deepStrictEqual(pageOf([3, 2], request("starting_after")), { data: [3, 2], hasMore: false })
    assert.deepStrictEqual(pageOf([], request()), { data: [], hasMore: false })
  })

  it("before a cursor is the one just newer, still newest first", () => {
    assert.deepStrictEqual(pageOf([1, 2, 3], request("ending_before")), { data: [2, 1], hasMore: true })
  })
})

describe("a page of a list in memory", () => {
  const at = (second: number) => DateTime.add(DateTime.makeUnsafe("2026-01-01T00:00:00Z"), { seconds: second })
  // Not in their order, as a list may be kept.
  const items = [2, 4, 1, 5, 3].map((n) => ({ id: `id_${n}`, createdAt: at(n) }))
  const open: CreatedRange = { from: undefined, to: undefined }
  const page = (more: Partial<Parameters<typeof pageOfAll>[1]>) =>
    Result.map(
      pageOfAll(items, { limit: 2, cursor: undefined, created: open, ...more }, "an endpoint"),
      ({ data, hasMore }) => [...data.map(({ id }) => id), hasMore]
    )
  const shown = (more: Partial<Parameters<typeof pageOfAll>[1]>) => Result.getOrThrow(page(more))
  const before = (id: string) => ({ cursor: { param: "ending_before", id } }) as const
  const after = (id: string) => ({ cursor: { param: "starting_after", id } }) as const

  it("is of the newest without a cursor", () => {
    assert.deepStrictEqual(shown({}), ["id_5", "id_4", true])
    assert.deepStrictEqual(shown({ limit: 5 }), ["id_5", "id_4", "id_3", "id_2", "id_1", false])
  })

  it("is of what is just older than the cursor, or just newer, and never has the cursor itself", () => {
    assert.deepStrictEqual(shown(after("id_4")), ["id_3", "id_2", true])
    assert.deepStrictEqual(shown(after("id_3")), ["id_2", "id_1", false])
    assert.deepStrictEqual(shown(after("id_1")), [false])
    assert.deepStrictEqual(shown(before("id_2")), ["id_4", "id_3", true])
    assert.deepStrictEqual(shown(before("id_3")), ["id_5", "id_4", false])
    assert.deepStrictEqual(shown(before("id_5")), [false])
  })

  it("is of what was created in the range, both ends included", () => {
    assert.deepStrictEqual(shown({ limit: 5, created: { from: at(2), to: at(4) } }), ["id_4", "id_3", "id_2", false])
    assert.deepStrictEqual(shown({ limit: 5, created: { from: at(4), to: undefined } }), ["id_5", "id_4", false])
    assert.deepStrictEqual(shown({ limit: 5, created: { from: undefined, to: at(2) } }), ["id_2", "id_1", false])
  })

  it("is refused after a cursor that the list does not have, by the cursor's parameter", () => {
    for (const { cursor } of [before("id_9"), after("id_9")]) {
      const { param, problem } = Result.getOrThrow(Result.flip(page({ cursor })))
      assert.deepStrictEqual([param, problem], [cursor.param, "is not the id of an endpoint. Send one of a page"])
    }
  })
})

describe("a range of times", () => {
  const isoRange = (query: Parameters<typeof readCreated>[0]) => {
    const { from, to } = Result.getOrThrow(readCreated(query))
    return [from && DateTime.formatIso(from), to && DateTime.formatIso(to)]
  }

  it("has the whole second of an end in Unix time, and the exact moment of one in ISO 8601 (silences: P16)", () => {
    const iso = "2026-01-01T00:00:00Z"
    assert.deepStrictEqual(isoRange({ "created[gte]": "1767225600", "created[lte]": "1767225600" }), [
      "2026-01-01T00:00:00.000Z",
      "2026-01-01T00:00:00.999Z"
    ])
    assert.deepStrictEqual(isoRange({ "created[gte]": iso, "created[lte]": iso }), [
      "2026-01-01T00:00:00.000Z",
      "2026-01-01T00:00:00.000Z"
    ])
    assert.deepStrictEqual(isoRange({}), [undefined, undefined])
  })

  it("says what an end is made of where it is neither", () => {
    const { param, problem } = Result.getOrThrow(Result.flip(readCreated({ "created[lte]": "soon" })))
    assert.strictEqual(param, "created[lte]")
    assert.strictEqual(
      problem,
      "must be an ISO 8601 date and time, such as 2026-11-29T08:30:00Z, or seconds of Unix time in digits"
    )
  })
})

describe("the ids of a range of times", () => {
  const millis = fc.integer({ min: 0, max: 253_402_300_799_999 })
  const random = fc.array(fc.integer({ min: 0, max: 31 }), { minLength: 16, maxLength: 16 })
  const isWithin = (id: string, { above, below }: { readonly above: string; readonly below: string }) =>
    above < id && id < below

  it("never leave out one whose time is within five minutes of a created_at in the range", () => {
    const drift = fc.integer({ min: -300_000, max: 299_999 })
    fc.assert(
      fc.property(millis, millis, millis, drift, random, (a, b, c, off, noise) => {
        const [from, at, to] = [a, b, c].toSorted((x, y) => x - y) as [number, number, number]
        const range = { from: DateTime.makeUnsafe(from), to: DateTime.makeUnsafe(to) }
        const id = prefixes.event + idBody(Math.max(0, at + off), [...noise.slice(1), 1])
        assert.isTrue(isWithin(id, idsCreated(prefixes.event, range)))
      })
    )
  })

  it("leave out those that are further away", () => {
    const at = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
    const range = idsCreated(prefixes.event, { from: at, to: at })
    const isWithinAt = (offset: number, digit: number) =>
      isWithin(prefixes.event + idBody(at.epochMilliseconds + offset, Array(16).fill(digit)), range)
    assert.deepStrictEqual(
      [isWithinAt(-300_001, 31), isWithinAt(-300_000, 1), isWithinAt(300_000, 31), isWithinAt(300_001, 0)],
      [false, true, true, false]
    )
  })

  it("are all of the prefix where the range is open, the first and the last that there can be included", () => {
    const range = idsCreated("LED_", { from: undefined, to: undefined })
    for (const digit of ["0", "Z"]) assert.isTrue(isWithin(`LED_${digit.repeat(26)}`, range))
    for (const other of ["LEC_Z", "LEDZ", "LEE_0", "TRD_0"]) assert.isFalse(isWithin(other, range))
  })

  it("become fewer on the side of a cursor, and never more", () => {
    const range = { above: "b", below: "d" }
    assert.deepStrictEqual(
      [newerThan(range, "c"), olderThan(range, "c")],
      [
        { above: "c", below: "d" },
        { above: "b", below: "c" }
      ]
    )
    assert.deepStrictEqual([newerThan(range, "a"), olderThan(range, "e")], [range, range])
  })
})
