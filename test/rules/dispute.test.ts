/** The dispute's rules: what is taken when, what it moves, and the whole machine as tables (silences: D1 to D14). */
import { assert, describe, it } from "@effect/vitest"
import type { Evidence } from "@coffer/model/Evidence"
import { DisputeNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { decide } from "@coffer/rules/dispute/decide"
import { Dispute, DisputeCommand, DisputeEvent } from "@coffer/rules/dispute/Dispute"
import { consequences, opening } from "@coffer/rules/dispute/consequences"
import { evidenceProblem, filesProblem, keptAfter, nothingKept } from "@coffer/rules/dispute/evidence"
import { evolve } from "@coffer/rules/dispute/evolve"
import { nextCheckOf } from "@coffer/rules/dispute/nextCheck"
import { DateTime, Schema } from "effect"
import { createdAt, pendingOrder } from "../kit/fixtures.ts"
import { given } from "../kit/Given.ts"
import { matrix } from "../kit/Matrix.ts"

const { disputeNo, merchantId, mode, tradeNo } = {
  ...pendingOrder,
  disputeNo: DisputeNo.make("dsp_00000000000000000000000001")
}
const dueBy = DateTime.add(createdAt, { days: 7 })
const at = DateTime.add(createdAt, { days: 1 })
const tooLate = DateTime.add(dueBy, { milliseconds: 1 })

const opened: Dispute = {
  status: "needs_response",
  disputeNo,
  tradeNo,
  merchantId,
  mode,
  processorDisputeId: "dp_1",
  amount: Minor.make(4_00),
  currency: "USD",
  processorStatus: "needs_response",
  reason: "fraudulent",
  evidenceDueBy: dueBy,
  notifyUrl: null,
  response: null,
  openedAt: createdAt,
  createdAt,
  updatedAt: createdAt
}

const evidence: Evidence = { text: { customer_name: "Ada" }, files: [] }
const command = DisputeCommand.cases
const fact = DisputeEvent.cases
const fee = Minor.make(15_00)
const [begun, another] = ["first", "second"]

const beginSubmit = (over: Partial<typeof command.BeginSubmit.Type> = {}) =>
  command.BeginSubmit.make({ at, id: begun!, evidence, fingerprint: "a", request: null, ...over })
const submissionBegun = fact.SubmissionBegun.make({ at, id: begun!, evidence, fingerprint: "a", request: null })
const acceptanceBegun = fact.AcceptanceBegun.make({ at, id: begun!, request: "key" })
const beginAccept = (request: string | null = null) => command.BeginAccept.make({ at, id: another!, request })
const submitted = fact.EvidenceSubmitted.make({ at, processorStatus: "under_review" })
const acceptanceTaken = fact.AcceptanceTaken.make({ at, processorStatus: "accepted" })
const won = fact.DisputeWon.make({ at, processorStatus: "won" })
const lost = fact.DisputeLost.make({ at, processorStatus: "lost", fee })
const closed = fact.DisputeClosed.make({ at, processorStatus: "closed" })
const again = fact.AskedAgain.make({ at })
const withdrawn = fact.StepWithdrawn.make({ at })
const draft = fact.DraftSaved.make({ at, evidence })

const dispute = given({ decide, evolve, initial: opened })

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
      .when(command.ConfirmStep.make({ at, processorStatus: "under_review" }))
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

  it("waits for evidence that is on its way", () =>
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

describe("dispute: the channel's word", () => {
  const reportWon = command.ReportWon.make({ at, processorStatus: "won" })

  it("ends what was on its way to the channel", () => {
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

  it("won by appeal keeps the fee, and closes it anew", () => {
    const later = DateTime.add(at, { days: 30 })
    const { state } = dispute(lost, fact.DisputeWon.make({ at: later, processorStatus: "won" }))
    assert.deepInclude(state, { status: "won", fee, closedAt: later })
    assert.deepInclude(dispute(won).state, { fee: null, closedAt: at })
  })
})

describe("dispute: what merchants see of it changes", () => {
  const seen = ({ processorStatus, status, updatedAt }: Dispute) => [status, processorStatus, updatedAt]

  for (const hidden of [draft, submissionBegun, acceptanceBegun]) {
    it(`not by ${hidden._tag}`, () => assert.deepStrictEqual(seen(dispute(hidden).state), seen(opened)))
  }
  for (const shown of [won, lost, closed, fact.StatusNoted.make({ at, processorStatus: "odd" })]) {
    it(`by ${shown._tag}`, () => assert.deepStrictEqual(dispute(shown).state.updatedAt, at))
  }
})

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
  it("under review: nothing moves, dispute.updated", () =>
    assert.deepStrictEqual(moved(opened, submitted), { ...nothing, announced: "dispute.updated" }))
  it("everything else moves nothing and is told to nobody", () => {
    const noted = fact.StatusNoted.make({ at, processorStatus: "odd" })
    for (const event of [draft, submissionBegun, acceptanceBegun, again, acceptanceTaken, withdrawn, noted]) {
      assert.deepStrictEqual(moved(opened, event), nothing, event._tag)
    }
  })
})

describe("dispute: the evidence kept beside it", () => {
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

describe("dispute: the next look at the channel", () => {
  const secondsFrom = (from: DateTime.Utc, state: Dispute, now: DateTime.Utc) => {
    const next = nextCheckOf(state, now)
    return next === null ? null : (DateTime.toEpochMillis(next) - DateTime.toEpochMillis(from)) / 1_000
  }
  it("is the first moment after the deadline, or sooner where an answer is on its way", () => {
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

describe("dispute: status by command", () => {
  // The states of a dispute that needs a response, told apart by what the merchant has answered.
  const table = matrix(`
    status         | SaveDraft           | BeginSubmit         | BeginAccept         | AskAgain   | ConfirmStep       | RejectStep    | WithdrawStep
    needs_response | DraftSaved          | SubmissionBegun     | AcceptanceBegun     | -          | 409 unexpected    | -             | -
    submitting     | 409 being_submitted | AskedAgain          | 409 being_submitted | AskedAgain | EvidenceSubmitted | StepWithdrawn | StepWithdrawn
    accepting      | 409 accepted        | 409 accepted        | AskedAgain          | AskedAgain | AcceptanceTaken   | StepWithdrawn | StepWithdrawn
    accepted       | 409 accepted        | 409 accepted        | -                   | -          | -                 | -             | -
    overdue        | 409 past_deadline   | 409 past_deadline   | AcceptanceBegun     | -          | 409 unexpected    | -             | -
    under_review   | 409 under_review    | 409 under_review    | 409 under_review    | -          | -                 | -             | -
    won            | 409 decided         | 409 decided         | 409 decided         | -          | -                 | -             | -
    lost           | 409 decided         | 409 decided         | 409 decided         | -          | -                 | -             | -
    closed         | 409 decided         | 409 decided         | 409 decided         | -          | -                 | -             | -
  `)
  const reports = matrix(`
    status         | ReportWon                | ReportLost                | ReportClosed                | ReportOther
    needs_response | DisputeWon               | DisputeLost               | DisputeClosed               | 409 unexpected
    submitting     | StepWithdrawn+DisputeWon | StepWithdrawn+DisputeLost | StepWithdrawn+DisputeClosed | 409 unexpected
    accepting      | StepWithdrawn+DisputeWon | StepWithdrawn+DisputeLost | StepWithdrawn+DisputeClosed | 409 unexpected
    accepted       | DisputeWon               | DisputeLost               | DisputeClosed               | 409 unexpected
    overdue        | DisputeWon               | DisputeLost               | DisputeClosed               | 409 unexpected
    under_review   | DisputeWon               | DisputeLost               | DisputeClosed               | 409 unexpected
    won            | -                        | 409 unexpected            | 409 unexpected              | 409 unexpected
    lost           | DisputeWon               | -                         | 409 unexpected              | 409 unexpected
    closed         | 409 unexpected           | 409 unexpected            | -                           | 409 unexpected
  `)
  const answering = ["submitting", "accepting", "accepted", "overdue"] as const
  const states: Record<Dispute["status"] | (typeof answering)[number], Dispute> = {
    needs_response: opened,
    submitting: dispute(submissionBegun).state,
    accepting: dispute(acceptanceBegun).state,
    accepted: dispute(acceptanceBegun, acceptanceTaken).state,
    overdue: { ...opened, evidenceDueBy: createdAt },
    under_review: dispute(submissionBegun, submitted).state,
    won: dispute(won).state,
    lost: dispute(lost).state,
    closed: dispute(closed).state
  }
  const commands: Record<DisputeCommand["_tag"], DisputeCommand> = {
    SaveDraft: command.SaveDraft.make({ at, evidence }),
    BeginSubmit: beginSubmit(),
    BeginAccept: beginAccept(),
    AskAgain: command.AskAgain.make({ at }),
    ConfirmStep: command.ConfirmStep.make({ at, processorStatus: "confirmed" }),
    RejectStep: command.RejectStep.make({ at, id: begun! }),
    WithdrawStep: command.WithdrawStep.make({ at, id: begun! }),
    ReportWon: command.ReportWon.make({ at, processorStatus: "won" }),
    ReportLost: command.ReportLost.make({ at, processorStatus: "lost", fee }),
    ReportClosed: command.ReportClosed.make({ at, processorStatus: "closed" }),
    ReportOther: command.ReportOther.make({ at, processorStatus: "odd" })
  }

  it("has a row for every status and a column for every command", () => {
    for (const { cells, columns, rows } of [table, reports]) {
      assert.sameMembers(rows, [...Dispute.discriminants, ...answering])
      assert.strictEqual(cells.length, rows.length * columns.length)
    }
    assert.sameMembers([...table.columns, ...reports.columns], Object.keys(DisputeCommand.cases))
  })

  for (const { column, expected, row } of [...table.cells, ...reports.cells]) {
    it(`${row} × ${column} → ${expected}`, () => {
      const before = states[row as keyof typeof states]
      const { events, refusal } = decide(before, commands[column as DisputeCommand["_tag"]])
      const recorded = events.map((event) => event._tag).join("+")
      assert.strictEqual(refusal === undefined ? recorded || "-" : `409 ${refusal.reason}`, expected)
      events.reduce(evolve, before)
    })
  }
})

describe("dispute: laws", () => {
  const step = (state: Dispute, each: DisputeCommand) => decide(state, each).events.reduce(evolve, state)

  it.prop("whatever happens, every fact applies and the terms stay", [Schema.Array(DisputeCommand)], ([commands]) => {
    const last = commands.reduce(step, opened)
    assert.deepInclude(last, { disputeNo, amount: opened.amount, evidenceDueBy: dueBy, openedAt: createdAt })
  })

  it.prop("the amount is frozen exactly while it is open", [Schema.Array(DisputeCommand)], ([commands]) => {
    let state: Dispute = opened
    let frozen: number = opened.amount
    for (const each of commands) {
      for (const event of decide(state, each).events) {
        for (const { amount, type, unfrozen } of consequences(state, event).movements) {
          if (type === "dispute_unfreeze" && unfrozen !== true) frozen -= amount
          if (type === "dispute_debit") frozen += amount
        }
        state = evolve(state, event)
      }
      const open = state.status === "needs_response" || state.status === "under_review"
      assert.strictEqual(frozen, open ? opened.amount : 0)
    }
  })

  it("evolve throws on a fact that cannot follow", () => {
    assert.throws(() => evolve(dispute(closed).state, won), "DisputeWon cannot follow closed")
    assert.throws(() => evolve(opened, submitted), "EvidenceSubmitted cannot follow needs_response")
  })
})
