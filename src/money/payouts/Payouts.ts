/**
 * Front door to payouts (silences: B2). A payout has no owner: its steps are rare and taken by people, so the version
 * of its row is the fence, and the wallet's owner commits the row together with the money or does neither.
 */
import type { CreatePayout, PayoutQuery } from "@coffer/contract/Payouts"
import { payoutFeeOf } from "@coffer/model/Fees"
import { createdAtOf, type MerchantId, type Mode, PayoutNo, prefixes } from "@coffer/model/Ids"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { currencyProblem } from "@coffer/rules/order/termsProblem"
import {
  consequences,
  decide,
  evolve,
  Payout,
  PayoutCommand,
  type PayoutConflict,
  type PayoutEvent,
  requesting
} from "@coffer/rules/payout/Payout"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import { Context, type DateTime, Effect, Layer, Option, Schema } from "effect"
import type { Aggregate } from "../aggregate/Aggregate.ts"
import { makeWriteLoop, withoutEntry, type WriteFailure } from "../aggregate/WriteLoop.ts"
import { retryOvertaken } from "../../platform/commit/Change.ts"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { span } from "../../platform/runtime/span.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { type Merchant, type MerchantNotFound, Merchants } from "../../access/merchants/Merchants.ts"
import { instruct, instructionKind, Instructions, performedSchema } from "../wallets/Instructions.ts"
import { Wallets } from "../wallets/Wallets.ts"
import { insertion, PayoutStore, replacement } from "./PayoutStore.ts"
import { payoutView } from "./PayoutView.ts"

export class PayoutNotFound extends Schema.TaggedError<PayoutNotFound>()("PayoutNotFound", {
  payoutNo: Schema.String
}) {}

/** The reference belongs to a payout of other content. */
export class PayoutReferenceTaken extends Schema.TaggedError<PayoutReferenceTaken>()("PayoutReferenceTaken", {
  reference: Schema.String,
  differs: Schema.Literals(["currency", "amount"])
}) {}

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

export const layer = Layer.effect(
  Payouts,
  Effect.gen(function* () {
    const services = yield* payoutServices
    const clocks = yield* MerchantClocks
    const { load, loop, merchants, store } = services

    const step = (name: string, make: (at: DateTime.Utc) => PayoutCommand): Step =>
      span(`Payouts.${name}`)(function* (payoutNo) {
        // The amount is frozen and the fee promised: the wallet refuses nothing.
        const { state } = yield* load(payoutNo)
        const performed = Effect.flatMap(currentTime, (at) => loop.perform(payoutNo, make(at)))
        // An operator's request does not run on a merchant's clock.
        return yield* clocks.within(state, Effect.catchTags(performed, withoutEntry))
      })

    return Payouts.of({
      request: (merchantId, terms) => {
        const account = { merchantId: merchantId as MerchantId, mode: terms.mode }
        return clocks.within(account, request(services)(merchantId, terms))
      },
      find: (payoutNo) => Effect.map(load(payoutNo), ({ state }) => state),
      list: span("Payouts.list")(function* (merchantId, query) {
        const account = ownerOf(yield* merchants.find(merchantId), query.mode)
        return yield* store.page(account, yield* Effect.fromResult(readPageRequest(query)))
      }),
      approve: step("approve", (at) => Approve.make({ at })),
      reject: step("reject", (at) => Reject.make({ at })),
      complete: step("complete", (at) => Complete.make({ at })),
      fail: step("fail", (at) => Fail.make({ at }))
    })
  })
)

const { Approve, Complete, Fail, Reject } = PayoutCommand.cases

interface PayoutKind {
  readonly Id: string
  readonly State: Payout
  readonly Command: PayoutCommand
  readonly Fact: PayoutEvent
  readonly Refusal: PayoutConflict
  readonly Missing: PayoutNotFound
  readonly Related: undefined
}

const payoutServices = Effect.gen(function* () {
  const store = yield* PayoutStore
  const wallets = yield* Wallets

  const load = Effect.fnUntraced(function* (payoutNo: string) {
    const stored = yield* store.load(payoutNo)
    if (Option.isNone(stored)) return yield* new PayoutNotFound({ payoutNo })
    return stored.value
  })

  const aggregate: Aggregate<PayoutKind> = {
    idOf: ({ payoutNo }) => payoutNo,
    load,
    decide,
    evolve,
    consequences,
    insertion,
    replacement,
    view: payoutView,
    instruction: performedSchema("payout", Schema.String, PayoutCommand),
    attemptsMax: 4
  }
  const loop = yield* makeWriteLoop(aggregate, { post: wallets.post })
  yield* (yield* Instructions).define(newPayout, (payout) => loop.carryOutNew(payout, requesting(payout)))
  return { store, load, loop, merchants: yield* Merchants, ids: yield* NewIds }
})

const RequestedPayout = Payout.members[0]
const newPayout = instructionKind("new_payout", RequestedPayout)

type PayoutServices = Effect.Success<typeof payoutServices>

const request = (services: PayoutServices) => {
  const { ids, loop, merchants, store } = services
  return span("Payouts.request")(function* (merchantId: string, terms: CreatePayout) {
    const merchant = yield* merchants.find(merchantId)
    const repeated = yield* findEarlier(services, merchant, terms)
    if (repeated !== undefined) return { payout: repeated, created: false }
    const problem = currencyProblem(terms.currency, { mode: terms.mode, liveCurrencies: merchant.live_currencies })
    if (problem !== undefined) return yield* problem
    const payout = payoutOf(merchant, terms, yield* ids.next(prefixes.payout))

    // The wallet's owner may have been asked twice, or by another request with this reference: then the payout exists.
    const orMade = <E>(failure: Effect.Effect<never, E>) =>
      Effect.gen(function* () {
        if (Option.isSome(yield* store.load(payout.payoutNo))) return { payout, created: true }
        const other = yield* findEarlier(services, merchant, terms)
        return other === undefined ? yield* failure : { payout: other, created: false }
      })
    return yield* loop.create(payout, requesting(payout), { instruction: instruct(newPayout, payout) }).pipe(
      Effect.as({ payout, created: true }),
      Effect.catchTags({
        AlreadyExists: (taken) => orMade(Effect.die(taken)),
        InsufficientBalance: (refusal) => orMade(Effect.fail(refusal))
      })
    )
  }, retryOvertaken)
}

/** The payout that an earlier request with this reference made. */
const findEarlier = Effect.fnUntraced(function* ({ store }: PayoutServices, merchant: Merchant, terms: CreatePayout) {
  const { amount, currency, mode, reference } = terms
  if (reference === undefined) return undefined
  const stored = yield* store.byNumber(ownerOf(merchant, mode), reference)
  if (Option.isNone(stored)) return undefined
  const { state: payout } = stored.value
  if (payout.currency !== currency) return yield* new PayoutReferenceTaken({ reference, differs: "currency" })
  if (payout.amount !== amount) return yield* new PayoutReferenceTaken({ reference, differs: "amount" })
  return payout
})

const ownerOf = (merchant: Merchant, mode: Mode) => ({ merchantId: merchant.merchant_id, mode })

const payoutOf = (merchant: Merchant, terms: CreatePayout, number: string): typeof RequestedPayout.Type => ({
  status: "requested",
  payoutNo: PayoutNo.make(number),
  ...ownerOf(merchant, terms.mode),
  currency: terms.currency,
  amount: terms.amount,
  fee: payoutFeeOf(merchant, terms.currency),
  reference: terms.reference ?? null,
  createdAt: createdAtOf(number),
  updatedAt: createdAtOf(number)
})
