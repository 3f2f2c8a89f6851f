/**
 * Attempts a payment: it succeeds, needs the buyer, or fails, as the test card decides.
 */
import type Stripe from "stripe"
import { type Behaviour, type Decline } from "../cards/cards.ts"
import { type DeclineWords, declineWords } from "../cards/declines.ts"
import { newBalance } from "../objects/balance.ts"
import { holdSeconds, newCharge } from "../objects/charge.ts"
import { wallets } from "../objects/paymentMethod.ts"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"
import { enter, feeOf } from "./balance.ts"
import { openDispute } from "./disputes.ts"
import { emit } from "./events.ts"
import { completeSession, markPaid } from "./sessionEnds.ts"

export interface Attempt {
  readonly method: Stripe.PaymentMethod
  /** The return URL, after an authentication or from a wallet. */
  readonly returnUrl: string | null
  /** How long the payment stays `processing`, in seconds; 0 for a payment that is decided at once. */
  readonly processing?: number
}

export const behaviourOf = (book: Book, method: Stripe.PaymentMethod): Behaviour =>
  (book.get("x.payment", method.id)?.behaviour as Behaviour | undefined) ?? "pays"

/** Whether a bank or a wallet asks the buyer first. */
export const asksBuyer = (book: Book, method: Stripe.PaymentMethod): boolean =>
  wallets.includes(method.type) || behaviourOf(book, method).startsWith("authenticates")

/** Attempts it. The returned intent has the outcome. */
export const attempt = (world: World, book: Book, intent: Stripe.PaymentIntent, how: Attempt): Stripe.PaymentIntent => {
  const chosen = { ...intent, payment_method: how.method.id, last_payment_error: null }
  if (asksBuyer(book, how.method)) {
    const waiting = book.put("payment_intent", {
      ...chosen,
      status: "requires_action",
      next_action: nextAction(world, chosen, how)
    })
    emit(world, book, "payment_intent.requires_action", waiting)
    return waiting
  }
  return decide(world, book, chosen, how.processing ?? 0)
}

/** The buyer has come back from the bank or the wallet. */
export const authenticate = (
  world: World,
  book: Book,
  intent: Stripe.PaymentIntent,
  { processing = 0, succeeds }: { readonly succeeds: boolean; readonly processing?: number }
): Stripe.PaymentIntent => {
  const done = { ...intent, next_action: null }
  if (succeeds) return decide(world, book, done, processing)
  const method = methodOf(book, intent)
  const message =
    method.type === "card"
      ? "We are unable to authenticate your payment method. Please choose a different payment method and try again."
      : "The customer did not authorise the payment."
  return fail(world, book, done, {
    error: {
      code: "payment_intent_authentication_failure",
      message,
      payment_method: method,
      type: method.type === "card" ? "card_error" : "invalid_request_error"
    }
  })
}

const methodOf = (book: Book, intent: Stripe.PaymentIntent) =>
  book.get("payment_method", intent.payment_method as string)!

const nextAction = (world: World, intent: Stripe.PaymentIntent, how: Attempt): Stripe.PaymentIntent.NextAction => {
  const url = `${world.settings.url}/authorize/${intent.id}`
  if (how.method.type === "alipay") {
    return {
      type: "alipay_handle_redirect",
      alipay_handle_redirect: { native_data: null, native_url: null, return_url: how.returnUrl, url }
    }
  }
  if (how.method.type === "wechat_pay") {
    return {
      type: "wechat_pay_display_qr_code",
      wechat_pay_display_qr_code: {
        data: url,
        hosted_instructions_url: url,
        image_data_url: "data:image/png;base64,",
        image_url_png: `${url}?form=png`,
        image_url_svg: `${url}?form=svg`
      }
    }
  }
  return { type: "redirect_to_url", redirect_to_url: { return_url: how.returnUrl, url } }
}

const decide = (world: World, book: Book, intent: Stripe.PaymentIntent, processing: number): Stripe.PaymentIntent => {
  if (processing === 0) return finish(world, book, intent)
  const busy = book.put("payment_intent", { ...intent, status: "processing", next_action: null })
  emit(world, book, "payment_intent.processing", busy)
  world.schedule(book, world.clock.millis() + processing * 1000, { do: "finishPayment", intent: intent.id })
  return busy
}

/** The issuer's decision. */
export const finish = (world: World, book: Book, intent: Stripe.PaymentIntent): Stripe.PaymentIntent => {
  const method = methodOf(book, intent)
  const behaviour = behaviourOf(book, method)
  const decline = /declined:(\w+)$/.exec(behaviour)?.[1] as Decline | undefined
  const failure =
    behaviour === "blocked"
      ? { words: { ...declineWords.generic_decline, declineCode: "fraudulent" }, isBlocked: true }
      : decline === undefined
        ? undefined
        : { words: declineWords[decline], isBlocked: false }
  const charge = newCharge({
    id: world.newId(method.type === "card" ? "ch" : "py"),
    created: world.seconds(),
    intent,
    method,
    isAuthenticated: behaviour.startsWith("authenticates"),
    failure,
    transactionId: world.newId("network", 15).slice(8),
    receiptUrl: `${world.settings.url}/receipts/${intent.id}`
  })
  book.put("charge", charge)
  if (failure !== undefined) return fail(world, book, intent, { charge, words: failure.words, method })
  return intent.capture_method === "manual"
    ? hold(world, book, intent, charge)
    : succeed(world, book, intent, charge, "charge.succeeded")
}

/** The issuer has authorised it, and the program captures it later. */
const hold = (world: World, book: Book, intent: Stripe.PaymentIntent, charge: Stripe.Charge): Stripe.PaymentIntent => {
  const held = book.put("payment_intent", {
    ...intent,
    status: "requires_capture",
    amount_capturable: intent.amount,
    latest_charge: charge.id,
    next_action: null
  })
  world.schedule(book, world.clock.millis() + holdSeconds * 1000, { do: "expireCharge", charge: charge.id })
  emit(world, book, "charge.succeeded", charge)
  emit(world, book, "payment_intent.amount_capturable_updated", held)
  completeSession(world, book, held)
  return held
}

/** Captures this much of the authorization. The charge shows the rest as refunded, and no money has moved for it. */
export const capture = (
  world: World,
  book: Book,
  intent: Stripe.PaymentIntent,
  amount = intent.amount
): Stripe.PaymentIntent => {
  const held = book.get("charge", intent.latest_charge as string)!
  const taken = { captured: true, amount_captured: amount, amount_refunded: held.amount - amount }
  const charge = book.put("charge", { ...held, ...taken })
  markPaid(book, intent)
  return succeed(world, book, { ...intent, amount_capturable: 0 }, charge, "charge.captured")
}

/** `eventType`: the event of the charge. */
const succeed = (
  world: World,
  book: Book,
  intent: Stripe.PaymentIntent,
  charge: Stripe.Charge,
  eventType: "charge.succeeded" | "charge.captured"
): Stripe.PaymentIntent => {
  const behaviour = behaviourOf(book, methodOf(book, intent))
  const paid = book.put("payment_intent", {
    ...intent,
    status: "succeeded",
    amount_received: charge.amount_captured,
    latest_charge: charge.id,
    next_action: null
  })
  const { chargeBookedAfter } = world.settings
  if (chargeBookedAfter === 0) bookCharge(world, book, charge.id, { isAnnounced: false })
  else {
    world.schedule(book, world.clock.millis() + chargeBookedAfter * 1000, { do: "bookCharge", charge: charge.id })
  }
  emit(world, book, eventType, book.get("charge", charge.id)!)
  emit(world, book, "payment_intent.succeeded", paid)
  completeSession(world, book, paid)
  if (behaviour.startsWith("disputed:")) openDispute(world, book, charge.id, { reason: behaviour.slice(9) })
  if (behaviour === "inquired") openDispute(world, book, charge.id, { isInquiry: true })
  return paid
}

/** Stripe fills in a charge's balance transaction some seconds after the charge. */
export const bookCharge = (world: World, book: Book, id: string, { isAnnounced = true } = {}): void => {
  const charge = book.get("charge", id)!
  if (charge.balance_transaction !== null) return
  const method = charge.payment_method === null ? undefined : book.get("payment_method", charge.payment_method)
  const isAvailable = method !== undefined && behaviourOf(book, method) === "pays_at_once"
  const entry = enter(world, book, {
    amount: charge.amount_captured,
    fee: feeOf(world, charge.amount_captured),
    currency: charge.currency,
    type: charge.id.startsWith("ch_") ? "charge" : "payment",
    category: "charge",
    source: charge.id,
    description: charge.description,
    isAvailable
  })
  const booked = book.put("charge", { ...charge, balance_transaction: entry.id })
  if (isAnnounced) emit(world, book, "charge.updated", booked, { balance_transaction: null })
  if (!isAvailable) return
  const balance = newBalance(book.newest("balance_transaction"), world.seconds(), book.livemode)
  emit(world, book, "balance.available", balance)
}

type Trouble =
  | { readonly error: Stripe.PaymentIntent.LastPaymentError }
  | { readonly charge: Stripe.Charge; readonly words: DeclineWords; readonly method: Stripe.PaymentMethod }

const fail = (world: World, book: Book, intent: Stripe.PaymentIntent, trouble: Trouble): Stripe.PaymentIntent => {
  const failed = book.put("payment_intent", {
    ...intent,
    status: "requires_payment_method",
    payment_method: null,
    next_action: null,
    ...("charge" in trouble && { latest_charge: trouble.charge.id }),
    last_payment_error: "charge" in trouble ? errorOf(trouble) : trouble.error
  })
  if ("charge" in trouble) emit(world, book, "charge.failed", trouble.charge)
  emit(world, book, "payment_intent.payment_failed", failed)
  return failed
}

const errorOf = ({
  charge,
  method,
  words
}: Extract<Trouble, { charge: unknown }>): Stripe.PaymentIntent.LastPaymentError => ({
  advice_code: words.advice,
  charge: charge.id,
  code: words.code,
  ...(words.declineCode !== undefined && { decline_code: words.declineCode }),
  doc_url: `https://stripe.com/docs/error-codes/${words.code.replaceAll("_", "-")}`,
  message: words.message,
  payment_method: method,
  type: "card_error"
})
