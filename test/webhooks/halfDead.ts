/** A merchant whose receiver answers at some of its addresses, and hangs at others on the same host and port. */
import http from "node:http"
import { Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { hooksOf } from "../kit/callers/Hooks.ts"
import { type Running, start } from "../kit/Service.ts"
import { run } from "./receiver.ts"

/** Answers `/quick` at once, `/slow` when the test says so, and nothing else. Reports each request. */
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

export const wait = (running: Running, seconds: number) =>
  Effect.provideContext(TestClock.adjust(`${seconds} seconds`), running.context)

export const orders = 50

/** Time is stopped until the test moves it. */
export const setUp = Effect.gen(function* () {
  const running = yield* start({ clock: "test" })
  const { merchantId, sandboxKey } = yield* running.api.newMerchant("Of its own", "default")
  const hooks = hooksOf(running, { ...running.merchant, merchantId, sandboxKey })
  const endpoint = (url: string) =>
    running.api.post("/v1/webhook_endpoints", sandboxKey, { url, enabled_events: ["payment.succeeded"] })
  const pay = (count: number, notify_url?: () => string) =>
    Effect.forEach(Array.from({ length: count }), () =>
      hooks.paid(notify_url === undefined ? {} : { notify_url: notify_url() })
    )
  return { running, merchantId, sandboxKey, hooks, endpoint, pay, server: yield* halfDead }
})
