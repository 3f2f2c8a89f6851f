/**
 * Webhooks of a sandbox whose clock was moved have the lines of all others (docs/decisions/0016, 0005): what hangs
 * delays nothing else. Real servers on loopback; the service's clock is stopped until the test moves it.
 */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { callerOf } from "../kit/stories/clockStory.ts"
import { orders, setUp, wait } from "./halfDead.ts"

const moved = Effect.gen(function* () {
  const place = yield* setUp
  const caller = callerOf([place.running.api], place.sandboxKey)
  yield* caller.advance({ by: "1d" })
  return { ...place, ...caller }
})

describe("in a sandbox whose clock was moved", () => {
  it.live("webhooks of one endpoint do not wait for another's on the same host and port that hangs", () =>
    Effect.gen(function* () {
      const { endpoint, pay, running, server } = yield* moved
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

  it.live("webhooks to the default address do not wait for an order's own address that hangs", () =>
    Effect.gen(function* () {
      const { hooks, pay, server } = yield* moved
      yield* hooks.single(`${server.url}/quick`)
      yield* pay(orders, () => `${server.url}/hangs`)
      yield* pay(orders)
      yield* server.quick(orders)
    })
  )

  it.live("a receiver that takes nine seconds gets all webhooks concurrently", () =>
    Effect.gen(function* () {
      const { endpoint, pay, running, server } = yield* moved
      yield* endpoint(`${server.url}/slow`)
      for (let round = 0; round < 2; round++) {
        yield* pay(30)
        yield* server.slow(30)
        yield* wait(running, 9)
        server.answer()
      }
    })
  )

  it.live("webhooks do not wait for other addresses that hang, each of a different order", () =>
    Effect.gen(function* () {
      const { endpoint, pay, server } = yield* moved
      yield* endpoint(`${server.url}/quick`)
      yield* pay(1)
      yield* server.quick(1)
      let made = 0
      yield* pay(orders, () => `${server.url}/hangs/${made++}`)
      yield* pay(orders)
      yield* server.quick(orders)
    })
  )
})
