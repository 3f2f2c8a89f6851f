/** `coffer listen` and the service are killed again and again: each event reaches the receiver all the same. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { launchCli } from "../kit/callers/cli.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { demoKey, eventually, launch } from "../kit/Process.ts"
import { receiver } from "../kit/Receiver.ts"
import { freePort } from "../kit/Service.ts"
import { usedHome } from "../kit/program/usedHome.ts"

describe("coffer listen", () => {
  it.live("forwards each event at least once, under kill -9 of itself and of the service", () =>
    Effect.gen(function* () {
      const home = yield* usedHome
      const port = yield* freePort
      const hook = yield* receiver
      const serve = Effect.tap(launch({ env: { COFFER_HOME: home }, port }), ({ ready }) => ready)
      const listen = launchCli(["listen", "--forward-to", hook.url], { COFFER_HOME: home })

      let service = yield* serve
      const key = yield* demoKey(service, home)
      const pay = (amount: number) =>
        merchantOf({ api: service.api, merchant: { merchantId: "", sandboxKey: key, liveKey: "" } }).paid(amount)
      const hasReached = (amount: number) =>
        eventually(
          `the payment of ${amount} to be forwarded`,
          Effect.sync(() => hook.all.some(({ event }) => event.data.object.amount === amount))
        )

      let listener = yield* listen
      yield* listener.says("Waiting for events")
      // Killed while it forwards: the event of 1001 is on its way, or not yet asked for.
      yield* pay(1_000)
      yield* hasReached(1_000)
      yield* pay(1_001)
      listener.kill("SIGKILL")
      yield* listener.ended
      yield* pay(1_002)
      listener = yield* listen
      yield* hasReached(1_002)

      // The service is killed under it, and comes back.
      service.signal("SIGKILL")
      yield* service.ended
      yield* listener.says("Retrying until")
      service = yield* serve
      yield* pay(1_003)
      yield* hasReached(1_003)

      // Both at once.
      yield* pay(1_004)
      service.signal("SIGKILL")
      listener.kill("SIGKILL")
      yield* Effect.all([service.ended, listener.ended])
      service = yield* serve
      yield* pay(1_005)
      listener = yield* listen
      yield* hasReached(1_005)

      for (const amount of [1_000, 1_001, 1_002, 1_003, 1_004, 1_005]) yield* hasReached(amount)
      const ids = new Set(hook.all.map(({ event }) => event.id))
      const listed = yield* service.api.get("/v1/events?limit=100", key)
      const mine = listed.body.data.data.filter(
        (event: any) => event.data.object.amount >= 1_000 && event.data.object.amount <= 1_005
      )
      assert.strictEqual(mine.length, 6)
      for (const { id } of mine) assert.isTrue(ids.has(id), id)
    }).pipe(Effect.scoped)
  )
})
