/** A value that is written to the database or sent to another runner comes back with each of its fields. */
import { EndpointId, LinkId, OperatorId, PaymentId, PayoutNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { Dispute, DisputeConflict, DisputeContradicted, DisputeEvent } from "@coffer/rules/dispute/Dispute"
import { InvalidField } from "@coffer/rules/InvalidField"
import { LinkClosed, LinkCommand, LinkConflict, PaymentLink } from "@coffer/rules/link/PaymentLink"
import { Operator } from "@coffer/rules/operator/Operator"
import { evolve } from "@coffer/rules/order/decide"
import { Order, RefundRefused } from "@coffer/rules/order/Order"
import { Payout, PayoutConflict, PayoutEvent } from "@coffer/rules/payout/Payout"
import { Refund, RefundConflict, RefundEvent } from "@coffer/rules/refund/Refund"
import { InsufficientBalance, Movement } from "@coffer/rules/wallet/post"
import { LedgerRow, Wallet, WalletName } from "@coffer/rules/wallet/Wallet"
import { DefaultEndpoint, Endpoint } from "@coffer/rules/webhooks/Settings"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { at, opened } from "../kit/rules/disputeFixtures.ts"
import { facts, openDispute, PaymentSucceeded, pendingOrder } from "../kit/rules/fixtures.ts"
import { aRefund } from "../kit/rules/refundFixtures.ts"

const { amount, currency, merchantId, mode, tradeNo } = pendingOrder
const fee = Minor.make(30)

const returns = <A, I>(schema: Schema.Codec<A, I>, values: ReadonlyArray<A>) => {
  const wire = Schema.toCodecJson(schema)
  for (const value of values) {
    const text = JSON.stringify(Schema.encodeSync(wire)(value))
    assert.deepStrictEqual(Schema.decodeUnknownSync(wire)(JSON.parse(text)), value)
  }
}

describe("what is stored comes back whole:", () => {
  it("an order with its receipt and the payments that it did not take", () => {
    const { channel, method, paidAt } = facts
    const noted: Order = {
      ...pendingOrder,
      locale: "zh",
      metadata: { a: "1" },
      receipt: { number: "RCP-1", sentAt: at, requestedAt: [at], mailIds: ["mail_1"], failure: "full" },
      unappliedPayments: [
        {
          channel,
          paymentId: PaymentId.make("pay_2"),
          method,
          amount,
          currency,
          reason: "mismatch",
          state: "closed",
          wasReturned: true,
          problem: "refused",
          dispute: { ...openDispute, answerBy: at },
          note: "given back",
          paidAt
        }
      ]
    }
    returns(Order, [noted, { ...pendingOrder, locale: "en" }, evolve(noted, PaymentSucceeded.make({ facts }))])
  })

  it("a refund, in each status, and its facts", () => {
    returns(Refund, [
      aRefund,
      { ...aRefund, status: "pending" },
      { ...aRefund, status: "succeeded", settledAt: at },
      { ...aRefund, status: "failed", failureReason: "no such account" },
      { ...aRefund, status: "void" }
    ])
    returns(RefundEvent, [
      ...(["RefundSucceeded", "RefundAccepted", "RefundAbandoned"] as const).map((_tag) => ({ _tag, at })),
      ...(["RefundFailed", "RefundReversed"] as const).map((_tag) => ({ _tag, at, reason: "no such account" })),
      { _tag: "RefundAnnotated", at, metadata: { a: "1" } }
    ])
  })

  it("a payout, in each status, and its facts", () => {
    const payoutNo = PayoutNo.make("pyt_00000000000000000000000001")
    const payout = { payoutNo, merchantId, mode, currency, amount, fee, reference: "r", createdAt: at, updatedAt: at }
    returns(
      Payout,
      Payout.discriminants.map((status): Payout =>
        status === "requested" || status === "rejected" ? { status, ...payout } : { status, approvedAt: at, ...payout }
      )
    )
    const facts = ["PayoutApproved", "PayoutRejected", "PayoutSucceeded", "PayoutFailed"] as const
    returns(
      PayoutEvent,
      facts.map((_tag) => ({ _tag, at }))
    )
  })

  it("a dispute with the merchant's answer, how it ended, and the facts on the way", () => {
    const response = { id: "first", taken: true, asks: 2, fingerprint: "a", request: "key" }
    returns(Dispute, [
      { ...opened, response: { ...response, step: "submit" } },
      { ...opened, response: { ...response, step: "accept" } },
      { ...opened, status: "lost", fee, closedAt: at }
    ])
    returns(DisputeEvent, [
      { _tag: "AskedAgain", at },
      { _tag: "StepWithdrawn", at }
    ])
  })

  it("a payment link with its last visits, and what an update changes", () => {
    const changes = { status: "inactive", subject: "Tea", maxUses: 3, expiresAt: at } as const
    returns(LinkCommand, [{ _tag: "Update", changes }])
    returns(PaymentLink, [
      {
        linkId: LinkId.make("plink_01KAJ52N7Q8V4T6B3XWMRE9CZD"),
        merchantId,
        mode,
        amount,
        currency,
        notifyUrl: "https://shop.example",
        returnUrl: null,
        createdAt: at,
        status: "inactive",
        subject: "Tea",
        maxUses: 3,
        expiresAt: at,
        usedCount: 1,
        recentVisits: [{ visitNo: "0".repeat(26), tradeNo, at }],
        metadata: { a: "1" }
      }
    ])
  })

  it("a wallet and a row of its ledger", () => {
    const sums = { available: 1, frozen: 2, reserved: 3, totalRevenue: 4, totalFee: 5, totalPayout: 6, totalRefund: 7 }
    const head = { sequence: 1, headId: "LED_1", headHash: "a", version: "a", updatedAt: at }
    returns(WalletName, [{ merchantId, mode, currency }])
    returns(Wallet, [{ merchantId, mode, currency, ...sums, ...head }])
    returns(Movement, [{ type: "fee_debit", amount: -59, referenceId: tradeNo, description: "Fee", unfrozen: true }])
    const balances = { amount: -59, balanceBefore: 1_000, balanceAfter: 941, frozenAfter: 0 }
    const texts = { id: "LED_1", referenceId: tradeNo, description: "Fee", previousHash: "", hash: "a" }
    returns(LedgerRow, [{ ...texts, ...balances, type: "fee_debit", sequence: 1, createdAt: at }])
  })

  it("an endpoint with its secrets, the account's single address, and an operator", () => {
    const id = EndpointId.make("whe_00000000000000000000000001")
    const secrets = { current: "new", rotatedAt: at, old: [{ secret: "old", until: at }] }
    const endpoint = { id, url: "https://shop.example", description: null, types: ["*"], secrets }
    const times = { createdAt: at, updatedAt: at }
    returns(Endpoint, [
      { ...endpoint, ...times, status: "enabled" },
      { ...endpoint, ...times, status: "disabled" }
    ])
    returns(DefaultEndpoint, [{ id, ...times }])
    const operatorId = OperatorId.make("opr_00000000000000000000000001")
    const personIds = ["per_00000000000000000000000001"]
    const ada = { operatorId, name: "Ada", role: "admin", personIds } as const
    returns(Operator, [{ ...ada, createdAt: at, expiresAt: at, revokedAt: null }])
  })
})

describe("a refusal that another runner gives", () => {
  const { refundNo } = aRefund
  const payoutNo = PayoutNo.make("pyt_00000000000000000000000001")
  const { disputeNo } = opened
  const linkId = LinkId.make("plink_01KAJ52N7Q8V4T6B3XWMRE9CZD")
  const [status, processorStatus] = ["won", "lost"] as const
  const Refusal = Schema.Union([
    InvalidField,
    RefundRefused,
    RefundConflict,
    PayoutConflict,
    DisputeConflict,
    DisputeContradicted,
    LinkClosed,
    LinkConflict,
    InsufficientBalance
  ])
  const refusals: Readonly<Record<(typeof Refusal.Type)["_tag"], typeof Refusal.Type>> = {
    InvalidField: new InvalidField({ param: "amount", problem: "too much" }),
    RefundRefused: new RefundRefused({ tradeNo, reason: "disputed", remaining: 1 }),
    RefundConflict: new RefundConflict({ refundNo, reason: "already_void" }),
    PayoutConflict: new PayoutConflict({ payoutNo, reason: "not_approved" }),
    DisputeConflict: new DisputeConflict({ disputeNo, reason: "not_taken", said: "no" }),
    DisputeContradicted: new DisputeContradicted({ disputeNo, reason: "unexpected", status, processorStatus }),
    LinkClosed: new LinkClosed({ linkId, reason: "expired" }),
    LinkConflict: new LinkConflict({ linkId }),
    InsufficientBalance: new InsufficientBalance({ usable: 1 })
  }

  it("keeps its name and all that it says", () => {
    returns(Refusal, Object.values(refusals))
    for (const [name, refusal] of Object.entries(refusals)) assert.strictEqual(refusal._tag, name)
    assert.deepInclude({ ...refusals.LinkConflict }, { linkId })
  })
})
