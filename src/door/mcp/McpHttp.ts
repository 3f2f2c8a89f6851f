/**
 * `/mcp`: the MCP server over HTTP (docs/mcp.md). A message is admitted, and counted as a read, by its key; a tool's
 * call enters the server again as a call of that key (`src/door/edge/Inward.ts`). There is no state between messages.
 */
import { Caller } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { McpApi, mcpPath } from "@coffer/contract/Mcp"
import type { ApiCall } from "@coffer/mcp/calls"
import { hashOf, isRecord, jsonText, parseJson } from "@coffer/mcp/json"
import type { Door } from "@coffer/mcp/server"
import type { Tool } from "@coffer/mcp/Tool"
import { covers, type Scope as KeyScope } from "@coffer/model/Scopes"
import { Effect, Layer, Option, PartitionedSemaphore, Result } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Inward } from "../edge/Inward.ts"
import { queryOf } from "../edge/PublicAdmission.ts"
import { CurrentRecord, type RequestRecord } from "../../shared/http/CurrentRequest.ts"
import { refuseField, refuseWith } from "../../shared/http/replies.ts"
import { version } from "../../platform/runtime/Vitals.ts"
import { isLoopback } from "../../platform/runtime/places.ts"
import { type Answer, isNewest, readOlder, refuseMessage } from "./olderClients.ts"

const handlers = HttpApiBuilder.group(
  McpApi,
  "mcp",
  Effect.fnUntraced(function* (handlers) {
    const inward = yield* Inward
    const scope = yield* Effect.scope
    const turns = PartitionedSemaphore.makeUnsafe<string>({ permits: 1 })
    // Loaded and built with the first message, since most services get none. Then it is shared by all.
    const tools = yield* Effect.cached(
      Effect.uninterruptible(
        Effect.flatMap(
          Effect.promise(() => import("./toolServer.ts")),
          ({ make }) => make(scope)
        )
      )
    )

    return handlers.handleRaw(
      "message",
      Effect.fnUntraced(function* ({ request }) {
        const record = yield* CurrentRecord
        const { merchantId, mode } = yield* Caller
        // The calls that its tools make are in the log.
        record.isUnlogged = true
        if (isOfOtherMachine(record.sent["origin"])) return yield* fromPage
        const text = yield* record.text
        const message = Option.getOrUndefined(parseJson(text))
        if (!isRecord(message)) return answerOf(notJsonRpc)
        const { about, answer, chosenBy } = yield* tools
        const chosen = chosenBy(queryOf(record).get("tools") ?? undefined)
        if (Result.isFailure(chosen)) return yield* refuseField("tools", chosen.failure)
        const turn = makeTurn(turns, `${merchantId}:${mode}`)
        const door = doorOf(inward, record, mode === "live")
        const own = {
          ...door,
          allows: (tool: Tool) => chosen.success(tool) && door.allows(tool),
          call: (call: ApiCall) => turn.without(door.call(call))
        }
        const forward = (request: HttpServerRequest.HttpServerRequest, text: string) =>
          turn.within(answer(Object.create(request, { text: { value: Effect.succeed(text) } }), own))
        if (isNewest(message)) return yield* forward(request, text)
        if (record.sent["mcp-session-id"] !== undefined) return HttpServerResponse.empty({ status: 404 })
        const older = readOlder(message, about)
        if (older._tag === "Answer") return answerOf(older)
        const headers = { ...request.headers, ...types, ...older.headers }
        return yield* forward(request.modify({ headers: headers as never }), jsonText(older.body))
      })
    )
  })
)

/**
 * A message costs up to ten times as much as a call, and is processed alone. Accounts take turns, however much each has
 * sent, and between two messages the event loop serves others. During a tool's call, which is counted and bounded like
 * any call, the message holds no turn.
 */
const makeTurn = (turns: PartitionedSemaphore.PartitionedSemaphore<string>, account: string) => {
  let isHeld = false
  const take = Effect.uninterruptibleMask((restore) =>
    Effect.map(restore(turns.take(account, 1)), () => void (isHeld = true))
  )
  const leave = Effect.suspend(() => {
    if (!isHeld) return Effect.void
    isHeld = false
    return Effect.asVoid(turns.release(1))
  })
  const begin = Effect.andThen(take, Effect.yieldNow)
  return {
    within: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.ensuring(Effect.andThen(begin, work), leave),
    without: <A, E, R>(call: Effect.Effect<A, E, R>) =>
      Effect.andThen(
        leave,
        Effect.tap(call, () => begin)
      )
  }
}

/**
 * DNS rebinding: a page of another site may use a name that now resolves to this machine. Its `Origin` has that name;
 * `localhost` is sent by programs and pages of the caller's own machine.
 */
const isOfOtherMachine = (origin: string | undefined): boolean =>
  origin !== undefined && !isLoopback(URL.parse(origin)?.hostname ?? "")

const fromPage = refuseWith(
  (request_id) =>
    new Wire.Forbidden({ message: "Browser pages can't call this: Origin names another machine.", request_id })
)

const types = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const notJsonRpc = refuseMessage(null, -32700, "The body is not a JSON-RPC message.", 400)

const answerOf = ({ body, status }: Answer) =>
  body === undefined ? HttpServerResponse.empty({ status }) : HttpServerResponse.jsonUnsafe(body, { status })

const doorOf = (inward: Inward["Service"], record: RequestRecord, isLive: boolean): Door => {
  const key = record.sent["x-api-key"] ?? ""
  const agent = (record.sent["user-agent"] ?? "").replace(/[^\x20-\x7e]/g, "").slice(0, 100)
  const headersOf = ({ idempotencyKey, method }: ApiCall) => ({
    "x-api-key": key,
    accept: "application/json",
    "user-agent": `coffer-mcp/${version} (${agent})`,
    ...(method === "GET" ? {} : { "coffer-strict": "true" }),
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
  })
  return {
    isLive,
    allows: ({ scope }) => record.scopes === undefined || covers(record.scopes, scope as KeyScope),
    secret: hashOf(["coffer mcp", key]),
    call: (call) =>
      Effect.map(
        inward.call(record, {
          method: call.method,
          url: `/v1${call.path}`,
          headers: headersOf(call),
          ...(call.body === undefined ? {} : { body: jsonText(call.body) })
        }),
        ({ headers, status, text }) => ({ status, headers, body: Option.getOrUndefined(parseJson(text)) })
      )
  }
}

export const layer = HttpApiBuilder.layer(McpApi).pipe(Layer.provide(handlers))

/** A client that tries to listen for messages or to end a session gets 405: there are none. */
export const layerNoSession = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const none = Effect.succeed(HttpServerResponse.empty({ status: 405, headers: { allow: "POST" } }))
    yield* router.add("GET", mcpPath, none)
    yield* router.add("DELETE", mcpPath, none)
  })
)
