/** A destination that has failed for an hour is reported to operators: by a line each hour, and by a metric. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { makeFailingDestinations } from "../../src/webhooks/deliveries/DeliveryMetrics.ts"
import { hooksOf } from "../kit/callers/Hooks.ts"
import { receiver } from "../kit/Receiver.ts"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import { start } from "../kit/Service.ts"

it.live("a failing destination is logged once an hour, from its first hour on, until a success", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (String(message).startsWith("webhooks of ")) lines.push(`${logLevel} ${String(message)}`)
    })
    const faults = Layer.merge(Faults.layer, Logger.layer([logger]))
    const running = yield* start({ clock: "test", faults, env: { WORKER_POLL: "30 minutes" } })
    const { api, atRest, merchant, pass } = running
    const hooks = hooksOf(running, merchant)
    const hook = yield* receiver
    const metrics = Effect.map(api.get("/metrics"), ({ text }) =>
      ["destinations_failing", "successes"].map((name) =>
        Number(new RegExp(`^coffer_delivery_${name}.* (\\d+)$`, "m").exec(text)?.[1])
      )
    )
    hook.answer(503)
    yield* hooks.paid({ notify_url: hook.url })
    yield* pass("59 minutes")
    assert.deepStrictEqual(lines, [])
    assert.deepStrictEqual(yield* metrics, [0, 0])

    // Its sixth attempt comes after two hours and 42 minutes; that of another event, half an hour later, is no news.
    yield* pass("2 hours")
    yield* hooks.paid({ notify_url: hook.url })
    yield* pass("31 minutes")
    const { host } = new URL(hook.url)
    const since = "have failed since 1970-01-01T00:00:00.000Z: it answers 503"
    const line = `Warn webhooks of ${merchant.merchantId} (sandbox) to ${host} ${since}`
    assert.deepStrictEqual(lines, [line])
    assert.deepStrictEqual(yield* metrics, [1, 0])
    yield* pass("1 hour")
    yield* hooks.paid({ notify_url: hook.url })
    yield* atRest
    assert.deepStrictEqual(lines, [line, line])

    hook.answer(200)
    yield* hooks.paid({ notify_url: hook.url })
    yield* pass("30 minutes")
    const [failing, successes] = yield* metrics
    assert.strictEqual(failing, 0)
    assert.isAbove(successes!, 0)
    hook.answer(503)
    yield* hooks.paid({ notify_url: hook.url })
    yield* pass("30 minutes")
    assert.strictEqual(lines.length, 2)
  })
)

it("a destination that is not tried any more counts no longer, and 4096 are remembered", () => {
  const destinations = makeFailingDestinations()
  const line = (host: number) => ({ mode: "live" as const, merchantId: "m", destination: `${host}.example` })
  const hour = 3_600_000
  for (let host = 0; host < 5_000; host++) destinations.failed(line(host), 0)
  assert.strictEqual(destinations.count(hour - 1), 0)
  assert.strictEqual(destinations.count(hour), 4_096)
  destinations.failed(line(4_999), 6 * hour)
  assert.strictEqual(destinations.count(7 * hour), 4_096)
  assert.strictEqual(destinations.count(7 * hour + 1), 1)
})
