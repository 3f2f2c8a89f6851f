/**
 * Seeds a new merchant's sandbox with one paid order in each currency, so that a first full refund succeeds although
 * fees are not returned (silences: R2). They are ordinary orders, whose subject says what they are for. Each has a
 * fixed order number, so that seeding again adds only what is missing.
 */
import { type MerchantId, OutTradeNo } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { Context, Effect, Exit, Layer } from "effect"
import { currentTime } from "../../platform/runtime/clock.ts"
import type { ChannelUnreachable } from "../../shared/channel/payments.ts"
import { span } from "../../platform/runtime/span.ts"
import type { OrderNotFound } from "../../money/orders/OrderCommands.ts"
import type { WriteFailure } from "../../money/aggregate/WriteLoop.ts"
import { Channel } from "../../shared/channel/Channel.ts"
import { Orders } from "../../money/orders/Orders.ts"
import type { OrderConflict } from "@coffer/rules/order/Order"
import { NewSandbox } from "../../access/merchants/NewSandbox.ts"
import { SeedStore } from "./SeedStore.ts"

type SeedFailure = ChannelUnreachable | OrderConflict | OrderNotFound | WriteFailure

export class Seeds extends Context.Service<
  Seeds,
  {
    /** Seeds now. If that fails or takes too long, a worker finishes it later, unnoticed by the caller. */
    readonly plant: (merchantId: MerchantId) => Effect.Effect<void>
    /** Adds missing parts of the seed. Idempotent. */
    readonly finish: (merchantId: MerchantId) => Effect.Effect<void, SeedFailure>
  }
>()("@coffer/sandbox/Seeds") {}

/** One million: by the default fees it covers the fees of refunded payments of 33 million. */
const amount = Minor.make(1_000_000_00)

/** How long the request that creates a merchant waits for the seeding. */
const patience = "5 seconds"

export const layer = Layer.effect(
  Seeds,
  Effect.gen(function* () {
    const store = yield* SeedStore
    const orders = yield* Orders
    const { buyer } = yield* Channel

    const seed = Effect.fnUntraced(
      function* (merchantId: MerchantId, currency: Currency) {
        const { order } = yield* orders.create(
          { merchantId, mode: "sandbox" },
          {
            amount,
            currency,
            out_trade_no: OutTradeNo.make(`coffer-sample-${currency.toLowerCase()}`),
            subject: `Sample order: the first ${currency} in your sandbox wallet`
          }
        )
        if (order.status === "pending") yield* buyer.pay(order, "card", "succeed")
      },
      // The merchant has used this order number itself.
      Effect.catchTags({ InvalidField: Effect.die, OrderNumberTaken: () => Effect.void })
    )

    const finish = span("Seeds.finish")(function* (merchantId: MerchantId) {
      // Every currency is tried, even if another one fails.
      const exits = yield* Effect.forEach(Currency.literals, (currency) => Effect.exit(seed(merchantId, currency)), {
        concurrency: "unbounded"
      })
      yield* Exit.asVoidAll(exits)
      yield* store.done(merchantId)
    })

    return Seeds.of({
      plant: span("Seeds.plant")(function* (merchantId) {
        yield* store.insert(merchantId, yield* currentTime)
        yield* finish(merchantId).pipe(
          Effect.timeout(patience),
          Effect.catchCause((cause) => Effect.logWarning("the sandbox of a new merchant will be seeded later", cause)),
          Effect.annotateLogs({ merchant_id: merchantId })
        )
      }),
      finish
    })
  })
)

/** The same service as `merchants/` knows it. */
export const layerNewSandbox = Layer.effect(
  NewSandbox,
  Effect.map(Seeds, ({ plant }) => NewSandbox.of({ seed: plant }))
)
