/** How the process starts, stops and starts again, as an operator sees it: exit codes, one clear line, data kept. */
import { once } from "node:events"
import http, { type ClientRequest, type IncomingMessage } from "node:http"
import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import {
  answered,
  credentialsOf,
  eventually,
  launch,
  newHome,
  postgresRuns,
  postmasterOf,
  run
} from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"

/** An order whose headers have arrived and whose body is still on its way. */
const begunOrder = (url: string, key: string, body: string) =>
  Effect.promise(async () => {
    const request = http.request(`${url}/v1/orders`, {
      method: "POST",
      agent: false,
      headers: {
        "X-Api-Key": key,
        "Content-Type": "application/json",
        "Content-Length": body.length,
        Expect: "100-continue"
      }
    })
    request.flushHeaders()
    // The server has read the headers: from now on the request is in flight.
    await once(request, "continue")
    return request
  })

const finish = (request: ClientRequest, body: string) =>
  Effect.promise(async () => {
    request.end(body)
    const [response] = (await once(request, "response")) as [IncomingMessage]
    const chunks = await response.toArray()
    return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) }
  })

describe("a stop", () => {
  it.live("SIGTERM finishes what is in flight and exits 0 within 10 s", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const coffer = yield* run({ env: { COFFER_HOME: home } })
      const key = credentialsOf(home).sandbox_key
      const { pid } = postmasterOf(home)!
      const body = JSON.stringify({ amount: 1999, out_trade_no: "in-flight" })
      const inFlight = yield* begunOrder(coffer.baseUrl, key, body)

      const [duration] = yield* Effect.timed(
        Effect.gen(function* () {
          coffer.signal("SIGTERM")
          const refused = Effect.map(answered(coffer.api.get("/v1/orders/none", key)), (reply) => reply === undefined)
          yield* eventually("new connections to be refused", refused)
          const reply = yield* finish(inFlight, body)
          assert.strictEqual(reply.status, 201)
          assert.strictEqual(reply.body.data.out_trade_no, "in-flight")
          assert.deepStrictEqual(yield* coffer.ended, { code: 0, signal: null })
        })
      )
      assert.isBelow(Duration.toSeconds(duration), 10)
      assert.isUndefined(postmasterOf(home), "Postgres stopped in good order")
      assert.isFalse(yield* postgresRuns(home), `Postgres is gone (pid ${pid})`)
    })
  )
})
