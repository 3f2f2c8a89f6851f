/** Decisions of banks and Stripe: refunds, disputes and exchange rates. */
import { Effect, Schema } from "effect"
import type Stripe from "stripe"
import { decideDispute, fileAppeal, offerAppeal, openDispute } from "../acts/disputes.ts"
import { escalate } from "../acts/escalate.ts"
import { failRefund, makeRefund, completeRefund } from "../acts/refunds.ts"
import { command, type Parts, refuse, there } from "./Command.ts"

/** The declarations of what follows name its types. */
export type { Stripe }

const RefundFates = Schema.Literals(["succeeds", "succeeds_later", "fails_later", "pends", "requires_action"])

type Decide = (...of: Parameters<typeof escalate>) => ReturnType<typeof escalate>
const decidedAs =
  (status: "won" | "lost" | "warning_closed"): Decide =>
  (world, book, dispute) =>
    decideDispute(world, book, dispute, status)

/** The outcomes of a dispute, by their names in a command. */
const outcomes = {
  won: decidedAs("won"),
  lost: decidedAs("lost"),
  warning_closed: decidedAs("warning_closed"),
  escalated: escalate,
  appeal_needs_response: offerAppeal,
  appeal_under_review: fileAppeal
}

export const bankCommands = ({ fates, world }: Parts) => ({
  refund_fates: command(Schema.Struct({ fates: Schema.Array(RefundFates) }), (input) =>
    Effect.sync(() => (fates.push(...input.fates), { fates: [...fates] }))
  ),
  refund_in_dashboard: command(
    Schema.Struct({
      charge: Schema.String,
      amount: Schema.optionalKey(Schema.Int),
      presented: Schema.optionalKey(Schema.Struct({ currency: Schema.String, amount: Schema.Int }))
    }),
    ({ charge: id, presented, ...input }) =>
      Effect.gen(function* () {
        const [book, charge] = yield* there(world, "charge", id)
        const left = charge.amount - charge.amount_refunded
        const amount = input.amount ?? left
        if (!charge.captured || amount < 1 || amount > left) return yield* refuse(`${id} has ${left} to give back.`)
        return makeRefund(world, book, { charge, amount, params: {}, metadata: {}, fate: fates.shift(), presented })
      })
  ),
  complete_refund: command(Schema.Struct({ refund: Schema.String }), ({ refund: id }) =>
    Effect.gen(function* () {
      const [book, refund] = yield* there(world, "refund", id)
      return completeRefund(world, book, refund) ? book.get("refund", id)! : yield* refuse(`${id} is ${refund.status}.`)
    })
  ),
  fail_refund: command(
    Schema.Struct({ refund: Schema.String, reason: Schema.optionalKey(Schema.String) }),
    ({ reason = "expired_or_canceled_card", refund: id }) =>
      Effect.gen(function* () {
        const [book, refund] = yield* there(world, "refund", id)
        if (!failRefund(world, book, refund, reason)) return yield* refuse(`${id} is ${refund.status}.`)
        return book.get("refund", id)!
      })
  ),
  open_dispute: command(
    Schema.Struct({
      charge: Schema.String,
      reason: Schema.optionalKey(Schema.String),
      amount: Schema.optionalKey(Schema.Int),
      currency: Schema.optionalKey(Schema.String),
      is_inquiry: Schema.optionalKey(Schema.Boolean)
    }),
    ({ is_inquiry: isInquiry = false, ...input }) =>
      Effect.gen(function* () {
        const [book, charge] = yield* there(world, "charge", input.charge)
        if (!charge.captured) return yield* refuse(`${charge.id} was not paid.`)
        return openDispute(world, book, charge.id, { ...input, isInquiry })
      })
  ),
  exchange: command(
    Schema.Struct({ from: Schema.String, to: Schema.String, rate: Schema.Number.check(Schema.isGreaterThan(0)) }),
    ({ from, rate, to }) => Effect.sync(() => (world.exchange.set(from, { currency: to, rate }), {}))
  ),
  decide_dispute: command(
    Schema.Struct({
      dispute: Schema.String,
      outcome: Schema.Literals(Object.keys(outcomes) as Array<keyof typeof outcomes>)
    }),
    ({ dispute: id, outcome }) =>
      Effect.gen(function* () {
        const [book, dispute] = yield* there(world, "dispute", id)
        const decided = outcomes[outcome](world, book, dispute)
        return decided ?? (yield* refuse(`${id} is ${dispute.status}, which cannot become ${outcome}.`))
      })
  )
})
