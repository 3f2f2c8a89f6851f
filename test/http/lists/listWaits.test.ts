/** A page of events that waits for one (silences: E9; docs/decisions/0190). */
import { assert, describe, it, layer } from "@effect/vitest"
import { MerchantId } from "@coffer/model/Ids"
import { Context, Effect, Fiber, Layer } from "effect"
import { ListWaits, waitsMax, waitsOfOneMax } from "../../../src/shared/http/ListWaits.ts"
import { Draining } from "../../../src/shared/http/Draining.ts"
import { Logs } from "../../../src/shared/logs/Logs.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { eventually } from "../../kit/Process.ts"
import { requestTime } from "../../kit/program/requestTime.ts"
import { asRunner, freshDatabase, type Running, start, withNewMerchant } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/http/eventWaits") {}

const idsIn = ({ body }: { readonly body: any }) => body.data.data.map(({ id }: { readonly id: string }) => id)

/** The newest event of the account, after a payment. */
const newestOf = Effect.fnUntraced(function* (running: Pick<Running, "api" | "merchant">) {
  const shop = merchantOf(running)
  yield* shop.paid(100)
  const [event] = idsIn(yield* shop.get("/v1/events?limit=1"))
  return { shop, newest: event as string }
})

/** Calls that a list of the log shows, by path. */
const loggedIn = Effect.fnUntraced(function* ({ api, context, merchant }: Running) {
  yield* Context.get(context as Context.Context<Logs>, Logs).flushed
  const { body } = yield* api.get("/v1/logs?limit=100", merchant.sandboxKey)
  return body.data.data.map(({ method, path }: any) => `${method} ${path}`) as ReadonlyArray<string>
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a wait for events", (it) => {
  const own = Effect.flatMap(Service, withNewMerchant)

  it.effect("is answered with what happens, and at once with what has happened", () =>
    Effect.gen(function* () {
      const { newest, shop } = yield* newestOf(yield* own)
      const waiting = yield* Effect.forkChild(shop.get(`/v1/events?wait=25&ending_before=${newest}`))
      const { trade_no } = yield* shop.paid(200)
      const { body, status } = yield* Fiber.join(waiting)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        body.data.data.map((event: any) => event.data.trade_no),
        [trade_no]
      )
      const again = yield* shop.get(`/v1/events?wait=25&ending_before=${newest}`)
      assert.deepStrictEqual(idsIn(again), idsIn({ body }))
    })
  )

  it.effect("without a cursor is for the first event of an account, and takes filters", () =>
    Effect.gen(function* () {
      const running = yield* own
      const shop = merchantOf(running)
      const waiting = yield* Effect.forkChild(shop.get("/v1/events?wait=25&type=refund.succeeded"))
      const { trade_no } = yield* shop.paid(900)
      yield* shop.refund({ trade_no, amount: 100 })
      const { body } = yield* Fiber.join(waiting)
      assert.deepStrictEqual(
        body.data.data.map(({ type }: any) => type),
        ["refund.succeeded"]
      )
    })
  )

  it.effect("is for 1 to 25 seconds, and not for what is older than a cursor", () =>
    Effect.gen(function* () {
      const { newest, shop } = yield* newestOf(yield* own)
      for (const query of ["wait=0", "wait=26", "wait=1.5", "wait=soon", `wait=5&starting_after=${newest}`]) {
        const { body, status } = yield* shop.get(`/v1/events?${query}`)
        assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", "wait"], query)
      }
    })
  )

  it.effect("leaves no row in the log of calls, and holds up no row of others there", () =>
    Effect.gen(function* () {
      const running = yield* own
      const { newest, shop } = yield* newestOf(running)
      const waiting = yield* Effect.forkChild(shop.get(`/v1/events?wait=25&ending_before=${newest}`))
      yield* shop.get("/v1/balance")
      yield* eventually(
        "the log to show a call that came after the wait",
        Effect.map(loggedIn(running), (calls) => calls.includes("GET /v1/balance"))
      )
      yield* shop.paid(200)
      const [next] = idsIn(yield* Fiber.join(waiting))
      yield* shop.paid(300)
      yield* shop.get(`/v1/events?wait=25&ending_before=${next}`)
      const calls = yield* loggedIn(running)
      // The one of `newestOf`.
      assert.strictEqual(calls.filter((call) => call === "GET /v1/events").length, 1)
    })
  )

  it.effect("is in the log of calls where it reads at once what is older than five minutes", () =>
    Effect.gen(function* () {
      const running = yield* own
      const { newest, shop } = yield* newestOf(running)
      yield* shop.post("/v1/test_helpers/clock/advance", { by: "10m" })
      yield* eventually(
        "the clock to be there",
        Effect.map(shop.get("/v1/test_helpers/clock"), ({ body }) => body.data.status === "ready")
      )
      yield* shop.paid(200)
      yield* shop.get(`/v1/events?wait=25&ending_before=${newest}`)
      yield* shop.get("/v1/events?wait=25")
      const calls = yield* loggedIn(running)
      assert.strictEqual(calls.filter((call) => call === "GET /v1/events").length, 3)
    })
  )

  it.effect("takes nothing from the quota of reads, and has one of its own", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const merchant = yield* api.newMerchant("With few reads", "default")
      assert.strictEqual(
        (yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { quotas: { reads: 3 } })).status,
        200
      )
      const shop = merchantOf({ api, merchant })
      yield* shop.paid(100)
      const wait = Effect.map(shop.get("/v1/events?wait=1"), ({ status }) => status)
      const read = Effect.map(shop.get("/v1/events"), ({ status }) => status)
      assert.deepStrictEqual(yield* Effect.all([wait, wait, wait, wait]), [200, 200, 200, 429])
      assert.deepStrictEqual(yield* Effect.all([read, read, read, read]), [200, 200, 200, 429])
    })
  )

  it.effect(`is refused for a while where ${waitsOfOneMax} of the account wait, and none of them is disturbed`, () =>
    Effect.gen(function* () {
      const { newest, shop } = yield* newestOf(yield* own)
      const wait = shop.get(`/v1/events?wait=25&ending_before=${newest}`)
      const asked = yield* Effect.replicateEffect(Effect.forkChild(wait), waitsOfOneMax + 1)
      yield* eventually(
        "one of them to be refused",
        Effect.sync(() => asked.some((fiber) => fiber.pollUnsafe() !== undefined))
      )
      assert.lengthOf(
        asked.filter((fiber) => fiber.pollUnsafe() === undefined),
        waitsOfOneMax
      )
      yield* shop.paid(200)
      const replies = yield* Effect.forEach(asked, Fiber.join)
      const [refused, ...more] = replies.filter(({ status }) => status !== 200)
      assert.deepStrictEqual([refused!.status, refused!.body.error, more], [429, "rate_limited", []])
      assert.strictEqual(refused!.headers.get("retry-after"), "5")
      for (const reply of replies.filter(({ status }) => status === 200)) assert.lengthOf(idsIn(reply), 1)
      // They have left.
      assert.strictEqual((yield* wait).status, 200)
    })
  )
})

describe("a wait", () => {
  it.live("ends with an empty page when its time is over, however long that is by the limit of a request", () =>
    Effect.gen(function* () {
      const clock = requestTime()
      const running = yield* start({ beneath: clock.layer })
      const { newest, shop } = yield* newestOf(running)
      const waiting = yield* Effect.forkChild(shop.get(`/v1/events?wait=25&ending_before=${newest}`))
      let moved = 0
      yield* eventually(
        "the answer",
        Effect.sync(() => {
          if (waiting.pollUnsafe() !== undefined) return true
          clock.move(200)
          moved += 200
          return false
        })
      )
      const { body, status } = yield* Fiber.join(waiting)
      assert.deepStrictEqual([status, body.data.has_more, body.data.data], [200, false, []])
      assert.isAtLeast(moved, 25_000)
    })
  )

  it.live("sees what another runner commits, and ends with an empty page when its own is to stop", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const one = yield* start({ database, env: yield* asRunner })
      const two = yield* start({ database, env: yield* asRunner })
      const { newest, shop } = yield* newestOf(one)
      const there = merchantOf({ api: two.api, merchant: one.merchant })
      const waiting = yield* Effect.forkChild(there.get(`/v1/events?wait=25&ending_before=${newest}`))
      yield* shop.paid(200)
      const [next] = idsIn(yield* Fiber.join(waiting))
      assert.isTrue(next > newest)
      const last = yield* Effect.forkChild(there.get(`/v1/events?wait=25&ending_before=${next}`))
      Context.get(two.context as Context.Context<Draining>, Draining).now = true
      const { body, headers, status } = yield* Fiber.join(last)
      assert.deepStrictEqual([status, body.data.data, headers.get("connection")], [200, [], "close"])
    })
  )

  it.live("looks less often where a look is slow, and is refused where all places of the process are taken", () =>
    Effect.gen(function* () {
      const clock = requestTime()
      const { context } = yield* start({ beneath: clock.layer })
      const { on } = Context.get(context as Context.Context<ListWaits>, ListWaits)
      const nothing = { data: [], hasMore: false }
      let looks = 0
      const slow = yield* on("no table", () =>
        Effect.sync(() => {
          looks += 1
          clock.move(500)
          return nothing
        })
      )
      const accountOf = (at: number) =>
        ({ merchantId: MerchantId.make(`mer_${String(at).padStart(26, "0")}`), mode: "sandbox" }) as const
      const waiting = yield* Effect.forkChild(slow(accountOf(0), { wait: 25 }))
      yield* eventually(
        "its end",
        Effect.sync(() => {
          if (waiting.pollUnsafe() !== undefined) return true
          clock.move(100)
          return false
        })
      )
      // Five seconds after each, and not one.
      assert.isAtMost(looks, 8)
      assert.isAtLeast(looks, 3)

      const quick = yield* on("no table", () => Effect.succeed(nothing))
      const all = yield* Effect.forEach(
        Array.from({ length: waitsMax }, (_, at) => at),
        (at) => Effect.forkChild(quick(accountOf(Math.floor(at / waitsOfOneMax)), { wait: 25 }))
      )
      yield* Effect.yieldNow
      const refused = yield* Effect.flip(quick(accountOf(1_000), { wait: 25 }))
      assert.deepInclude(refused, { _tag: "TooManyWaits", isOfAccount: false })
      yield* Fiber.interruptAll(all)
    })
  )
})
