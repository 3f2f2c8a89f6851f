/** An unpaid payment intent. */
import type Stripe from "stripe"
import { newIntent } from "../objects/paymentIntent.ts"
import type { Book } from "../state/Book.ts"
import type { IntentData } from "../state/kinds.ts"
import type { World } from "../state/World.ts"
import { emit } from "./events.ts"

interface IntentOrder {
  readonly amount: number
  readonly currency: string
  readonly methods: ReadonlyArray<string>
  readonly isAutomatic: boolean
  readonly capture?: Stripe.PaymentIntent.CaptureMethod
  readonly confirmation?: Stripe.PaymentIntent.ConfirmationMethod
  readonly shipping?: Stripe.PaymentIntent.Shipping | null
  readonly options?: Stripe.PaymentIntent.PaymentMethodOptions
  readonly data: IntentData
}

export const makeIntent = (world: World, book: Book, order: IntentOrder): Stripe.PaymentIntent => {
  const id = world.newId("pi")
  const secret = world.newId(`${id}_secret`, 25)
  const intent = book.put(
    "payment_intent",
    newIntent({ ...order, id, secret, created: world.seconds(), livemode: book.livemode })
  )
  emit(world, book, "payment_intent.created", intent)
  return intent
}
