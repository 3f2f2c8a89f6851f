/**
 * The only place that connects to a merchant's server. Posts once and says what happened; whether that is a success,
 * and when to post again, is not decided here (spec: Events; silences: W8, W12, W20 to W22).
 *
 * Connections are kept for the next post. One that its server has closed meanwhile costs no attempt: the post is made
 * again at once, on a connection of its own.
 */
import { Resolver, lookup } from "node:dns"
import http from "node:http"
import https from "node:https"
import { isIP } from "node:net"
import { webhookAcknowledgement } from "@coffer/model/Limits"
import { isHttpUrl, isPublicAddress, isPublicHttpsUrl } from "@coffer/rules/delivery/address"
import { Clock, Context, Duration, Effect, identity, Layer, Redacted, Result, Schema } from "effect"
import { makeDeadlines } from "../platform/runtime/deadlines.ts"
import { memoize } from "../platform/runtime/memoize.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { span } from "../platform/runtime/span.ts"
import { type Checked, type Connections, makeConnections, type Trip } from "./connections.ts"
import { makeEgressProxy, ProxyTrouble } from "./egressProxy.ts"
import { makeProxyLog } from "./proxyLog.ts"

export interface OutboundRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
  /** Allows http, to public addresses. Sandbox only. */
  readonly httpAllowed?: boolean
  /** Allows http, and addresses of this machine and its network. Sandbox only, where the operator permits it. */
  readonly privateAllowed: boolean
}

/** `proxy`: the operator's proxy failed, and the destination has no part in it. */
export type NotDeliveredReason = "timeout" | "refused_address" | "dns" | "connect" | "tls" | "protocol" | "proxy"

/** `detail` is an error code or a sentence of ours: never a secret, the URL or an address. */
export type Outcome =
  | { readonly _tag: "Answered"; readonly status: number; readonly snippet: string }
  | { readonly _tag: "NotDelivered"; readonly reason: NotDeliveredReason; readonly detail: string }

export class Outbound extends Context.Service<
  Outbound,
  {
    /** POSTs the bytes once. Never fails: every failure is an outcome. */
    readonly post: (request: OutboundRequest) => Effect.Effect<Outcome>
  }
>()("@coffer/webhooks/Outbound") {}

export class HostNotFound extends Schema.TaggedError<HostNotFound>()("HostNotFound", { code: Schema.String }) {}

/** All addresses of a name. Asked once per post. */
export type Resolve = (hostname: string, privateAllowed: boolean) => Effect.Effect<ReadonlyArray<string>, HostNotFound>

export interface Ways {
  readonly resolve: Resolve
  /** `http://user:pass@host:port`, through which everything goes. */
  readonly proxy?: Redacted.Redacted | undefined
}

export const layerWith = ({ proxy, resolve }: Ways): Layer.Layer<Outbound> =>
  Layer.effect(
    Outbound,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const egress =
        proxy === undefined
          ? undefined
          : makeEgressProxy(new URL(Redacted.value(proxy)), () => clock.currentTimeMillisUnsafe())
      const connections = yield* makeConnections(egress)
      const proxyLog = makeProxyLog()
      const deadlines = yield* makeDeadlines(webhookAcknowledgement)
      const excerpts = yield* makeDeadlines(excerptPatience)
      const means: Means = { resolve, connections, stopReading: excerpts.after }

      return Outbound.of({
        post: span("Outbound.post")(function* (request) {
          const received: Received = { stage: "dns", status: undefined, chunks: [], bytes: 0 }
          // Headers in time acknowledge the delivery, even if the body is still arriving.
          const outcome = yield* deadlines.heed(attempt(request, means, received), () => tooLate(received))
          if (egress !== undefined) yield* proxyLog(outcome)
          return outcome
        })
      })
    })
  )

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { webhookProxy } = yield* Settings
    const publicNames = resolveByServers()
    return layerWith({
      resolve: (hostname, privateAllowed) => (privateAllowed ? resolveLocally(hostname) : publicNames(hostname)),
      proxy: webhookProxy
    })
  })
)

/** Bytes of the receiver's answer that are kept, so that the merchant can see it. */
const snippetBytesMax = 1024
/** How long they are waited for. The headers have decided already, and the post holds a place meanwhile. */
const excerptPatience = Duration.seconds(1)

interface Means {
  readonly resolve: Resolve
  readonly connections: Connections
  /** Calls back after {@link excerptPatience}, unless what it returns is called before. */
  readonly stopReading: (late: () => void) => () => void
}

/** What has arrived so far. It outlives the exchange, so that a time-out can still report it. */
interface Received {
  /** What has failed if nothing more comes. */
  stage: NotDeliveredReason
  status: number | undefined
  bytes: number
  readonly chunks: Array<Buffer>
}

const notDelivered = (reason: NotDeliveredReason, detail: string): Outcome => ({
  _tag: "NotDelivered",
  reason,
  detail
})

/** The answer as far as it has arrived; without a status, the reason why there is none. */
const outcomeOf = ({ chunks, status }: Received, reason: NotDeliveredReason, detail: string): Outcome =>
  status === undefined ? notDelivered(reason, detail) : { _tag: "Answered", status, snippet: snippetOf(chunks) }

const tooLate = (received: Received): Outcome =>
  outcomeOf(received, received.stage === "proxy" ? "proxy" : "timeout", `no answer within ${webhookAcknowledgement}`)

// PostgreSQL's text cannot hold a NUL, and a receiver may send one.
const snippetOf = (chunks: ReadonlyArray<Buffer>): string =>
  Buffer.concat(chunks).subarray(0, snippetBytesMax).toString("utf8").replaceAll("\0", "\uFFFD")

const attempt = Effect.fnUntraced(
  function* (request: OutboundRequest, means: Means, received: Received) {
    const { httpAllowed = false, privateAllowed } = request
    const isAllowed = privateAllowed || httpAllowed ? isHttpUrl : isPublic
    const url = isAllowed(request.url) ? URL.parse(request.url) : null
    if (url === null) return notDelivered("refused_address", "the URL is not allowed here")

    const addresses = yield* addressesOf(url, means.resolve, privateAllowed)
    if (addresses.length === 0) return notDelivered("dns", "ENODATA")
    // Every address has to be public: one private address among public ones is an attack or a mistake.
    if (!privateAllowed && !addresses.every(isPublicAddress)) {
      return notDelivered("refused_address", "the host resolves to an address that is not public")
    }
    const answered = yield* exchange({ url, addresses }, request, means, received, false)
    return answered ?? (yield* exchange({ url, addresses }, request, means, received, true)) ?? stale
  },
  Effect.catchTags({ HostNotFound: ({ code }) => Effect.succeed(notDelivered("dns", code)) })
)

/** Whether a text is such an address depends on nothing else, and costs 30 µs. */
const isPublic = memoize(4_096, identity<string>, isPublicHttpsUrl)

const addressesOf = (url: URL, resolve: Resolve, privateAllowed: boolean) => {
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1")
  return isIP(literal) === 0 ? resolve(url.hostname, privateAllowed) : Effect.succeed([literal])
}

/** A connection of its own is never found closed, so nobody sees this one. */
const stale = notDelivered("protocol", "ECONNRESET")

/**
 * Connects, sends, and listens until the snippet is full, the answer ends, or it takes too long to end. Interruption
 * closes the connection. Undefined when a kept connection turned out to be closed.
 */
const exchange = (
  checked: Checked,
  request: OutboundRequest,
  { connections, stopReading }: Means,
  received: Received,
  fresh: boolean
) =>
  Effect.callback<Outcome | undefined>((resume) => {
    const isTls = checked.url.protocol === "https:"
    let cancel: AbortController | undefined
    let ended = false
    let disarm = () => {}
    const trip: Trip = Object.assign(received, {
      stage: "connect" as const,
      cancelled: () => (cancel ??= new AbortController()).signal
    })
    const { headers, ...options } = connections.optionsFor(checked, trip, fresh)

    // Host, SNI and the certificate's name are those of the URL, whichever address is connected to.
    const client = (isTls ? https : http).request(checked.url, {
      ...options,
      method: "POST",
      headers: { ...request.headers, ...(headers as Record<string, string>) }
    })
    const finish = (detail: string, error?: Error) => {
      disarm()
      const isStale = client.reusedSocket && received.status === undefined && closedCodes.has(detail)
      const reason = error instanceof ProxyTrouble ? error.reason : trip.stage
      resume(Effect.succeed(isStale ? undefined : outcomeOf(received, reason, detail)))
      client.destroy()
    }
    followStages(client, trip, isTls)
    // Redirects are not followed by node:http: a 3xx is an answer like another.
    client.once("response", (response) => {
      if (connections.isProxysOwn(checked.url, response.statusCode)) {
        trip.stage = "proxy"
        return finish(`the proxy answered ${response.statusCode}`)
      }
      received.status = response.statusCode
      disarm = stopReading(() => finish(""))
      response.on("data", (chunk: Buffer) => {
        received.chunks.push(chunk)
        received.bytes += chunk.length
        // A longer answer is cut off, and its connection with it.
        if (received.bytes >= snippetBytesMax) finish("")
      })
      response.once("end", () => {
        ended = true
        disarm()
        // Nothing is destroyed, and the connection is back in its place before the next post looks for one.
        process.nextTick(() => resume(Effect.succeed(outcomeOf(received, trip.stage, ""))))
      })
      response.on("error", (error) => finish(codeOf(error)))
    })
    // `on`, not `once`: destroying the request may raise another error, and one without a listener ends the process.
    client.on("error", (error) => finish(codeOf(error), error))
    client.once("close", () => {
      if (!ended) finish("ECONNRESET")
    })
    client.end(request.body)

    return Effect.sync(() => {
      disarm()
      cancel?.abort()
      client.destroy()
    })
  })

/** What a connection says that was closed before we wrote to it. */
const closedCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"])

const followStages = (client: http.ClientRequest, trip: Trip, isTls: boolean) =>
  client.once("socket", (socket) => {
    if (client.reusedSocket) {
      trip.stage = "protocol"
      return
    }
    socket.once("connect", () => (trip.stage = isTls ? "tls" : "protocol"))
    socket.once("secureConnect", () => (trip.stage = "protocol"))
  })

/** The code alone, since messages of others contain addresses. */
const codeOf = (error: NodeJS.ErrnoException): string =>
  error instanceof ProxyTrouble ? error.message : (error.code ?? error.name)

/** As other programs on this machine do: knows `localhost`, the hosts file and neighbouring containers. */
const resolveLocally = (hostname: string) =>
  Effect.callback<ReadonlyArray<string>, HostNotFound>((resume) =>
    lookup(hostname, { all: true, order: "verbatim" }, (error, found) =>
      resume(
        error === null
          ? Effect.succeed(found.map(({ address }) => address))
          : Effect.fail(new HostNotFound({ code: codeOf(error) }))
      )
    )
  )

/**
 * Asks the DNS servers directly. `lookup` would wait in one of libuv's four threads: four merchants with dead name
 * servers would stop all other deliveries, and every file and key operation of the process. `servers` defaults to those
 * of the machine.
 */
export const resolveByServers = (servers?: ReadonlyArray<string>) => {
  // Milliseconds for one try. Some name servers never answer about IPv6. With three of those, asked twice each, the
  // IPv6 look-up fails after 7 s (measured), early enough to use the IPv4 addresses.
  const resolver = new Resolver({ timeout: 1_000, maxTimeout: 1_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return Effect.fnUntraced(function* (hostname: string) {
    const [v4, v6] = yield* Effect.all(
      [
        recordsOf((answer) => resolver.resolve4(hostname, answer)),
        recordsOf((answer) => resolver.resolve6(hostname, answer))
      ],
      { concurrency: 2, mode: "result" }
    )
    if (Result.isFailure(v4) && Result.isFailure(v6)) return yield* v4.failure
    return [v4, v6].flatMap((records) => (Result.isSuccess(records) ? records.success : []))
  })
}

type Answer = (error: NodeJS.ErrnoException | null, addresses: Array<string>) => void

const recordsOf = (ask: (answer: Answer) => void) =>
  Effect.callback<ReadonlyArray<string>, HostNotFound>((resume) =>
    ask((error, addresses) =>
      resume(error === null ? Effect.succeed(addresses) : Effect.fail(new HostNotFound({ code: codeOf(error) })))
    )
  )
