/** The server's routes: the API, the buyer's pages, and the test commands. */
import { ByteSize, Effect } from "effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Parts } from "../control/Command.ts"
import type { Commands } from "../control/commands.ts"
import { makeApi } from "./api.ts"
import { makeControl } from "./control.ts"
import { makePages } from "./pages.ts"
import { bodyMax } from "./request.ts"

export const makeApp = (parts: Parts, commands: Commands) => {
  const api = makeApi(parts)
  const control = makeControl(commands, () => parts.world.settings.url)
  const pages = makePages(parts)
  return Effect.gen(function* () {
    const { url } = yield* HttpServerRequest
    if (url.startsWith("/v1/")) return yield* api
    if (url.startsWith("/_simulator/")) return yield* control
    return (yield* pages) ?? HttpServerResponse.text("There is nothing here.", { status: 404 })
  }).pipe(
    // The server would wait for requests whose client has left.
    Effect.interruptible,
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyMax))
  )
}
