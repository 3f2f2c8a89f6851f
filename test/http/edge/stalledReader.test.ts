/** A client that stops reading in the middle of a file keeps its connection only for a while. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { get, type IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { insertOrders } from "../../kit/rows/Rows.ts"
import { start } from "../../kit/Service.ts"

/** The service's ends of connections: it runs in this process, and a stalled reader is not notified of the end. */
const servedSockets = Effect.acquireRelease(
  Effect.sync(() => {
    const sockets: Array<Socket> = []
    const note = (message: unknown) => void sockets.push((message as { readonly socket: Socket }).socket)
    subscribe("net.server.socket", note)
    return { sockets, note }
  }),
  ({ note }) => Effect.sync(() => unsubscribe("net.server.socket", note))
)

it.live("a reader of a file who takes nothing any more is cut off, and does not take the file for whole", () =>
  Effect.gen(function* () {
    const { baseUrl, merchant, sql } = yield* start({ env: { CLIENT_PATIENCE: "1 second" } })
    // 20 MB: more than sockets hold.
    const many = { merchantId: merchant.merchantId, since: 1_767_225_600_000, step: 1_000, count: 1_000 }
    yield* insertOrders(sql, many, { subject: "repeat('x', 20000)" })
    const { sockets } = yield* servedSockets

    const response = yield* Effect.callback<IncomingMessage>((resume) => {
      const headers = { "X-Api-Key": merchant.sandboxKey }
      get(`${baseUrl}/v1/orders?format=csv`, { headers, agent: false }, (begun) => resume(Effect.succeed(begun)))
    })
    assert.strictEqual(response.statusCode, 200)
    const served = sockets.find(({ remotePort }) => remotePort === response.socket.localPort)!
    // The client does not read: only the service's patience ends this.
    yield* Effect.callback<void>((resume) => void served.once("close", () => resume(Effect.void)))

    const ending = yield* Effect.callback<string>((resume) => {
      response.once("error", () => resume(Effect.succeed("cut off")))
      response.once("end", () => resume(Effect.succeed("whole")))
      response.resume()
    })
    assert.strictEqual(ending, "cut off")
  })
)
