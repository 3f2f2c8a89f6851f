/** Entries of an account's balance, one for each movement of money. */
import type Stripe from "stripe"
import { newTransaction, type TransactionFacts } from "../objects/balance.ts"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"

type Entry = Omit<TransactionFacts, "id" | "created">

export const enter = (world: World, book: Book, entry: Entry): Stripe.BalanceTransaction =>
  book.put("balance_transaction", newTransaction({ ...entry, id: world.newId("txn"), created: world.seconds() }))

/** What Stripe keeps of a payment. */
export const feeOf = ({ settings }: World, amount: number): number =>
  Math.round((amount * settings.feePermyriad) / 10_000) + settings.feeFixed
