/** Payment methods of test cards and wallets. */
import type Stripe from "stripe"
import type { TestCard } from "../cards/cards.ts"
import { type CardDates, newCard, newWallet, type Wallet } from "../objects/paymentMethod.ts"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"

interface About {
  readonly metadata?: Stripe.Metadata
  readonly billing?: { readonly email?: string | null; readonly name?: string | null }
}

export const makeCard = (world: World, book: Book, card: TestCard, dates: CardDates, about: About = {}) => {
  const facts = { id: world.newId("pm"), created: world.seconds(), livemode: book.livemode, ...about }
  book.put("x.payment", { id: facts.id, behaviour: card.behaviour })
  return book.put("payment_method", newCard(facts, card, dates))
}

export const makeWallet = (world: World, book: Book, wallet: Wallet, about: About = {}) =>
  book.put(
    "payment_method",
    newWallet({ id: world.newId("pm"), created: world.seconds(), livemode: book.livemode, ...about }, wallet)
  )

const yearLength = 365.25 * 86_400

/** The expiry of a valid card. */
export const aYearAhead = (world: World): CardDates => ({
  month: 12,
  year: 1970 + Math.floor(world.seconds() / yearLength) + 1
})
