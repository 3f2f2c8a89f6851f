/**
 * The library's MCP server with our tools and documents. `McpHttp.ts` loads this with the first message: it is a
 * hundred modules, and the schemas of all versions of the protocol.
 */
import { mcpPath } from "@coffer/contract/Mcp"
import { docsAbove } from "@coffer/mcp/docs"
import { chosenBy } from "@coffer/mcp/groups"
import { type Door, instructions, registrations } from "@coffer/mcp/server"
import { Context, Effect, Scope, Stream } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { programFolder, version } from "../../platform/runtime/Vitals.ts"

const about = { name: "coffer", version, instructions }

/** The API client of the current message's key. */
const CurrentDoor = Context.Reference<Door | undefined>("@coffer/mcp/CurrentDoor", { defaultValue: () => undefined })

const door = Effect.flatMap(CurrentDoor, (found) =>
  found === undefined ? Effect.die(new Error("a tool was called without a key")) : Effect.succeed(found)
)

type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** It lasts as long as the scope. */
export const make = Effect.fnUntraced(function* (scope: Scope.Scope) {
  const serving = McpServer.layerHttpRequestScoped({
    ...about,
    path: mcpPath,
    protocols: [McpProtocol.v2026_07_28],
    registrations: registrations({ door, docs: docsAbove(programFolder) })
  })
  // Without the service's context: otherwise it would get the service's own router.
  const built = Effect.updateContext(HttpRouter.toHttpEffect(serving), () => Context.make(Scope.Scope, scope))
  const served = yield* Effect.cached(built)
  // Its protocol is one that it serves, and its route fails with an answer of its own.
  const app = Effect.flatMap(served, (route) => route).pipe(Effect.catch(Effect.die)) as App
  return {
    about,
    chosenBy,
    /** Answers a message on behalf of its key. */
    answer: (request: HttpServerRequest.HttpServerRequest, own: Door) =>
      app.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.provideService(CurrentDoor, own),
        Effect.flatMap(whole),
        Effect.scoped
      )
  }
})

/** The answer is made within the request's time, and sent when it is whole. */
const whole = Effect.fnUntraced(function* (response: HttpServerResponse.HttpServerResponse) {
  if (response.body._tag !== "Stream") return response
  const parts = yield* Effect.catch(Stream.runCollect(response.body.stream), Effect.die)
  return HttpServerResponse.uint8Array(Buffer.concat(parts), {
    status: response.status,
    contentType: response.body.contentType ?? "text/event-stream"
  })
})
