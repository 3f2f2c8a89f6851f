/** The refund's rules: what each command does in each status, and what a refund posts. */
import { assert, describe, it } from "@effect/vitest"
import { LedgerType } from "@coffer/model/Ledger"
import {
  consequences,
  decide,
  evolve,
  Refund,
  RefundCommand,
  RefundEvent,
  reserving
} from "@coffer/rules/refund/Refund"
import { nextCheck } from "@coffer/rules/refund/nextCheck"
import { DateTime, Schema } from "effect"
import { createdAt as at } from "../kit/rules/fixtures.ts"
import { given } from "../kit/rules/Given.ts"
import { matrix } from "../kit/rules/Matrix.ts"
import { aRefund } from "../kit/rules/refundFixtures.ts"

const { Abandon, Annotate, Await, Confirm, Reject } = RefundCommand.cases
const { RefundAbandoned, RefundAccepted, RefundAnnotated, RefundFailed, RefundReversed, RefundSucceeded } =
  RefundEvent.cases

const refund = given({ decide, evolve, initial: aRefund })
const reason = "no such account"

const states = {
  reserved: refund().state,
  pending: refund(RefundAccepted.make({ at })).state,
  succeeded: refund(RefundSucceeded.make({ at })).state,
  failed: refund(RefundAccepted.make({ at }), RefundFailed.make({ at, reason })).state,
  void: refund(RefundAbandoned.make({ at })).state
} satisfies Record<Refund["status"], Refund>

const commands = {
  Confirm: Confirm.make({ at }),
  Await: Await.make({ at }),
  Abandon: Abandon.make({ at }),
  Reject: Reject.make({ at, reason }),
  Annotate: Annotate.make({ at, patch: { a: "1" } })
} satisfies Record<RefundCommand["_tag"], RefundCommand>

describe("refund: status by command", () => {
  const table = matrix(`
    status    | Confirm            | Await          | Abandon         | Reject          | Annotate
    reserved  | RefundSucceeded    | RefundAccepted | RefundAbandoned | RefundAbandoned | RefundAnnotated
    pending   | RefundSucceeded    | -              | -               | RefundFailed    | RefundAnnotated
    succeeded | -                  | -              | -               | RefundReversed  | RefundAnnotated
    failed    | 409 already_failed | -              | -               | -               | RefundAnnotated
    void      | 409 already_void   | -              | -               | -               | RefundAnnotated
  `)

  it("has a row for every status and a column for every command", () => {
    assert.sameMembers(table.rows, [...Refund.discriminants])
    assert.sameMembers(table.columns, Object.keys(RefundCommand.cases))
    assert.strictEqual(table.cells.length, table.rows.length * table.columns.length)
  })

  for (const { column, expected, row } of table.cells) {
    it(`${row} × ${column} → ${expected}`, () => {
      const { events, refusal } = decide(states[row as Refund["status"]], commands[column as RefundCommand["_tag"]])
      const recorded = events.map((event) => event._tag).join("+")
      assert.strictEqual(refusal === undefined ? recorded || "-" : `409 ${refusal.reason}`, expected)
    })
  }
})

describe("refund: what a fact moves", () => {
  const amount = aRefund.amount
  const rows = (before: Refund, event: RefundEvent) => {
    const { announced, movements, order, reserve } = consequences(before, event)
    return {
      order: order?._tag,
      movements: movements.map((movement) => [movement.type, movement.amount, movement.unfrozen ?? false]),
      reserve,
      announced
    }
  }

  it("asked for: promised by the order and by the wallet, and no row of the ledger", () => {
    const { announced, movements, order, reserve } = reserving(amount, false, at)
    assert.deepStrictEqual([movements, order?._tag, reserve, announced], [[], "ReserveRefund", 4_00, undefined])
  })

  const table: ReadonlyArray<readonly [string, Refund, RefundEvent, ReturnType<typeof rows>]> = [
    [
      "paid at once: one refund_debit that lowers available, and the promise is kept",
      states.reserved,
      RefundSucceeded.make({ at }),
      {
        order: "CompleteRefund",
        movements: [["refund_debit", -4_00, true]],
        reserve: -4_00,
        announced: "refund.succeeded"
      }
    ],
    [
      "accepted: frozen instead of promised; the order is as it was",
      states.reserved,
      RefundAccepted.make({ at }),
      { order: undefined, movements: [["refund_freeze", -4_00, false]], reserve: -4_00, announced: undefined }
    ],
    [
      "abandoned: nothing has moved",
      states.reserved,
      RefundAbandoned.make({ at }),
      { order: "ReleaseRefund", movements: [], reserve: -4_00, announced: undefined }
    ],
    [
      "paid later: deducted from what was frozen",
      states.pending,
      RefundSucceeded.make({ at }),
      {
        order: "CompleteRefund",
        movements: [["refund_debit", -4_00, false]],
        reserve: 0,
        announced: "refund.succeeded"
      }
    ],
    [
      "rejected: what was frozen returns",
      states.pending,
      RefundFailed.make({ at, reason }),
      { order: "ReleaseRefund", movements: [["refund_unfreeze", 4_00, false]], reserve: 0, announced: "refund.failed" }
    ],
    [
      "taken back after it had succeeded: available rises, nothing was frozen",
      states.succeeded,
      RefundReversed.make({ at, reason }),
      { order: "ReverseRefund", movements: [["refund_unfreeze", 4_00, true]], reserve: 0, announced: "refund.failed" }
    ],
    [
      "annotated: nothing but the notes",
      states.pending,
      RefundAnnotated.make({ at, metadata: {} }),
      { order: undefined, movements: [], reserve: 0, announced: undefined }
    ]
  ]
  for (const [name, before, event, expected] of table) {
    it(name, () => assert.deepStrictEqual(rows(before, event), expected))
  }

  it("each row says of which refund and order it is, and what happened", () => {
    const { refundNo, tradeNo } = aRefund
    const described = (before: Refund, event: RefundEvent) =>
      consequences(before, event).movements.map(({ description, referenceId }) => [referenceId, description])
    for (const [before, event, what] of [
      [states.reserved, RefundAccepted.make({ at }), "accepted"],
      [states.pending, RefundSucceeded.make({ at }), "paid out"],
      [states.pending, RefundFailed.make({ at, reason }), "returned"]
    ] as const) {
      assert.deepStrictEqual(described(before, event), [[refundNo, `Refund ${refundNo} of order ${tradeNo} ${what}`]])
    }
  })

  it("has every fact", () =>
    assert.sameMembers([...new Set(table.map(([, , { _tag }]) => _tag))], Object.keys(RefundEvent.cases)))

  it("knows every type of the ledger that is a refund's", () => {
    const moved = new Set(table.flatMap(([, , , { movements }]) => movements.map(([type]) => type)))
    assert.sameMembers(
      [...moved],
      LedgerType.literals.filter((type) => type.startsWith("refund_"))
    )
  })
})

describe("refund: notes", () => {
  it("two concurrent updates both count, and are refused when together they have too many keys", () => {
    const keys = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, ""]))
    refund(RefundAnnotated.make({ at, metadata: { a: "1" } }))
      .when(Annotate.make({ at, patch: { b: "2" } }))
      .then(RefundAnnotated.make({ at, metadata: { a: "1", b: "2" } }))
    refund(RefundAnnotated.make({ at, metadata: keys("a", 30) }))
      .when(Annotate.make({ at, patch: keys("b", 21) }))
      .thenRefused("too_many_keys")
  })
})

describe("refund: the channel is asked again", () => {
  it("half a minute after it was first asked, if no outcome was recorded", () =>
    assert.deepStrictEqual(nextCheck.after(states.reserved), DateTime.add(at, { seconds: 30 })))
  it("ten seconds after it was accepted", () =>
    assert.deepStrictEqual(nextCheck.after(states.pending), DateTime.add(at, { seconds: 10 })))
  for (const status of ["succeeded", "failed", "void"] as const) {
    it(`never when it is ${status}`, () => assert.isNull(nextCheck.after(states[status])))
  }
})

describe("refund: laws", () => {
  const step = (state: Refund, command: RefundCommand) => decide(state, command).events.reduce(evolve, state)

  it.prop("whatever happens, every fact applies and the terms stay", [Schema.Array(RefundCommand)], ([drawn]) => {
    const last = drawn.reduce(step, aRefund)
    assert.strictEqual(last.amount, aRefund.amount)
    assert.deepStrictEqual(last.createdAt, aRefund.createdAt)
  })

  it("one that came back after it had succeeded has a reason, and is settled no more", () => {
    const { settledAt: _, ...terms } = { ...states.succeeded, settledAt: at }
    assert.deepStrictEqual(evolve(states.succeeded, RefundReversed.make({ at, reason })), {
      ...terms,
      status: "failed",
      failureReason: reason
    })
  })

  it("evolve throws on a fact that cannot follow", () => {
    assert.throws(() => evolve(states.succeeded, RefundAccepted.make({ at })), "RefundAccepted cannot follow succeeded")
  })
})
