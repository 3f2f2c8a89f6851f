/**
 * Which methods an account at Stripe does not offer in a currency, as far as this process has seen (silences: S22). It
 * is a hint for pages, so that buyers are not sent where they cannot pay: Stripe's answer decides each time.
 */
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order } from "@coffer/rules/order/Order"
import { Cache, Context, Effect, Layer } from "effect"
import type { SessionMethod } from "./SessionStore.ts"
import { sessionMethodOf } from "./sessionStatus.ts"
import { StripeClient } from "./StripeClient.ts"

type Sold = Pick<Order, "merchantId" | "mode" | "currency">

export class OfferedMethods extends Context.Service<
  OfferedMethods,
  {
    /** Stripe has made a session with or without the method that was asked for. */
    readonly note: (order: Sold, method: SessionMethod, isOffered: boolean) => Effect.Effect<void>
    /** Of these methods, those that Stripe may take; all of them where none would be left, since one may be tried. */
    readonly among: (order: Sold, methods: ReadonlyArray<PaymentMethod>) => Effect.Effect<ReadonlyArray<PaymentMethod>>
  }
>()("@coffer/stripe/OfferedMethods") {}

/** The operator may switch a method on at Stripe, of which nobody tells us. */
const rememberedFor = "1 hour"
/** Of accounts, currencies and methods in memory. */
const rememberedMax = 10_000

export const layer = Layer.effect(
  OfferedMethods,
  Effect.gen(function* () {
    const client = yield* StripeClient
    const missing = yield* Cache.make({
      capacity: rememberedMax,
      timeToLive: rememberedFor,
      lookup: (_: string) => Effect.succeed(true)
    })

    /** Undefined where Stripe takes no payments. Setting the channel once more forgets what was seen. */
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
