/** The whole machine of a dispute: every status meets every command in tables, and laws over random commands. */
import { assert, describe, it } from "@effect/vitest"
import { decide } from "@coffer/rules/dispute/decide"
import { Dispute, DisputeCommand } from "@coffer/rules/dispute/Dispute"
import { consequences } from "@coffer/rules/dispute/consequences"
import { evolve } from "@coffer/rules/dispute/evolve"
import { Schema } from "effect"
import { createdAt } from "../kit/fixtures.ts"
import { matrix } from "../kit/Matrix.ts"
import {
  acceptanceBegun,
  acceptanceTaken,
  at,
  beginAccept,
  begun,
  beginSubmit,
  closed,
  command,
  dispute,
  disputeNo,
  dueBy,
  evidence,
  fee,
  lost,
  opened,
  submissionBegun,
  submitted,
  won
} from "../kit/disputeFixtures.ts"

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
