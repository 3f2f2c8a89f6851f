/** The search of the documents that an agent has. */
import { indexOf, search } from "@coffer/mcp/docsIndex"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"

const pages = new Map([
  ["guides/refunds", "# Refunds\n\nGive money back.\n\n## Refund a part\n\nAn amount less than `out_trade_no` has.\n"],
  ["errors", "# Errors\n\n## insufficient_balance\n\nThe wallet cannot cover the refund.\n"],
  ["zh/guides/refunds", "# 退款\n\n部分退款成功后，订单变为 partially_refunded。\n"]
])

describe("a search of the documents", () => {
  const index = Effect.runSync(indexOf(pages))
  const found = (query: string) => search(index, query, 8).map(({ section }) => section.heading)

  it("finds a word by its beginning, whole or as a part of a name, and one of Chinese anywhere", () => {
    assert.sameMembers([...found("refun")], ["Refunds", "Refund a part", "insufficient_balance", "退款"])
    assert.deepStrictEqual(found("trade"), ["Refund a part"])
    assert.deepStrictEqual(found("out_trade_no"), ["Refund a part"])
    assert.deepStrictEqual(found("insufficient_balance"), ["insufficient_balance"])
    assert.deepStrictEqual(found("款成功"), ["退款"])
    assert.deepStrictEqual(found("fund"), [])
    assert.deepStrictEqual(found(""), [])
  })

  it("puts a section with all of the words first", () => {
    assert.strictEqual(found("wallet refund")[0], "insufficient_balance")
  })

  it("reads a bounded part of a query, however long", () => {
    assert.deepStrictEqual(found(`${"nowhere ".repeat(50_000)}refund`), [])
    assert.deepStrictEqual(found("re ".repeat(50_000)), [])
  })

  it.effect("lets others go on while its words are read", () =>
    Effect.gen(function* () {
      let others = 0
      const fiber = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => others++),
            Effect.yieldNow
          )
        )
      )
      yield* indexOf(new Map(Array.from({ length: 50 }, (_, at) => [`page ${at}`, "# Page\n\nText.\n"])))
      yield* Fiber.interrupt(fiber)
      assert.isAtLeast(others, 25)
    })
  )
})
