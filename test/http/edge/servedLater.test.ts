/** A request that comes after the port is open and before the service is built. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { Server } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Logger } from "effect"
import { HttpServerResponse } from "effect/http"
import * as HttpServer from "../../../src/door/edge/HttpServer.ts"
import * as NewIds from "../../../src/platform/runtime/NewIds.ts"
import { Settings } from "../../../src/platform/runtime/Settings.ts"
import { head, sendRaw } from "../../kit/callers/Raw.ts"

const given = Layer.merge(
  NewIds.layer,
  Layer.succeed(Settings, { clientPatience: Duration.seconds(30) } as Settings["Service"])
)

/** Node has given a request to the server. */
const requestHasCome = Effect.callback<void>((resume) => {
  const channel = "http.server.request.start"
  const came = () => setImmediate(() => resume(Effect.void))
  subscribe(channel, came)
  return Effect.sync(() => unsubscribe(channel, came))
})

it.live("a request that comes before the service is built is answered when it is", () =>
  Effect.gen(function* () {
    const listener = yield* Effect.provide(HttpServer.makeListener, given)
    const server = yield* NodeHttpServer.make(listener, { host: "127.0.0.1", port: 0 })
    const { port } = server.address as { readonly port: number }
    const come = yield* Effect.forkChild(requestHasCome, { startImmediately: true })
    const asked = yield* Effect.forkChild(sendRaw(`http://127.0.0.1:${port}`, head("GET /readyz")))
    yield* Fiber.join(come)
    yield* server.serve(Effect.succeed(HttpServerResponse.text("ready")))
    const { status } = yield* Fiber.join(asked)
    assert.strictEqual(status, 200)
  })
)

it.live("a connection that the system cannot hand over is logged once a minute, and the port goes on", () =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => void lines.push(message))
    const listener = yield* HttpServer.makeListener.pipe(
      Effect.provide(given),
      Effect.provideService(Logger.CurrentLoggers, new Set([logger]))
    )
    let open: Server | undefined
    const server = yield* NodeHttpServer.make(() => (open = listener()), { host: "127.0.0.1", port: 0 })
    yield* server.serve(Effect.succeed(HttpServerResponse.text("ready")))
    for (const code of ["EMFILE", "ENFILE"]) open!.emit("error", Object.assign(new Error("accept"), { code }))
    assert.deepStrictEqual(lines, [
      ["connections could not be accepted; more of this minute are not logged", { reason: "EMFILE" }]
    ])
    const { port } = server.address as { readonly port: number }
    const { status } = yield* sendRaw(`http://127.0.0.1:${port}`, head("GET /readyz"))
    assert.strictEqual(status, 200)
  })
)
