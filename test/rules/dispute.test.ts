/**
 * The dispute's rules in sentences: what is taken when, what the channel's word does, and when the channel is asked
 * next (silences: D1 to D7, D14).
 */
import { assert, describe, it } from "@effect/vitest"
import type { Evidence } from "@coffer/model/Evidence"
import { decide } from "@coffer/rules/dispute/decide"
import { Dispute, DisputeEvent } from "@coffer/rules/dispute/Dispute"
import { evidenceProblem, filesProblem, keptAfter, nothingKept, testTextProblem } from "@coffer/rules/dispute/evidence"
import { nextCheckOf } from "@coffer/rules/dispute/nextCheck"
import { DateTime } from "effect"
import {
  acceptanceBegun,
  acceptanceTaken,
  again,
  another,
  at,
  beginAccept,
  begun,
  beginSubmit,
  closed,
  command,
  confirm,
  dispute,
  draft,
  dueBy,
  evidence,
  fact,
  fee,
  lost,
  opened,
  submissionBegun,
  submitted,
  tooLate,
  withdrawn,
  won
} from "../kit/rules/disputeFixtures.ts"

describe("dispute: evidence", () => {
  const save = (time: DateTime.Utc) => command.SaveDraft.make({ at: time, evidence })

  it("is taken up to the deadline, to the millisecond", () => {
    dispute()
      .when(save(dueBy))
      .then(fact.DraftSaved.make({ at: dueBy, evidence }))
    dispute().when(save(tooLate)).thenRefused("past_deadline")
    dispute()
      .when(beginSubmit({ at: dueBy }))
      .then(fact.SubmissionBegun.make({ ...submissionBegun, at: dueBy }))
    dispute()
      .when(beginSubmit({ at: tooLate }))
      .thenRefused("past_deadline")
  })

  it("is taken at any time where the channel sets no deadline", () => {
    const state: Dispute = { ...opened, evidenceDueBy: null }
    assert.isUndefined(decide(state, save(tooLate)).refusal)
  })

  it("the same submission again sets out again while the channel has not confirmed it, another is refused", () => {
    dispute(submissionBegun)
      .when(beginSubmit({ id: another! }))
      .then(again)
    dispute(submissionBegun)
      .when(beginSubmit({ fingerprint: "b" }))
      .thenRefused("being_submitted")
    dispute(submissionBegun).when(save(at)).thenRefused("being_submitted")
  })

  it("submitted, it is final; only the request that submitted it gets its answer again", () => {
    const byKey = fact.SubmissionBegun.make({ ...submissionBegun, request: "key" })
    dispute(byKey, submitted)
      .when(beginSubmit({ request: "key" }))
      .then()
    dispute(byKey, submitted, won)
      .when(beginSubmit({ request: "key" }))
      .then()
    dispute(byKey, submitted)
      .when(beginSubmit({ request: "other" }))
      .thenRefused("under_review")
    dispute(submissionBegun, submitted).when(beginSubmit()).thenRefused("under_review")
    dispute(submissionBegun, submitted).when(save(at)).thenRefused("under_review")
  })

  it("is taken back by the only one who asked and did not reach the channel", () => {
    const back = (id: string) => command.WithdrawStep.make({ at, id })
    dispute(submissionBegun).when(back(begun!)).then(withdrawn)
    dispute(submissionBegun).when(back(another!)).then()
    dispute(submissionBegun, again).when(back(begun!)).then()
    dispute(submissionBegun, submitted).when(back(begun!)).then()
    assert.isNull(dispute(submissionBegun, withdrawn).state.response)
    assert.strictEqual(dispute(submissionBegun, again, again).state.response?.asks, 3)
  })

  it("is dropped when the channel will not take it, however many asked", () => {
    dispute(submissionBegun, again)
      .when(command.RejectStep.make({ at, id: begun! }))
      .then(withdrawn)
    dispute(submissionBegun)
      .when(command.RejectStep.make({ at, id: another! }))
      .then()
  })

  it("that the channel confirms although it was taken back raises the alarm", () =>
    dispute()
      .when(confirm({ processorStatus: "under_review" }))
      .thenRefused("unexpected", fact.StatusNoted.make({ at, processorStatus: "under_review" })))
})

describe("dispute: acceptance", () => {
  it("leaves the status until the channel says lost, and takes no evidence any more", () => {
    const accepted = dispute(acceptanceBegun, acceptanceTaken)
    assert.strictEqual(accepted.state.status, "needs_response")
    assert.strictEqual(accepted.state.processorStatus, "accepted")
    for (const state of [dispute(acceptanceBegun), accepted]) {
      state.when(beginSubmit()).thenRefused("accepted")
      state.when(command.SaveDraft.make({ at, evidence })).thenRefused("accepted")
    }
    accepted.when(command.ReportLost.make({ at, processorStatus: "lost", fee })).then(lost)
  })

  it("a second one changes nothing; before the channel has confirmed the first it helps it along", () => {
    dispute(acceptanceBegun).when(beginAccept()).then(again)
    dispute(acceptanceBegun, acceptanceTaken).when(beginAccept()).then()
  })

  it("waits for evidence that is being submitted", () =>
    dispute(submissionBegun).when(beginAccept()).thenRefused("being_submitted"))

  it("is as good after the deadline", () =>
    dispute()
      .when(command.BeginAccept.make({ at: tooLate, id: begun!, request: null }))
      .then(fact.AcceptanceBegun.make({ at: tooLate, id: begun!, request: null })))

  it("of what is decided is refused, but for the request whose acceptance decided it", () => {
    const over = dispute(acceptanceBegun, acceptanceTaken, lost)
    over.when(beginAccept("key")).then()
    over.when(beginAccept()).thenRefused("decided")
    over.when(beginAccept("other")).thenRefused("decided")
  })
})

describe("dispute: the channel's decision", () => {
  const reportWon = command.ReportWon.make({ at, processorStatus: "won" })

  it("ends what was being sent to the channel", () => {
    dispute(submissionBegun).when(reportWon).then(withdrawn, won)
    dispute(acceptanceBegun)
      .when(command.ReportClosed.make({ at, processorStatus: "closed" }))
      .then(withdrawn, closed)
  })

  it("repeated is heard once", () => {
    dispute(won).when(reportWon).then()
    dispute(lost)
      .when(command.ReportLost.make({ at, processorStatus: "lost", fee }))
      .then()
    dispute(closed)
      .when(command.ReportClosed.make({ at, processorStatus: "closed" }))
      .then()
    dispute()
      .when(command.ReportOther.make({ at, processorStatus: "needs_response" }))
      .then()
  })

  it("that cannot follow is written down once and raises the alarm each time", () => {
    const noted = fact.StatusNoted.make({ at, processorStatus: "won" })
    dispute(closed).when(reportWon).thenRefused("unexpected", noted)
    dispute(closed, noted).when(reportWon).thenRefused("unexpected")
    const { state } = dispute(closed, noted)
    assert.deepStrictEqual([state.status, state.processorStatus], ["closed", "won"])
  })

  it("that is said again after one that could not follow is the channel's word once more", () => {
    for (const [outcome, report, word] of [
      [won, reportWon, "won"],
      [closed, command.ReportClosed.make({ at, processorStatus: "closed" }), "closed"]
    ] as const) {
      const odd = fact.StatusNoted.make({ at, processorStatus: "lost" })
      const again = fact.StatusNoted.make({ at, processorStatus: word })
      dispute(outcome, odd).when(report).then(again)
      assert.deepInclude(dispute(outcome, odd, again).state, { status: word, processorStatus: word })
    }
  })

  it("won by appeal keeps the fee, and closes it again", () => {
    const later = DateTime.add(at, { days: 30 })
    const { state } = dispute(lost, fact.DisputeWon.make({ at: later, processorStatus: "won" }))
    assert.deepInclude(state, { status: "won", fee, closedAt: later })
    assert.deepInclude(dispute(won).state, { fee: null, closedAt: at })
  })
})

describe("dispute: the fields that merchants see change", () => {
  const seen = ({ processorStatus, status, updatedAt }: Dispute) => [status, processorStatus, updatedAt]

  for (const hidden of [draft, submissionBegun, acceptanceBegun]) {
    it(`not by ${hidden._tag}`, () => assert.deepStrictEqual(seen(dispute(hidden).state), seen(opened)))
  }
  for (const shown of [won, lost, closed, fact.StatusNoted.make({ at, processorStatus: "odd" })]) {
    it(`by ${shown._tag}`, () => assert.deepStrictEqual(dispute(shown).state.updatedAt, at))
  }
})

describe("dispute: its stored evidence", () => {
  const after = (...facts: ReadonlyArray<DisputeEvent>) =>
    facts.reduce((kept, each) => keptAfter(each)?.(kept) ?? kept, nothingKept)

  it("what is being submitted is not the draft until the channel has it", () => {
    const full: Evidence = { text: { customer_name: "Grace" }, files: [] }
    const begins = fact.SubmissionBegun.make({ ...submissionBegun, evidence: full })
    assert.deepStrictEqual(after(draft, begins).evidence, evidence)
    assert.deepStrictEqual(after(draft, begins, withdrawn), after(draft))
    assert.deepStrictEqual(after(draft, begins, submitted), {
      evidence: full,
      submitting: null,
      submittedAt: at,
      updatedAt: at
    })
  })
  it("nothing with nothing in it can be submitted, but saved it can be", () => {
    for (const text of [{}, { customer_name: "" }, { customer_name: " \n" }]) {
      assert.strictEqual(evidenceProblem({ text, files: [] }, true)?.param, "evidence")
      assert.isUndefined(evidenceProblem({ text, files: [] }, false))
    }
    assert.isUndefined(evidenceProblem({ text: {}, files: [{ type: "receipt", url: "u" }] }, true))
    assert.isUndefined(evidenceProblem(evidence, true))
  })
  it("the first foreign address is named by its place", () => {
    assert.isUndefined(filesProblem([true, true]))
    assert.strictEqual(filesProblem([true, true, false, false])?.param, "files[2].url")
  })
})

describe("dispute: the next poll of the channel", () => {
  const secondsFrom = (from: DateTime.Utc, state: Dispute, now: DateTime.Utc) => {
    const next = nextCheckOf(state, now)
    return next === null ? null : (DateTime.toEpochMillis(next) - DateTime.toEpochMillis(from)) / 1_000
  }
  it("is the first moment after the deadline, or sooner if an answer is being submitted", () => {
    assert.strictEqual(secondsFrom(dueBy, opened, at), 0.001)
    assert.strictEqual(secondsFrom(tooLate, opened, tooLate), 5)
    assert.strictEqual(secondsFrom(at, { ...opened, evidenceDueBy: null }, at), 86_400)
    assert.strictEqual(secondsFrom(at, dispute(submissionBegun).state, at), 30)
    assert.strictEqual(secondsFrom(at, dispute(acceptanceBegun).state, at), 30)
    assert.strictEqual(secondsFrom(at, dispute(acceptanceBegun, acceptanceTaken).state, at), 5)
    assert.strictEqual(secondsFrom(at, dispute(submissionBegun, submitted).state, at), 86_400)
    for (const event of [won, lost, closed]) assert.isNull(nextCheckOf(dispute(event).state, at))
  })
})

describe("dispute: which parts of the evidence are stored", () => {
  const kept = (...facts: ReadonlyArray<DisputeEvent>) =>
    facts.reduce((before, each) => keptAfter(each)?.(before) ?? before, nothingKept)

  it("is changed by what concerns it alone", () => {
    const noted = fact.StatusNoted.make({ at, processorStatus: "odd" })
    const review = fact.ReviewBegun.make({ at, processorStatus: "odd", stage: "chargeback", evidenceDueBy: dueBy })
    for (const event of [acceptanceBegun, again, acceptanceTaken, won, lost, closed, review, noted]) {
      assert.isUndefined(keptAfter(event), event._tag)
    }
  })

  it("is as before when a submission is withdrawn, and the same object if there was none", () => {
    assert.deepStrictEqual(kept(draft, submissionBegun, fact.StepWithdrawn.make({ at: dueBy })), kept(draft))
    const before = kept(draft)
    assert.strictEqual(keptAfter(withdrawn)?.(before), before)
  })

  it("is the draft if the channel confirms a submission that was never begun", () => {
    assert.deepStrictEqual(kept(draft, submitted), { evidence, submitting: null, submittedAt: at, updatedAt: at })
  })

  it("says what is missing or foreign, by its field", () => {
    const empty = evidenceProblem({ text: {}, files: [] }, true)
    assert.deepStrictEqual([empty?.param, empty?.problem], ["evidence", "there must be some text or a file to submit"])
    const foreign = filesProblem([false, true])
    assert.deepStrictEqual(
      [foreign?.param, foreign?.problem],
      ["files[0].url", "must be the address of a file that you uploaded in this environment"]
    )
  })

  it("has Stripe's test text in a test environment of Stripe alone", () => {
    const test: Evidence = { text: { uncategorized_text: "winning_evidence" }, files: [] }
    const problem = testTextProblem(test, false)
    assert.deepStrictEqual([problem?.param, problem?.problem], ["evidence.uncategorized_text", "is an unknown field"])
    assert.isUndefined(testTextProblem(test, true))
    assert.isUndefined(testTextProblem(evidence, false))
  })
})
