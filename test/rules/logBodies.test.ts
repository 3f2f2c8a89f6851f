/** Bodies of calls are kept in blocks, many together (docs/decisions/0024). */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { pack, slicesOf, unpack } from "../../src/shared/logs/logBodies.ts"

const at = (iso: string) => DateTime.makeUnsafe(iso)
const noon = at("2026-03-01T12:00:00Z")
const row = (response_body: string | null, created_at = noon) => ({ request_body: null, response_body, created_at })
const sizes = (rows: ReadonlyArray<ReturnType<typeof row>>) => slicesOf(rows).map(({ rows }) => rows.length)

describe("blocks of bodies", () => {
  it("a block holds 64 calls or 64 kB, and one call alone when that is larger", () => {
    assert.deepStrictEqual(sizes(Array.from({ length: 130 }, () => row("{}"))), [64, 64, 2])
    const large = row(`"${"x".repeat(30_000)}"`)
    assert.deepStrictEqual(sizes([large, large, large, row(`"${"x".repeat(100_000)}"`), row("{}")]), [2, 1, 1, 1])
  })

  it("calls of two days are in two blocks, so that each goes with its day", () => {
    const days = slicesOf([row("{}", at("2026-03-01T23:59:59.999Z")), row("{}", at("2026-03-02T00:00:00Z"))])
    assert.deepStrictEqual(
      days.map(({ day }) => DateTime.formatIso(day)),
      ["2026-03-01T00:00:00.000Z", "2026-03-02T00:00:00.000Z"]
    )
  })

  it("a call without bodies is in no block", () => {
    assert.deepStrictEqual(sizes([row(null), row("{}"), row(null)]), [1])
  })

  it.effect("each body comes back as it was, in its place, its fields in their order", () =>
    Effect.gen(function* () {
      const text = '{"z":"\\u2028茶","a":[1,null]}'
      const of = yield* unpack(
        yield* pack([
          { request_body: text, response_body: null },
          { request_body: null, response_body: '{"a":1}' }
        ])
      )
      assert.deepStrictEqual(JSON.stringify(of(0)[0]), JSON.stringify(JSON.parse(text)))
      assert.deepStrictEqual([of(0)[1], ...of(1), ...of(2)], [null, null, { a: 1 }, null, null])
    })
  )
})
