/**
 * The channels of this program: the acquirers, and the sandbox's bank. Each registers itself under its name when it is
 * wired. The rows of payments, refunds and disputes have the name of their channel, and rooms ask that channel here: no
 * room names one. Only front doors and workers ask, never an owner (docs/architecture.md, section 3). A call that may
 * be repeated carries our own key.
 */
import type { Account } from "@coffer/model/Account"
import type { ChannelName, Mode, RefundNo } from "@coffer/model/Ids"
import type { Minor } from "@coffer/model/Money"
import type { PaidCard, PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order, OrderConflict, OrderNotFound, CreditedOrder } from "@coffer/rules/order/Order"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { AmountBounds } from "@coffer/rules/order/termsProblem"
import { Context, type DateTime, Effect, Layer, Option, Record, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Statement } from "effect/sql"
import type { OwnerUnavailable } from "../../platform/cluster/ask.ts"
import type { NotCommitted } from "../../platform/commit/Change.ts"
import type { AccountDesk } from "./accounts.ts"
import type { ChannelAccount, ChannelAccounts } from "./ChannelAccount.ts"
import type { DisputeDesk, DisputeName, DisputeOutcome, DisputeReport } from "./disputes.ts"
import type { FeeOf, OwnedPayment } from "./fees.ts"
import {
  type CancelReport,
  type CaptureAnswer,
  ChannelUnreachable,
  type ChannelPayment,
  type Checkout,
  type HoldAt,
  type RefundAnswer,
  type RefundRequest,
  type ReleaseAnswer,
  type ReturnAnswer
} from "./payments.ts"

/** The account of the payments: a merchant in one mode. */
export type Payee = Pick<Account, "merchantId" | "mode">

/** Why a report could not be recorded at its order. */
export type ReportFailure = OrderConflict | OrderNotFound | NotCommitted | OwnerUnavailable

/** What a channel is, and what it can do. */
export interface RegisteredChannel {
  /** The name in rows. */
  readonly name: ChannelName
  /** The name for people. */
  readonly title: string
  /** Channels are asked in the order of their ranks, the lowest first: whether they take a payment, or began one. */
  readonly rank: number
  /** Whether buyers of this account pay through it now. */
  readonly takes: (payee: Payee) => Effect.Effect<boolean>
  /** The channel's own page for buyers; none if they pay by our forms. */
  readonly page?: HostedPage
  /** Its simulated buyers and banks, if it has any. */
  readonly pretended?: Pretended
  /** Accepts no payment from now on, unless one is made or under way. Cancelled if it has never begun one. */
  readonly cancel: (checkout: Checkout) => Effect.Effect<CancelReport, ChannelUnreachable>
  /**
   * Gives a whole payment back to the buyer, or releases what is only held. The payment's own number is the key: asking
   * twice pays back once.
   */
  readonly giveBack: (
    checkout: Checkout,
    payment: Pick<ChannelPayment, "channel" | "paymentId" | "amount"> & { readonly isHold?: true }
  ) => Effect.Effect<ReturnAnswer, ChannelUnreachable>
  /**
   * Our own number of the refund is the key: repeated, it pays back once, and the second answer is that of the first.
   * Unreachable: this call certainly did nothing. Without an answer its outcome is unknown.
   */
  readonly refund: (request: RefundRequest) => Effect.Effect<RefundAnswer, ChannelUnreachable>
  /** Payments that are authorised first and captured later; none if it takes no such payment. */
  readonly holds?: Holds
  readonly disputes: DisputeDesk
  readonly paymentNumbers: PaymentNumbers
  /** The least and the most that it takes in one payment; any amount unless given. */
  readonly bounds?: AmountBounds
  /** Where operators open merchants' accounts at it; none for a channel without accounts. */
  readonly accounts?: AccountDesk
  /** Encrypts the channel's secrets of an account with the new key. `again` encrypts one text for its use. */
  readonly reseal?: (
    payee: Payee,
    own: ChannelAccount["own"],
    again: (sealed: string, use: string) => string
  ) => ChannelAccount["own"]
  /** The fees that the channel has deducted from payments. */
  readonly feesOf?: (payments: ReadonlyArray<OwnedPayment>) => Effect.Effect<FeeOf>
  /** In seconds: how long the books of its accounts have not been compared with ours, of those that wait longest. */
  readonly ageOfBooks?: (mode: Mode, now: DateTime.Utc) => Effect.Effect<number>
}

/** What a channel does with amounts that it only holds. Its answers are those of the refund's laws. */
export interface Holds {
  /** For how many days it holds an amount, by the methods that can. */
  readonly days: Readonly<Partial<Record<PaymentMethod, number>>>
  /**
   * Captures the amount once, and releases the rest. Our key, repeated, gets the answer of the first request; another
   * key after a capture gets what was captured. Unreachable: this call certainly did nothing, and so for `release`.
   */
  readonly capture: (hold: HoldAt, amount: Minor) => Effect.Effect<CaptureAnswer, ChannelUnreachable>
  readonly release: (hold: HoldAt) => Effect.Effect<ReleaseAnswer, ChannelUnreachable>
}

/** The numbers that a channel gives to its payments. A search by a number asks the channel whose prefix it has. */
export interface PaymentNumbers {
  readonly prefix: string
  /** Where numbers have no prefix: how one looks. */
  readonly pattern?: RegExp
  /** The condition of the index that finds an order by such a number; left out if it is `orders_channel_payment`. */
  readonly among?: (sql: SqlClient, number: string) => Statement.Fragment
}

/** The channel's own page for buyers. Its reports about payments there are recorded at the order. */
export interface HostedPage {
  /** `language`: the language tag of the page that links there. */
  readonly begin: (
    order: Order,
    method: PaymentMethod,
    language: string
  ) => Effect.Effect<Begun, ChannelUnreachable | ReportFailure>
  /** Asks about a pending order's payment. Returns the order after the answer. */
  readonly lookUp: (order: Order) => Effect.Effect<Order, ChannelUnreachable | ReportFailure>
  /** The buyer of a pending order has paid, and the channel is processing it. */
  readonly isProcessing: (order: Order) => Effect.Effect<boolean>
  /** The methods, of these, that a page offers for the order. */
  readonly offered: (order: Order, methods: ReadonlyArray<PaymentMethod>) => Effect.Effect<ReadonlyArray<PaymentMethod>>
}

/** The answer to a buyer who wants to pay. */
export type Begun =
  | { readonly _tag: "Redirect"; readonly url: string }
  /**
   * The order is paid or being paid, or another request has begun at the same moment: the order's page shows the state.
   */
  | { readonly _tag: "Settled" }
  /** The channel cannot be asked about the buyer's earlier session, which may be paid. */
  | { readonly _tag: "Unknown" }
  /** The channel takes no such payment: not by this method in this currency, or not of this amount. */
  | { readonly _tag: "NotTaken"; readonly because: "method" | "amount" }

/** The answer to a buyer whose order shows the state. */
export const shownByOrder: Begun = { _tag: "Settled" }

/**
 * How a simulated buyer's attempt ends. `decline`: the bank refuses. `cancel`: the buyer cancels. `redirect`: the buyer
 * is in 3DS or a wallet's app, and may come back. The bank reports a payment of `succeed_later` after some seconds, and
 * one of `succeed_unreported` only when it is asked.
 */
export type Attempt = "succeed" | "decline" | "cancel" | "fail" | "redirect" | "succeed_later" | "succeed_unreported"

export interface ChargeOptions {
  /** Default: the order's. */
  readonly amount?: Minor | undefined
  /** The attempt's number. A repeated charge with this number, method and outcome is the same attempt. */
  readonly attemptNo?: string | undefined
  /** The bank's code of a refusal; default: its general one. */
  readonly reason?: string | undefined
  /** The card that the buyer typed; otherwise the attempt's card, or the bank's usual one. */
  readonly card?: PaidCard | undefined
}

export interface Chargeback {
  readonly amount: Minor
  readonly reason: string
  readonly evidenceDueBy: DateTime.Utc | null
}

/** The bank has decided the refund otherwise, or does not know it. */
export class NotSettled extends Schema.TaggedError<NotSettled>()("NotSettled", { state: Schema.String }) {}

/**
 * What the bank does with a hold by itself. `succeed`: it captures, as by hand at the acquirer.
 * `succeed_unreported`: and says so only when it is asked. `release`: it gives the hold up. `refuse` and `late`: how it
 * will answer a capture.
 */
export type HoldScript = "succeed" | "succeed_unreported" | "refuse" | "late" | "release"

/** For our own forms and the test helpers. */
export interface Pretended {
  /** One attempt to pay. Returns the order after the bank's report, if there was one. */
  readonly charge: (
    order: Order,
    method: PaymentMethod,
    attempt: Attempt,
    options?: ChargeOptions
  ) => Effect.Effect<Order, ChannelUnreachable | ReportFailure>
  /** Of a bank that holds amounts. Returns the order after its report, if there was one. */
  readonly capture?: (
    order: Order,
    script: HoldScript,
    amount?: Minor
  ) => Effect.Effect<Order, ChannelUnreachable | ReportFailure>
  /** The end of the lockout after too many declined attempts; an attempt that has begun may end (silences: O13). */
  readonly pausedUntil: (order: Order) => Effect.Effect<Option.Option<DateTime.Utc>>
  /** Whether it has the order's whole amount. If the order is pending, the payment is not reported yet. */
  readonly hasPaid: (order: Order) => Effect.Effect<boolean>
  /** The buyer disputes the payment. Returns the bank's report, which it repeats until it is acknowledged. */
  readonly dispute: (
    order: CreditedOrder,
    chargeback: Chargeback
  ) => Effect.Effect<DisputeReport, ChannelUnreachable | InvalidField>
  /** The bank decides, or decides again. */
  readonly resolve: (
    dispute: Pick<DisputeName, "merchantId" | "processorDisputeId">,
    outcome: DisputeOutcome
  ) => Effect.Effect<DisputeReport, ChannelUnreachable>
  /** The report was processed. Returns the bank's later decision, which has to be processed after it. */
  readonly acknowledge: (report: DisputeReport) => Effect.Effect<Option.Option<DisputeReport>>
  /** The bank decides a refund, or decides again. The same decision twice changes nothing. */
  readonly settle: (refundNo: RefundNo, outcome: "succeeded" | "failed") => Effect.Effect<void, NotSettled>
  /** The bank's reason when it rejects a refund. */
  readonly rejection: string
  readonly setReachable: (merchantId: string, reachable: boolean) => Effect.Effect<void>
}

/** The simulated buyer of a sandbox order. A live order has none: its bank cannot be reached. */
export interface Buyer extends Pick<Pretended, "pausedUntil" | "hasPaid"> {
  /** An attempt with a number is made once, however often it is requested. */
  readonly pay: Pretended["charge"]
}

export class Channel extends Context.Service<
  Channel,
  {
    readonly register: (channel: RegisteredChannel) => Effect.Effect<void>
    /** By their ranks. */
    readonly all: () => ReadonlyArray<RegisteredChannel>
    /** The name for people. */
    readonly titleOf: (name: string) => string
    /** What one of the active accounts takes; any amount if one has no bounds, or if none is active. */
    readonly boundsOf: (accounts: ChannelAccounts) => AmountBounds | undefined
    readonly reseal: (
      payee: Payee,
      accounts: ChannelAccounts,
      again: (sealed: string, use: string) => string
    ) => ChannelAccounts
    readonly feesOf: (payments: ReadonlyArray<OwnedPayment>) => Effect.Effect<FeeOf>
    readonly ageOfBooks: (mode: Mode, now: DateTime.Utc) => Effect.Effect<number>
    /** The channel that takes an account's payments now, if any. */
    readonly takerOf: (payee: Payee) => Effect.Effect<Option.Option<RegisteredChannel>>
    /** The simulated buyers and banks of an account, if any; `name`: the channel. */
    readonly pretendedOf: (payee: Payee, name?: ChannelName) => Effect.Effect<Option.Option<Pretended>>
    /** Of these methods, those with which a channel of the account can hold an amount. */
    readonly holdable: (
      payee: Payee,
      methods: ReadonlyArray<PaymentMethod>
    ) => Effect.Effect<ReadonlyArray<PaymentMethod>>
    readonly capture: Holds["capture"]
    readonly release: Holds["release"]
    readonly buyer: Buyer
    /** An order may have been begun at each channel. */
    readonly cancel: RegisteredChannel["cancel"]
    readonly lookUp: HostedPage["lookUp"]
    readonly isProcessing: HostedPage["isProcessing"]
    readonly giveBack: RegisteredChannel["giveBack"]
    readonly refund: RegisteredChannel["refund"]
    readonly disputes: DisputeDesk
  }
>()("@coffer/channel/Channel") {}

export const make = (): Channel["Service"] => {
  let registered: ReadonlyArray<RegisteredChannel> = []
  const find = (name: string) => registered.find((each) => each.name === name)
  /** A row of a channel that this program lacks waits until a program has it. */
  const named = ({ channel: name }: { readonly channel: ChannelName }) => {
    const found = find(name)
    return found === undefined
      ? Effect.andThen(Effect.logError(`no channel ${name} is wired`), Effect.fail(new ChannelUnreachable()))
      : Effect.succeed(found)
  }
  const pretendedOf: Channel["Service"]["pretendedOf"] = Effect.fnUntraced(function* (payee, name) {
    const meant = name === undefined ? undefined : find(name)?.pretended
    if (meant !== undefined) return Option.some(meant)
    for (const channel of registered) {
      if (channel.pretended !== undefined && (yield* channel.takes(payee))) return Option.some(channel.pretended)
    }
    return Option.none()
  })
  const takerOf = (payee: Payee) => Effect.findFirst(registered, (channel) => channel.takes(payee))
  const pages = () => registered.flatMap(({ page }) => (page === undefined ? [] : [page]))

  return {
    register: (channel) =>
      Effect.suspend(() => {
        if (find(channel.name) !== undefined) return Effect.die(`two channels have the name ${channel.name}`)
        registered = [...registered, channel].toSorted((a, b) => a.rank - b.rank)
        return Effect.void
      }),
    all: () => registered,
    titleOf: (name) => find(name)?.title ?? name,
    boundsOf: (accounts) =>
      widest(registered.flatMap(({ bounds, name }) => (accounts[name]?.isActive === true ? [bounds] : []))),
    reseal: (payee, accounts, again) =>
      Record.map(accounts, (account, name) => {
        const reseal = find(name)?.reseal
        return reseal === undefined ? account : { ...account, own: reseal(payee, account.own, again) }
      }),
    feesOf: Effect.fnUntraced(function* (payments) {
      const all: Array<FeeOf> = []
      for (const { feesOf } of registered) if (feesOf !== undefined) all.push(yield* feesOf(payments))
      return (payment) => {
        for (const feeOf of all) {
          const fee = feeOf(payment)
          if (fee !== undefined) return fee
        }
        return undefined
      }
    }),
    ageOfBooks: Effect.fnUntraced(function* (mode, now) {
      let age = 0
      for (const { ageOfBooks } of registered) {
        if (ageOfBooks !== undefined) age = Math.max(age, yield* ageOfBooks(mode, now))
      }
      return age
    }),
    takerOf,
    pretendedOf,
    ...makeHolding(named, () => registered),
    buyer: makeBuyer(pretendedOf),
    cancel: Effect.fnUntraced(function* (checkout) {
      for (const channel of registered) {
        const report = yield* channel.cancel(checkout)
        if (report._tag !== "Cancelled") return report
      }
      return { _tag: "Cancelled" }
    }),
    lookUp: Effect.fnUntraced(function* (order) {
      let now = order
      for (const page of pages()) now = yield* page.lookUp(now)
      return now
    }),
    isProcessing: Effect.fnUntraced(function* (order) {
      for (const page of pages()) if (yield* page.isProcessing(order)) return true
      return false
    }),
    giveBack: (checkout, payment) => Effect.flatMap(named(payment), (channel) => channel.giveBack(checkout, payment)),
    refund: (request) => Effect.flatMap(named(request), (channel) => channel.refund(request)),
    disputes: makeDisputeDesk(named, find)
  }
}

const widest = (all: ReadonlyArray<AmountBounds | undefined>): AmountBounds | undefined =>
  all.length === 0
    ? undefined
    : all.reduce((one, other) =>
        one === undefined || other === undefined
          ? undefined
          : Record.map(one, ({ max, min }, currency) => ({
              min: Math.min(min, other[currency].min),
              max: Math.max(max, other[currency].max)
            }))
      )

const makeHolding = (
  named: (row: HoldAt) => Effect.Effect<RegisteredChannel, ChannelUnreachable>,
  all: Channel["Service"]["all"]
): Pick<Channel["Service"], "capture" | "holdable" | "release"> => {
  const holdsOf = (hold: HoldAt) =>
    Effect.flatMap(named(hold), ({ holds }) =>
      holds === undefined ? Effect.fail(new ChannelUnreachable()) : Effect.succeed(holds)
    )
  return {
    holdable: Effect.fnUntraced(function* (payee, methods) {
      const takers = yield* Effect.filter(all(), (channel) => channel.takes(payee))
      return methods.filter((method) => takers.some(({ holds }) => holds?.days[method] !== undefined))
    }),
    capture: (hold, amount) => Effect.flatMap(holdsOf(hold), ({ capture }) => capture(hold, amount)),
    release: (hold) => Effect.flatMap(holdsOf(hold), ({ release }) => release(hold))
  }
}

const makeDisputeDesk = (
  named: (row: Pick<DisputeName, "channel">) => Effect.Effect<RegisteredChannel, ChannelUnreachable>,
  find: (name: string) => RegisteredChannel | undefined
): DisputeDesk => ({
  submit: (dispute, evidence, answer) =>
    Effect.flatMap(named(dispute), ({ disputes }) => disputes.submit(dispute, evidence, answer)),
  isTest: (dispute) => find(dispute.channel)?.disputes.isTest(dispute) === true,
  accept: (dispute) => Effect.flatMap(named(dispute), ({ disputes }) => disputes.accept(dispute)),
  status: (dispute) => Effect.flatMap(named(dispute), ({ disputes }) => disputes.status(dispute))
})

const makeBuyer = (pretendedOf: Channel["Service"]["pretendedOf"]): Buyer => ({
  pay: Effect.fnUntraced(function* (order, ...attempt) {
    const pretended = yield* pretendedOf(order)
    return yield* Option.isNone(pretended) ? new ChannelUnreachable() : pretended.value.charge(order, ...attempt)
  }),
  pausedUntil: Effect.fnUntraced(function* (order) {
    const pretended = yield* pretendedOf(order)
    return Option.isNone(pretended) ? Option.none() : yield* pretended.value.pausedUntil(order)
  }),
  hasPaid: Effect.fnUntraced(function* (order) {
    const pretended = yield* pretendedOf(order)
    return Option.isSome(pretended) && (yield* pretended.value.hasPaid(order))
  })
})

/** No channel is registered yet. */
export const layer = Layer.sync(Channel, make)
