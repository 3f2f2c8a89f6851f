/** A request does not wait behind hundreds of another party's that came in before it (silences: U12). */
import { connect, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { head } from "../../kit/callers/Raw.ts"
import { start } from "../../kit/Service.ts"

/** Requests of one party, each on a connection of its own. */
const many = 300

/** A connection that the service has accepted. */
const opened = (baseUrl: string) =>
  Effect.callback<Socket>((resume) => {
    const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1")
    socket.write(head("GET /healthz"))
    socket.once("data", () => resume(Effect.succeed(socket)))
  })

/** Sends all before the service reads one; the names in the order of their answers. */
const answersTo = (requests: ReadonlyArray<readonly [name: string, socket: Socket, request: string]>) =>
  Effect.callback<ReadonlyArray<string>>((resume) => {
    const names: Array<string> = []
    for (const [name, socket, request] of requests) {
      socket.once("data", () => {
        if (names.push(name) === requests.length) resume(Effect.succeed(names))
      })
      socket.write(request)
    }
  })

it.live("one request begins before hundreds of another merchant or of the public, also when it came last", () =>
  Effect.gen(function* () {
    const { api, baseUrl, merchant } = yield* start()
    const [other, last] = [yield* api.newMerchant(), merchant.sandboxKey]
    const sockets = yield* Effect.acquireRelease(
      Effect.all(
        Array.from({ length: many + 1 }, () => opened(baseUrl)),
        { concurrency: 50 }
      ),
      (all) => Effect.sync(() => all.forEach((socket) => socket.destroy()))
    )
    // Refused without a look at the database: they are answered in the order in which they begin.
    const asks = "GET /v1/orders?limit=0"
    for (const key of [other.sandboxKey, last]) assert.strictEqual((yield* api.get("/v1/orders", key)).status, 200)
    for (const [what, headers] of [
      ["another merchant", { "X-Api-Key": other.sandboxKey }],
      ["nobody", {}]
    ] as const) {
      const names = yield* answersTo([
        ...sockets.slice(1).map((socket) => [what, socket, head(asks, headers)] as const),
        ["the last", sockets[0]!, head(asks, { "X-Api-Key": last })]
      ])
      assert.isBelow(names.indexOf("the last"), many / 2, what)
    }
  })
)
