/**
 * A request that is interrupted from outside is still answered, in the envelope: by another runner that leaves
 * in the middle of its work, and by this service when it ends (spec: General rules, 3; silences: G23).
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { Faults } from "../../../src/platform/runtime/Faults.ts"
import { Logs } from "../../../src/shared/logs/Logs.ts"
import { head, type RawReply, sendRaw } from "../../kit/callers/Raw.ts"
import { freshDatabase, start } from "../../kit/Service.ts"
import { blocking } from "../../kit/faults/Faults.ts"

/** Ends as a call does whose runner went away: interrupted, without an interruption of the caller. */
const interrupting = (point: string) =>
  Layer.succeed(Faults, {
    around: (at, effect) => (at === point ? Effect.failCause(Cause.interrupt()) : effect)
  })

const body = '{"amount":100}'
const post = (key: string, type: string, more: Record<string, string> = {}) => [
  head("POST /v1/orders", { "X-Api-Key": key, "Content-Type": type, "Content-Length": body.length, ...more }),
  body
]
/** Plain, and so that the framework takes it. */
const types = ["application/json", "Application/Json"]

const assertEnvelope = ({ body, headers, status }: RawReply) => {
  assert.deepStrictEqual([status, body?.code, body?.error], [503, 503, "internal_error"])
  assert.match(body.request_id, /^req_/)
  assert.strictEqual(headers["x-request-id"], body.request_id)
  assert.match(headers["retry-after"] ?? "", /^[1-9]\d*$/)
}

describe("a call that is interrupted while its client waits is answered 503 in the envelope", () => {
  it.live("when another runner went away, with a row in the log, on both ways in", () =>
    Effect.gen(function* () {
      const { api, baseUrl, context, merchant } = yield* start({ faults: interrupting("Idempotency.run") })
      for (const [index, type] of types.entries()) {
        const reply = yield* sendRaw(baseUrl, ...post(merchant.sandboxKey, type, { "Idempotency-Key": `k${index}` }))
        assertEnvelope(reply)
        yield* Context.get(context, Logs).flushed
        const logs = yield* api.get(`/v1/logs?request_id=${reply.body.request_id}`, merchant.sandboxKey)
        const [log] = logs.body.data.data
        assert.deepStrictEqual([log.status, log.error_code], [503, "internal_error"])
      }
    })
  )

  for (const type of types) {
    it.live(`when the service ends: ${type}`, () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const fault = yield* blocking("Transactor.write", "before", (tables) => tables.includes("orders"))
        const scope = yield* Scope.make()
        const { baseUrl, merchant } = yield* Scope.provide(start({ database, faults: fault.layer }), scope)
        const reply = yield* Effect.forkChild(sendRaw(baseUrl, ...post(merchant.sandboxKey, type)))
        yield* Deferred.await(fault.reached)
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        assertEnvelope(yield* Fiber.join(reply))
        yield* fault.release
        yield* Fiber.join(closing)
      })
    )
  }
})
