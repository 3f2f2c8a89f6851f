/**
 * What stands in a new merchant's sandbox: in each currency one paid order, so that a first full refund succeeds
 * although fees are not given back (silences: R2). They are orders like any other, and say by their subject what they
 * are for. Each has a number of its own, so seeding again continues where it was left.
 */
import { type MerchantId, OutTradeNo } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { Context, DateTime, Effect, Exit, Layer } from "effect"
import { SandboxBuyer } from "./SandboxBuyer.ts"
import type { ChannelUnreachable } from "../channel/Channel.ts"
import { span } from "../platform/runtime/span.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import type { WriteFailure } from "../aggregate/WriteLoop.ts"
import { Orders } from "../orders/Orders.ts"
import type { OrderConflict } from "@coffer/rules/order/Order"
import { NewSandbox } from "../merchants/NewSandbox.ts"
import { SeedStore } from "./SeedStore.ts"

type SeedFailure = ChannelUnreachable | OrderConflict | OrderNotFound | WriteFailure

export class Seeds extends Context.Service<
  Seeds,
  {
    /** Seeds now if it can. What could not be done in time is done by a worker, and the caller need not know. */
    readonly plant: (merchantId: MerchantId) => Effect.Effect<void>
    /** What is missing of the seed; may be called again and again. */
    readonly finish: (merchantId: MerchantId) => Effect.Effect<void, SeedFailure>
  }
>()("@coffer/sandbox/Seeds") {}

/** A million: by the default schedule it pays the fees of a refund of 33 millions. */
const amount = Minor.make(1_000_000_00)

/** Whoever creates a merchant waits no longer than this for its seed. */
const patience = "5 seconds"

export const layer = Layer.effect(
  Seeds,
  Effect.gen(function* () {
    const store = yield* SeedStore
    const orders = yield* Orders
    const buyer = yield* SandboxBuyer

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
      // The merchant has used the number for an order of its own.
      Effect.catchTags({ InvalidField: Effect.die, OrderNumberTaken: () => Effect.void })
    )

    const finish = span("Seeds.finish")(function* (merchantId: MerchantId) {
      // One currency that fails does not cut the others off.
      const ends = yield* Effect.forEach(Currency.literals, (currency) => Effect.exit(seed(merchantId, currency)), {
        concurrency: "unbounded"
      })
      yield* Exit.asVoidAll(ends)
      yield* store.done(merchantId)
    })

    return Seeds.of({
      plant: span("Seeds.plant")(function* (merchantId) {
        yield* store.insert(merchantId, yield* DateTime.now)
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

/** For whoever creates merchants. */
export const layerNewSandbox = Layer.effect(
  NewSandbox,
  Effect.map(Seeds, ({ plant }) => NewSandbox.of({ seed: plant }))
)
