/** The cost of the worst event that may be sent to Stripe's address; the other routes are in `worstBodies`. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { loopDelay } from "../kit/run/eventLoopDelay.ts"
import { connected } from "./kit.ts"

const bytesMax = 512 * 1_024

/** So many values as there is room for. */
const event = (bytes: number) => {
  const head = '{"id":"evt_1","type":"customer.created","created":1767225600,"livemode":false,"data":{"object":{"a":['
  const tail = "0]}}}"
  return `${head}${"0,".repeat((bytes - head.length - tail.length) >> 1)}${tail}`
}

it.live("an event of 512 kB is taken; a larger one, and one without our signature, is refused before it is read", () =>
  Effect.gen(function* () {
    const { api, control, endpoint, stripe } = yield* connected()
    const { pathname } = new URL(endpoint.url)
    const { now } = yield* control.state({})
    const table: Array<string> = []
    for (const [what, raw, secret, status] of [
      ["largest", event(bytesMax), endpoint.secret!, 200],
      ["unsigned", event(bytesMax), "whsec_other", 400],
      ["too large", event(2 * bytesMax), endpoint.secret!, 400]
    ] as const) {
      const header = stripe.webhooks.generateTestHeaderString({ payload: raw, secret, timestamp: now })
      const { answer, millis } = yield* loopDelay(
        api.call("POST", pathname, { raw, headers: { "Stripe-Signature": header } })
      )
      assert.deepStrictEqual([what, answer.status], [what, status])
      table.push(`${what.padEnd(10)} ${String(raw.length).padStart(8)} bytes ${millis.toFixed(1)} ms`)
    }
    process.stdout.write(`\nPOST /channels/stripe/:token held the event loop\n${table.join("\n")}\n`)
  })
)
