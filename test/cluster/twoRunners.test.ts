/** Two runners on one database, as separate processes: who serves what, and what happens when one dies or freezes. */
import { once } from "node:events"
import http, { type IncomingMessage } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import {
  answered,
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

const newOrder = ({ api }: Coffer, key: string, terms: object) =>
  Effect.map(api.post("/v1/orders", key, { amount: 1000, ...terms }), (reply) => {
    assert.strictEqual(reply.status, 201)
    return reply.body.data.trade_no as string
  })

type Deed = "pay" | "annotate" | "expire"

const pathOf = (deed: Deed, tradeNo: string) =>
  deed === "pay"
    ? `/v1/test_helpers/orders/${tradeNo}/pay`
    : deed === "expire"
      ? `/v1/orders/${tradeNo}/expire`
      : `/v1/orders/${tradeNo}`

const bodyOf = (deed: Deed, note: string) => (deed === "annotate" ? { metadata: { [note]: "1" } } : {})

const perform = ({ api }: Coffer, key: string, deed: Deed, tradeNo: string, note = "note") =>
  api.post(pathOf(deed, tradeNo), key, bodyOf(deed, note))

/** Until it is done; meanwhile the caller may be told to come back, and nothing else. */
const performAtLast = (coffer: Coffer, key: string, deed: Deed, tradeNo: string, note = "note") =>
  eventually(
    `${deed} of ${tradeNo}`,
    Effect.map(perform(coffer, key, deed, tradeNo, note), ({ status, text }) => {
      assert.include([200, 503], status, `${text}\n${coffer.said.stderr}`)
      return status === 200
    })
  )

/** The deed is done, and no note is lost. */
const assertDone = (
  order: { readonly status: string; readonly metadata: object },
  deed: Deed,
  ...notes: ReadonlyArray<string>
) => {
  assert.strictEqual(order.status, { pay: "paid", annotate: "pending", expire: "expired" }[deed])
  const all = ["before", ...notes, ...(deed === "annotate" ? ["note"] : [])]
  assert.deepStrictEqual(order.metadata, Object.fromEntries(all.map((note) => [note, "1"])))
}

const everywhere = { concurrency: "unbounded", discard: true } as const

/**
 * Counts the updates that named a version which the row no longer had. A sequence, since it keeps what a transaction
 * that is rolled back has counted.
 */
const countRefusedUpdates = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`create sequence test_refused minvalue 0 start 0`
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
  yield* sql`select nextval('test_refused')`
})

const refusedUpdates = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ last_value: bigint }>`select last_value from test_refused`, ([row]) => Number(row!.last_value))

/** Sends a request that nobody answers yet, and returns once it is on its way. */
const knock = ({ baseUrl }: Coffer, key: string, deed: Deed, tradeNo: string) =>
  Effect.promise(async () => {
    const body = JSON.stringify(bodyOf(deed, "note"))
    const headers = { "X-Api-Key": key, "Content-Type": "application/json", "Content-Length": body.length }
    const request = http.request(baseUrl + pathOf(deed, tradeNo), { method: "POST", agent: false, headers })
    const response = once(request, "response") as Promise<[IncomingMessage]>
    request.end(body)
    await once(request, "finish")
    return Effect.promise(async () => {
      const [message] = await response
      return { status: message.statusCode, text: Buffer.concat(await message.toArray()).toString("utf8") }
    })
  })

/** For each wallet of several merchants an order for each deed, every actor awake wherever it lives. */
const manyOrders = Effect.fnUntraced(function* (a: Coffer, b: Coffer, merchants: number, deeds: ReadonlyArray<Deed>) {
  const keys = yield* Effect.replicateEffect(newKey(a), merchants)
  const wallets = keys.flatMap((key) => currencies.map((currency) => ({ key, currency })))
  const draw = seeded(seed)
  const node = () => (draw(2) === 0 ? a : b)
  const pay = Effect.fnUntraced(function* ({ currency, key }: (typeof wallets)[number]) {
    yield* performAtLast(node(), key, "pay", yield* newOrder(node(), key, { currency }))
  })
  const prepare = Effect.fnUntraced(function* ({ currency, deed, key }: (typeof wallets)[number] & { deed: Deed }) {
    const tradeNo = yield* newOrder(node(), key, { currency })
    yield* performAtLast(node(), key, "annotate", tradeNo, "before")
    return { key, deed, tradeNo }
  })
  yield* Effect.forEach(wallets, pay, { concurrency: 8 })
  const plans = wallets.flatMap((wallet) => deeds.map((deed) => ({ ...wallet, deed })))
  return { wallets, orders: yield* Effect.forEach(plans, prepare, { concurrency: 8 }) }
})

describe("two runners", () => {
  it.live(
    "any runner takes any request: what one has answered the other shows at once, and each payment counts once",
    () =>
      Effect.gen(function* () {
        const { a, b, sql } = yield* twoRunners
        const hook = yield* receiver
        const key = yield* newKey(a)
        const draw = seeded(seed)
        const shuffled = () => (draw(2) === 0 ? ([a, b] as const) : ([b, a] as const))
        const read = ({ api }: Coffer, tradeNo: string) =>
          Effect.map(api.get(`/v1/orders/${tradeNo}`, key), ({ body }) => body.data)

        const buy = Effect.fnUntraced(function* (number: number) {
          const terms = { out_trade_no: `cart-${number}`, currency: currencies[number % 3]!, notify_url: hook.url }
          const [one, other] = shuffled()
          const tradeNo = yield* newOrder(one, key, terms)
          const again = yield* other.api.post("/v1/orders", key, { amount: 1000, ...terms })
          assert.deepStrictEqual([again.status, again.body.data.trade_no], [200, tradeNo])

          const [payer, reader] = shuffled()
          // Every fourth buyer pays twice at once: the second payment has to go back.
          const payers = number % 4 === 0 ? [payer, reader] : [payer]
          const replies = yield* Effect.forEach(payers, (node) => perform(node, key, "pay", tradeNo), {
            concurrency: "unbounded"
          })
          for (const { body, status } of replies) assert.deepStrictEqual([status, body.data.status], [200, "paid"])
          assert.strictEqual((yield* read(reader, tradeNo)).status, "paid")
        })
        const numbers = Array.from({ length: 240 }, (_, index) => index)
        yield* Effect.forEach(numbers, buy, { concurrency: 16, discard: true })

        yield* assertBooksWhole(sql)
        for (const currency of currencies) {
          const path = `/v1/balance?currency=${currency}`
          const balance = (yield* a.api.get(path, key)).body.data
          assert.strictEqual(balance.total_revenue, 80 * 1000)
          assert.deepStrictEqual((yield* b.api.get(path, key)).body.data, balance)
        }
        yield* eventually(
          "second payments to go back",
          isEmpty(sql`select 1 from orders where stray_due_at is not null`)
        )
        const strays = yield* sql`select 1 from orders, jsonb_array_elements(stray_payments)`
        assert.strictEqual(strays.length, 60)
        yield* eventually("all deliveries", isEmpty(sql`select 1 from deliveries where status <> 'succeeded'`))
        const arrived = hook.all.map(({ event }) => event.id)
        assert.strictEqual(arrived.length, 300, "240 payments and 60 returns, none of them told twice")
        assert.strictEqual(new Set(arrived).size, 300)
      })
  )

  it.live("a key that is reset on one runner is dead at once on the other", () =>
    Effect.gen(function* () {
      const { a, b } = yield* twoRunners
      const { merchantId, sandboxKey } = yield* a.api.newMerchant()
      let key = sandboxKey
      const statusOn = ({ api }: Coffer, key: string) => Effect.map(api.get("/v1/balance", key), ({ status }) => status)
      for (const [here, there] of [
        [a, b],
        [b, a]
      ] as const) {
        assert.deepStrictEqual([yield* statusOn(here, key), yield* statusOn(there, key)], [200, 200])
        const reset = yield* here.api.operator("POST", `/merchants/${merchantId}/keys/sandbox/reset`)
        assert.strictEqual(yield* statusOn(here, key), 401)
        const isDead = Effect.map(statusOn(there, key), (status) => status === 401)
        yield* eventually("the old key to be dead", isDead, "2 seconds")
        key = reset.body.data.key
      }
    })
  )
})

describe("a runner that dies", () => {
  // Which of the two watches over the other's health is not ours to choose, and the failover differs.
  for (const [which, other] of [
    ["a", "b"],
    ["b", "a"]
  ] as const) {
    it.live(`when runner ${which} dies, the other serves all its orders and wallets within 20 s`, () =>
      Effect.gen(function* () {
        const { sql, ...runners } = yield* twoRunners
        const { orders } = yield* manyOrders(runners.a, runners.b, 6, ["pay", "annotate", "expire"])
        runners[which].signal("SIGKILL")
        yield* runners[which].ended

        const survivor = runners[other]
        const [duration] = yield* Effect.timed(
          Effect.forEach(orders, ({ deed, key, tradeNo }) => performAtLast(survivor, key, deed, tradeNo), everywhere)
        )
        assert.isBelow(Duration.toSeconds(duration), 20)
        log(`failover ${which} ${Duration.toSeconds(duration)}`)

        yield* assertBooksWhole(sql)
        for (const { deed, key, tradeNo } of orders) {
          assertDone((yield* survivor.api.get(`/v1/orders/${tradeNo}`, key)).body.data, deed)
        }
      })
    )
  }
})

describe("a runner that is paused", () => {
  it.live("cannot write when it wakes up: its stale version is refused, and it decides anew", () =>
    Effect.gen(function* () {
      const { a, b, sql } = yield* twoRunners
      yield* countRefusedUpdates(sql)
      const { orders, wallets } = yield* manyOrders(a, b, 4, ["pay", "pay", "pay", "annotate", "expire"])

      a.signal("SIGSTOP")
      const [duration] = yield* Effect.timed(
        Effect.all(
          [
            Effect.forEach(
              orders,
              ({ key, tradeNo }) => performAtLast(b, key, "annotate", tradeNo, "meanwhile"),
              everywhere
            ),
            // One payment on each wallet. What A has in mind is of the same length once it has decided on one, too.
            Effect.forEach(
              wallets,
              Effect.fnUntraced(function* ({ currency, key }) {
                yield* performAtLast(b, key, "pay", yield* newOrder(b, key, { currency, amount: 777 }))
              }),
              everywhere
            )
          ],
          everywhere
        )
      )
      log(`takeover ${Duration.toSeconds(duration)}`)
      assert.strictEqual(yield* refusedUpdates(sql), 0)

      // They wait at its door while it sleeps, so that it does them first, with all that it knew then.
      const waiting = yield* Effect.forEach(
        orders,
        (order) => Effect.map(knock(a, order.key, order.deed, order.tradeNo), (reply) => ({ ...order, reply })),
        { concurrency: "unbounded" }
      )
      a.signal("SIGCONT")
      for (const { deed, key, reply, tradeNo } of waiting) {
        const { status, text } = yield* reply
        assert.include([200, 503], status, text)
        if (status === 503) yield* performAtLast(a, key, deed, tradeNo)
        const order = (yield* b.api.get(`/v1/orders/${tradeNo}`, key)).body.data
        assertDone(order, deed, "meanwhile")
        if (status === 200) assert.deepStrictEqual(JSON.parse(text).data.metadata, order.metadata)
      }
      log(`refused ${yield* refusedUpdates(sql)}`)
      assert.isAbove(yield* refusedUpdates(sql), 0, "no stale version was met: the test proves nothing")
      yield* assertBooksWhole(sql)
    })
  )

  it.live(
    "in the middle of writing does not keep its locks: another serves the same wallet within 60 s",
    () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const sql = yield* connect(databaseUrl)
        const a = yield* runner(databaseUrl)
        yield* a.ready
        const key = yield* newKey(a)
        yield* performAtLast(a, key, "pay", yield* newOrder(a, key, {}))
        const caught = yield* newOrder(a, key, {})
        const later = yield* newOrder(a, key, {})

        // The wallet's row is written and the ledger's are not when the runner falls asleep.
        const interrupted = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`set local idle_in_transaction_session_timeout = 0`
            yield* sql`lock table ledger in share mode`
            const payment = yield* Effect.forkChild(answered(perform(a, key, "pay", caught)))
            const waiting = sql`select 1 from pg_locks where not granted and relation = 'ledger'::regclass`
            yield* eventually(
              "the payment to be half-written",
              Effect.map(isEmpty(waiting), (none) => !none)
            )
            a.signal("SIGSTOP")
            return payment
          })
        )

        const b = yield* runner(databaseUrl)
        const [duration] = yield* Effect.timed(Effect.andThen(b.ready, performAtLast(b, key, "pay", later)))
        log(`mid-write takeover ${Duration.toSeconds(duration)}`)
        a.signal("SIGCONT")
        const reply = yield* Fiber.join(interrupted)
        log("reply " + reply?.status)
        if (reply?.status !== 200) yield* performAtLast(a, key, "pay", caught)
        yield* assertBooksWhole(sql)
        const { total_revenue } = (yield* a.api.get("/v1/balance", key)).body.data
        assert.strictEqual(total_revenue, 3_000)
      }),
    180_000
  )
})

import fs from "node:fs"
const log = (s: string) => fs.appendFileSync("/tmp/two.log", s + "\n")

const isEmpty = <A, E, R>(rows: Effect.Effect<ReadonlyArray<A>, E, R>) => Effect.map(rows, ({ length }) => length === 0)
