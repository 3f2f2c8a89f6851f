/** Deliveries as an operator sees them: metrics that exist from the start, and a line for each surprise. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import { placesPerLine } from "@coffer/rules/delivery/places"
import { receiver } from "../kit/Receiver.ts"
import { insertDeliveries } from "../kit/rows/Rows.ts"
import { ownersConnection, type Running, start } from "../kit/Service.ts"
import { answering } from "./receiver.ts"

const outcomes = ["connect", "dns", "protocol", "proxy", "refused_address", "secret", "status", "timeout", "tls"]

/** Values of `/metrics` about deliveries, by name and label. */
const metricsOf = ({ api }: Running) =>
  Effect.map(api.get("/metrics"), ({ text }) =>
    Object.fromEntries(
      Array.from(text.matchAll(/^coffer_deliver(?:y_failures.*outcome="(\w+)".*|ies_(\w+)) (\S+)$/gm), (match) => [
        match[1] ?? match[2]!,
        Number(match[3])
      ])
    )
  )

const paid = Effect.fnUntraced(function* ({ api, merchant }: Running, number: string, notify_url: string) {
  yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1000, out_trade_no: number, notify_url })
  yield* api.post(`/v1/test_helpers/orders/${number}/pay`, merchant.sandboxKey, {})
})

it.live("what failed by outcome and is under way is counted from the start; what is due, as for each worker", () =>
  Effect.gen(function* () {
    const running = yield* start({ clock: "test", env: { WORKER_POLL: "5 seconds" } })
    const nothing = Object.fromEntries(outcomes.map((outcome) => [outcome, 0]))
    assert.deepStrictEqual(yield* metricsOf(running), { ...nothing, in_flight: 0 })
    const due = Effect.map(running.api.operator("GET", "/cluster"), ({ body }) =>
      body.data.backlogs.find(({ worker }: { readonly worker: string }) => worker === "deliveries")
    )
    assert.deepStrictEqual(yield* due, { worker: "deliveries", due: 0, oldest_due_at: null, merchants: [] })

    const hook = yield* receiver
    hook.answer(500)
    yield* paid(running, "1", "http://127.0.0.1:1/")
    yield* paid(running, "2", hook.url)
    yield* running.atRest
    assert.deepInclude(yield* metricsOf(running), { connect: 1, status: 1, timeout: 0 })

    const hung = yield* Queue.unbounded<void>()
    const silent = yield* answering(() => Queue.offerUnsafe(hung, undefined))
    const { merchantId } = running.merchant
    yield* insertDeliveries(running.sql, { merchantId, count: 1_000 }, `'127.0.0.1:${silent.port}'`)
    yield* Effect.provideContext(TestClock.adjust("5 seconds"), running.context)
    // As many as a line has places are under way; the others have been due since the clock began.
    yield* Effect.replicateEffect(Queue.take(hung), placesPerLine)
    const since = "1970-01-01T00:00:00.000Z"
    const waiting = { due: 1_000 - placesPerLine, oldest_due_at: since }
    const merchants = [{ merchant_id: merchantId, mode: "sandbox", ...waiting }]
    assert.deepStrictEqual(yield* due, { worker: "deliveries", ...waiting, merchants })
    assert.deepInclude(yield* metricsOf(running), { in_flight: placesPerLine })
  })
)

it.live("an attempt that cannot be recorded is one line with its delivery, its host and its number, and no stack", () =>
  Effect.gen(function* () {
    const lines = yield* Queue.unbounded<string>()
    const logger = Logger.make(({ message }) => {
      if (String(message).includes("deliver")) Queue.offerUnsafe(lines, String(message))
    })
    const faults = Layer.merge(Faults.layer, Logger.layer([logger]))
    const running = yield* start({ clock: "test", faults })
    yield* (yield* ownersConnection(running.database))`alter table delivery_attempts rename to gone`
    yield* paid(running, "1", "http://127.0.0.1:1/")
    const line = yield* Queue.take(lines)
    assert.match(line, /^delivery dlv_\w{26} to 127\.0\.0\.1:1: attempt 1 could not be made or recorded \(.+\)/)
    assert.notMatch(line, /\n|node_modules/)
  })
)
