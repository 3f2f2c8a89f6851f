/**
 * The kit of the simulator's tests: a simulator whose clock stands, the official client, and a receiver of webhooks.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type Options, start } from "@coffer/simulator/start"
import { Effect } from "effect"
import { Stripe } from "stripe"

/** Retries of its own are off: a test says what is asked again. */
export const clientOf = (url: string, key = "sk_test_simulator", config: Stripe.StripeConfig = {}) => {
  const { hostname, port } = new URL(url)
  return new Stripe(key, { host: hostname, port, protocol: "http", maxNetworkRetries: 0, telemetry: false, ...config })
}

/** 2026-01-01, where the clock of a simulator stands. */
export const began = 1_767_225_600

export const begin = Effect.fnUntraced(function* (options: Options = {}) {
  const simulator = yield* start({ port: 0, standsAt: began, chargeBookedAfter: 0, ...options })
  return { ...simulator, stripe: clientOf(simulator.url) }
})

export const ask = <A>(call: () => Promise<A>) => Effect.promise(call)

/** The error of a refused call. */
export const refusal = (call: () => Promise<unknown>): Effect.Effect<Stripe.errors.StripeError> =>
  Effect.flip(Effect.tryPromise({ try: call, catch: (error) => error as Stripe.errors.StripeError })) as never

export const sessionOf = (amount = 2_000, more: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
  ({
    mode: "payment",
    line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: amount, product_data: { name: "Tea" } } }],
    success_url: "https://shop.example/thanks?session={CHECKOUT_SESSION_ID}",
    cancel_url: "https://shop.example/cart",
    ...more
  }) satisfies Stripe.Checkout.SessionCreateParams

/** A charge that was paid in a session. */
export const paid = Effect.fnUntraced(function* (
  { control, stripe }: Effect.Success<ReturnType<typeof begin>>,
  how: { readonly amount?: number; readonly with?: string; readonly authorises?: boolean } = {}
) {
  const { amount, ...buyer } = how
  const session = yield* ask(() => stripe.checkout.sessions.create(sessionOf(amount)))
  const done = yield* control.pay({ session: session.id, ...buyer })
  return yield* ask(() => stripe.charges.retrieve(String(done.payment_intent.latest_charge)))
})

export interface Received {
  readonly body: string
  readonly signature: string
}

/** Takes what is posted to it, and answers with the next of the statuses, or 200. */
export const receiver = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{
        readonly url: string
        readonly received: Array<Received>
        readonly statuses: Array<number>
        readonly close: () => void
      }>((resolve) => {
        const received: Array<Received> = []
        const statuses: Array<number> = []
        const server = createServer((request, response) => {
          let body = ""
          request.on("data", (chunk) => (body += chunk))
          request.on("end", () => {
            received.push({ body, signature: String(request.headers["stripe-signature"]) })
            response.writeHead(statuses.shift() ?? 200).end()
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          resolve({
            url: `http://127.0.0.1:${port}/hook`,
            received,
            statuses,
            close: () => (server.closeAllConnections(), server.close())
          })
        })
      })
  ),
  ({ close }) => Effect.sync(close)
)

/** The types of what arrived, in order. */
export const typesOf = (received: ReadonlyArray<Received>) =>
  received.map(({ body }) => (JSON.parse(body) as Stripe.Event).type)
