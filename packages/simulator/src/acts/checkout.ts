/** A buyer pays on a session's page, or a test does in the buyer's name. */
import { Result } from "effect"
import type Stripe from "stripe"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"
import { makeIntent } from "./makeIntent.ts"
import { attempt } from "./pay.ts"

/** Why a buyer cannot pay now. */
export type Obstacle = "complete" | "expired" | "processing" | "method_not_offered" | "currency_not_offered"

export interface Payment {
  readonly method: Stripe.PaymentMethod
  /** Seconds that the payment stays `processing`. */
  readonly processing?: number
  /** The buyer's own currency, and the amount in it. */
  readonly presented?: Stripe.Checkout.Session.PresentmentDetails | undefined
}

export const payInSession = (
  world: World,
  book: Book,
  session: Stripe.Checkout.Session,
  { method, presented, processing = 0 }: Payment
): Result.Result<Stripe.PaymentIntent, Obstacle> => {
  if (session.status !== "open") return Result.fail(session.status === "complete" ? "complete" : "expired")
  if (!session.payment_method_types.includes(method.type)) return Result.fail("method_not_offered")
  if (presented !== undefined && session.adaptive_pricing?.enabled !== true) return Result.fail("currency_not_offered")
  const intent = present(book, intentOf(world, book, session), session.id, presented)
  if (intent.status === "processing" || intent.status === "succeeded") return Result.fail("processing")
  return Result.succeed(attempt(world, book, intent, { method, processing, returnUrl: session.success_url }))
}

/** Session and payment keep the shop's currency, and name the buyer's. */
const present = (
  book: Book,
  intent: Stripe.PaymentIntent,
  sessionId: string,
  presented: Payment["presented"]
): Stripe.PaymentIntent => {
  if (presented === undefined) return intent
  const presentment = { presentment_details: presented }
  book.put("checkout.session", { ...book.get("checkout.session", sessionId)!, ...presentment })
  return book.put("payment_intent", { ...intent, ...presentment })
}

/** Created when the buyer first begins to pay. */
const intentOf = (world: World, book: Book, session: Stripe.Checkout.Session): Stripe.PaymentIntent => {
  if (typeof session.payment_intent === "string") return book.get("payment_intent", session.payment_intent)!
  const { intent: data } = book.get("x.lines", session.id)!
  const intent = makeIntent(world, book, {
    amount: session.amount_total!,
    currency: session.currency!,
    methods: session.payment_method_types,
    isAutomatic: session.allowed_payment_method_types === null,
    data,
    ...(data.capture_method && { capture: data.capture_method })
  })
  book.put("checkout.session", { ...session, payment_intent: intent.id })
  return intent
}
