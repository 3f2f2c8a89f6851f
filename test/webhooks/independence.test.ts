/**
 * Addresses of one merchant do not wait for one another, also on one host and port, and a receiver may take its ten
 * seconds (docs/decisions/0053). Real servers on loopback; the service's clock stands still until the test moves it.
 */
import http from "node:http"
import { describe, it } from "@effect/vitest"
import { Context, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { Wakeups } from "../../src/platform/commit/Wakeups.ts"
import { hooksOf } from "../kit/Hooks.ts"
import { insertDeliveries } from "../kit/Rows.ts"
import { type Running, start } from "../kit/Service.ts"
import { run } from "./receiver.ts"

/** Answers `/quick` at once, `/slow` when the test says so, and nothing else. Says what has come. */
const halfDead = Effect.gen(function* () {
  const came = { quick: yield* Queue.unbounded<void>(), slow: yield* Queue.unbounded<void>() }
  const hung = yield* Queue.unbounded<void>()
  let held: Array<http.ServerResponse> = []
  const server = yield* run(
    http.createServer((request, response) => {
      request.resume().on("end", () => {
        const path = request.url!.slice(1).split(/[/?]/)[0]
        if (path === "quick") response.end(() => Queue.offerUnsafe(came.quick, undefined))
        else if (path === "slow") {
          held.push(response)
          Queue.offerUnsafe(came.slow, undefined)
        } else Queue.offerUnsafe(hung, undefined)
      })
    }),
    "0.0.0.0"
  )
  const take = (queue: Queue.Queue<void>) => (count: number) => Queue.takeN(queue, count)
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    quick: take(came.quick),
    slow: take(came.slow),
    hung: take(hung),
    answer: () => {
      for (const response of held) response.end()
      held = []
    }
  }
})

const wait = (running: Running, seconds: number) =>
  Effect.provideContext(TestClock.adjust(`${seconds} seconds`), running.context)

const orders = 50

const setUp = Effect.gen(function* () {
  const running = yield* start({ clock: "test" })
  const { merchantId, sandboxKey } = yield* running.api.newMerchant("Of its own", "default")
  const hooks = hooksOf(running, { ...running.merchant, merchantId, sandboxKey })
  const endpoint = (url: string) =>
    running.api.post("/v1/webhook_endpoints", sandboxKey, { url, enabled_events: ["payment.succeeded"] })
  const pay = (count: number, notify_url?: () => string) =>
    Effect.forEach(Array.from({ length: count }), () =>
      hooks.paid(notify_url === undefined ? {} : { notify_url: notify_url() })
    )
  return { running, merchantId, endpoint, pay, server: yield* halfDead }
})

describe("webhooks", () => {
  it.live("of one endpoint do not wait for another's on the same host and port that hangs", () =>
    Effect.gen(function* () {
      const { endpoint, pay, running, server } = yield* setUp
      for (const path of ["/hangs?to=a", "/hangs?to=b", "/quick"]) yield* endpoint(server.url + path)
      yield* pay(orders)
      yield* server.quick(orders)
      yield* server.hung(2)
      // What hung has been given up, and its line has one place.
      yield* wait(running, 10)
      yield* pay(orders)
      yield* server.quick(orders)
    })
  )

  it.live("to one notify_url do not wait for those to another on the same host and port that hangs", () =>
    Effect.gen(function* () {
      const { pay, server } = yield* setUp
      let made = 0
      yield* pay(2 * orders, () => `${server.url}${made++ % 2 === 0 ? "/hangs" : "/quick"}`)
      yield* server.quick(orders)
    })
  )

  it.live("to one endpoint do not wait for notify_urls of orders of their own on the same host that hang", () =>
    Effect.gen(function* () {
      const { endpoint, pay, server } = yield* setUp
      yield* endpoint(`${server.url}/quick`)
      yield* pay(1)
      yield* server.quick(1)
      let made = 0
      yield* pay(orders, () => `${server.url}/hangs/${made++}`)
      yield* pay(orders)
      yield* server.quick(orders)
    })
  )

  it.live("reach a receiver that answers after nine seconds each at once, from the first on", () =>
    Effect.gen(function* () {
      const { endpoint, pay, running, server } = yield* setUp
      yield* endpoint(`${server.url}/slow`)
      for (let round = 0; round < 3; round++) {
        yield* pay(30)
        // All of them, while none was answered.
        yield* server.slow(30)
        yield* wait(running, 9)
        server.answer()
        yield* running.atRest
      }
    })
  )

  it.live("of one endpoint do not wait for another's, on the same host and port, whose backlog hangs", () =>
    Effect.gen(function* () {
      const { endpoint, merchantId, pay, running, server } = yield* setUp
      yield* insertDeliveries(running.sql, { merchantId, count: 2_000 }, `'127.0.0.1:${server.port}'`)
      yield* endpoint(`${server.url}/quick`)
      Context.get(running.context as Context.Context<Wakeups>, Wakeups).raise("deliveries")
      yield* server.hung(1)
      yield* pay(orders)
      yield* server.quick(orders)
    })
  )
})
