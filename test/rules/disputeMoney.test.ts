/** The movements, events and commands of each fact of a dispute (silences: D8 to D10). */
import { assert, describe, it } from "@effect/vitest"
import { Minor } from "@coffer/model/Money"
import { Dispute, DisputeEvent } from "@coffer/rules/dispute/Dispute"
import { consequences, opening } from "@coffer/rules/dispute/decide"
import {
  acceptanceBegun,
  acceptanceTaken,
  again,
  at,
  closed,
  dispute,
  disputeNo,
  draft,
  fact,
  lost,
  opened,
  submissionBegun,
  submitted,
  withdrawn,
  won
} from "../kit/rules/disputeFixtures.ts"

describe("dispute: money", () => {
  const moved = (before: Dispute, event: DisputeEvent) => {
    const { announced, movements, order } = consequences(before, event)
    return {
      announced,
      order,
      rows: movements.map(({ amount, type, unfrozen = false }) => [type, amount, unfrozen])
    }
  }
  const nothing = { announced: undefined, order: undefined, rows: [] }

  it("opened: frozen", () => {
    const { announced, movements, order } = opening(opened)
    assert.deepStrictEqual([announced, order?._tag], ["dispute.created", "OpenDispute"])
    assert.deepStrictEqual(
      movements.map(({ amount, type }) => [type, amount]),
      [["dispute_freeze", -400]]
    )
    assert.strictEqual(movements[0]!.referenceId, disputeNo)
  })
  it("won and closed: given back", () => {
    for (const [event, announced] of [
      [won, "dispute.won"],
      [closed, "dispute.closed"]
    ] as const) {
      assert.deepStrictEqual(moved(opened, event), {
        announced,
        order: { _tag: "CloseDispute", lost: Minor.make(0) },
        rows: [["dispute_unfreeze", 400, false]]
      })
    }
  })
  it("lost: deducted, and the fee beside it", () =>
    assert.deepStrictEqual(moved(opened, lost), {
      announced: "dispute.lost",
      order: { _tag: "CloseDispute", lost: Minor.make(400) },
      rows: [
        ["dispute_debit", -400, false],
        ["dispute_fee", -1500, false]
      ]
    }))
  it("lost without a fee: two rows all the same, and no minus zero", () => {
    const { rows } = moved(opened, fact.DisputeLost.make({ at, processorStatus: "lost", fee: Minor.make(0) }))
    assert.deepStrictEqual(rows[1], ["dispute_fee", 0, false])
  })
  it("won after it was lost: the amount comes back to available alone, the fee does not", () =>
    assert.deepStrictEqual(moved(dispute(lost).state, won), {
      announced: "dispute.won",
      order: { _tag: "RegainDispute", amount: Minor.make(400) },
      rows: [["dispute_unfreeze", 400, true]]
    }))
  it("each row says of which dispute and order it is, and what happened", () => {
    const described = (movements: ReturnType<typeof opening>["movements"]) =>
      movements.map(({ description }) => description)
    const of = `Dispute ${disputeNo} of order ${opened.tradeNo}`
    assert.deepStrictEqual(described(opening(opened).movements), [`${of} opened`])
    assert.deepStrictEqual(described(consequences(opened, won).movements), [`${of} returned`])
    assert.deepStrictEqual(described(consequences(opened, lost).movements), [`${of} lost`, `${of} fee`])
  })
  it("under review: nothing moves, dispute.updated", () =>
    assert.deepStrictEqual(moved(opened, submitted), { ...nothing, announced: "dispute.updated" }))
  it("everything else moves nothing and causes no event", () => {
    const noted = fact.StatusNoted.make({ at, processorStatus: "odd" })
    for (const event of [draft, submissionBegun, acceptanceBegun, again, acceptanceTaken, withdrawn, noted]) {
      assert.deepStrictEqual(moved(opened, event), nothing, event._tag)
    }
  })
})
