/** Entries of an account's balance, one for each movement of money. */
import type Stripe from "stripe"
import { newTransaction, type TransactionFacts } from "../objects/balance.ts"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"

type Entry = Omit<TransactionFacts, "id" | "created" | "exchangeRate">

export const enter = (world: World, book: Book, entry: Entry): Stripe.BalanceTransaction =>
  book.put(
    "balance_transaction",
    newTransaction({ ...exchanged(world, entry), id: world.newId("txn"), created: world.seconds() })
  )

/** Money in another currency than the balance's is exchanged at the current rate. */
const exchanged = ({ exchange }: World, entry: Entry): Entry & Pick<TransactionFacts, "exchangeRate"> => {
  const to = exchange.get(entry.currency)
  if (to === undefined) return { ...entry, exchangeRate: null }
  const [amount, fee] = [Math.round(entry.amount * to.rate), Math.round(entry.fee * to.rate)]
  return { ...entry, amount, fee, currency: to.currency, exchangeRate: to.rate }
}

/** Stripe's fee for a payment. */
export const feeOf = ({ settings }: World, amount: number): number =>
  Math.round((amount * settings.feePermyriad) / 10_000) + settings.feeFixed
