/**
 * Compares Stripe's books with ours, payment by payment. A difference becomes a row that the operator sees; nothing is
 * corrected. Movements of the last hour are compared the next time, because a webhook may be under way.
 */
import type { ReconciliationQuery } from "@coffer/contract/Reconciliation"
import type { Account } from "@coffer/model/Account"
import { Mode } from "@coffer/model/Ids"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, DateTime, Effect, Layer, Metric, Option } from "effect"
import type { Stripe } from "stripe"
import type { ChannelUnreachable } from "../../shared/channel/payments.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import type { Difference, Movement } from "../acquirers/Books.ts"
import { makeComparison } from "../acquirers/compare.ts"
import { type Progress, ReconciliationStore } from "./ReconciliationStore.ts"
import { timeOf } from "./payment.ts"
import { tradeNoIn } from "./SessionStore.ts"
import { StripeClient } from "./StripeClient.ts"
import type { StripeRefused } from "./StripeGuard.ts"

export class Reconciliation extends Context.Service<
  Reconciliation,
  {
    /**
     * Reads the movements at Stripe since then, and compares them with our books. Answers until when it has read.
     * `place`: where the round before was interrupted.
     */
    readonly reconcile: (
      account: Account,
      since: DateTime.Utc,
      place: DateTime.Utc | null
    ) => Effect.Effect<DateTime.Utc, ChannelUnreachable | StripeRefused>
    readonly progress: (account: Account) => Effect.Effect<Option.Option<Progress>>
    /** Begins a round now, unless one is under way, and does not wait for it. */
    readonly begin: (account: Account) => Effect.Effect<void>
    /** Newest first. */
    readonly page: (query: ReconciliationQuery) => Effect.Effect<Page<Difference>, InvalidField>
    /** Updates the metric of differences. */
    readonly measure: Effect.Effect<void>
  }
>()("@coffer/stripe/Reconciliation") {}

const differences = Metric.gauge("coffer_reconciliation_differences", {
  description: "Payments that differ between Stripe's books and ours; a person has to look"
})

const inMode = (mode: Mode) => Metric.withAttributes(differences, { mode })

/** Movements of payments. Others, such as payouts to the operator's bank, belong to no merchant. */
const types: ReadonlySet<string> = new Set([
  "charge",
  "payment",
  "refund",
  "payment_refund",
  "refund_failure",
  "payment_failure_refund",
  "adjustment"
])

/** Balance transactions may enter the list late. */
const overlap = { days: 1 }
/** Listed by windows of time, so that each list is finite. */
const window = { hours: 1 }
const pageMax = 100
const pagesMax = 200
/** Younger movements are compared the next time. */
const youngest = { hours: 1 }
/** Payments of orders that were made in the days before, and that Stripe should know by now. */
const missingFrom = { days: 3 }
const missingTo = { days: 1 }

export const layer = Layer.effect(
  Reconciliation,
  Effect.gen(function* () {
    const client = yield* StripeClient
    const store = yield* ReconciliationStore
    for (const mode of Mode.literals) yield* Metric.update(inMode(mode), 0)

    const fetchWindow = readInto(store, client)

    const compare = makeComparison(store, {
      title: "Stripe",
      youngest,
      missingFrom,
      missingTo,
      again: (account, now) =>
        Effect.flatMap(currentTime, (until) =>
          fetchWindow(account, DateTime.subtract(now, window), DateTime.add(until, overlap))
        )
    })

    return Reconciliation.of({
      reconcile: span("Reconciliation.reconcile")(function* (account, since, place) {
        const now = yield* currentTime
        const id = `${account.merchantId}/${account.mode}`
        let from = place ?? DateTime.subtract(since, overlap)
        while (DateTime.isLessThanOrEqualTo(from, now)) {
          const to = DateTime.add(from, window)
          yield* fetchWindow(account, from, to)
          // A restart continues here. The next round reads the rest of this window.
          yield* store.keepPlace(id, DateTime.min(to, now), yield* currentTime)
          from = to
        }
        yield* compare(account, now)
        return now
      }),
      progress: store.progress,
      begin: (account) => Effect.flatMap(currentTime, (now) => store.hasten(account, now)),
      page: Effect.fnUntraced(function* (query) {
        return yield* store.page(yield* Effect.fromResult(readPageRequest(query)), filtersOf(query))
      }),
      measure: Effect.flatMap(store.openCounts, (counts) =>
        Effect.forEach(Mode.literals, (mode) => Metric.update(inMode(mode), counts.get(mode) ?? 0), { discard: true })
      )
    })
  })
)

/** Stores the movements at Stripe in a window of time. */
const readInto = (store: ReconciliationStore["Service"], client: StripeClient["Service"]) =>
  Effect.fnUntraced(function* (account: Account, from: DateTime.Utc, to: DateTime.Utc) {
    let after: string | undefined
    for (let page = 0; page < pagesMax; page++) {
      const listed = yield* client.read(account, (stripe) =>
        stripe.balanceTransactions.list({
          created: { gte: secondsOf(from), lt: secondsOf(to) },
          expand: ["data.source.payment_intent"],
          limit: pageMax,
          ...(after === undefined ? {} : { starting_after: after })
        })
      )
      yield* store.insert(
        account,
        listed.data.flatMap((each) => Option.toArray(movementOf(each)))
      )
      after = listed.data.at(-1)?.id
      if (!listed.has_more || after === undefined) return
    }
    yield* Effect.logError("Stripe has more balance transactions of an account than are read")
  })

const filtersOf = ({ merchant_id, status }: ReconciliationQuery) => ({
  ...(merchant_id === undefined ? {} : { merchant_id }),
  ...(status === undefined ? {} : { open: status === "open" })
})

const secondsOf = (time: DateTime.Utc) => Math.floor(DateTime.toEpochMillis(time) / 1_000)

/** None for money that belongs to no payment. */
const movementOf = (each: Stripe.BalanceTransaction): Option.Option<Movement> => {
  if (!types.has(each.type) || typeof each.source !== "object" || each.source === null) return Option.none()
  const intent = "payment_intent" in each.source ? each.source.payment_intent : undefined
  if (typeof intent !== "object" || intent === null) return Option.none()
  return Option.some({
    id: each.id,
    paymentId: intent.id,
    tradeNo: Option.getOrNull(tradeNoIn(intent.metadata)),
    type: each.type,
    amount: each.amount,
    fee: each.fee,
    currency: each.currency,
    exchanged: exchangedAmount(each),
    createdAt: timeOf(each.created)
  })
}

/** Types that take money out. A small amount may be 0 after an exchange, and then has no sign that shows it. */
const outgoing: ReadonlySet<string> = new Set(["refund", "payment_refund"])

/** A balance has the currency of the account. The charge, refund or dispute that moved it has the buyer's. */
const exchangedAmount = ({ amount, currency, source, type }: Stripe.BalanceTransaction): Movement["exchanged"] => {
  if (typeof source !== "object" || source === null || !("currency" in source) || !("amount" in source)) return null
  if (source.currency === currency || typeof source.amount !== "number" || source.currency === null) return null
  // Of a charge that was captured in part, only that has moved.
  const moved = "amount_captured" in source ? source.amount_captured : source.amount
  return { amount: amount < 0 || outgoing.has(type) ? -moved : moved, currency: source.currency }
}

export type { Progress }
