/**
 * The only place that connects to a merchant's server. Posts once and says what happened; whether that is a success,
 * and when to post again, is not decided here (spec: Events; silences: W8, W12).
 *
 * One connection per post, closed after it: an attempt then never fails because of a connection that had gone stale,
 * and the address that was checked is the address that is spoken to.
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
  /** Sandbox only: http, to public addresses. */
  readonly httpAllowed?: boolean
  /** Sandbox only, where the operator allows it: http, and addresses of this machine and its network. */
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
    /** POSTs the bytes once. Never fails: what happened is the answer. */
    readonly post: (request: OutboundRequest) => Effect.Effect<Outcome>
  }
>()("@coffer/webhooks/Outbound") {}

export class HostNotFound extends Schema.TaggedError<HostNotFound>()("HostNotFound", { code: Schema.String }) {}

/** All addresses of a name. Asked once per post. */
export type Resolve = (hostname: string, privateAllowed: boolean) => Effect.Effect<ReadonlyArray<string>, HostNotFound>

export const layerWith = ({ resolve }: { readonly resolve: Resolve }): Layer.Layer<Outbound> =>
  Layer.succeed(Outbound, {
    post: Effect.fn("Outbound.post")(function* (request) {
      const heard: Heard = { status: undefined, chunks: [], bytes: 0 }
      return yield* attempt(request, resolve, heard).pipe(
        Effect.timeoutOrElse({
          duration: webhookAcknowledgement,
          // The receiver acknowledges with its headers; a body that is still coming takes nothing back.
          orElse: () => Effect.succeed(outcomeOf(heard, "timeout", `no answer within ${webhookAcknowledgement}`))
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

/** Bytes of the receiver's answer that are kept, to show the merchant what its server said. */
const snippetBytesMax = 1024

/** What has arrived so far; outlives the exchange, so that a time-out can still report it. */
interface Heard {
  status: number | undefined
  bytes: number
  readonly chunks: Array<Buffer>
}

const notDelivered = (reason: NotDeliveredReason, detail: string): Outcome => ({
  _tag: "NotDelivered",
  reason,
  detail
})

/** The answer as far as it was heard; without one, why there is none. */
const outcomeOf = ({ chunks, status }: Heard, reason: NotDeliveredReason, detail: string): Outcome =>
  status === undefined ? notDelivered(reason, detail) : { _tag: "Answered", status, snippet: snippetOf(chunks) }

// PostgreSQL's text cannot hold a NUL, and a receiver may send one.
const snippetOf = (chunks: ReadonlyArray<Buffer>): string =>
  Buffer.concat(chunks).subarray(0, snippetBytesMax).toString("utf8").replaceAll("\0", "\uFFFD")

const attempt = Effect.fnUntraced(
  function* (request: OutboundRequest, resolve: Resolve, heard: Heard) {
    const { httpAllowed = false, privateAllowed } = request
    const isAllowed = privateAllowed || httpAllowed ? isHttpUrl : isPublicHttpsUrl
    const url = isAllowed(request.url) ? URL.parse(request.url) : null
    if (url === null) return notDelivered("refused_address", "the URL is not allowed here")

    const addresses = yield* addressesOf(url, resolve, privateAllowed)
    if (addresses.length === 0) return notDelivered("dns", "ENODATA")
    // All of them: a name with one private address among public ones is an attack or a mistake.
    if (!privateAllowed && !addresses.every(isPublicAddress)) {
      return notDelivered("refused_address", "the host resolves to an address that is not public")
    }
    return yield* exchange(url, addresses, request, heard)
  },
  Effect.catchTags({ HostNotFound: ({ code }) => Effect.succeed(notDelivered("dns", code)) })
)

const addressesOf = (url: URL, resolve: Resolve, privateAllowed: boolean) => {
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1")
  return isIP(literal) === 0 ? resolve(url.hostname, privateAllowed) : Effect.succeed([literal])
}

/** Connects, sends, and listens until the snippet is full or the answer ends. Interruption closes the connection. */
const exchange = (url: URL, addresses: ReadonlyArray<string>, request: OutboundRequest, heard: Heard) =>
  Effect.callback<Outcome>((resume) => {
    const isTls = url.protocol === "https:"
    let stage: NotDeliveredReason = "connect"

    // Without an agent of its own a request shares one, which keeps connections and follows the proxy variables. Host,
    // SNI and the certificate's name stay those of the URL: only the look-up is replaced.
    const client = (isTls ? https : http).request(url, {
      method: "POST",
      headers: request.headers,
      agent: false,
      lookup: pinnedTo(addresses)
    })
    const finish = (detail: string) => {
      resume(Effect.succeed(outcomeOf(heard, stage, detail)))
      client.destroy()
    }

    client.once("socket", (socket) => {
      socket.once("connect", () => (stage = isTls ? "tls" : "protocol"))
      socket.once("secureConnect", () => (stage = "protocol"))
    })
    // Redirects are not followed by node:http: a 3xx is an answer like another.
    client.once("response", (response) => {
      heard.status = response.statusCode
      response.on("data", (chunk: Buffer) => {
        heard.chunks.push(chunk)
        heard.bytes += chunk.length
        if (heard.bytes >= snippetBytesMax) finish("")
      })
      response.once("end", () => finish(""))
      response.on("error", (error) => finish(codeOf(error)))
    })
    // `on`, not `once`: destroying the request may raise one more error, and an unheard error ends the process.
    client.on("error", (error) => finish(codeOf(error)))
    client.once("close", () => finish("ECONNRESET"))
    client.end(request.body)

    return Effect.sync(() => client.destroy())
  })

/** A look-up that knows only what was checked: asking DNS again here would let the answer change (DNS rebinding). */
const pinnedTo =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_hostname, { all }, callback) => {
    const pinned = addresses.map((address) => ({ address, family: isIP(address) }))
    if (all === true) callback(null, pinned)
    else callback(null, pinned[0]!.address, pinned[0]!.family)
  }

/** The code alone: messages name addresses. */
const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? error.name

/** As the machine's other programs do: `localhost`, the hosts file, a container's neighbours. */
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
 * By asking the DNS servers ourselves. `lookup` waits in one of libuv's four threads, so four merchants whose name
 * servers are dead would stop every other delivery, and every file and key operation of the process with them.
 * `servers` are those of the machine unless given.
 */
export const resolveByServers = (servers?: ReadonlyArray<string>) => {
  // Milliseconds a try. There are name servers that never answer about IPv6; with three of them asked twice each,
  // nothing is heard for 7 s (measured), and the IPv4 addresses are still of use.
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
