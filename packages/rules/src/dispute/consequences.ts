/**
 * The consequences of a fact of a dispute beside the dispute itself: to the order, to the wallet, and whether merchants
 * hear of it (spec: Dispute; Balance transaction; Events). The one table of it. Pure.
 */
import { Minor } from "@coffer/model/Money"
import { type Consequence, nothing } from "../Consequence.ts"
import { OrderCommand } from "../order/Order.ts"
import type { Movement } from "../wallet/post.ts"
import { type Dispute, DisputeEvent } from "./Dispute.ts"

const { CloseDispute, OpenDispute, RegainDispute } = OrderCommand.cases

/** When the channel reports a new one: a chargeback takes the amount out of reach at once. */
export const opening = (dispute: Dispute): Consequence => ({
  ...(dispute.stage === "inquiry" ? nothing : frozen(dispute, dispute.amount)),
  announced: "dispute.created"
})

const frozen = (dispute: Dispute, amount: Minor): Consequence => ({
  ...nothing,
  order: OpenDispute.make({}),
  movements: [movement(dispute, "dispute_freeze", 0 - amount)]
})

/** `before` is the dispute as it was when the fact came. */
export const consequences = (before: Dispute, event: DisputeEvent): Consequence => {
  const { amount } = before
  return DisputeEvent.match(event, {
    DraftSaved: () => nothing,
    SubmissionBegun: () => nothing,
    AcceptanceBegun: () => nothing,
    AskedAgain: () => nothing,
    EvidenceSubmitted: (): Consequence => ({ ...nothing, announced: "dispute.updated" }),
    AcceptanceTaken: () => nothing,
    StepWithdrawn: () => nothing,
    DisputeWon: (): Consequence => ({
      // By appeal: the loss took the amount out of frozen, so it comes back from nowhere (silences: D8).
      ...(before.status === "lost"
        ? {
            ...nothing,
            order: RegainDispute.make({ amount }),
            movements: [movement(before, "dispute_unfreeze", amount, true)]
          }
        : returned(before)),
      announced: "dispute.won"
    }),
    DisputeLost: ({ fee }): Consequence => ({
      ...nothing,
      order: CloseDispute.make({ lost: amount }),
      // Two rows are promised, also where there is no fee (silences: B6).
      movements: [movement(before, "dispute_debit", 0 - amount), movement(before, "dispute_fee", 0 - fee)],
      announced: "dispute.lost"
    }),
    DisputeClosed: (): Consequence => ({ ...returned(before), announced: "dispute.closed" }),
    StageBegun: (begun): Consequence => ({
      ...(before.stage === "inquiry" && begun.stage !== "inquiry" ? frozen(before, begun.amount) : nothing),
      announced: "dispute.updated"
    }),
    ReviewBegun: (): Consequence => ({ ...nothing, announced: "dispute.updated" }),
    StatusNoted: () => nothing
  })
}

/** An inquiry took nothing. */
const returned = (dispute: Dispute): Consequence =>
  dispute.stage === "inquiry"
    ? nothing
    : {
        ...nothing,
        order: CloseDispute.make({ lost: Minor.make(0) }),
        movements: [movement(dispute, "dispute_unfreeze", dispute.amount)]
      }

const descriptions = {
  dispute_freeze: "opened",
  dispute_unfreeze: "returned",
  dispute_debit: "lost",
  dispute_fee: "fee"
}

const movement = (
  { disputeNo, tradeNo }: Dispute,
  type: keyof typeof descriptions,
  amount: number,
  unfrozen = false
): Movement => ({
  type,
  amount,
  referenceId: disputeNo,
  description: `Dispute ${disputeNo} of order ${tradeNo} ${descriptions[type]}`,
  ...(unfrozen ? { unfrozen } : {})
})
