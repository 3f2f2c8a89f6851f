/**
 * Checkout Sessions at Stripe, one for an order at a time: made, looked at, and ended (docs/decisions/0038). The caller
 * decides what a payment means for the order. Methods that an account does not offer are remembered for pages.
 */
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { beginningOf, titleOf } from "@coffer/model/Text"
import { isManual } from "@coffer/rules/order/Hold"
import type { Order } from "@coffer/rules/order/Order"
import { Cache, Context, Effect, Layer, DateTime, Duration, Option } from "effect"
import { type CancelReport, ChannelUnreachable, type Checkout } from "../../shared/channel/payments.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { type SessionMethod, sessionMethodOf } from "./payment.ts"
import {
  type SessionRow,
  SessionStore,
  expand,
  type SessionStatus,
  sessionStatusOf,
  tradeNoKey
} from "./SessionStore.ts"
import { StripeClient } from "./StripeClient.ts"
import { refuseForNow, type StripeRefused } from "./StripeGuard.ts"

export {
  type ClosedStraySession,
  type StraySessionNotFound,
  type StraySessionOver,
  StraySessions
} from "./SessionStore.ts"

type Sold = Pick<Order, "merchantId" | "mode" | "currency">

/**
 * Methods that an account at Stripe does not offer in a currency, as seen by this process (silences: S22). A hint for
 * pages, so that buyers are not sent where they cannot pay: Stripe's answer decides each time.
 */
export class OfferedMethods extends Context.Service<
  OfferedMethods,
  {
    /** Notes whether a session of Stripe has the requested method. */
    readonly note: (order: Sold, method: SessionMethod, isOffered: boolean) => Effect.Effect<void>
    /** The methods that Stripe may accept; all of them if none would be left. */
    readonly among: (order: Sold, methods: ReadonlyArray<PaymentMethod>) => Effect.Effect<ReadonlyArray<PaymentMethod>>
  }
>()("@coffer/stripe/OfferedMethods") {}

/** The operator may enable a method at Stripe without our notice. */
const rememberedFor = "1 hour"
/** Combinations of account, currency and method in memory. */
const rememberedMax = 10_000

export const layerOffered = Layer.effect(
  OfferedMethods,
  Effect.gen(function* () {
    const client = yield* StripeClient
    const missing = yield* Cache.make({
      capacity: rememberedMax,
      timeToLive: rememberedFor,
      lookup: (_: string) => Effect.succeed(true)
    })

    /** Undefined if Stripe takes no payments. Setting the channel again clears the hints. */
    const accountOf = (order: Sold) =>
      Effect.map(client.accountOf(order), (account) =>
        account?.isActive === true ? `${order.merchantId}/${order.mode}/${account.setAt}/${order.currency}` : undefined
      )

    return OfferedMethods.of({
      note: Effect.fnUntraced(function* (order, method, isOffered) {
        const account = yield* accountOf(order)
        if (account === undefined) return
        const key = `${account}/${method}`
        if (isOffered) return yield* Cache.invalidate(missing, key)
        yield* Cache.set(missing, key, true)
        yield* Effect.logWarning("an account at Stripe does not offer a method; pages leave it out for an hour").pipe(
          Effect.annotateLogs({ merchant_id: order.merchantId, mode: order.mode, currency: order.currency, method })
        )
      }),
      among: Effect.fnUntraced(function* (order, methods) {
        const account = yield* accountOf(order)
        if (account === undefined) return methods
        const left = yield* Effect.filter(methods, (method) =>
          Effect.map(Cache.has(missing, `${account}/${sessionMethodOf(method)}`), (isMissing) => !isMissing)
        )
        return left.length === 0 ? methods : left
      })
    })
  })
)

/** A row whose session Stripe has made. */
export interface Made extends SessionRow {
  readonly session_id: string
}
export const isMade = (row: SessionRow): row is Made => row.session_id !== null

/** The session for a buyer. `NotOffered`: it lacks the requested method, so it is not used. */
export type Met = SessionStatus | { readonly _tag: "NotOffered" }

export class Sessions extends Context.Service<
  Sessions,
  {
    /** A row for a new session; none if another request has begun one. Stripe is not asked yet. */
    readonly plan: (order: Order, method: PaymentMethod, language: string) => Effect.Effect<Option.Option<SessionRow>>
    /**
     * Makes the session of a row at Stripe; idempotent. Undefined: the row was given up meanwhile, and so is the
     * session.
     */
    readonly make: (order: Order, row: SessionRow) => Effect.Effect<Met | undefined, ChannelUnreachable | StripeRefused>
    /** The same session for a returning buyer. */
    readonly resume: (order: Order, row: Made) => Effect.Effect<Met, ChannelUnreachable>
    readonly look: (row: Made) => Effect.Effect<SessionStatus, ChannelUnreachable>
    /** Ends the session, unless it is paid or being paid. `force`: also while the buyer is at a bank or in a wallet. */
    readonly end: (row: Made, options: { readonly force: boolean }) => Effect.Effect<SessionStatus, ChannelUnreachable>
  }
>()("@coffer/stripe/Sessions") {}

/** Stripe's own limits of how long a session may be open, with a minute for clocks that differ. */
const openMin = Duration.minutes(31)
const openMax = Duration.sum(Duration.hours(24), Duration.minutes(-1))

/** A buyer who has not come back from 3DS or a wallet's app after this will not come back. */
const redirectLapses = Duration.minutes(30)

export const layer = Layer.effect(
  Sessions,
  Effect.gen(function* () {
    const client = yield* StripeClient
    const store = yield* SessionStore
    const links = yield* OrderLinks
    const offered = yield* OfferedMethods

    const { end, look, meet } = makeMeet({ client, store, offered })

    const make = span("Sessions.make")(function* (order: Order, row: SessionRow) {
      const params = parametersOf(order, row, links.signed.checkout(order))
      const made = yield* Effect.catchTags(
        client.call(ownerOf(row), (stripe) => stripe.checkout.sessions.create(params, { idempotencyKey: row.key })),
        {
          // Stripe would repeat its failure for this key. If it has made a session, its address is unknown.
          StripeSilent: ({ wasAnswered }) =>
            Effect.andThen(wasAnswered ? store.giveUp(row.key) : Effect.void, Effect.fail(uncertain)),
          StripeRefused: (refused) => Effect.andThen(store.giveUp(row.key), Effect.fail(refused))
        }
      )
      const opened = yield* store.opened(row.key, made.id)
      const met = yield* meet(order, { ...row, session_id: made.id }, sessionStatusOf(made))
      if (Option.isSome(opened) || met._tag === "NotOffered") return met
      yield* Effect.ignore(client.call(ownerOf(row), (stripe) => stripe.checkout.sessions.expire(made.id)))
      return undefined
    }, Effect.uninterruptible)

    return Sessions.of({
      plan: Effect.fnUntraced(function* (order, method, language) {
        const now = yield* currentTime
        return yield* store.insert({
          trade_no: order.tradeNo,
          merchant_id: order.merchantId,
          mode: order.mode,
          method: sessionMethodOf(method),
          locale: order.locale === "zh" && language === "zh-Hant" ? traditionalOf(order) : null,
          expires_at: endOf(order, now),
          created_at: now
        })
      }),
      make,
      resume: Effect.fnUntraced(function* (order, row) {
        return yield* meet(order, row, yield* look(row))
      }),
      look,
      end
    })
  })
)

const ownerOf = ({ merchant_id: merchantId, mode }: SessionRow) => ({ merchantId, mode })

interface Services {
  readonly client: StripeClient["Service"]
  readonly store: SessionStore["Service"]
  readonly offered: OfferedMethods["Service"]
}

/** The ways to deal with a session that Stripe has made. */
const makeMeet = ({ client, offered, store }: Services) => {
  /** A row stays open while its payment is not in our books, so that the order does not count as unpaid. */
  const noted = Effect.fnUntraced(function* (row: Made, status: SessionStatus) {
    if (status._tag === "Over") yield* store.ended(row.key)
    if (status._tag === "Processing") yield* store.processing(row.key)
    return status
  })

  const look = span("Sessions.look")(function* (row: Made) {
    const session = client.read(ownerOf(row), (stripe) => stripe.checkout.sessions.retrieve(row.session_id, { expand }))
    return yield* noted(row, sessionStatusOf(yield* unreachableWhenRefused(session)))
  })

  const end = span("Sessions.end")(function* (row: Made, { force }: { readonly force: boolean }) {
    const before = yield* look(row)
    if (before._tag !== "Open") return before
    const lapsed = DateTime.isLessThan(DateTime.addDuration(row.created_at, redirectLapses), yield* currentTime)
    if (before.isBusy && !force && !lapsed) return before
    return yield* expire(row)
  })

  const expire = Effect.fnUntraced(function* (row: Made) {
    const expired = client.call(ownerOf(row), (stripe) => stripe.checkout.sessions.expire(row.session_id, { expand }))
    return yield* Effect.matchEffect(expired, {
      onSuccess: (session) => noted(row, sessionStatusOf(session)),
      // The session was paid or ended at the same moment, or Stripe did not answer: read it.
      onFailure: (failure) =>
        failure._tag === "ChannelUnreachable"
          ? Effect.fail(failure)
          : Effect.filterOrFail(
              Effect.mapError(look(row), (unseen) => (failure._tag === "StripeSilent" ? uncertain : unseen)),
              ({ _tag }) => _tag !== "Open",
              () => (failure._tag === "StripeSilent" ? uncertain : refuseForNow(failure))
            )
    })
  })

  /**
   * A session without its method is ended. If that fails, its row stays and the next step ends it; no buyer has its
   * address, and a payment in it would be found by its row.
   */
  const meet = Effect.fnUntraced(function* (order: Order, row: Made, status: SessionStatus) {
    if (status._tag !== "Open" || status.isBusy) return status
    const isOffered = status.methods.includes(row.method)
    yield* offered.note(order, row.method, isOffered)
    if (isOffered) return status
    return yield* Effect.match(expire(row), {
      onFailure: () => notOffered,
      onSuccess: (after): Met => (after._tag === "Over" ? notOffered : after)
    })
  })

  return { look, end, meet }
}

/** Whether the session was made, or ended, is not known. */
const uncertain = new ChannelUnreachable({ because: "unknown" })

const notOffered: Met = { _tag: "NotOffered" }

/** Stripe has the traditional characters of Hong Kong and of Taiwan, and the language of a page says no more. */
const traditionalOf = ({ currency }: Order) => (currency === "HKD" ? "zh-HK" : "zh-TW")

/** The order's end, within Stripe's limits. If Stripe's earliest end is later, we end the session ourselves. */
const endOf = ({ expiresAt }: Order, now: DateTime.Utc): DateTime.Utc =>
  DateTime.min(DateTime.max(expiresAt, DateTime.addDuration(now, openMin)), DateTime.addDuration(now, openMax))

/** A refused read says no more than no answer: the key may belong to another account. */
const unreachableWhenRefused = <A>(
  session: Effect.Effect<A, ChannelUnreachable | StripeRefused>
): Effect.Effect<A, ChannelUnreachable> =>
  Effect.catchTags(session, { StripeRefused: (refused) => Effect.fail(refuseForNow(refused)) })

/** A title in Stripe's limits. */
const nameFor = (text: string | null): string | null => titleOf(beginningOf((text ?? "").trim(), nameLengthMax))
const nameLengthMax = 250

/** Derived only from order and row, so that a retry under the same key has the same parameters. */
const parametersOf = (order: Order, { expires_at, locale, method }: SessionRow, page: string) => {
  const metadata = { [tradeNoKey]: order.tradeNo, out_trade_no: order.outTradeNo }
  return {
    mode: "payment" as const,
    client_reference_id: order.tradeNo,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: order.currency.toLowerCase(),
          unit_amount: order.amount,
          product_data: { name: nameFor(order.subject) ?? nameFor(order.outTradeNo) ?? order.tradeNo }
        }
      }
    ],
    allowed_payment_method_types: [method],
    // The buyer pays the order's amount in its currency, whatever the account's settings are.
    adaptive_pricing: { enabled: false },
    ...(method === "wechat_pay" ? { payment_method_options: { wechat_pay: { client: "web" as const } } } : {}),
    // Link is not one of our methods, and would be reported as a card (silences: S36).
    ...(method === "card" ? { wallet_options: { link: { display: "never" as const } } } : {}),
    metadata,
    payment_intent_data: { metadata, ...(isManual(order) ? { capture_method: "manual" as const } : {}) },
    locale: locale ?? order.locale ?? ("auto" as const),
    expires_at: Math.floor(DateTime.toEpochMillis(expires_at) / 1_000),
    success_url: `${page}?returned=1`,
    cancel_url: `${page}?returned=1`
  }
}

/** How often to look for the order's session while Stripe is answering. */
const looksMax = 2

/** Closes an order's checkout, unless its buyer has paid or is paying. */
export const makeCancel = Effect.gen(function* () {
  const sessions = yield* Sessions
  const store = yield* SessionStore

  return span("StripeChannel.cancel")(function* ({ tradeNo }: Checkout) {
    for (let look = 1; look <= looksMax; look++) {
      const found = yield* store.active(tradeNo)
      if (Option.isNone(found)) return cancelled
      const row = found.value
      if (isMade(row)) return reportOf(yield* sessions.end(row, { force: false }))
      // Stripe may have made the session, but its address is unknown. A call that is making it now will expire it.
      if (yield* store.giveUp(row.key)) return cancelled
      // Stripe's answer came meanwhile: look again.
    }
    return yield* new ChannelUnreachable()
  })
})

const cancelled: CancelReport = { _tag: "Cancelled" }

const reportOf = (status: SessionStatus): CancelReport => {
  switch (status._tag) {
    case "Over":
      return cancelled
    case "Paid":
      return { _tag: "AlreadyPaid", payment: status.payment }
    case "Open":
    case "Processing":
      return { _tag: "BuyerBusy" }
  }
}
