/** The payout: sentences for what matters, then the whole machine as a table, then what its facts do to the wallet. */
import { assert, describe, it } from "@effect/vitest"
import { MerchantId, PayoutNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import {
  consequences,
  decide,
  evolve,
  Payout,
  PayoutCommand,
  PayoutEvent,
  requesting
} from "@coffer/rules/payout/Payout"
import { DateTime, Schema } from "effect"
import { given } from "../kit/rules/Given.ts"
import { matrix } from "../kit/rules/Matrix.ts"

const createdAt = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")
const at = DateTime.makeUnsafe("2026-01-02T00:00:00.000Z")

const initial: Payout = {
  status: "requested",
  payoutNo: PayoutNo.make("pyt_00000000000000000000000001"),
  merchantId: MerchantId.make("mer_00000000000000000000000001"),
  mode: "live",
  currency: "HKD",
  amount: Minor.make(5_000),
  fee: Minor.make(30),
  reference: null,
  createdAt,
  updatedAt: createdAt
}

const { Approve, Complete, Fail, Reject } = PayoutCommand.cases
const { PayoutApproved, PayoutFailed, PayoutRejected, PayoutSucceeded } = PayoutEvent.cases

const payout = given({ decide, evolve, initial })
const requested = payout()
const approved = payout(PayoutApproved.make({ at }))
const succeeded = payout(PayoutApproved.make({ at }), PayoutSucceeded.make({ at }))
const failed = payout(PayoutApproved.make({ at }), PayoutFailed.make({ at }))
const rejected = payout(PayoutRejected.make({ at }))

describe("payout: status by command", () => {
  const table = matrix(`
    status    | Approve               | Reject                | Complete              | Fail
    requested | PayoutApproved        | PayoutRejected        | 409 not_approved      | 409 not_approved
    approved  | -                     | 409 already_approved  | PayoutSucceeded       | PayoutFailed
    succeeded | 409 already_succeeded | 409 already_succeeded | -                     | 409 already_succeeded
    rejected  | 409 already_rejected  | -                     | 409 already_rejected  | 409 already_rejected
    failed    | 409 already_failed    | 409 already_failed    | 409 already_failed    | -
  `)
  const states: Record<Payout["status"], Payout> = {
    requested: requested.state,
    approved: approved.state,
    succeeded: succeeded.state,
    rejected: rejected.state,
    failed: failed.state
  }
  const commands: Record<PayoutCommand["_tag"], PayoutCommand> = {
    Approve: Approve.make({ at }),
    Reject: Reject.make({ at }),
    Complete: Complete.make({ at }),
    Fail: Fail.make({ at })
  }

  it("has a row for every status and a column for every command", () => {
    assert.sameMembers(table.rows, [...Payout.discriminants])
    assert.sameMembers(table.columns, Object.keys(PayoutCommand.cases))
    assert.strictEqual(table.cells.length, table.rows.length * table.columns.length)
  })

  it("reaches every status by facts", () => {
    for (const [status, state] of Object.entries(states)) assert.strictEqual(state.status, status)
  })

  for (const { column, expected, row } of table.cells) {
    it(`${row} × ${column} → ${expected}`, () => {
      const { events, refusal } = decide(states[row as Payout["status"]], commands[column as PayoutCommand["_tag"]])
      const recorded = events.map((event) => event._tag).join("+")
      assert.strictEqual(refusal === undefined ? recorded || "-" : `409 ${refusal.reason}`, expected)
    })
  }
})

describe("payout: laws", () => {
  const step = (state: Payout, command: PayoutCommand) => decide(state, command).events.reduce(evolve, state)

  it.prop(
    "a step taken twice records nothing the second time",
    [Schema.Array(PayoutCommand), PayoutCommand],
    ([before, command]) => {
      const once = step(before.reduce(step, initial), command)
      assert.deepStrictEqual(decide(once, command).events, [])
    }
  )

  it.prop(
    "whatever happens, the terms stay, and what was frozen and promised ends at most once",
    [Schema.Array(PayoutCommand)],
    ([commands]) => {
      let state: Payout = requested.state
      let frozen = 0 - requesting(initial).movements[0]!.amount
      let reserved = requesting(initial).reserve
      for (const command of commands) {
        for (const event of decide(state, command).events) {
          const { movements, reserve } = consequences(state, event)
          for (const { amount, type } of movements) {
            if (type === "payout_unfreeze") frozen -= amount
            if (type === "payout_success") frozen += amount
          }
          reserved += reserve
          state = evolve(state, event)
        }
      }
      const isOpen = state.status === "requested" || state.status === "approved"
      assert.strictEqual(frozen, isOpen ? initial.amount : 0)
      assert.strictEqual(reserved, isOpen ? initial.fee : 0)
      const { approvedAt, status, updatedAt: _, ...terms } = { approvedAt: undefined, ...state }
      assert.strictEqual(approvedAt === undefined, status === "requested" || status === "rejected")
      assert.deepStrictEqual({ ...terms, status: "requested", updatedAt: createdAt }, initial)
    }
  )

  it("evolve throws on a fact that cannot follow", () =>
    assert.throws(
      () => evolve(requested.state, PayoutSucceeded.make({ at })),
      "PayoutSucceeded cannot follow requested"
    ))
})

describe("payout: what its facts do to the wallet", () => {
  const brief = ({ movements, reserve }: ReturnType<typeof consequences>) => [
    movements.map(({ amount, type }) => [type, amount]),
    reserve
  ]

  it("a request freezes the amount and promises the fee", () =>
    assert.deepStrictEqual(brief(requesting(initial)), [[["payout_freeze", -5_000]], 30]))

  it("each row says of which payout it is, and what happened", () => {
    const { payoutNo } = initial
    const described = ({ movements }: ReturnType<typeof consequences>) =>
      movements.map(({ description, referenceId }) => [referenceId, description])
    assert.deepStrictEqual(described(requesting(initial)), [[payoutNo, `Payout ${payoutNo} requested`]])
    assert.deepStrictEqual(described(consequences(approved.state, PayoutSucceeded.make({ at }))), [
      [payoutNo, `Payout ${payoutNo} completed`],
      [payoutNo, `Fee of payout ${payoutNo}`]
    ])
    assert.deepStrictEqual(described(consequences(approved.state, PayoutFailed.make({ at }))), [
      [payoutNo, `Payout ${payoutNo} returned`]
    ])
  })

  it("approving moves nothing", () =>
    assert.deepStrictEqual(brief(consequences(initial, PayoutApproved.make({ at }))), [[], 0]))

  it("completing takes the frozen amount and the fee, and the promise ends", () =>
    assert.deepStrictEqual(brief(consequences(approved.state, PayoutSucceeded.make({ at }))), [
      [
        ["payout_success", -5_000],
        ["payout_fee", -30]
      ],
      -30
    ]))

  it("a fee of 0 is written too, as 0", () => {
    const free = { ...approved.state, fee: Minor.make(0) }
    assert.deepStrictEqual(brief(consequences(free, PayoutSucceeded.make({ at }))), [
      [
        ["payout_success", -5_000],
        ["payout_fee", 0]
      ],
      0
    ])
  })

  it("rejecting and failing give the amount back, and the promise ends", () => {
    const back = [[["payout_unfreeze", 5_000]], -30]
    assert.deepStrictEqual(brief(consequences(initial, PayoutRejected.make({ at }))), back)
    assert.deepStrictEqual(brief(consequences(approved.state, PayoutFailed.make({ at }))), back)
  })

  it("every row names the payout", () => {
    for (const event of [PayoutRejected.make({ at }), PayoutSucceeded.make({ at })]) {
      for (const { description, referenceId } of consequences(initial, event).movements) {
        assert.strictEqual(referenceId, initial.payoutNo)
        assert.include(description, initial.payoutNo)
      }
    }
  })
})
