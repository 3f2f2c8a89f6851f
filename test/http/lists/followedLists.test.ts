/**
 * Every list that takes `wait`, and what a stop, an outage and a lost line do to those who wait (silences: E9;
 * docs/decisions/0190). `listWaits` has the rules of a wait, on the list of events.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { waitsOfOneMax } from "../../../src/shared/http/ListWaits.ts"
import { hooksOf } from "../../kit/callers/Hooks.ts"
import { clientOf } from "../../kit/callers/sdk.ts"
import { type Json, merchantOf } from "../../kit/Merchant.ts"
import { eventually } from "../../kit/Process.ts"
import { receiver } from "../../kit/Receiver.ts"
import { asRunner, freshDatabase, onOneService, type Running, sharedService, start } from "../../kit/Service.ts"
import { documents } from "../../kit/routes/contract.ts"
import { cable } from "../../kit/servers/Cable.ts"

type Shop = ReturnType<typeof merchantOf>

const dataOf = ({ body }: { readonly body: any }): Json => body.data

const paid = (shop: Shop) => Effect.map(shop.paid(1_000), ({ trade_no }) => trade_no as string)

/** By list: what makes one more row, and its number there. */
const makers: Readonly<
  Record<string, readonly [id: string, make: (shop: Shop) => Effect.Effect<unknown, never, any>]>
> = {
  "/v1/events": ["id", paid],
  "/v1/orders": ["trade_no", (shop) => shop.post("/v1/orders", { amount: 100 })],
  "/v1/refunds": [
    "refund_no",
    (shop) => Effect.flatMap(paid(shop), (trade_no) => shop.refund({ trade_no, amount: 1 }))
  ],
  "/v1/disputes": ["dispute_no", (shop) => Effect.flatMap(paid(shop), (tradeNo) => shop.dispute(tradeNo))],
  "/v1/payment_links": ["link_id", (shop) => shop.post("/v1/payment_links", { amount: 100 })],
  "/v1/webhook_deliveries": ["id", paid],
  "/v1/logs": ["request_id", (shop) => shop.get("/v1/balance")]
}

onOneService((it) => {
  it.effect("the lists that wait are those whose rows the command line tails", () =>
    Effect.sync(() => {
      const waiting = documents.flatMap(({ document }) =>
        Object.entries<Json>(document["paths"]).flatMap(([path, { get }]) =>
          get?.parameters?.some(({ name }: Json) => name === "wait") && !path.startsWith("/operator/") ? [path] : []
        )
      )
      assert.sameMembers(waiting, Object.keys(makers))
    })
  )

  for (const [path, [id, make]] of Object.entries(makers)) {
    it.effect(`${path} answers with what happens while it waits, and none of it is in the log of calls`, () =>
      Effect.gen(function* () {
        const running = yield* sharedService
        const shop = merchantOf(running)
        const hook = yield* receiver
        yield* hooksOf(running, running.merchant).create({ url: hook.url })
        const firstWait = yield* Effect.forkChild(shop.get(`${path}?wait=25`))
        yield* make(shop)
        const { data } = dataOf(yield* Fiber.join(firstWait))
        assert.isNotEmpty(data)
        const newest = dataOf(yield* shop.get(`${path}?limit=1`)).data[0][id]
        const next = yield* Effect.forkChild(shop.get(`${path}?wait=25&ending_before=${newest}`))
        yield* make(shop)
        const { body, status } = yield* Fiber.join(next)
        assert.deepStrictEqual([status, body.data.data.length > 0], [200, true])
        const calls = dataOf(yield* shop.get("/v1/logs?limit=100")).data as ReadonlyArray<Json>
        // The plain one alone, and of a log what was there at once.
        assert.isAtMost(calls.filter((call) => call["method"] === "GET" && call["path"] === path).length, 2)
      })
    )
  }

  it.effect("a wait is refused beside an order of its rows, and a file ignores it", () =>
    Effect.gen(function* () {
      const shop = merchantOf(yield* sharedService)
      const refused = yield* shop.get("/v1/orders?wait=5&sort=amount")
      assert.deepStrictEqual([refused.status, refused.body.param], [400, "wait"])
      const file = yield* shop.get("/v1/orders?wait=5&format=csv")
      assert.deepStrictEqual([file.status, file.headers.get("content-type")], [200, "text/csv; charset=utf-8"])
    })
  )

  it.effect("a read that does not wait is counted with the other reads, whatever its query says", () =>
    Effect.gen(function* () {
      const { api } = yield* sharedService
      const merchant = yield* api.newMerchant("With few reads", "default")
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { quotas: { reads: 3, csv: 1 } })
      const shop = merchantOf({ api, merchant })
      const { trade_no } = yield* shop.paid(100)
      for (const path of [`/v1/orders/${trade_no}`, "/v1/balance", "/v1/reports"]) yield* shop.get(`${path}?wait=5`)
      assert.strictEqual((yield* shop.get("/v1/orders")).status, 429)
      yield* shop.get("/v1/orders?format=csv&wait=5")
      assert.strictEqual((yield* shop.get("/v1/orders?format=csv")).status, 429)
    })
  )

  it.effect("who leaves while waiting frees the place", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* sharedService
      const headers = { "X-Api-Key": merchant.sandboxKey }
      const wait = (signal?: AbortSignal) =>
        fetch(`${baseUrl}/v1/orders?wait=1`, signal === undefined ? { headers } : { headers, signal })
      const controller = new AbortController()
      const all = Array.from({ length: waitsOfOneMax }, () => wait(controller.signal).catch(() => undefined))
      yield* eventually(
        "the places to be taken",
        Effect.promise(async () => (await wait()).status === 429)
      )
      controller.abort()
      yield* Effect.promise(() => Promise.all(all))
      yield* eventually(
        "a place to be free",
        Effect.promise(async () => (await wait()).status === 200)
      )
    })
  )
})

describe("who waits", () => {
  it.live("gets each row once that was written while its own runner was without Postgres", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const wire = yield* cable(database)
      const one = yield* start({ database, env: yield* asRunner })
      const two = yield* start({ database: wire.url, env: yield* asRunner })
      const create = ({ api, merchant }: Pick<Running, "api" | "merchant">) =>
        Effect.map(
          api.post("/v1/orders", merchant.sandboxKey, { amount: 100 }),
          ({ body }) => body.data.trade_no as string
        )
      const before = yield* create(one)
      const told: Array<string> = []
      const there = clientOf({ ...two, merchant: one.merchant })
      const orders = there.orders.follow(
        { after: null },
        { onLost: () => told.push("lost"), onFound: () => told.push("found") }
      )
      const next = Effect.promise(async () => (await orders.next()).value!.trade_no)
      assert.strictEqual(yield* next, before)
      const waiting = yield* Effect.forkChild(next)
      wire.cut()
      yield* eventually(
        "the wait to be lost",
        Effect.sync(() => told.length > 0)
      )
      const meanwhile = yield* create(one)
      wire.heal()
      assert.strictEqual(yield* Fiber.join(waiting), meanwhile)
      const last = yield* Effect.forkChild(next)
      const after = yield* create(one)
      assert.strictEqual(yield* Fiber.join(last), after)
      assert.deepStrictEqual(told.slice(0, 2), ["lost", "found"])
    })
  )
})
