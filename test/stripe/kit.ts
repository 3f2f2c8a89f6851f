/**
 * A service whose merchant takes payments through a simulated Stripe. Both have the test's clock, so that a day passes
 * for both when the test says so.
 */
import type { Mode } from "@coffer/model/Ids"
import type { Options as SimulatorOptions } from "@coffer/simulator/start"
import { accountOf, type Simulator, start as simulate } from "@coffer/simulator/start"
import { assert, layer, type Vitest } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { Stripe } from "stripe"
import { Patience } from "../../src/channels/stripe/StripeGuard.ts"
import type { Api, Reply } from "../kit/Api.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { freePort, type Options, start } from "../kit/Service.ts"

/** 2026-01-01. */
export const begins = 1_767_225_600_000

export const secretKey = "sk_test_ofTheTests0123456789"

interface Given extends Options {
  readonly simulator?: SimulatorOptions
}

/** The test's clock stands, and many calls are made in one of its seconds. */
export const paceless = { STRIPE_CALLS_SANDBOX: "10000", STRIPE_CALLS_LIVE: "10000" }

/** A call that was one too many for Stripe is made again at once. */
export const quick = Layer.succeed(Patience, { ...Patience.defaultValue(), pauseMillis: 1 })

/** A service and a simulator that know nothing of each other yet. */
export const worlds = Effect.fnUntraced(function* ({ simulator: settings, ...options }: Given = {}) {
  const port = yield* freePort
  const running = yield* start({
    clock: "test",
    begins,
    beneath: quick,
    ...options,
    env: { ...paceless, STRIPE_API: `http://127.0.0.1:${port}`, ...options.env }
  })
  const simulator = yield* Effect.provideService(
    simulate({ port, chargeBookedAfter: 0, ...settings }),
    Clock.Clock,
    Context.get(running.context, Clock.Clock)
  )
  const clientOf = (key: string) =>
    new Stripe(key, { host: "127.0.0.1", port, protocol: "http", maxNetworkRetries: 0, telemetry: false })
  const channelPath = `/merchants/${running.merchant.merchantId}/channels/sandbox`
  return { ...running, simulator, control: simulator.control, clientOf, stripe: clientOf(secretKey), channelPath }
})

/** Where Stripe does not answer, a second is long enough to wait for it. */
export const impatient: Given = {
  beneath: Layer.succeed(Patience, { ...Patience.defaultValue(), answerMillis: 1_000, pauseMillis: 1 })
}

export type World = Effect.Success<ReturnType<typeof worlds>>

/** A merchant's environment gets an account at Stripe, which sends its events. */
export const connectedAs = Effect.fnUntraced(function* (
  { api, atRest, clientOf }: Pick<World, "api" | "atRest" | "clientOf">,
  { merchantId }: { readonly merchantId: string },
  key: string,
  { events = ["*"], mode = "sandbox" }: { readonly events?: ReadonlyArray<string>; readonly mode?: Mode } = {}
) {
  const path = `/merchants/${merchantId}/channels/${mode}`
  const { body } = yield* api.operator("GET", path)
  const endpoint = yield* Effect.promise(() =>
    clientOf(key).webhookEndpoints.create({
      url: body.data.webhook_url,
      enabled_events: [...events] as Array<Stripe.WebhookEndpointCreateParams.EnabledEvent>
    })
  )
  const set = yield* api.operator("POST", path, {
    channel: "stripe",
    secret_key: key,
    webhook_secret: endpoint.secret
  })
  assert.strictEqual(set.status, 200, set.text)
  // The reconciler has looked for the first time. While the clock stands it does not look again.
  yield* atRest
  return endpoint
})

/** A world whose merchant has an account at Stripe. */
export const connected = (options: Given = {}) =>
  Effect.flatMap(worlds(options), (world) => connectedWith(world, secretKey))

class Shared extends Context.Service<Shared, World>()("test/stripe/Shared") {}

/** For tests that need a merchant and an account at Stripe of their own: a world takes a second of the processor. */
export const onOneWorld = (tests: (it: Vitest.MethodsNonLive<Shared>) => void) =>
  layer(Layer.effect(Shared, worlds()), { excludeTestServices: true })(tests)

/** Its merchant and account are new. What earlier tests have broken or held back is not. */
export const sharedWorld = Effect.gen(function* () {
  const world = yield* Shared
  yield* world.control.clear_faults({})
  yield* world.control.release_webhooks({})
  yield* Effect.andThen(world.control.rest({}), world.atRest)
  const merchant = yield* world.api.newMerchant()
  const key = `sk_test_${merchant.merchantId.replace("mer_", "")}`
  const all: Simulator["all"] = (kind) => world.simulator.all(kind, accountOf(key))
  const channelPath = `/merchants/${merchant.merchantId}/channels/sandbox`
  const simulator = { ...world.simulator, all }
  const own: World = { ...world, merchant, simulator, stripe: world.clientOf(key), channelPath }
  return yield* connectedWith(own, key)
})

/** The world's merchant gets the account of this key. */
const connectedWith = Effect.fnUntraced(function* (world: World, key: string) {
  const endpoint = yield* connectedAs(world, world.merchant, key)
  const merchant = { ...world.merchant, ...merchantOf(world) }
  /** Stripe's notices are here, and handled. */
  const settled = Effect.andThen(world.control.rest({}), world.atRest)
  const order = (terms: object = {}) =>
    Effect.map(merchant.post("/v1/orders", { amount: 2_000, subject: "Tea", ...terms }), ({ body, status, text }) => {
      assert.strictEqual(status, 201, text)
      return body.data as { readonly trade_no: string; readonly checkout_url: string }
    })
  const page = ({ checkout_url }: { readonly checkout_url: string }, query = "") =>
    world.api.call("GET", new URL(checkout_url).pathname + query)
  const choose = (order: HasPage, method = "card") => chooses(world.api, order, method)
  /** The order's sessions, the oldest first. */
  const sessions = ({ trade_no }: { readonly trade_no: string }) =>
    world.simulator.all("checkout.session").filter(({ client_reference_id }) => client_reference_id === trade_no)
  /** The buyer chooses, and pays on Stripe's page. */
  const paid = Effect.fnUntraced(function* (
    terms: object = {},
    buyer: { readonly with?: string; readonly authorises?: boolean; readonly method?: string } = {}
  ) {
    const made = yield* order(terms)
    const { method = "card", ...how } = buyer
    const chosen = yield* choose(made, method)
    assert.strictEqual(chosen.status, 200, chosen.text)
    yield* world.control.pay({ session: sessions(made).at(-1)!.id, ...how })
    yield* settled
    return yield* merchant.order(made.trade_no)
  })
  return { ...world, endpoint, merchant, settled, order, page, choose, sessions, paid }
})

interface HasPage {
  readonly checkout_url: string
}

/** The buyer chooses a method on the order's page. */
export const chooses = (api: Api, { checkout_url }: HasPage, method: string): Effect.Effect<Reply> =>
  api.call("POST", new URL(checkout_url).pathname, {
    raw: `step=pay&method=${method}`,
    headers: { "Content-Type": "application/x-www-form-urlencoded" }
  })

/** The address that a page leads to. */
export const leadsTo = ({ text }: Reply): string | undefined => /href="([^"]+)"[^>]*data-leave/.exec(text)?.[1]
