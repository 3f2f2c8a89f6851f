/** Refunds of a charge, named by itself or by its payment intent. */
import { Result } from "effect"
import type Stripe from "stripe"
import { isInquiry } from "../acts/disputes.ts"
import { cancelRefund, makeRefund, type RefundFate, relabelRefund } from "../acts/refunds.ts"
import { notSimulated, type Outcome, refuse } from "../wire/failure.ts"
import type { Call, Operations } from "./Call.ts"
import { changedMetadata, find, newMetadata } from "./common.ts"
import { list } from "./list.ts"

export const refunds = (
  nextFate: () => RefundFate | undefined
): Operations<
  | "GET /v1/refunds"
  | "POST /v1/refunds"
  | "GET /v1/refunds/:id"
  | "POST /v1/refunds/:id"
  | "POST /v1/refunds/:id/cancel"
> => ({
  "POST /v1/refunds": {
    simulates: ["amount", "charge", "expand", "metadata", "payment_intent", "reason"],
    run: (call, params) => create(call, params, nextFate)
  },
  "GET /v1/refunds": {
    simulates: ["charge", "created", "ending_before", "expand", "limit", "payment_intent", "starting_after"],
    run: (call, params) => list(call, "refund", params, { parent: params.charge ?? params.payment_intent })
  },
  "GET /v1/refunds/:id": { simulates: ["expand"], run: (call) => find(call, "refund") },
  "POST /v1/refunds/:id": {
    simulates: ["expand", "metadata"],
    run: (call, params) =>
      Result.gen(function* () {
        const refund = yield* find(call, "refund")
        const metadata = yield* changedMetadata(refund.metadata, params.metadata)
        return relabelRefund(call.world, call.book, refund, metadata)
      })
  },
  "POST /v1/refunds/:id/cancel": {
    simulates: ["expand"],
    run: (call) =>
      Result.flatMap(find(call, "refund"), (refund) =>
        refund.status === "requires_action"
          ? Result.succeed(cancelRefund(call.world, call.book, refund))
          : refuse(`You cannot cancel this refund because it has a status of ${refund.status}.`)
      )
  }
})

const create = (
  call: Call,
  params: Stripe.RefundCreateParams,
  nextFate: () => RefundFate | undefined
): Outcome<Stripe.Refund> =>
  Result.gen(function* () {
    const charge = yield* chargeOf(call, params)
    if (charge.status !== "succeeded")
      return yield* refuse(`Charge ${charge.id} cannot be refunded, because it failed.`, {
        code: "charge_not_refundable",
        param: "charge"
      })
    // A canceled one is reported below as refunded.
    if (!charge.captured && !charge.refunded)
      return yield* notSimulated("refunds of a charge that was not captured", "charge")
    const left = charge.amount - charge.amount_refunded
    if (left === 0) {
      return yield* refuse(`Charge ${charge.id} has already been refunded.`, { code: "charge_already_refunded" })
    }
    const dispute = call.book.newest("dispute", charge.id).next().value as Stripe.Dispute | undefined
    if (dispute !== undefined && !isInquiry(dispute) && dispute.status !== "won") {
      return yield* refuse(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
        code: "charge_disputed"
      })
    }
    const amount = params.amount ?? left
    if (amount < 1)
      return yield* refuse("Invalid positive integer", { code: "parameter_invalid_integer", param: "amount" })
    if (amount > left) {
      const message = `Refund amount (${amount}) is greater than unrefunded amount on charge (${left}).`
      return yield* refuse(message, { param: "amount" })
    }
    const metadata = yield* newMetadata(params.metadata)
    return makeRefund(call.world, call.book, { charge, amount, params, metadata, fate: nextFate() })
  })

const chargeOf = (call: Call, params: Stripe.RefundCreateParams): Outcome<Stripe.Charge> =>
  Result.gen(function* () {
    if ((params.charge === undefined) === (params.payment_intent === undefined)) {
      return yield* refuse("One of the following params should be provided for this request: payment_intent or charge.")
    }
    if (params.charge !== undefined) return yield* find(call, "charge", params.charge, "charge")
    const intent = yield* find(call, "payment_intent", params.payment_intent, "payment_intent")
    if (intent.status !== "succeeded") {
      return yield* refuse(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`, {
        param: "payment_intent"
      })
    }
    return yield* find(call, "charge", intent.latest_charge as string, "charge")
  })
