/** A paid order of a merchant with an account at Stripe, and a buyer who objects. For tests `onOneWorld`. */
import { Effect } from "effect"
import type { Stripe } from "stripe"
import { type Json, said } from "../kit/Merchant.ts"
import { sharedWorld } from "./kit.ts"

export const amount = 2_000

export type Decision = "won" | "lost" | "warning_closed" | "escalated" | "appeal_needs_response" | "appeal_under_review"

export const disputed = Effect.fnUntraced(function* (how: { readonly is_inquiry?: boolean } = {}) {
  const world = yield* sharedWorld
  yield* world.paid({ amount: 5_000 })
  const order = yield* world.paid({ amount })
  const before = yield* world.merchant.balance()
  const charge = world.simulator.all("charge").find(({ payment_intent }) => payment_intent === order["payment_id"])!
  yield* world.control.open_dispute({ charge: charge.id, ...how })
  yield* world.settled
  const atStripe = () => world.simulator.all("dispute").at(-1)! as Stripe.Dispute
  const read = Effect.map(world.merchant.get(`/v1/disputes/${atStripe().id}`), ({ body }) => body.data)
  const opened = yield* read
  const decide = (outcome: Decision) =>
    Effect.andThen(world.control.decide_dispute({ dispute: atStripe().id, outcome }), world.settled)
  /** The operator's view of it in `held_up`. */
  const held = Effect.map(said(world.api.operator("GET", "/held_up?kind=dispute")), ({ data }) =>
    (data as ReadonlyArray<Json>).find(({ id }) => id === opened.dispute_no)
  )
  const refund = (part?: number) =>
    world.merchant.refund({ trade_no: order["trade_no"], ...(part === undefined ? {} : { amount: part }) })
  const no = opened.dispute_no as string
  const answer = (text: string) => world.merchant.respond(no, { evidence: { product_description: text }, submit: true })
  return { ...world, sold: order, before, atStripe, read, opened, decide, held, refund, answer, no }
})
