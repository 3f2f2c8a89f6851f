/**
 * Compares an acquirer's movements with our books, payment by payment. A difference becomes a row that the operator
 * sees; nothing is corrected. What has just moved in either books is compared the next time.
 */
import type { Account } from "@coffer/model/Account"
import { DateTime, Effect } from "effect"
import type { Books, Compared, Named } from "./Books.ts"

type Parts = Partial<DateTime.DateTime.PartsForMath>

export interface Comparison<E> {
  /** The acquirer's name for people. */
  readonly title: string
  /** A difference counts once neither books have moved for this long. */
  readonly youngest: Parts
  /** Payments of orders that were made between these times ago, which the acquirer should know by now. */
  readonly missingFrom: Parts
  readonly missingTo: Parts
  /** Reads what has moved since then, before payments that differ are compared once more. */
  readonly again: (account: Account, now: DateTime.Utc) => Effect.Effect<unknown, E>
}

const batchMax = 500
const batchesMax = 1_000

/** All payments of an account whose movements were not compared yet, or that differed. */
export const makeComparison = <E>(
  books: Books,
  { again, missingFrom, missingTo, title, youngest }: Comparison<E>
): ((account: Account, now: DateTime.Utc) => Effect.Effect<void, E>) => {
  /** Payments that differ are read and compared once more: they may have moved after that time was read. */
  const compareTwice = Effect.fnUntraced(function* (
    account: Account,
    payments: ReadonlyArray<Named>,
    now: DateTime.Utc
  ) {
    const first = payments.length === 0 ? [] : yield* books.compare(account, payments)
    const differing = first.filter(isDifferent)
    if (differing.length === 0) return first
    yield* again(account, now)
    return [...first.filter((each) => !isDifferent(each)), ...(yield* books.compare(account, differing))]
  })

  /** Answers how many were compared. A difference that has just moved in either books is compared the next time. */
  const compare = Effect.fnUntraced(function* (account: Account, payments: ReadonlyArray<Named>, now: DateTime.Utc) {
    const until = DateTime.subtract(now, youngest)
    const compared = (yield* compareTwice(account, payments, now)).filter(
      (each) => !isDifferent(each) || each.moved_at === null || DateTime.isLessThan(each.moved_at, until)
    )
    const ids = (some: typeof compared) => some.map(({ payment_id }) => payment_id)
    for (const each of compared.filter(isDifferent)) {
      if (!(yield* books.note(account, each, now))) continue
      yield* Effect.logError(`a payment differs between ${title}'s books and ours`).pipe(
        Effect.annotateLogs({ merchant_id: account.merchantId, mode: account.mode, ...each })
      )
    }
    yield* books.agree(account, ids(compared.filter((each) => !isDifferent(each))), now)
    yield* books.checked(account, ids(compared), now)
    return compared.length
  })

  return Effect.fnUntraced(function* (account, now) {
    yield* compare(account, yield* books.openPayments(account, batchMax), now)
    const [first, last] = [DateTime.subtract(now, missingFrom), DateTime.subtract(now, missingTo)]
    yield* compare(account, yield* books.missing(account, first, last, batchMax), now)
    for (let batch = 0; batch < batchesMax; batch++) {
      const payments = yield* books.unchecked(account, DateTime.subtract(now, youngest), batchMax)
      const compared = yield* compare(account, payments, now)
      if (payments.length < batchMax || compared === 0) break
    }
  })
}

const isDifferent = ({ is_same_currency, ours, theirs }: Compared) => ours !== theirs || !is_same_currency
