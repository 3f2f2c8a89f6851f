/**
 * Front door to payouts (silences: B2). There is no actor: steps are rare and taken by people, so the row's version is
 * the fence, and the wallet's actor commits the row together with the money or does neither.
 */
import type { CreatePayout, PayoutQuery } from "@coffer/contract/Payouts"
import { payoutFeeOf } from "@coffer/model/Fees"
import { type Mode, PayoutNo, prefixes } from "@coffer/model/Ids"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { currencyProblem } from "@coffer/rules/order/termsProblem"
import { decide } from "@coffer/rules/payout/decide"
import { entryOf, requesting } from "@coffer/rules/payout/entryOf"
import { evolve } from "@coffer/rules/payout/evolve"
import { type Payout, PayoutCommand, type PayoutConflict } from "@coffer/rules/payout/Payout"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { ActorUnavailable } from "../platform/cluster/ask.ts"
import { NotCommitted } from "../platform/commit/Change.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { Transactor } from "../platform/commit/Transactor.ts"
import { span } from "../platform/runtime/span.ts"
import { type Merchant, type MerchantNotFound, Merchants } from "../merchants/Merchants.ts"
import { type Entry, Wallets } from "../wallets/Wallets.ts"
import { insertion, PayoutStore, replacement, type StoredPayout } from "./PayoutStore.ts"

export class PayoutNotFound extends Schema.TaggedError<PayoutNotFound>()("PayoutNotFound", {
  payoutNo: Schema.String
}) {}

/** The reference belongs to a payout of other content. */
export class PayoutReferenceTaken extends Schema.TaggedError<PayoutReferenceTaken>()("PayoutReferenceTaken", {
  reference: Schema.String,
  differs: Schema.Literals(["currency", "amount"])
}) {}

type WriteFailure = NotCommitted | ActorUnavailable

export interface Requested {
  readonly payout: Payout
  /** False for a repeat. */
  readonly created: boolean
}

type Step = (payoutNo: string) => Effect.Effect<Payout, PayoutNotFound | PayoutConflict | WriteFailure>

export class Payouts extends Context.Service<
  Payouts,
  {
    readonly request: (
      merchantId: string,
      terms: CreatePayout
    ) => Effect.Effect<
      Requested,
      MerchantNotFound | InvalidField | InsufficientBalance | PayoutReferenceTaken | WriteFailure
    >
    readonly find: (payoutNo: string) => Effect.Effect<Payout, PayoutNotFound>
    /** Newest first. */
    readonly list: (
      merchantId: string,
      query: PayoutQuery
    ) => Effect.Effect<Page<Payout>, MerchantNotFound | InvalidField>
    readonly approve: Step
    readonly reject: Step
    readonly complete: Step
    readonly fail: Step
  }
>()("@coffer/payouts/Payouts") {}

/** How often it is looked anew at what is there, because somebody else wrote the payout or its wallet first. */
const retriesMax = 3

export const layer = Layer.effect(
  Payouts,
  Effect.gen(function* () {
    const store = yield* PayoutStore
    const wallets = yield* Wallets
    const merchants = yield* Merchants
    const transactor = yield* Transactor
    const ids = yield* NewIds

    const load = Effect.fnUntraced(function* (payoutNo: string) {
      const stored = yield* store.load(payoutNo)
      return Option.isSome(stored) ? stored.value : yield* new PayoutNotFound({ payoutNo })
    })

    /** Decided anew on what is there by then. */
    const retried = <A, E extends { readonly _tag: string }, R>(attempt: Effect.Effect<A, E, R>) =>
      Effect.retry(attempt, { times: retriesMax, while: ({ _tag }) => _tag === "StaleVersion" })

    const request = Effect.fnUntraced(function* (merchantId: string, terms: CreatePayout) {
      const merchant = yield* merchants.find(merchantId)
      const repeated = yield* made(merchant, terms)
      if (repeated !== undefined) return { payout: repeated, created: false }
      const problem = currencyProblem(terms.currency, { mode: terms.mode, liveCurrencies: merchant.live_currencies })
      if (problem !== undefined) return yield* problem
      const payout = newPayout(merchant, terms, yield* ids.next(prefixes.payout), yield* DateTime.now)

      // The wallet's actor may have been asked twice, or somebody else with this reference: then it is there.
      const orMade = <E>(failure: Effect.Effect<never, E>) =>
        Effect.gen(function* () {
          if (Option.isSome(yield* store.load(payout.payoutNo))) return { payout, created: true }
          const other = yield* made(merchant, terms)
          return other === undefined ? yield* failure : { payout: other, created: false }
        })
      return yield* wallets.post(payout, { ...requesting(payout), changes: [insertion(payout)] }).pipe(
        Effect.as({ payout, created: true }),
        Effect.catchTags({
          AlreadyExists: (taken) => orMade(Effect.die(taken)),
          InsufficientBalance: (refusal) => orMade(Effect.fail(refusal))
        })
      )
    })

    /** What an earlier request with this reference made. */
    const made = Effect.fnUntraced(function* (merchant: Merchant, { amount, currency, mode, reference }: CreatePayout) {
      if (reference === undefined) return undefined
      const stored = yield* store.byReference(ownerOf(merchant, mode), reference)
      if (Option.isNone(stored)) return undefined
      const { payout } = stored.value
      if (payout.currency !== currency) return yield* new PayoutReferenceTaken({ reference, differs: "currency" })
      if (payout.amount !== amount) return yield* new PayoutReferenceTaken({ reference, differs: "amount" })
      return payout
    })

    const commit = (before: StoredPayout, after: Payout, { movements, reserve }: Omit<Entry, "changes">) => {
      const changes = [replacement(before, after)]
      return movements.length === 0
        ? transactor.commit(after.payoutNo, changes)
        : wallets.post(after, { movements, reserve, changes })
    }

    const attempt = Effect.fnUntraced(function* (payoutNo: string, command: PayoutCommand) {
      const before = yield* load(payoutNo)
      const { events, refusal } = decide(before.payout, command)
      if (refusal !== undefined) return yield* refusal
      const [event] = events
      if (event === undefined) return before.payout
      const after = evolve(before.payout, event)
      yield* commit(before, after, entryOf(before.payout, event))
      return after
    })

    const perform = (payoutNo: string, command: PayoutCommand) =>
      retried(attempt(payoutNo, command)).pipe(
        Effect.catchTags({
          StaleVersion: stillStale,
          AlreadyExists: Effect.die,
          // The amount is frozen and the fee promised.
          InsufficientBalance: Effect.die
        })
      )

    const step = (name: string, make: (at: DateTime.Utc) => PayoutCommand): Step =>
      span(`Payouts.${name}`)(function* (payoutNo) {
        return yield* perform(payoutNo, make(yield* DateTime.now))
      })

    return Payouts.of({
      request: span("Payouts.request")(
        function* (merchantId, terms) {
          return yield* retried(request(merchantId, terms))
        },
        Effect.catchTags({ StaleVersion: stillStale })
      ),
      find: (payoutNo) => Effect.map(load(payoutNo), ({ payout }) => payout),
      list: span("Payouts.list")(function* (merchantId, query) {
        const owner = ownerOf(yield* merchants.find(merchantId), query.mode)
        return yield* store.page(owner, yield* Effect.fromResult(readPageRequest(query)))
      }),
      approve: step("approve", (at) => Approve.make({ at })),
      reject: step("reject", (at) => Reject.make({ at })),
      complete: step("complete", (at) => Complete.make({ at })),
      fail: step("fail", (at) => Fail.make({ at }))
    })
  })
)

const { Approve, Complete, Fail, Reject } = PayoutCommand.cases

const stillStale = () => new NotCommitted({ reason: "overloaded" })

const ownerOf = (merchant: Merchant, mode: Mode) => ({ merchantId: merchant.merchant_id, mode })

const newPayout = (merchant: Merchant, terms: CreatePayout, number: string, now: DateTime.Utc): Payout => ({
  status: "requested",
  payoutNo: PayoutNo.make(number),
  ...ownerOf(merchant, terms.mode),
  currency: terms.currency,
  amount: terms.amount,
  fee: payoutFeeOf(merchant, terms.currency),
  reference: terms.reference ?? null,
  createdAt: now,
  updatedAt: now
})
