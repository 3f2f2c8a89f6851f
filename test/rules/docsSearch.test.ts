/** The search of the documents, of the site and of agents. */
import { bestOf, find, queryOf, type SearchIndex } from "@coffer/mcp/find"
import { assert, describe, it } from "@effect/vitest"

const index: SearchIndex = {
  pages: [
    ["Settings", "/docs/settings", false],
    ["Refunds", "/docs/guides/refunds", true],
    ["Errors", "/docs/errors", false],
    ["退款", "/docs/zh/guides/refunds", true]
  ],
  passages: [
    [0, "", "", "Refund windows of the channel."],
    [1, "", "", "Give money back."],
    [1, "refund-a-part", "Refund a part", "An amount less than out_trade_no has."],
    [2, "insufficient_balance", "insufficient_balance", "The wallet cannot cover the refund, nor a dispute."],
    [3, "", "", "部分退款成功后，订单变为 partially_refunded。"]
  ]
}

describe("a search of the documents", () => {
  const found = (query: string) => find(index, query).map(({ path }) => path.replace("/docs/", ""))

  it("finds a word by its beginning, whole or as a part of a name, and one of Chinese anywhere", () => {
    assert.sameMembers(found("refun"), [
      "settings",
      "guides/refunds",
      "guides/refunds#refund-a-part",
      "errors#insufficient_balance",
      "zh/guides/refunds"
    ])
    assert.deepStrictEqual(found("trade"), ["guides/refunds#refund-a-part"])
    assert.deepStrictEqual(found("insufficient_balance"), ["errors#insufficient_balance"])
    assert.deepStrictEqual(found("款成功"), ["zh/guides/refunds"])
    assert.deepStrictEqual(found("fund"), [])
    assert.deepStrictEqual(found(""), [])
  })

  it("puts a merchant's page first, and knows the words of other services", () => {
    assert.strictEqual(found("refund")[0], "guides/refunds")
    assert.deepStrictEqual(found("chargeback"), ["errors#insufficient_balance"])
  })

  it("has the passages with all of the words, and if there are none, those with most", () => {
    assert.deepStrictEqual(found("wallet refund"), ["errors#insufficient_balance"])
    assert.deepStrictEqual(found("how does a wallet cover zebras"), ["errors#insufficient_balance"])
  })

  it("reads a bounded part of a query, however long", () => {
    const query = queryOf(`${"re ".repeat(50_000)}${"x".repeat(50_000)}`)
    assert.isAtMost(query.patterns.length, 12)
    assert.isBelow(queryOf("y".repeat(100_000)).patterns[0]!.source.length, 100)
    const long = queryOf(Array.from({ length: 5_000 }, (_, at) => `word${at}`).join(" "))
    assert.isAtMost(long.patterns.length, 12)
    assert.deepStrictEqual(bestOf([], long), [])
  })
})
