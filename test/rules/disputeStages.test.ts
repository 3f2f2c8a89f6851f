/**
 * How far the bank goes: an inquiry that becomes a chargeback, a bank that asks again, an appeal after a loss
 * (silences: S26 to S28).
 */
import { assert, describe, it } from "@effect/vitest"
import { Minor } from "@coffer/model/Money"
import { consequences, decide, evolve, opening } from "@coffer/rules/dispute/decide"
import { accept } from "@coffer/rules/Decision"
import { type Dispute, DisputeEvent, isFrozen } from "@coffer/rules/dispute/Dispute"
import { keptAfter, nothingKept } from "@coffer/rules/dispute/evidence"
import { DateTime } from "effect"
import {
  acceptanceBegun,
  acceptanceTaken,
  at,
  beginSubmit,
  begun,
  closed,
  command,
  confirm,
  dispute,
  draft,
  dueBy,
  evidence,
  fact,
  fee,
  inquired,
  inquiry,
  lost,
  newDueBy,
  opened,
  standing,
  submissionBegun,
  submitted,
  won
} from "../kit/rules/disputeFixtures.ts"

const { amount } = inquired
const begins = (over: Partial<typeof fact.StageBegun.Type> = {}) =>
  fact.StageBegun.make({
    at,
    processorStatus: "needs_response",
    stage: "chargeback",
    isAnswered: false,
    amount,
    evidenceDueBy: newDueBy,
    ...over
  })
const escalated = begins()

describe("dispute: an inquiry", () => {
  it("moves nothing: opened, won, closed", () => {
    assert.deepInclude(opening(inquired), { announced: "dispute.created", movements: [], order: undefined })
    for (const [event, announced] of [
      [won, "dispute.won"],
      [closed, "dispute.closed"]
    ] as const) {
      assert.deepInclude(consequences(inquired, event), { announced, movements: [], order: undefined })
    }
    assert.isFalse(isFrozen(inquired))
  })

  it("that becomes a chargeback freezes the chargeback's amount, and causes an event", () => {
    const { announced, movements, order } = consequences(inquired, begins({ amount: Minor.make(3_00) }))
    assert.deepStrictEqual([announced, order?._tag], ["dispute.updated", "OpenDispute"])
    assert.deepStrictEqual(
      movements.map((each): readonly [string, number] => [each.type, each.amount]),
      [["dispute_freeze", -300]]
    )
    const { state } = inquiry(begins({ amount: Minor.make(3_00) }))
    assert.deepInclude(state, {
      stage: "chargeback",
      amount: Minor.make(3_00),
      status: "needs_response",
      evidenceDueBy: newDueBy
    })
  })

  it("becomes one whatever was answered, and has to be answered again", () => {
    for (const past of [
      [],
      [submissionBegun],
      [acceptanceBegun],
      [acceptanceBegun, acceptanceTaken],
      [submissionBegun, submitted]
    ]) {
      inquiry(...past)
        .when(standing())
        .then(escalated)
      const after = inquiry(...past, escalated)
      assert.deepInclude(after.state, { status: "needs_response", response: null })
      after.when(beginSubmit({ at: newDueBy })).then(fact.SubmissionBegun.make({ ...submissionBegun, at: newDueBy }))
    }
  })

  it("that is a chargeback does not become an inquiry again, however late a report of one arrives", () => {
    const old = standing({ stage: "inquiry", processorStatus: "warning", evidenceDueBy: dueBy })
    inquiry(escalated).when(old).then()
    inquiry(escalated, submissionBegun, submitted).when(old).then()
    inquiry(escalated).when(standing()).then()
  })

  it("whose answer is confirmed when the chargeback has begun answers nothing more", () => {
    inquiry(submissionBegun, escalated)
      .when(confirm({ stage: "inquiry" }))
      .then()
    // An answer to the chargeback is on its way, and the inquiry's is confirmed.
    inquiry(submissionBegun, escalated, fact.SubmissionBegun.make({ ...submissionBegun, id: "second" }))
      .when(confirm({ stage: "inquiry" }))
      .then()
    inquiry(escalated)
      .when(confirm())
      .thenRefused("unexpected", fact.StatusNoted.make({ at, processorStatus: "confirmed" }))
  })

  it("for whose chargeback the bank has an answer is under review, unless ours is being submitted", () => {
    const answered = begins({ isAnswered: true, processorStatus: "under_review" })
    const word = standing({ isAnswered: true, processorStatus: "under_review" })
    inquiry().when(word).then(answered)
    assert.strictEqual(inquiry(answered).state.status, "under_review")
    const { state } = inquiry(submissionBegun, answered)
    assert.deepInclude(state, { status: "needs_response", stage: "chargeback" })
    assert.strictEqual(state.response?.id, begun)
    inquiry(submissionBegun, answered)
      .when(confirm({ stage: "inquiry" }))
      .then(fact.EvidenceSubmitted.make({ at, processorStatus: "confirmed" }))
  })

  it("that asks again moves its deadline and nothing else", () => {
    const word = standing({ stage: "inquiry", processorStatus: "warning" })
    const noted = { at, processorStatus: "warning", stage: "inquiry", evidenceDueBy: newDueBy } as const
    inquiry().when(word).then(fact.StatusNoted.make(noted))
    const again = begins({ stage: "inquiry", processorStatus: "warning" })
    inquiry(submissionBegun, submitted).when(word).then(again)
    const { state } = inquiry(submissionBegun, submitted)
    assert.deepInclude(consequences(state, again), { movements: [], order: undefined, announced: "dispute.updated" })
  })

  it("is lost only once it is a chargeback", () => {
    const said = command.ReportLost.make({ at, processorStatus: "lost", fee })
    inquiry()
      .when(said)
      .thenRefused("unexpected", fact.StatusNoted.make({ at, processorStatus: "lost" }))
    inquiry(escalated).when(said).then(lost)
  })

  it("leaves its evidence as the draft of the next answer", () => {
    const after = (...facts: ReadonlyArray<DisputeEvent>) =>
      facts.reduce((kept, each) => keptAfter(each)?.(kept) ?? kept, nothingKept)
    assert.deepInclude(after(submissionBegun, submitted, escalated), { evidence, submitting: null, submittedAt: null })
    assert.isNull(after(submissionBegun, escalated).submitting)
    assert.deepStrictEqual(after(draft, begins({ at: newDueBy })), after(draft))
    const answered = begins({ isAnswered: true })
    assert.deepStrictEqual(after(submissionBegun, answered), after(submissionBegun))
  })
})

describe("dispute: a bank that asks again", () => {
  it("shows it by a later deadline; without one nothing explains it", () => {
    const reviewed = dispute(submissionBegun, submitted)
    reviewed.when(standing()).then(escalated)
    assert.strictEqual(dispute(submissionBegun, submitted, begins({ amount: Minor.make(1) })).state.amount, amount)
    assert.deepInclude(consequences(reviewed.state, escalated), { movements: [], announced: "dispute.updated" })
    const again = standing({ evidenceDueBy: dueBy })
    reviewed.when(again).thenRefused("unexpected", fact.StatusNoted.make({ at, processorStatus: "needs_response" }))
  })

  it("in other words only is noted, and a word that is known of what is decided is not", () => {
    const word = standing({ processorStatus: "odd", evidenceDueBy: dueBy })
    const noted = { at, processorStatus: "odd", stage: "chargeback", evidenceDueBy: dueBy } as const
    dispute().when(word).then(fact.StatusNoted.make(noted))
    const offered = { ...noted, processorStatus: "lost", stage: "appeal_offered" } as const
    dispute(lost).when(standing(offered)).then(fact.StatusNoted.make(offered))
    dispute(won)
      .when(standing({ processorStatus: "won" }))
      .then()
    dispute(lost)
      .when(standing({ processorStatus: "lost" }))
      .then()
  })

  it("may have set no deadline before, or set none now", () => {
    const open: Dispute = { ...opened, evidenceDueBy: null }
    const none = standing({ evidenceDueBy: null })
    assert.deepStrictEqual(decide(open, none), accept())
    const reviewed = [submissionBegun, submitted].reduce(evolve, open)
    assert.deepStrictEqual(decide(reviewed, standing()), accept(escalated))
    dispute(submissionBegun, submitted)
      .when(none)
      .thenRefused("unexpected", fact.StatusNoted.make({ at, processorStatus: "needs_response" }))
  })

  it("moves the deadline of an unanswered one", () => {
    const noted = fact.StatusNoted.make({
      at,
      processorStatus: "needs_response",
      stage: "chargeback",
      evidenceDueBy: newDueBy
    })
    dispute().when(standing()).then(noted)
    dispute(noted).when(standing()).then()
    dispute(noted)
      .when(beginSubmit({ at: newDueBy }))
      .then(fact.SubmissionBegun.make({ ...submissionBegun, at: newDueBy }))
  })

  it("has an answer that was given at the channel: under review, with an event", () => {
    const word = standing({ isAnswered: true, processorStatus: "under_review", evidenceDueBy: dueBy })
    const review = fact.ReviewBegun.make({
      at,
      processorStatus: "under_review",
      stage: "chargeback",
      evidenceDueBy: dueBy
    })
    dispute().when(word).then(review)
    assert.deepInclude(consequences(dispute().state, review), { announced: "dispute.updated", movements: [] })
    dispute(review).when(word).then()
    dispute(review).when(beginSubmit()).thenRefused("under_review")
    dispute(submissionBegun).when(word).then()
  })
})

describe("dispute: an appeal", () => {
  const offer = standing({ stage: "appeal_offered", processorStatus: "appeal_needs_response", isAnswered: true })
  const file = standing({ stage: "appeal_filed", processorStatus: "appeal_under_review", isAnswered: true })
  const { _tag: _, amount: __, isAnswered: ___, ...said } = offer
  const offered = fact.StatusNoted.make(said)

  it("of a loss leaves it a loss, says what is due, and ends as one or is won", () => {
    dispute(lost).when(offer).then(offered)
    const appealed = dispute(lost, offered)
    assert.deepInclude(appealed.state, { status: "lost", stage: "appeal_offered", evidenceDueBy: newDueBy, fee })
    appealed.when(offer).then()
    dispute(lost, offered, fact.StatusNoted.make({ ...said, stage: "appeal_filed" }))
      .when(offer)
      .then()
    appealed
      .when(command.ReportLost.make({ at, processorStatus: "lost", fee }))
      .then(fact.StatusNoted.make({ at, processorStatus: "lost", stage: "chargeback" }))
    appealed.when(command.ReportWon.make({ at, processorStatus: "won" })).then(won)
    const { movements } = consequences(appealed.state, won)
    assert.deepStrictEqual(
      movements.map(({ type, unfrozen }) => [type, unfrozen]),
      [["dispute_unfreeze", true]]
    )
  })

  it("that comes before a loss is under review, and takes no evidence", () => {
    const noted = fact.StatusNoted.make({ ...said })
    dispute(submissionBegun, submitted).when(offer).then(noted)
    const { amount: _amount, isAnswered: _isAnswered, _tag: _tag_, ...word } = file
    dispute().when(file).then(fact.ReviewBegun.make(word))
    dispute(submissionBegun, submitted, noted).when(beginSubmit()).thenRefused("under_review")
    dispute(submissionBegun, submitted, noted)
      .when(command.ReportLost.make({ at: DateTime.add(at, { days: 1 }), processorStatus: "lost", fee }))
      .then(fact.DisputeLost.make({ at: DateTime.add(at, { days: 1 }), processorStatus: "lost", fee }))
  })
})
