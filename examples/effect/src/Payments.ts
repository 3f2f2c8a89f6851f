/** Coffer as a service of an Effect application: calls of the SDK with typed failures, which end with their fiber. */
import { Coffer, CofferError, type Event, type Order, type Refund, webhooks } from "@coffer/sdk"
import { Context, Effect, Layer, Redacted, Schema } from "effect"

/** The service refused, or did not answer. `code` is one of the API's, or `connection_error`. */
export class PaymentFailed extends Schema.TaggedError<PaymentFailed>()("PaymentFailed", {
  code: Schema.String,
  message: Schema.String
}) {}

export interface Account {
  readonly key: Redacted.Redacted
  /** With its version: `https://pay.example/v1`. */
  readonly baseUrl: string
}

export interface Cart {
  readonly number: string
  readonly title: string
  /** Minor units: 1999 is $19.99. */
  readonly amount: number
}

export class Payments extends Context.Service<
  Payments,
  {
    /** The same cart twice is the same order. */
    readonly order: (cart: Cart) => Effect.Effect<Order, PaymentFailed>
    readonly read: (number: string) => Effect.Effect<Order, PaymentFailed>
    /** All that is left of it. Twice is the same refund. */
    readonly giveBack: (number: string) => Effect.Effect<Refund, PaymentFailed>
    /** Where events are posted; answers the secret that signs them. */
    readonly listenAt: (url: string) => Effect.Effect<Redacted.Redacted, PaymentFailed>
    readonly verify: (
      body: string,
      headers: Readonly<Record<string, string | undefined>>,
      secret: Redacted.Redacted
    ) => Effect.Effect<Event, PaymentFailed>
  }
>()("example/Payments") {}

const failed = (error: unknown) =>
  error instanceof CofferError
    ? new PaymentFailed({ code: error.code, message: error.message })
    : new PaymentFailed({ code: "unexpected", message: String(error) })

export const layer = ({ baseUrl, key }: Account) =>
  Layer.sync(Payments, () => {
    const coffer = new Coffer({ apiKey: Redacted.value(key), baseUrl })
    const call = <A>(make: (signal: AbortSignal) => PromiseLike<A>) =>
      Effect.tryPromise({ try: (signal) => Promise.resolve(make(signal)), catch: failed })
    return {
      order: ({ amount, number, title }) =>
        call((signal) => coffer.orders.create({ amount, out_trade_no: number, subject: title }, { signal })),
      read: (number) => call((signal) => coffer.orders.get(number, { signal })),
      giveBack: (number) =>
        call((signal) => coffer.refunds.create({ trade_no: number, out_refund_no: `all-of-${number}` }, { signal })),
      listenAt: (url) =>
        Effect.map(
          call((signal) => coffer.webhookEndpoints.create({ url }, { signal })),
          ({ secret }) => Redacted.make(secret)
        ),
      verify: (body, headers, secret) => call(() => webhooks.verify(body, headers, Redacted.value(secret)))
    }
  })
