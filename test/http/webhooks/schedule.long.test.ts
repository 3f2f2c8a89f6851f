/**
 * With any answers of the receiver, each event is tried at exactly the times of the specification, until accepted or
 * the schedule has ended, and then never again (spec: Events, Delivery; silences: W7, W8).
 */
import http from "node:http"
import type { AddressInfo } from "node:net"
import { webhookRedeliveryDelays } from "@coffer/model/Limits"
import { assert, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import fc from "fast-check"
import { hooksOf } from "../../kit/callers/Hooks.ts"
import { start } from "../../kit/Service.ts"

/** A status, or a connection that is closed without one. */
const answers = [200, 204, 299, 300, 302, 308, 400, 404, 410, 429, 500, 503, "reset"] as const
type Answer = (typeof answers)[number]
const isTaken = (answer: Answer) => typeof answer === "number" && answer < 300

const failing = fc.constantFrom(...answers.filter((answer) => !isTaken(answer)))
/** Most receivers come back late, some never, and some at once. */
const pattern = fc
  .tuple(fc.array(failing, { maxLength: 9 }), fc.array(fc.constantFrom(...answers), { maxLength: 9 }))
  .map(([down, mixed]) => [...down, ...mixed])

const patternsMax = 150

/** When attempts are made, milliseconds after the event. */
const schedule = webhookRedeliveryDelays.reduce<ReadonlyArray<number>>(
  (times, delay) => [...times, times.at(-1)! + Duration.toMillis(delay)],
  [0]
)

/** Answers `/7` with what comes next in pattern 7; beyond its end with 200. */
const receiverOf = (patterns: ReadonlyArray<ReadonlyArray<Answer>>) =>
  Effect.gen(function* () {
    const calls = patterns.map(() => 0)
    const server = http.createServer((request, response) => {
      request.resume().on("end", () => {
        // A connection that is kept and then reset before an answer is used once more at once (silences: W20).
        response.shouldKeepAlive = false
        const index = Number(request.url!.slice(1))
        const answer = patterns[index]![calls[index]!++] ?? 200
        if (answer === "reset") response.destroy()
        else response.writeHead(answer, { Location: "/0", "Retry-After": "1" }).end()
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () => Effect.sync(() => server.close().closeAllConnections())
    )
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
  })

it.live("any pattern of answers gives exactly the specified attempts at the specified times, and then rests", () =>
  Effect.gen(function* () {
    const patterns = fc.sample(pattern, { numRuns: patternsMax, seed: 18 })
    const { calls, url } = yield* receiverOf(patterns)
    const running = yield* start({ clock: "test" })
    const { api, merchant, pass } = running
    const hooks = hooksOf(running, merchant)
    const orders = yield* Effect.forEach(patterns, (_, index) => hooks.paid({ notify_url: `${url}/${index}` }))
    yield* pass("3 days")

    for (const [index, answered] of patterns.entries()) {
      const first = schedule.findIndex((_, attempt) => isTaken(answered[attempt] ?? 200))
      const count = first === -1 ? schedule.length : first + 1
      const events = yield* api.get(`/v1/events?object_id=${orders[index].trade_no}`, merchant.sandboxKey)
      const path = `/v1/webhook_deliveries?event_id=${events.body.data.data[0].id}`
      const [delivery, ...others] = (yield* api.get(path, merchant.sandboxKey)).body.data.data
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(
        delivery.attempts.map(({ at, status_code }: { readonly at: string; readonly status_code: number | null }) => [
          Date.parse(at),
          status_code
        ]),
        schedule.slice(0, count).map((at, attempt) => {
          const answer = answered[attempt] ?? 200
          return [at, answer === "reset" ? null : answer]
        }),
        JSON.stringify(answered)
      )
      const status = first === -1 ? "failed" : "succeeded"
      assert.deepInclude(delivery, { status, next_attempt_at: null })
      assert.strictEqual(calls[index], count)
    }
    assert.includeMembers(
      patterns.map((answered) => schedule.findIndex((_, attempt) => isTaken(answered[attempt] ?? 200))),
      [-1, 0, 1, 2, 3, 4, 5, 6],
      "every way in which it can end has come"
    )
  })
)
