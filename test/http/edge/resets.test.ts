/**
 * A client that resets its connection, at any stage of its request: an unhandled error of the connection
 * would end the process, and all other requests with it.
 */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { blocking } from "../../kit/faults/Faults.ts"
import { head } from "../../kit/callers/Raw.ts"
import { type Running, start } from "../../kit/Service.ts"

/** Errors that would end the process, since no handler catches them. */
const uncaught = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const others = process.listeners("uncaughtException")
      const errors: Array<unknown> = []
      process.removeAllListeners("uncaughtException")
      process.on("uncaughtException", (error) => errors.push(error))
      return { errors, others }
    }),
    ({ others }) =>
      Effect.sync(() => {
        process.removeAllListeners("uncaughtException")
        for (const other of others) process.on("uncaughtException", other)
      })
  ),
  ({ errors }) => errors
)

/** By then the server has received whatever was sent to it before. */
const heard = ({ api }: Running) => Effect.repeat(api.get("/healthz"), { times: 5 })

/** Sends these bytes, and resets the connection after `stay`, whose argument ends when an answer comes. */
const reset = (url: string, bytes: string, stay: (answered: Effect.Effect<void>) => Effect.Effect<unknown>) =>
  Effect.acquireUseRelease(
    Effect.gen(function* () {
      const answered = yield* Deferred.make<void>()
      const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(bytes))
      socket.on("data", () => Deferred.doneUnsafe(answered, Effect.void))
      socket.on("error", () => undefined)
      return { answered, socket }
    }),
    ({ answered }) => stay(Deferred.await(answered)),
    ({ socket }) => Effect.sync(() => socket.resetAndDestroy())
  )

describe("a client that resets its connection ends no process:", () => {
  it.live("after CONNECT, with and without a body", () =>
    Effect.gen(function* () {
      const errors = yield* uncaught
      const service = yield* start()
      for (const more of [{}, { "Content-Length": 10 }]) {
        yield* reset(service.baseUrl, head("CONNECT a:1", more), (answered) => answered)
        yield* heard(service)
      }
      assert.deepStrictEqual(errors, [])
    })
  )

  for (const [how, expect] of [
    ["", {}],
    [", and the client waits to be told to send it", { Expect: "100-continue" }]
  ] as const) {
    it.live(`in the middle of a body, while the request before it on the connection is in work${how}`, () =>
      Effect.gen(function* () {
        const errors = yield* uncaught
        const fault = yield* blocking("Idempotency.run", "before")
        const service = yield* start({ faults: fault.layer })
        const { api, baseUrl, merchant } = service
        const key = { "X-Api-Key": merchant.sandboxKey, "Content-Type": "application/json" }
        const first = `${head("POST /v1/orders", { ...key, "Idempotency-Key": "k", "Content-Length": 14 })}{"amount":100}`
        const second = `${head("POST /v1/orders", { ...key, ...expect, "Transfer-Encoding": "chunked" })}3\r\n{"a\r\n`
        yield* reset(baseUrl, first + second, () => Effect.andThen(Deferred.await(fault.reached), heard(service)))
        yield* heard(service)
        yield* fault.release
        assert.deepStrictEqual(errors, [])
        assert.strictEqual((yield* api.get("/v1/orders", merchant.sandboxKey)).status, 200)
      })
    )
  }
})
