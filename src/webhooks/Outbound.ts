/**
 * The only place that connects to a merchant's server. Posts once and says what happened; whether that is a success,
 * and when to post again, is not decided here (spec: Events; silences: W8, W12).
 *
 * Each post has a connection of its own, which is closed after it. So no attempt fails on a stale connection, and the
 * address that was checked is the address that is connected to.
 */
import { Resolver, lookup } from "node:dns"
import http from "node:http"
import https from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { webhookAcknowledgement } from "@coffer/model/Limits"
import { isHttpUrl, isPublicAddress, isPublicHttpsUrl } from "@coffer/rules/delivery/address"
import { Context, Effect, Layer, Result, Schema } from "effect"

export interface OutboundRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
  /** Allows http, to public addresses. Sandbox only. */
  readonly httpAllowed?: boolean
  /** Allows http, and addresses of this machine and its network. Sandbox only, where the operator permits it. */
  readonly privateAllowed: boolean
}

export type NotDeliveredReason = "timeout" | "refused_address" | "dns" | "connect" | "tls" | "protocol"

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

export const layerWith = ({ resolve }: { readonly resolve: Resolve }): Layer.Layer<Outbound> =>
  Layer.succeed(Outbound, {
    post: Effect.fn("Outbound.post")(function* (request) {
      const received: Received = { status: undefined, chunks: [], bytes: 0 }
      return yield* attempt(request, resolve, received).pipe(
        Effect.timeoutOrElse({
          duration: webhookAcknowledgement,
          // Headers in time acknowledge the delivery, even if the body is still arriving.
          orElse: () => Effect.succeed(outcomeOf(received, "timeout", `no answer within ${webhookAcknowledgement}`))
        })
      )
    })
  })

export const layer = Layer.unwrap(
  Effect.sync(() => {
    const publicNames = resolveByServers()
    return layerWith({
      resolve: (hostname, privateAllowed) => (privateAllowed ? resolveLocally(hostname) : publicNames(hostname))
    })
  })
)

/** Bytes of the receiver's answer that are kept, so that the merchant can see it. */
const snippetBytesMax = 1024

/** What has arrived so far. It outlives the exchange, so that a time-out can still report it. */
interface Received {
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

// PostgreSQL's text cannot hold a NUL, and a receiver may send one.
const snippetOf = (chunks: ReadonlyArray<Buffer>): string =>
  Buffer.concat(chunks).subarray(0, snippetBytesMax).toString("utf8").replaceAll("\0", "\uFFFD")

const attempt = Effect.fnUntraced(
  function* (request: OutboundRequest, resolve: Resolve, received: Received) {
    const { httpAllowed = false, privateAllowed } = request
    const isAllowed = privateAllowed || httpAllowed ? isHttpUrl : isPublicHttpsUrl
    const url = isAllowed(request.url) ? URL.parse(request.url) : null
    if (url === null) return notDelivered("refused_address", "the URL is not allowed here")

    const addresses = yield* addressesOf(url, resolve, privateAllowed)
    if (addresses.length === 0) return notDelivered("dns", "ENODATA")
    // Every address has to be public: one private address among public ones is an attack or a mistake.
    if (!privateAllowed && !addresses.every(isPublicAddress)) {
      return notDelivered("refused_address", "the host resolves to an address that is not public")
    }
    return yield* exchange(url, addresses, request, received)
  },
  Effect.catchTags({ HostNotFound: ({ code }) => Effect.succeed(notDelivered("dns", code)) })
)

const addressesOf = (url: URL, resolve: Resolve, privateAllowed: boolean) => {
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1")
  return isIP(literal) === 0 ? resolve(url.hostname, privateAllowed) : Effect.succeed([literal])
}

/** Connects, sends, and listens until the snippet is full or the answer ends. Interruption closes the connection. */
const exchange = (url: URL, addresses: ReadonlyArray<string>, request: OutboundRequest, received: Received) =>
  Effect.callback<Outcome>((resume) => {
    const isTls = url.protocol === "https:"
    let stage: NotDeliveredReason = "connect"

    // `agent: false`: the shared agent would keep connections and follow the proxy variables. Only the look-up is
    // replaced: Host, SNI and the certificate's name stay those of the URL.
    const client = (isTls ? https : http).request(url, {
      method: "POST",
      headers: request.headers,
      agent: false,
      lookup: pinnedTo(addresses)
    })
    const finish = (detail: string) => {
      resume(Effect.succeed(outcomeOf(received, stage, detail)))
      client.destroy()
    }

    client.once("socket", (socket) => {
      socket.once("connect", () => (stage = isTls ? "tls" : "protocol"))
      socket.once("secureConnect", () => (stage = "protocol"))
    })
    // Redirects are not followed by node:http: a 3xx is an answer like another.
    client.once("response", (response) => {
      received.status = response.statusCode
      response.on("data", (chunk: Buffer) => {
        received.chunks.push(chunk)
        received.bytes += chunk.length
        if (received.bytes >= snippetBytesMax) finish("")
      })
      response.once("end", () => finish(""))
      response.on("error", (error) => finish(codeOf(error)))
    })
    // `on`, not `once`: destroying the request may raise another error, and one without a listener ends the process.
    client.on("error", (error) => finish(codeOf(error)))
    client.once("close", () => finish("ECONNRESET"))
    client.end(request.body)

    return Effect.sync(() => client.destroy())
  })

/** A look-up that returns the checked addresses. Asking DNS again would let the answer change (DNS rebinding). */
const pinnedTo =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_hostname, { all }, callback) => {
    const pinned = addresses.map((address) => ({ address, family: isIP(address) }))
    if (all === true) callback(null, pinned)
    else callback(null, pinned[0]!.address, pinned[0]!.family)
  }

/** The code alone, since messages contain addresses. */
const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? error.name

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
