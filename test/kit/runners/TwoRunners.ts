/** Two runners on one database, as separate processes, and what is asked of them while one dies or sleeps. */
import { once } from "node:events"
import http, { type IncomingMessage } from "node:http"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Coffer, connect, eventually, launch, liftQuotas, newHome, seeded } from "../Process.ts"
import { freePort, freshDatabase, operatorToken, secretKey } from "../Service.ts"

export const currencies = ["USD", "HKD", "CNY"] as const
export const seed = 1

export const runner = Effect.fnUntraced(function* (
  databaseUrl: string,
  env: Record<string, string> = {},
  port?: number,
  program?: string
) {
  return yield* launch({
    ...(port === undefined ? {} : { port }),
    program,
    env: {
      DATABASE_URL: databaseUrl,
      COFFER_HOME: yield* newHome,
      SECRET_KEY: secretKey,
      OPERATOR_TOKEN: operatorToken,
      ALLOW_PRIVATE_WEBHOOKS: "true",
      RUNNER_HOST: "127.0.0.1",
      RUNNER_PORT: String(yield* freePort),
      ...env
    }
  })
})

export const twoRunnersWith = Effect.fnUntraced(function* (env: Record<string, string>) {
  const databaseUrl = yield* freshDatabase
  const sql = yield* connect(databaseUrl)
  const a = yield* runner(databaseUrl, env)
  const b = yield* runner(databaseUrl, env)
  yield* a.ready
  yield* b.ready
  return { a, b, sql }
})

export const twoRunners = twoRunnersWith({})

export const newKey = Effect.fnUntraced(function* ({ api }: Coffer) {
  const { merchantId, sandboxKey } = yield* api.newMerchant()
  yield* liftQuotas(api, merchantId)
  return sandboxKey
})

export interface Wallet {
  readonly key: string
  readonly currency: (typeof currencies)[number]
}

export interface Order {
  readonly key: string
  readonly tradeNo: string
}

export const newOrder = ({ api }: Coffer, { currency, key }: Wallet, terms: object = {}) =>
  Effect.map(api.post("/v1/orders", key, { amount: 1000, currency, ...terms }), ({ body, status }): Order => {
    assert.strictEqual(status, 201)
    return { key, tradeNo: body.data.trade_no }
  })

export const read = ({ api }: Coffer, { key, tradeNo }: Order) =>
  Effect.map(api.get(`/v1/orders/${tradeNo}`, key), ({ body }) => body.data)

type Deed = "pay" | "annotate" | "expire"

const requestOf = (deed: Deed, { tradeNo }: Order, note: string) => {
  switch (deed) {
    case "pay":
      return { path: `/v1/test_helpers/orders/${tradeNo}/pay`, body: {} }
    case "expire":
      return { path: `/v1/orders/${tradeNo}/expire`, body: {} }
    case "annotate":
      return { path: `/v1/orders/${tradeNo}`, body: { metadata: { [note]: "1" } } }
  }
}

export const perform = ({ api }: Coffer, deed: Deed, order: Order, note = "note") => {
  const { body, path } = requestOf(deed, order, note)
  return api.post(path, order.key, body)
}

/** Until it is done; meanwhile the caller may be told to come back, and nothing else. */
export const performAtLast = (coffer: Coffer, deed: Deed, order: Order, note = "note") =>
  eventually(
    `${deed} of ${order.tradeNo}`,
    Effect.map(perform(coffer, deed, order, note), ({ status, text }) => {
      assert.include([200, 503], status, text)
      return status === 200
    })
  )

/** Sends a request and returns once it is on its way, though it may be unread yet. */
export const knock = ({ baseUrl }: Coffer, deed: Deed, order: Order) =>
  Effect.promise(async () => {
    const { body, path } = requestOf(deed, order, "note")
    const bytes = JSON.stringify(body)
    const headers = { "X-Api-Key": order.key, "Content-Type": "application/json", "Content-Length": bytes.length }
    const request = http.request(baseUrl + path, { method: "POST", agent: false, headers })
    const responded = once(request, "response")
    request.end(bytes)
    await once(request, "finish")
    return Effect.promise(async () => {
      const [response] = (await responded) as [IncomingMessage]
      const text = Buffer.concat(await response.toArray()).toString("utf8")
      return { status: response.statusCode, body: JSON.parse(text) }
    })
  })

export const allAtOnce = { concurrency: "unbounded", discard: true } as const

export interface Plan extends Order {
  readonly deed: Deed
}

/** For each wallet of several merchants an order for each deed, wherever their owners are. */
export const planned = Effect.fnUntraced(function* (
  a: Coffer,
  b: Coffer,
  merchants: number,
  deeds: ReadonlyArray<Deed>
) {
  const keys = yield* Effect.replicateEffect(newKey(a), merchants)
  const wallets = keys.flatMap((key) => currencies.map((currency): Wallet => ({ key, currency })))
  const draw = seeded(seed)
  const node = () => (draw(2) === 0 ? a : b)
  const pay = Effect.fnUntraced(function* (wallet: Wallet) {
    yield* performAtLast(node(), "pay", yield* newOrder(node(), wallet))
  })
  const plan = Effect.fnUntraced(function* ([wallet, deed]: readonly [Wallet, Deed]) {
    const order = yield* newOrder(node(), wallet)
    yield* performAtLast(node(), "annotate", order, "before")
    return { ...order, deed } satisfies Plan
  })
  yield* Effect.forEach(wallets, pay, { concurrency: 8 })
  const pairs = wallets.flatMap((wallet) => deeds.map((deed) => [wallet, deed] as const))
  return { wallets, plans: yield* Effect.forEach(pairs, plan, { concurrency: 8 }) }
})

/** A note on every order and one payment on every wallet. */
export const writeMeanwhile = (coffer: Coffer, wallets: ReadonlyArray<Wallet>, plans: ReadonlyArray<Plan>) => {
  const pay = Effect.fnUntraced(function* (wallet: Wallet) {
    yield* performAtLast(coffer, "pay", yield* newOrder(coffer, wallet, { amount: 777 }))
  })
  const note = (plan: Plan) => performAtLast(coffer, "annotate", plan, "meanwhile")
  return Effect.all([Effect.forEach(wallets, pay, allAtOnce), Effect.forEach(plans, note, allAtOnce)], allAtOnce)
}

/** The deed is done, and no note is lost. */
export const assertDone = Effect.fnUntraced(function* (coffer: Coffer, plan: Plan, ...notes: ReadonlyArray<string>) {
  const { metadata, status } = yield* read(coffer, plan)
  assert.strictEqual(status, { pay: "paid", annotate: "pending", expire: "expired" }[plan.deed])
  const all = ["before", ...notes, ...(plan.deed === "annotate" ? ["note"] : [])]
  assert.deepStrictEqual(metadata, Object.fromEntries(all.map((note) => [note, "1"])))
})
