/** Ends a session: paid or expired. Ends a payment that will not be paid or captured. */
import type Stripe from "stripe"
import { buyerOf } from "../objects/session.ts"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"
import { emit } from "./events.ts"

/** The session that an intent belongs to, if a session made it. */
export const sessionOf = (book: Book, intent: string): Stripe.Checkout.Session | undefined =>
  book.newest("checkout.session", intent).next().value as Stripe.Checkout.Session | undefined

/** The buyer has done everything: what is only held is not paid yet. */
export const completeSession = (world: World, book: Book, intent: Stripe.PaymentIntent): void => {
  const session = sessionOf(book, intent.id)
  if (session === undefined || session.status !== "open") return
  const { email, name } = book.get("payment_method", intent.payment_method as string)!.billing_details
  const completed = book.put("checkout.session", {
    ...session,
    status: "complete",
    payment_status: intent.status === "succeeded" ? "paid" : "unpaid",
    url: null,
    customer_details: buyerOf(session.customer_email ?? email, name)
  })
  emit(world, book, "checkout.session.completed", completed)
}

/** The session of a payment that is captured now. No event tells of it. */
export const markPaid = (book: Book, intent: Stripe.PaymentIntent): void => {
  const session = sessionOf(book, intent.id)
  if (session !== undefined) book.put("checkout.session", { ...session, payment_status: "paid" })
}

/** Ends an open session, and cancels its payment. */
export const expireSession = (world: World, book: Book, session: Stripe.Checkout.Session): Stripe.Checkout.Session => {
  const expired = book.put("checkout.session", { ...session, status: "expired", url: null })
  emit(world, book, "checkout.session.expired", expired)
  const intent =
    typeof session.payment_intent === "string" ? book.get("payment_intent", session.payment_intent) : undefined
  if (intent !== undefined && isCancelable(intent)) cancelIntent(world, book, intent, "expired")
  return expired
}

export const isCancelable = ({ status }: Stripe.PaymentIntent): boolean =>
  status === "requires_payment_method" ||
  status === "requires_confirmation" ||
  status === "requires_action" ||
  status === "requires_capture"

/** `eventType`: the event of a charge that was never captured. The buyer keeps the money. */
export const cancelIntent = (
  world: World,
  book: Book,
  intent: Stripe.PaymentIntent,
  reason: Stripe.PaymentIntent["cancellation_reason"],
  eventType: "charge.refunded" | "charge.expired" = "charge.refunded"
): Stripe.PaymentIntent => {
  if (intent.status === "requires_capture") {
    const charge = book.get("charge", intent.latest_charge as string)!
    emit(world, book, eventType, book.put("charge", { ...charge, amount_refunded: charge.amount, refunded: true }))
  }
  const canceled = book.put("payment_intent", {
    ...intent,
    status: "canceled",
    amount_capturable: 0,
    canceled_at: world.seconds(),
    cancellation_reason: reason,
    next_action: null
  })
  emit(world, book, "payment_intent.canceled", canceled)
  return canceled
}
