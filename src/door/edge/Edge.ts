/**
 * The path of a request through the framework's router, for requests that the short path does not take. Before the
 * route, every request gets one address for `/v1` and `/api/v1`, must have a host, and gets a body that is read on
 * demand within the endpoint's limits (spec: General rules, 3; silences: G6, G8).
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { BodyLimits } from "@coffer/contract/bodyLimits"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Context, Effect, Layer, Stream } from "effect"
import { HttpRouter, type HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { headers } from "../../shared/pages/respond.ts"
import { bodyOf } from "./CallLogs.ts"
import type { Arrived } from "./Arrivals.ts"
import * as Body from "../../shared/http/Body.ts"
import type { BodyRefused } from "../../shared/http/CurrentRequest.ts"
import * as Exchange from "./Exchange.ts"
import { noSuchRoute } from "./Unanswered.ts"
import { busy, refuseField } from "../../shared/http/replies.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import {
  consoleAccountOf,
  describeTrace,
  foundAtPort,
  isHost,
  isOfOperatorsPage,
  nowhere,
  pageWithoutSlash,
  pathOf,
  type PortKind,
  routed
} from "./routes.ts"

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { answer, release } = yield* Exchange.make
    const bodyFrom = yield* Body.make
    const portKind: PortKind = (yield* Settings).admin === undefined ? "both" : "public"

    return HttpRouter.middleware(
      (route) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const url = routed(request.url)
          const there = url === request.url ? request : request.modify({ url })
          const source = request.source as Arrived
          const { shop } = source
          const kind = shop !== undefined ? "shop" : source.isAtAdmin === true ? "admin" : portKind
          const { at, params } = foundAtPort(kind, request.method, url)
          const body = bodyFrom(incomingBody(there, at.limits))
          // A handler that reads its text gets it within the limits.
          const limited: HttpServerRequest.HttpServerRequest = Object.create(there, { text: { value: body.text } })
          const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
          const incoming: Exchange.Incoming = {
            method: request.method,
            url,
            at,
            params,
            sent: request.headers,
            connection: source.socket,
            behind: source.behind ?? 0,
            ofConsole: consoleAccountOf(request.url),
            isOfOperatorsPage: isOfOperatorsPage(request.url),
            isAtAdmin: source.isAtAdmin === true,
            shop,
            body,
            logged: () => bodyOf(body, request.headers),
            response
          }
          // A response may be a file, which is still being written when `answer` ends.
          response.once("close", () => release(incoming))
          const here = at === nowhere ? noSuchRoute(limited) : route
          return yield* answer(incoming, reach(limited, here, kind), (context) =>
            Context.add(context, HttpServerRequest.HttpServerRequest, limited)
          ).pipe(
            Effect.ensuring(
              Effect.suspend(() => (incoming.record === undefined ? Effect.void : describeTrace(incoming.record, at)))
            )
          )
        }),
      { global: true }
    )
  })
)

const reach = <E, R>(
  request: HttpServerRequest.HttpServerRequest,
  route: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  kind: PortKind
) => {
  // Not an error of a route, but answered like every refusal.
  const refuse = (param: string, problem: string) => Effect.catch(refuseField(param, problem), Effect.die)
  const problem = hostProblem(NodeHttpServerRequest.toIncomingMessage(request))
  if (problem !== undefined) return refuse("Host", problem)
  // A request has no fragment. The router would take the text behind `#` for a query, and all others for a path.
  if (request.url.includes("#")) return refuse("", "The URL must not have a fragment (#)")
  const page = pageWithoutSlash(request.method, request.url, kind)
  if (page !== undefined) return Effect.succeed(HttpServerResponse.redirect(page, { status: 308, headers }))
  // The router would take `*` for `/`.
  return pathOf(request.url) === "*" ? noSuchRoute(request) : route
}

/** HTTP/1.1 requires the header, also where the address is a whole one and names a host (RFC 9112, 3.2). */
const hostProblem = ({
  headers: { host },
  httpVersion
}: Pick<IncomingMessage, "headers" | "httpVersion">): string | undefined => {
  if (host === undefined) return httpVersion === "1.1" ? "is required" : undefined
  return isHost(host) ? undefined : "must be there once, and be a host with or without a port"
}

const incomingBody = (request: HttpServerRequest.HttpServerRequest, limits: BodyLimits): Body.IncomingBody => {
  const announced = request.headers["content-length"]
  const length = announced === undefined ? undefined : Number(announced)
  const unread = ({ reason }: HttpServerError.HttpServerError) =>
    reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
      ? Body.tooLarge(limits)
      : refuseField("", "The body is incomplete")
  // A body of unknown length may come in very many chunks.
  const chunksMax = length === undefined ? unannouncedChunksMax : Infinity
  const bytes = (sender: Body.Sender) => {
    const read = chunksOf(request, { limits, chunksMax, take: sender.take })
    return Body.cuttable(sender, Effect.catchTags(read, { HttpServerError: unread }))
  }
  return { sent: request.headers, length, limits, bytes }
}

/** Each costs five microseconds, however small it is: this many hold the event loop for some ten milliseconds. */
const unannouncedChunksMax = 2_000

interface Chunks {
  readonly limits: BodyLimits
  readonly chunksMax: number
  readonly take: Body.Sender["take"]
}

/** Memory is reserved chunk by chunk. */
const chunksOf = (
  request: HttpServerRequest.HttpServerRequest,
  { chunksMax, limits, take }: Chunks
): Effect.Effect<Uint8Array, HttpServerError.HttpServerError | BodyRefused> =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let bytes = 0
    return request.stream.pipe(
      Stream.runForEach((chunk): Effect.Effect<void, BodyRefused> => {
        bytes += chunk.length
        if (bytes > limits.bytes) return Body.tooLarge(limits)
        if (chunks.length >= chunksMax)
          return refuseField("", `The body must not come in more than ${chunksMax} chunks`)
        if (!take(chunk.length)) return busy
        chunks.push(chunk)
        return Effect.void
      }),
      Effect.map(() => Buffer.concat(chunks))
    )
  })
