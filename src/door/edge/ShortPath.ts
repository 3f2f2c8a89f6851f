/**
 * The short path of the merchant API. A plain call, as nearly all are, goes from Node's request to its handler and back
 * without the framework's server and router, which would cost at least a fifth more CPU (docs/decisions/0086). Other
 * calls, and those of the console, go through the framework. Endpoints, middleware, handlers and replies are the same
 * on both paths.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Decoding, Idempotency, MerchantKey, Quotas, SandboxOnly } from "@coffer/contract/Caller"
import { loggedBodyBytesMax } from "@coffer/contract/Logs"
import { Context, Effect, Exit, Fiber, Layer, Option, Redacted, Schema, type SchemaAST, Tracer } from "effect"
import { FindMyWay, type HttpServerResponse } from "effect/http"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, type HttpApiMiddleware } from "effect/http-api"
import { withoutServices } from "@coffer/cluster/withoutServices"
import { parseJson } from "../../platform/runtime/codecs.ts"
import { RenewedSet } from "../../platform/runtime/renewed.ts"
import { bodyOf } from "./CallLogs.ts"
import type { Arrived } from "./Arrivals.ts"
import * as Body from "../../shared/http/Body.ts"
import { queryProblem, refuseOtherThanObject, refuseUndecodable, takesNoBody } from "./Unanswered.ts"
import { checkNames } from "./unknownNames.ts"
import type { BodyRefused } from "../../shared/http/CurrentRequest.ts"
import * as Exchange from "./Exchange.ts"
import { refuseField } from "../../shared/http/replies.ts"
import {
  areSpelled,
  consoleAccountOf,
  isHost,
  isSpelledOtherwise,
  pathOf,
  type Route as At,
  routed,
  routeOf,
  routerConfig
} from "./routes.ts"

/** Each request comes here before the framework sees it (`Arrivals.ts`). Without endpoints it takes none. */
export class ShortPath extends Context.Service<
  ShortPath,
  { take: (request: Arrived, response: ServerResponse) => boolean }
>()("@coffer/edge/ShortPath") {}

const takesNone = () => false

export const layer = Layer.sync(ShortPath, () => ({ take: takesNone }))

/** One call, with its body once a handler has read it. */
interface Call extends Exchange.Incoming {
  readonly query: Record<string, string | Array<string>>
  /** The length of the body. */
  readonly bytes: number
  /** The parsed body; undefined until a handler has read it. */
  json: unknown
}

type Handled = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>
type Route = (call: Call) => Handled
interface ShortRoute {
  readonly at: At
  readonly route: Route
}
type Middleware = Decoding | Idempotency | MerchantKey | Quotas | SandboxOnly

/** Opens the short path for an API, for as long as its handlers are provided. */
export const layerOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { answer, release } = yield* Exchange.make
      const bodyFrom = yield* Body.make
      const shortPath = yield* ShortPath
      const context = yield* Effect.context<Middleware | HttpApiGroup.ToService<Id, Groups>>()
      // Only the framework makes spans for requests.
      if (Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer) return

      const router = FindMyWay.make<ShortRoute>(routerConfig)
      for (const { endpoint, route } of shortRoutes(api, context)) {
        router.on(endpoint.method, endpoint.path as FindMyWay.PathInput, { at: routeOf(endpoint), route })
      }
      const run = yield* makeRun({ answer, release, fork: Effect.runForkWith(withoutServices(context)) })

      shortPath.take = (request, response) => {
        const { headers, method = "", socket } = request
        if (!isPlain(request)) return false
        if (consoleAccountOf(request.url ?? "") !== undefined) return false
        const url = routed(request.url ?? "")
        if (isSpelledOtherwise(pathOf(url))) return false
        const found = router.find(method, url)
        // A CSV file is streamed, which the framework does.
        if (found === undefined || "format" in found.searchParams || !areSpelled(found.params)) return false
        const { at, route } = found.handler
        const bytes = Number(headers["content-length"] ?? 0)
        const sent = headers as Call["sent"]
        const call: Call = {
          method,
          url,
          at,
          params: found.params,
          query: found.searchParams,
          sent,
          connection: socket,
          behind: request.behind ?? 0,
          bytes,
          body:
            bytes === 0
              ? Body.none
              : bodyFrom({ sent, length: bytes, limits: at.limits, bytes: (sender) => bytesOf(request, sender) }),
          json: undefined,
          logged: () => loggedOf(call),
          response
        }
        run(route, call, response)
        return true
      }
      yield* Effect.addFinalizer(() => Effect.sync(() => (shortPath.take = takesNone)))
    })
  )

interface Running extends Effect.Success<typeof Exchange.make> {
  readonly fork: ReturnType<typeof Effect.runForkWith<never>>
}

/**
 * Answers a call in a fiber of its own. A client that leaves interrupts it, and so does the end of the scope. The scope
 * itself does not keep the fibers, since it has a Map that is never renewed (`renewed.ts`).
 */
const makeRun = Effect.fnUntraced(function* ({ answer, fork, release }: Running) {
  const running = new RenewedSet<Fiber.Fiber<HttpServerResponse.HttpServerResponse, unknown>>()
  yield* Effect.addFinalizer(() => Fiber.interruptAll(running))
  return (route: Route, call: Call, response: ServerResponse) => {
    const fiber = fork(answer(call, route(call)), { uninterruptible: true })
    if (fiber.pollUnsafe() === undefined) running.add(fiber)
    fiber.addObserver((exit) => {
      running.delete(fiber)
      if (Exit.isSuccess(exit)) send(response, exit.value)
      // The client has left.
      else response.destroy()
      // An answer that the client has not read stays in memory as long as the connection is open.
      if (isFlushed(response)) release(call)
      else response.once("close", () => release(call))
    })
    if (fiber.pollUnsafe() !== undefined) return
    response.on("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    })
  }
})

/** Node buffers this much of a body that is not read. Larger ones go to the framework, which can hang up. */
const bytesMax = 64 * 1024

const jsonTypes = new Set(["application/json", "application/json; charset=utf-8", "application/json;charset=utf-8"])

/** A plain call has a path as its address, and no body or a small JSON body of known length. */
const isPlain = ({ headers, method, url }: IncomingMessage): boolean => {
  if (url?.startsWith("/") !== true || url.includes("#") || headers["transfer-encoding"] !== undefined) return false
  if (headers.host === undefined || !isHost(headers.host)) return false
  const length = headers["content-length"]
  if (length === undefined || length === "0") return true
  return method === "POST" && Number(length) <= bytesMax && jsonTypes.has(headers["content-type"] ?? "")
}

/** Reads the body. A client that leaves before its end, or that is cut off, interrupts the reading fiber. */
const bytesOf = (request: IncomingMessage, sender: Body.Sender): Effect.Effect<Uint8Array, BodyRefused> =>
  Effect.callback((resume) => {
    const parts: Array<Uint8Array> = []
    const note = (part: Uint8Array) => {
      if (sender.take(part.length)) parts.push(part)
    }
    sender.cut = (refusal) => {
      request.off("data", note).pause()
      resume(refusal)
    }
    request.on("data", note)
    request.on("end", () => resume(Effect.succeed(parts.length === 1 ? parts[0]! : Buffer.concat(parts))))
    return Effect.sync(() => void request.off("data", note).pause())
  })

/** A body that a handler has parsed need not be parsed again. */
const loggedOf = ({ body, bytes, json, sent }: Call) =>
  json !== undefined && bytes <= loggedBodyBytesMax ? Effect.succeed({ bytes, json }) : bodyOf(body, sent)

/** Whether the response was sent completely. */
const isFlushed = ({ destroyed, socket }: ServerResponse): boolean =>
  destroyed || (socket !== null && socket.writableLength === 0)

const send = (response: ServerResponse, { body, headers, status }: HttpServerResponse.HttpServerResponse) => {
  if (response.destroyed) return
  response.writeHead(status, headers)
  if (body._tag === "Uint8Array") response.end(body.text ?? body.body)
  else response.end()
}

/** The part of what `HttpApiBuilder.group` provides that is used here. The framework does not export its type. */
interface GroupService {
  readonly handlers: ReadonlyMap<
    string,
    { readonly endpoint: HttpApiEndpoint.Top; readonly handler: (input: Input) => Handled }
  >
}

/** An endpoint of a group. */
interface Place {
  readonly endpoint: HttpApiEndpoint.Top
  readonly group: HttpApiGroup.Top
}

/** What a handler gets: the decoded parts that its endpoint has. */
interface Input extends Place {
  params?: unknown
  query?: unknown
  payload?: unknown
}

/** A middleware at an endpoint. */
interface Wrap {
  readonly around: (handled: Handled, at: Place) => Handled
  readonly at: Place
}

/** Endpoints, with middleware and handlers called as the framework would call them. */
const shortRoutes = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  context: Context.Context<Middleware | HttpApiGroup.ToService<Id, Groups>>
) =>
  (Object.values(api.groups) as ReadonlyArray<HttpApiGroup.Top>).flatMap((group) => {
    const { handlers } = Context.getUnsafe(context, Context.Service<GroupService>(group.key))
    const taken = [...handlers.values()].filter(({ endpoint }) => !isForm(endpoint) && !isFile(endpoint))
    return taken.map(({ endpoint, handler }) => {
      const at = { endpoint, group }
      const wraps = [...endpoint.middlewares].flatMap((key) => wrapOf(context, key as HttpApiMiddleware.AnyService, at))
      const annotations = Context.merge(Context.merge(api.annotations, group.annotations), endpoint.annotations)
      const decode = decoderOf(at, annotations)
      const route: Route = (call) => {
        let handled: Handled = Effect.suspend(() => Effect.flatMapEager(decode(call), handler))
        for (const { around, at } of wraps) handled = around(handled, at)
        return handled
      }
      return { endpoint, route }
    })
  })

/** The framework reads the parts of a form while they arrive. */
const isForm = ({ payload }: HttpApiEndpoint.Top): boolean =>
  [...payload.values()].some(({ encoding }) => encoding._tag === "Multipart")

/** Its answer is never JSON: the framework streams it. */
const isFile = ({ success }: HttpApiEndpoint.Top): boolean =>
  success.size > 0 && [...success].every((schema) => "_tag" in schema && schema._tag === "StreamUint8Array")

/** The middleware reads the key from the request's record. */
const unread = Redacted.make("")

/** Wraps a handler in one middleware. {@link decoderOf} does the work of `Decoding`. */
const wrapOf = (
  context: Context.Context<Middleware>,
  middleware: HttpApiMiddleware.AnyService,
  at: Place
): ReadonlyArray<Wrap> => {
  if (middleware.key === Decoding.key) return []
  if (middleware.key === MerchantKey.key) {
    const { apiKey } = Context.get(context, MerchantKey)
    return [{ around: apiKey as unknown as Wrap["around"], at: { ...at, credential: unread } as Place }]
  }
  return [{ around: Context.getUnsafe(context, middleware) as Wrap["around"], at }]
}

/** Decodes the parts of a call in the framework's order, and refuses the first that does not decode. */
const decoderOf = ({ endpoint, group }: Place, annotations: Context.Context<never>) => {
  const decoded = decoder(endpoint)
  const params = endpoint.params === undefined ? undefined : decoded(endpoint.params)
  const known = Context.getOrUndefined(annotations, HttpApi.QueryParseOptions)
  const query =
    endpoint.query === undefined ? undefined : decoded(Schema.toCodecArrayFromSingle(endpoint.query), known, true)
  const [content] = endpoint.payload.values()
  const strictness = Context.getOrUndefined(annotations, HttpApi.PayloadParseOptions)
  const payload = content === undefined ? undefined : decoded(Schema.Union(content.schemas), strictness)

  return Effect.fnUntracedEager(function* (call: Call) {
    const input: Input = { endpoint, group }
    const problem = queryProblem(call.url)
    if (problem !== undefined) return yield* refuseField(problem.param, problem.problem)
    if (params !== undefined) input.params = yield* params(call.params)
    if (query !== undefined) input.query = yield* query(call.query)
    if (payload === undefined) return input
    const text = call.bytes === 0 ? "" : yield* call.body.text
    if (text !== "") {
      const json = call.record?.json ?? parseJson(text)
      if (Option.isNone(json)) return yield* refuseOtherThanObject
      call.json = json.value
    }
    yield* checkNames(call.record!, endpoint, call.json)
    input.payload = yield* payload(text === "" && takesNoBody(endpoint) ? {} : call.json)
    return input
  })
}

const decoder =
  (endpoint: HttpApiEndpoint.Top) =>
  (schema: Schema.Top, options?: SchemaAST.ParseOptions, isQuery = false) => {
    const decode = Schema.decodeUnknownEffect(schema as Schema.Codec<unknown, unknown>, options)
    const refuse = refuseUndecodable(endpoint)
    return (value: unknown) => Effect.catchEager(decode(value), (error) => refuse(error, { sent: value, isQuery }))
  }
