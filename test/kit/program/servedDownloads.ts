/** `/downloads` of a folder of packages, without a service. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { layerOf } from "../../../src/door/documents/Downloads.ts"
import { Settings } from "../../../src/platform/runtime/Settings.ts"

/** Answers the address of the port. */
export const servedDownloads = Effect.fnUntraced(function* (folder: string) {
  const server = createServer()
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))),
    () => Effect.promise(() => new Promise((done) => server.close(done).closeAllConnections()))
  )
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const settings = Layer.succeed(Settings, { publicUrl: address } as Settings["Service"])
  const app = yield* HttpRouter.toHttpEffect(layerOf(folder).pipe(Layer.provide([settings, NodeServices.layer])))
  server.on("request", (request, response) => {
    const asked = HttpServerRequest.fromWeb(new Request(address + request.url!, { method: request.method! }))
    const answered = app.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, asked),
      Effect.scoped,
      Effect.flatMap((answer) =>
        Effect.promise(async () => {
          const { body, headers, status } = HttpServerResponse.toWeb(answer)
          response.writeHead(status, Object.fromEntries(headers))
          for await (const part of body ?? []) response.write(part)
          response.end()
        })
      )
    )
    Effect.runFork(Effect.catchCause(answered, () => Effect.sync(() => response.writeHead(404).end())))
  })
  return address
})
