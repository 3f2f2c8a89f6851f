/**
 * A service whose merchants take payments through a simulated Adyen. Both have the test's clock. The tests of a file
 * share one service, and each has a merchant and a merchant account of its own.
 */
import { type Account, start as simulate } from "@coffer/simulator/adyen/start"
import type { PayOptions, Payment } from "@coffer/simulator/adyen/start"
import { assert, layer, type Vitest } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { AnswerMillis } from "../../src/channels/adyen/AdyenClient.ts"
import type { Api, Merchant } from "../kit/Api.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { freePort, type Options, start } from "../kit/Service.ts"

/** 2026-01-01. */
export const begins = 1_767_225_600_000

const hmacOf = (text: string) => Buffer.from(text.padEnd(32, "k").slice(0, 32)).toString("hex")

/** A service and a simulator that know nothing of each other yet. */
export const worlds = Effect.fnUntraced(function* (options: Options = {}) {
  const port = yield* freePort
  const running = yield* start({
    clock: "test",
    begins,
    beneath: Layer.succeed(AnswerMillis, 1_000),
    ...options,
    env: { ADYEN_API: `http://127.0.0.1:${port}`, ...options.env }
  })
  const simulator = yield* Effect.provideService(
    simulate({ port }),
    Clock.Clock,
    Context.get(running.context, Clock.Clock)
  )
  return { ...running, simulator }
})
export type World = Effect.Success<ReturnType<typeof worlds>>

/** A merchant whose sandbox has an account at Adyen. */
export const connect = Effect.fnUntraced(function* (world: World, known?: Merchant) {
  const { api, simulator } = world
  const merchant = known ?? (yield* api.newMerchant())
  const name = merchant.merchantId.replace(/\W/g, "")
  const atAdyen = simulator.account(`AQE${name}0123456789`, name, hmacOf(name))
  const path = `/merchants/${merchant.merchantId}/channels/sandbox`
  const set = yield* api.operator("POST", path, {
    channel: "adyen",
    secret_key: atAdyen.apiKey,
    webhook_secret: atAdyen.hmacKey,
    account: name
  })
  assert.strictEqual(set.status, 200, set.text)
  atAdyen.webhookUrl = set.body.data.webhook_url
  yield* world.atRest
  return storiesOf(world, { ...merchant, ...merchantOf({ ...world, merchant }) }, atAdyen, path)
})

type Shop = ReturnType<typeof merchantOf> & Merchant

const storiesOf = (world: World, shop: Shop, atAdyen: Account, path: string) => {
  const { api, simulator } = world
  const { bank } = atAdyen
  /** Adyen's notices are here, and handled. */
  const settled = Effect.andThen(simulator.rest, world.atRest)
  /**
   * In six steps. After each what is due is done, and what follows from it: a report that is read makes books due, and
   * a check that was under way is made again.
   */
  const leap = (span: Duration.Input) =>
    Effect.replicateEffect(
      Effect.andThen(
        world.leap(Duration.divideUnsafe(Duration.fromInputUnsafe(span), 6)),
        Effect.andThen(world.settle, settled)
      ),
      6,
      { discard: true }
    )
  const order = (terms: object = {}) =>
    Effect.map(shop.post("/v1/orders", { amount: 2_000, subject: "Tea", ...terms }), ({ body, status, text }) => {
      assert.strictEqual(status, 201, text)
      return body.data as Made
    })
  const choose = (made: Made, method = "card") => chooses(api, made, method)
  /** The order's links, the oldest first. */
  const links = ({ trade_no }: Pick<Made, "trade_no">) =>
    [...bank.links.values()].filter(({ reference }) => reference === trade_no)
  /** The buyer chooses, and pays on Adyen's page. The notice is on its way. */
  const begun = Effect.fnUntraced(function* (terms: object = {}, how: PayOptions & { readonly method?: string } = {}) {
    const made = yield* order(terms)
    const chosen = yield* choose(made, how.method)
    assert.strictEqual(chosen.status, 200, chosen.text)
    const payment = bank.pay(links(made).at(-1)!.id, how)
    return { made, payment }
  })
  const paid = Effect.fnUntraced(function* (terms: object = {}, how: PayOptions & { readonly method?: string } = {}) {
    const { made, payment } = yield* begun(terms, how)
    yield* settled
    return { ...(yield* shop.order(made.trade_no)), payment: payment! } as Record<string, any> & {
      readonly trade_no: string
      readonly payment: Payment
    }
  })
  const page = ({ checkout_url }: Made, query = "") => api.call("GET", new URL(checkout_url).pathname + query)
  return {
    ...world,
    leap,
    jump: world.leap,
    shop,
    atAdyen,
    bank,
    path,
    settled,
    order,
    choose,
    links,
    begun,
    paid,
    page
  }
}
export type Connected = Effect.Success<ReturnType<typeof connect>>

export interface Made {
  readonly trade_no: string
  readonly checkout_url: string
}

const chooses = (api: Api, { checkout_url }: Made, method: string) =>
  api.call("POST", new URL(checkout_url).pathname, {
    raw: `step=pay&method=${method}`,
    headers: { "Content-Type": "application/x-www-form-urlencoded" }
  })

class Shared extends Context.Service<Shared, World>()("test/adyen/Shared") {}

/** For tests that need a merchant and an account at Adyen of their own: a start takes a second of the processor. */
export const onOneWorld = (tests: (it: Vitest.MethodsNonLive<Shared>) => void) =>
  layer(Layer.effect(Shared, worlds()), { excludeTestServices: true })(tests)

/** Its merchant and account are new. What earlier tests have broken is not. */
export const connected = Effect.gen(function* () {
  const world = yield* Shared
  world.simulator.faults.clear()
  return yield* connect(world)
})

/**
 * Our books and Adyen's to the minor unit, fees aside, once nothing is open. Money that could not be given back is
 * nobody's yet: it is parked, and operators see it.
 */
export const assertEqualBooks = Effect.fnUntraced(function* ({ bank, shop, sql }: Connected, where = "") {
  const theirs = bank.moved.reduce((sum, { amount }) => sum + amount, 0)
  const { merchantId } = shop
  const [ours] = yield* sql<{ readonly moved: number; readonly frozen: number }>`select
    (select coalesce(sum(available), 0) from wallets where merchant_id = ${merchantId})::int4
      - (select coalesce(sum(amount), 0) from ledger where merchant_id = ${merchantId} and type like '%fee%')::int4
      + (select coalesce(sum((p->>'amount')::int4), 0) from orders, jsonb_array_elements(unapplied_payments) as p
          where merchant_id = ${merchantId} and p->>'state' = 'parked')::int4 as moved,
    (select coalesce(sum(frozen), 0) from wallets where merchant_id = ${merchantId})::int4 as frozen`
  assert.strictEqual(ours!.moved, theirs, `our books and Adyen's: ${where}`)
  assert.strictEqual(ours!.frozen, 0, `everything is decided: ${where}`)
  const asked = [...bank.modifications.values()].map(({ payment, reference }) => `${payment.pspReference} ${reference}`)
  assert.strictEqual(new Set(asked).size, asked.length, `each refund is asked for once: ${where}`)
})
