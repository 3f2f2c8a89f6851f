/** Two runners on one database, as separate processes: who serves what, and what happens when one dies or freezes. */
import { once } from "node:events"
import http, { type IncomingMessage } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import {
  assertBooksWhole,
  type Coffer,
  connect,
  eventually,
  launch,
  liftQuotas,
  newHome,
  seeded
} from "../kit/Process.ts"
import { receiver } from "../kit/Receiver.ts"
import { freePort, freshDatabase, operatorToken } from "../kit/Service.ts"

const currencies = ["USD", "HKD", "CNY"] as const
const seed = 1
const testTimeout = 240_000

const runner = Effect.fnUntraced(function* (databaseUrl: string) {
  return yield* launch({
    env: {
      DATABASE_URL: databaseUrl,
      COFFER_HOME: yield* newHome,
      SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      OPERATOR_TOKEN: operatorToken,
      ALLOW_PRIVATE_WEBHOOKS: "true",
      RUNNER_HOST: "127.0.0.1",
      RUNNER_PORT: String(yield* freePort)
    }
  })
})

const twoRunners = Effect.gen(function* () {
  const databaseUrl = yield* freshDatabase
  const sql = yield* connect(databaseUrl)
  const a = yield* runner(databaseUrl)
  const b = yield* runner(databaseUrl)
  yield* a.ready
  yield* b.ready
  return { a, b, sql }
})

const newKey = Effect.fnUntraced(function* ({ api }: Coffer) {
  const { merchantId, sandboxKey } = yield* api.newMerchant()
  yield* liftQuotas(api, merchantId)
  return sandboxKey
})

interface Wallet {
  readonly key: string
  readonly currency: (typeof currencies)[number]
}

interface Order {
  readonly key: string
  readonly tradeNo: string
}

const newOrder = ({ api }: Coffer, { currency, key }: Wallet, terms: object = {}) =>
  Effect.map(api.post("/v1/orders", key, { amount: 1000, currency, ...terms }), ({ body, status }): Order => {
    assert.strictEqual(status, 201)
    return { key, tradeNo: body.data.trade_no }
  })

const read = ({ api }: Coffer, { key, tradeNo }: Order) =>
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

const perform = ({ api }: Coffer, deed: Deed, order: Order, note = "note") => {
  const { body, path } = requestOf(deed, order, note)
  return api.post(path, order.key, body)
}

/** Until it is done; meanwhile the caller may be told to come back, and nothing else. */
const performAtLast = (coffer: Coffer, deed: Deed, order: Order, note = "note") =>
  eventually(
    `${deed} of ${order.tradeNo}`,
    Effect.map(perform(coffer, deed, order, note), ({ status, text }) => {
      assert.include([200, 503], status, text)
      return status === 200
    })
  )

/** Sends a request and returns once it is on its way, though nobody may read it yet. */
const knock = ({ baseUrl }: Coffer, deed: Deed, order: Order) =>
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

const allAtOnce = { concurrency: "unbounded", discard: true } as const

interface Plan extends Order {
  readonly deed: Deed
}

/** For each wallet of several merchants an order for each deed, all actors awake, wherever they live. */
const planned = Effect.fnUntraced(function* (a: Coffer, b: Coffer, merchants: number, deeds: ReadonlyArray<Deed>) {
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
const writeMeanwhile = (coffer: Coffer, wallets: ReadonlyArray<Wallet>, plans: ReadonlyArray<Plan>) => {
  const pay = Effect.fnUntraced(function* (wallet: Wallet) {
    yield* performAtLast(coffer, "pay", yield* newOrder(coffer, wallet, { amount: 777 }))
  })
  const note = (plan: Plan) => performAtLast(coffer, "annotate", plan, "meanwhile")
  return Effect.all([Effect.forEach(wallets, pay, allAtOnce), Effect.forEach(plans, note, allAtOnce)], allAtOnce)
}

/** The deed is done, and no note is lost. */
const assertDone = Effect.fnUntraced(function* (coffer: Coffer, plan: Plan, ...notes: ReadonlyArray<string>) {
  const { metadata, status } = yield* read(coffer, plan)
  assert.strictEqual(status, { pay: "paid", annotate: "pending", expire: "expired" }[plan.deed])
  const all = ["before", ...notes, ...(plan.deed === "annotate" ? ["note"] : [])]
  assert.deepStrictEqual(metadata, Object.fromEntries(all.map((note) => [note, "1"])))
})

const isEmpty = <A, E, R>(rows: Effect.Effect<ReadonlyArray<A>, E, R>) => Effect.map(rows, ({ length }) => length === 0)

describe("two runners", { timeout: testTimeout }, () => {
  it.live("any runner takes any request: the other shows at once what one has answered, and payments count once", () =>
    Effect.gen(function* () {
      const { a, b, sql } = yield* twoRunners
      const hook = yield* receiver
      const key = yield* newKey(a)
      const draw = seeded(seed)
      const shuffled = () => (draw(2) === 0 ? ([a, b] as const) : ([b, a] as const))

      const buy = Effect.fnUntraced(function* (number: number) {
        const wallet: Wallet = { key, currency: currencies[number % currencies.length]! }
        const terms = { out_trade_no: `cart-${number}`, notify_url: hook.url }
        const [one, other] = shuffled()
        const order = yield* newOrder(one, wallet, terms)
        const { currency } = wallet
        const again = yield* other.api.post("/v1/orders", key, { amount: 1000, currency, ...terms })
        assert.deepStrictEqual([again.status, again.body.data.trade_no], [200, order.tradeNo])

        const [payer, reader] = shuffled()
        // Every fourth buyer pays twice at once: the second payment has to go back.
        const payers = number % 4 === 0 ? [payer, reader] : [payer]
        const pay = (node: Coffer) => perform(node, "pay", order)
        const replies = yield* Effect.forEach(payers, pay, { concurrency: "unbounded" })
        for (const { body, status } of replies) assert.deepStrictEqual([status, body.data.status], [200, "paid"])
        assert.strictEqual((yield* read(reader, order)).status, "paid")
      })
      yield* Effect.forEach(Array(240).keys(), buy, { concurrency: 16, discard: true })

      yield* assertBooksWhole(sql)
      for (const currency of currencies) {
        const path = `/v1/balance?currency=${currency}`
        const balance = (yield* a.api.get(path, key)).body.data
        assert.strictEqual(balance.total_revenue, 80 * 1000)
        assert.deepStrictEqual((yield* b.api.get(path, key)).body.data, balance)
      }
      const unreturned = sql`select 1 from orders where stray_due_at is not null`
      yield* eventually("second payments to go back", isEmpty(unreturned))
      const undelivered = sql`select 1 from deliveries where status <> 'succeeded'`
      yield* eventually("all deliveries", isEmpty(undelivered))
      const arrived = hook.all.map(({ event }) => event.id)
      assert.strictEqual(arrived.length, 240 + 60, "each payment and each return, none of them told twice")
      assert.strictEqual(new Set(arrived).size, arrived.length)
    })
  )

  it.live("a key that is reset on one runner is dead at once on the other", () =>
    Effect.gen(function* () {
      const { a, b } = yield* twoRunners
      const { merchantId, sandboxKey } = yield* a.api.newMerchant()
      let key = sandboxKey
      const statusOn = ({ api }: Coffer) => Effect.map(api.get("/v1/balance", key), ({ status }) => status)
      for (const [here, there] of [
        [a, b],
        [b, a]
      ] as const) {
        assert.deepStrictEqual([yield* statusOn(here), yield* statusOn(there)], [200, 200])
        const reset = yield* here.api.operator("POST", `/merchants/${merchantId}/keys/sandbox/reset`)
        assert.strictEqual(yield* statusOn(here), 401)
        const isDead = Effect.map(statusOn(there), (status) => status === 401)
        yield* eventually("the old key to be dead", isDead, "2 seconds")
        key = reset.body.data.key
      }
    })
  )
})

describe("a runner that dies", { timeout: testTimeout }, () => {
  // Which of the two watches over the other's health is not ours to choose, and the failover differs.
  for (const [which, other] of [
    ["a", "b"],
    ["b", "a"]
  ] as const) {
    it.live(`when runner ${which} dies, the other serves all its orders and wallets within 20 s`, () =>
      Effect.gen(function* () {
        const { sql, ...runners } = yield* twoRunners
        const { plans } = yield* planned(runners.a, runners.b, 6, ["pay", "annotate", "expire"])
        runners[which].signal("SIGKILL")
        yield* runners[which].ended

        const survivor = runners[other]
        const [duration] = yield* Effect.timed(
          Effect.forEach(plans, (plan) => performAtLast(survivor, plan.deed, plan), allAtOnce)
        )
        assert.isBelow(Duration.toSeconds(duration), 20)
        for (const plan of plans) yield* assertDone(survivor, plan)
        yield* assertBooksWhole(sql)
      })
    )
  }
})

describe("a runner that is paused", { timeout: testTimeout }, () => {
  it.live("decides on what the other has written meanwhile when it wakes up", () =>
    Effect.gen(function* () {
      const { a, b, sql } = yield* twoRunners
      const { plans, wallets } = yield* planned(a, b, 4, ["pay", "pay", "annotate", "expire"])
      a.signal("SIGSTOP")
      yield* writeMeanwhile(b, wallets, plans)
      // They wait at its door while it sleeps, so that it does them first, before it learns that it owns nothing.
      const knocks = yield* Effect.forEach(plans, (plan) => knock(a, plan.deed, plan), { concurrency: "unbounded" })
      a.signal("SIGCONT")

      for (const [index, plan] of plans.entries()) {
        const { body, status } = yield* knocks[index]!
        assert.include([200, 503], status)
        if (status === 200) assert.propertyVal(body.data.metadata, "meanwhile", "1")
        else yield* performAtLast(a, plan.deed, plan)
        yield* assertDone(b, plan, "meanwhile")
      }
      yield* assertBooksWhole(sql)
    })
  )

  it.live("cannot write what it had decided before: its version is stale, and its locks keep nobody waiting", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const sql = yield* connect(databaseUrl)
      yield* countRefusedUpdates(sql)
      // Alone at first, so that all actors are its own.
      const a = yield* runner(databaseUrl)
      yield* a.ready
      const { plans, wallets } = yield* planned(a, a, 2, ["pay", "pay", "pay", "annotate", "annotate"])
      // The bank has the money and has not told; it does when it is asked to close the checkout.
      const deedOf = ({ deed }: Plan) => (deed === "pay" ? "expire" : deed)
      for (const { key, tradeNo } of plans.filter(({ deed }) => deed === "pay")) {
        const path = `/v1/test_helpers/orders/${tradeNo}/pay`
        yield* a.api.post(path, key, { outcome: "succeed_unreported" })
      }

      const knocks = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`set local idle_in_transaction_session_timeout = 0`
          yield* sql`lock table orders in exclusive mode`
          const sent = yield* Effect.forEach(plans, (plan) => knock(a, deedOf(plan), plan), {
            concurrency: "unbounded"
          })
          // The first batch of each lane waits for our lock, and all others wait behind it in the runner's memory.
          const waiting = sql`select 1 from pg_locks where not granted and relation = 'orders'::regclass`
          yield* eventually(
            "both lanes to wait",
            Effect.map(waiting, ({ length }) => length === 2)
          )
          for (let times = 0; times < 5; times++) yield* read(a, plans[0]!)
          a.signal("SIGSTOP")
          return sent
        })
      )

      const b = yield* runner(databaseUrl)
      yield* b.ready
      // The orders to be paid stay as they were: of those, only the wallet is another by then.
      const noted = plans.filter(({ deed }) => deed === "annotate")
      yield* writeMeanwhile(b, wallets, noted)
      assert.strictEqual(yield* refusedUpdates(sql), 0)
      a.signal("SIGCONT")
      for (const reply of knocks) assert.include([200, 409, 503], (yield* reply).status)
      yield* eventually(
        "what it had decided to be refused",
        Effect.map(refusedUpdates(sql), (times) => times > 0)
      )

      for (const plan of plans) {
        // What nobody has told yet is told now; an order that was paid then cannot be closed.
        if (plan.deed === "pay") yield* eventually("just paid", isPaid(a, plan))
        else yield* performAtLast(a, plan.deed, plan)
        yield* assertDone(b, plan, ...(plan.deed === "annotate" ? ["meanwhile"] : []))
      }
      yield* assertBooksWhole(sql)
    })
  )
})

const isPaid = (coffer: Coffer, plan: Plan) =>
  Effect.map(perform(coffer, "expire", plan), ({ status }) => {
    assert.include([409, 503], status)
    return status === 409
  })

/**
 * Counts the updates that named a version which no row had any more. In a sequence, which keeps what a transaction has
 * counted that is rolled back.
 */
const countRefusedUpdates = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`create sequence test_refused minvalue 0 start 0`
  yield* sql`select nextval('test_refused')`
  yield* sql.unsafe(`create function test_count_refused() returns trigger language plpgsql as $$ begin
    if current_query() like '%n.replaces%' and not exists (select 1 from written) then
      perform nextval('test_refused');
    end if;
    return null;
  end $$`)
  for (const table of ["orders", "wallets"]) {
    yield* sql.unsafe(`create trigger test_refused after update on ${table} referencing new table as written
      for each statement execute function test_count_refused()`)
  }
})

const refusedUpdates = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ last_value: number }>`select last_value from test_refused`, ([row]) => row!.last_value)
