/**
 * Addresses of one merchant do not wait for one another, also on one host and port, and a receiver may take its ten
 * seconds (docs/decisions/0016). Real servers on loopback; the service's clock is stopped until the test moves it.
 */
import { describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Wakeups } from "../../src/platform/commit/Wakeups.ts"
import { insertDeliveries } from "../kit/rows/Rows.ts"
import { orders, setUp, wait } from "./halfDead.ts"

describe("webhooks", () => {
  it.live("of one endpoint do not wait for another's on the same host and port that hangs", () =>
    Effect.gen(function* () {
      const { endpoint, pay, running, server } = yield* setUp
      for (const path of ["/hangs?to=a", "/hangs?to=b", "/quick"]) yield* endpoint(server.url + path)
      yield* pay(orders)
      yield* server.quick(orders)
      yield* server.hung(2)
      // The post that hung has timed out, and its line has one place.
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

  it.live("reach a receiver that answers after nine seconds concurrently, from the first on", () =>
    Effect.gen(function* () {
      const { endpoint, pay, running, server } = yield* setUp
      yield* endpoint(`${server.url}/slow`)
      for (let round = 0; round < 3; round++) {
        yield* pay(30)
        // All of them arrive before any was answered.
        yield* server.slow(30)
        yield* wait(running, 9)
        server.answer()
        yield* running.atRest
      }
    })
  )

  for (const [byDefault, own] of [
    ["/hangs", "/quick"],
    ["/quick", "/hangs"]
  ] as const) {
    it.live(`to ${own} of orders of their own and to the default address ${byDefault} do not wait for each other`, () =>
      Effect.gen(function* () {
        const { hooks, pay, server } = yield* setUp
        yield* hooks.single(server.url + byDefault)
        for (let count = 0; count < orders; count++) {
          yield* pay(1)
          yield* pay(1, () => server.url + own)
        }
        yield* server.quick(orders)
      })
    )
  }

  it.live("reach a default address that answers after nine seconds concurrently, next to one that hangs", () =>
    Effect.gen(function* () {
      const { hooks, pay, running, server } = yield* setUp
      yield* hooks.single(`${server.url}/slow`)
      // Both are new at first, and share the places of new addresses.
      for (const count of [8, 20, 20]) {
        yield* pay(count, () => `${server.url}/hangs`)
        yield* pay(count)
        yield* server.slow(count)
        yield* wait(running, 9)
        server.answer()
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
