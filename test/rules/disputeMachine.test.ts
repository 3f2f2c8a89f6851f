/** The whole machine of a dispute: every status meets every command in tables, and laws over random commands. */
import { assert, describe, it } from "@effect/vitest"
import { consequences, decide, evolve, opening } from "@coffer/rules/dispute/decide"
import { Dispute, DisputeCommand, isFrozen } from "@coffer/rules/dispute/Dispute"
import { Schema } from "effect"
import { createdAt } from "../kit/rules/fixtures.ts"
import { matrix } from "../kit/rules/Matrix.ts"
import {
  acceptanceBegun,
  acceptanceTaken,
  at,
  beginAccept,
  begun,
  beginSubmit,
  closed,
  command,
  confirm,
  dispute,
  disputeNo,
  evidence,
  fee,
  lost,
  inquired,
  opened,
  standing,
  submissionBegun,
  submitted,
  won
} from "../kit/rules/disputeFixtures.ts"

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
    status         | ReportWon                | ReportLost                | ReportClosed                | ReportStanding | ReportOther
    needs_response | DisputeWon               | DisputeLost               | DisputeClosed               | StatusNoted    | 409 unexpected
    submitting     | StepWithdrawn+DisputeWon | StepWithdrawn+DisputeLost | StepWithdrawn+DisputeClosed | -              | 409 unexpected
    accepting      | StepWithdrawn+DisputeWon | StepWithdrawn+DisputeLost | StepWithdrawn+DisputeClosed | -              | 409 unexpected
    accepted       | DisputeWon               | DisputeLost               | DisputeClosed               | -              | 409 unexpected
    overdue        | DisputeWon               | DisputeLost               | DisputeClosed               | StatusNoted    | 409 unexpected
    under_review   | DisputeWon               | DisputeLost               | DisputeClosed               | StageBegun     | 409 unexpected
    won            | -                        | 409 unexpected            | 409 unexpected              | 409 unexpected | 409 unexpected
    lost           | DisputeWon               | -                         | 409 unexpected              | 409 unexpected | 409 unexpected
    closed         | 409 unexpected           | 409 unexpected            | -                           | 409 unexpected | 409 unexpected
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
    ConfirmStep: confirm(),
    RejectStep: command.RejectStep.make({ at, id: begun! }),
    WithdrawStep: command.WithdrawStep.make({ at, id: begun! }),
    ReportWon: command.ReportWon.make({ at, processorStatus: "won" }),
    ReportLost: command.ReportLost.make({ at, processorStatus: "lost", fee }),
    ReportClosed: command.ReportClosed.make({ at, processorStatus: "closed" }),
    ReportStanding: standing(),
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
    assert.deepInclude(last, { disputeNo, amount: opened.amount, openedAt: createdAt })
  })

  for (const first of [opened, inquired]) {
    it.prop(
      `of an opened ${first.stage} the amount is frozen exactly while it is an open chargeback`,
      [Schema.Array(DisputeCommand)],
      ([commands]) => {
        let state: Dispute = first
        let frozen: number = 0 - opening(first).movements.reduce((sum, { amount }) => sum + amount, 0)
        let order = opening(first).order === undefined ? 0 : 1
        for (const each of commands) {
          for (const event of decide(state, each).events) {
            const consequence = consequences(state, event)
            for (const { amount, type, unfrozen } of consequence.movements) {
              if (type === "dispute_freeze" || (type === "dispute_unfreeze" && unfrozen !== true)) frozen -= amount
              if (type === "dispute_debit") frozen += amount
            }
            if (consequence.order?._tag === "OpenDispute") order++
            if (consequence.order?._tag === "CloseDispute") order--
            state = evolve(state, event)
          }
          assert.strictEqual(frozen, isFrozen(state) ? state.amount : 0)
          assert.strictEqual(order, isFrozen(state) ? 1 : 0, "the order knows of it")
        }
      }
    )
  }

  it("evolve throws on a fact that cannot follow", () => {
    assert.throws(() => evolve(dispute(closed).state, won), "DisputeWon cannot follow closed")
    assert.throws(() => evolve(opened, submitted), "EvidenceSubmitted cannot follow needs_response")
  })
})
