/**
 * The only place that posts to a merchant's server: checks the address, looks up the name, posts once, and says what
 * came back. Whether that is a success, and when to retry, is not decided here (spec: Events; silences: W8, W12, W20 to
 * W22). Redirects are not followed: a 3xx is an answer like any other.
 *
 * Connections are kept for the next post (`connections.ts`). One that its server has closed meanwhile costs no attempt:
 * the post is made again at once, on a connection of its own.
 */
import { Resolver, lookup } from "node:dns"
import { isIP } from "node:net"
import { webhookAcknowledgement } from "@coffer/model/Limits"
import { isHttpUrl, isPublicAddress, isPublicHttpsUrl } from "@coffer/rules/delivery/address"
import { Clock, Context, Duration, Effect, Exit, type Fiber, identity, Layer, Redacted, Result, Schema } from "effect"
import { makeDeadlines } from "../../platform/runtime/Deadline.ts"
import { memoize } from "@coffer/model/memoize"
import { Settings } from "../../platform/runtime/Settings.ts"
import { type Connections, makeConnections } from "./connections.ts"
import { type Checked, makeEgressProxy, type NotDeliveredReason, ProxyTrouble, type Trip } from "./egressProxy.ts"
import { outboundSettings } from "./outboundSettings.ts"

export interface OutboundRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
  /** Allows http, to public addresses. Sandbox only. */
  readonly httpAllowed?: boolean
  /** Allows http, and addresses of this machine and its network. Sandbox only, where the operator permits it. */
  readonly privateAllowed: boolean
}

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
      const proxyLog = makeProxyLog()
      const means: AttemptDeps = {
        resolve,
        run: Effect.runForkWith(yield* Effect.context<never>()),
        connections: yield* makeConnections(egress),
        // Headers in time acknowledge the delivery, even if the body is still arriving.
        deadlines: yield* makeDeadlines(webhookAcknowledgement),
        excerpts: yield* makeDeadlines(excerptPatience)
      }

      const post = (request: OutboundRequest) => attempt(request, means)
      return Outbound.of({ post: egress === undefined ? post : (request) => Effect.tap(post(request), proxyLog) })
    })
  )

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { webhookProxy } = (yield* Settings).of(outboundSettings)
    const publicNames = resolveByServers()
    return layerWith({
      resolve: (hostname, privateAllowed) => (privateAllowed ? resolveLocally(hostname) : publicNames(hostname)),
      proxy: webhookProxy
    })
  })
)

interface AttemptDeps extends Ways, ExchangeMeans {
  readonly run: <A>(effect: Effect.Effect<A>) => Fiber.Fiber<A>
  readonly deadlines: Effect.Success<ReturnType<typeof makeDeadlines>>
}

const tooLate = (received: Received): Outcome =>
  outcomeOf(received, received.stage === "proxy" ? "proxy" : "timeout", `no response within ${webhookAcknowledgement}`)

/**
 * Checks the address, looks up the name if it has one, and posts. All that is in callbacks, since each fiber costs as
 * much as the checks (docs/performance-notes.md).
 */
const attempt = (request: OutboundRequest, means: AttemptDeps): Effect.Effect<Outcome> =>
  Effect.callback((resume) => {
    const target = targetOf(request)
    if (target === undefined) {
      return resume(Effect.succeed(notDelivered("refused_address", "the URL is not allowed here")))
    }
    const { literal, url } = target
    const received: Received = { stage: "dns", status: undefined, chunks: [], bytes: 0 }
    let stop = () => {}
    const inTime = means.deadlines.after(() => {
      resume(Effect.succeed(tooLate(received)))
      stop()
    })
    const end = (outcome: Outcome) => {
      if (inTime()) resume(Effect.succeed(outcome))
    }
    const postTo = (addresses: ReadonlyArray<string>) => {
      const refusal = refusalOf(addresses, request)
      if (refusal !== undefined) return end(refusal)
      const exchangeOf = { checked: { url, addresses }, request, received }
      // The kept connection was closed: post once more, on a new connection.
      stop = exchange({ ...exchangeOf, fresh: false }, means, (outcome) => {
        if (outcome !== undefined) return end(outcome)
        // A new connection is never found closed, so the outcome after `??` is never used.
        stop = exchange({ ...exchangeOf, fresh: true }, means, (again) =>
          end(again ?? notDelivered("protocol", "ECONNRESET"))
        )
      })
    }
    if (literal !== undefined) postTo([literal])
    else {
      const asking = means.run(Effect.result(means.resolve(url.hostname, request.privateAllowed)))
      stop = () => asking.interruptUnsafe()
      asking.addObserver((exit) => {
        if (Exit.isFailure(exit)) return void (inTime() && resume(Effect.failCause(exit.cause)))
        const found = exit.value
        return Result.isSuccess(found) ? postTo(found.success) : end(notDelivered("dns", found.failure.code))
      })
    }
    return Effect.sync(() => {
      inTime()
      stop()
    })
  })

interface Target {
  readonly url: URL
  /** The address, if the URL has no name. */
  readonly literal: string | undefined
}

const targetOf = ({ httpAllowed = false, privateAllowed, url }: OutboundRequest): Target | undefined => {
  const { isPublic, ...target } = read(url)
  return target.url !== undefined && (privateAllowed || httpAllowed || isPublic)
    ? { url: target.url, literal: target.literal }
    : undefined
}

/** A URL is read once: its parts depend on nothing but the text, and reading it costs 30 µs. */
const read = memoize(4_096, identity<string>, (text) => {
  const url = isHttpUrl(text) ? new URL(text) : undefined
  const host = url?.hostname.replace(/^\[(.*)\]$/, "$1") ?? ""
  return { url, literal: isIP(host) === 0 ? undefined : host, isPublic: isPublicHttpsUrl(text) }
})

const refusalOf = (addresses: ReadonlyArray<string>, { privateAllowed }: OutboundRequest): Outcome | undefined => {
  if (addresses.length === 0) return notDelivered("dns", "ENODATA")
  // Every address has to be public: one private address among public ones is an attack or a mistake.
  return privateAllowed || addresses.every(isPublicAddress)
    ? undefined
    : notDelivered("refused_address", "the host resolves to a non-public address")
}

/** Bytes of the receiver's answer that are kept, so that the merchant can see it. */
const snippetBytesMax = 1024
/** How long to wait for these bytes. The headers have decided already, and the post holds a place meanwhile. */
const excerptPatience = Duration.seconds(1)

interface ExchangeMeans {
  readonly connections: Connections
  /** Calls back after {@link excerptPatience}, unless what it returns is called before. */
  readonly excerpts: { readonly after: (late: () => void) => () => boolean }
}

/** The part of the answer that has arrived. It outlives the exchange, so that a time-out can still report it. */
interface Received extends Trip {
  status: number | undefined
  bytes: number
  readonly chunks: Array<Buffer>
}

interface Exchange {
  readonly checked: Checked
  readonly request: OutboundRequest
  readonly received: Received
  /** On a connection of its own. */
  readonly fresh: boolean
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
  (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    .toString("utf8", 0, snippetBytesMax)
    .replaceAll("\0", "\uFFFD")

/**
 * Connects, sends, and listens until the snippet is full, the answer ends, or it takes too long to end. `done` gets
 * undefined when a kept connection turned out to be closed. The returned function closes the connection, unless the
 * exchange is over.
 */
const exchange = (
  { checked, fresh, received, request }: Exchange,
  { connections, excerpts }: ExchangeMeans,
  done: (outcome: Outcome | undefined) => void
): (() => void) => {
  const way = connections.wayTo(checked, request.headers)
  const { connection, isKept } = connections.take(way, checked, received, fresh)
  let isOver = false
  let disarm: () => void = () => {}
  const stop = () => {
    // Another post may use the connection by now.
    if (isOver) return
    isOver = true
    disarm()
    connection.close()
  }
  const finish = (reason: NotDeliveredReason, detail: string) => {
    if (isOver) return
    stop()
    done(outcomeOf(received, reason, detail))
  }

  connection.client.dispatch(
    { path: way.path, method: "POST", headers: way.headers, body: request.body, reset: fresh },
    {
      onRequestStart: () => {},
      onResponseStart: (_, status) => {
        if (isOver || status < 200) return
        if (connections.isProxysOwn(checked.url, status)) return finish("proxy", `the proxy returned ${status}`)
        received.status = status
        disarm = excerpts.after(() => finish(received.stage, ""))
      },
      onResponseData: (_, chunk) => {
        received.chunks.push(chunk)
        received.bytes += chunk.length
        // A longer answer is cut off, and its connection with it.
        if (received.bytes >= snippetBytesMax) finish(received.stage, "")
      },
      onResponseEnd: () => {
        if (isOver) return
        isOver = true
        disarm()
        // Only after this does the client report whether the connection can be kept.
        process.nextTick(() => {
          connection.release()
          done(outcomeOf(received, received.stage, ""))
        })
      },
      onResponseError: (_, error) => {
        if (isOver) return
        const isStale = isKept && received.status === undefined && codeOf(error) in closed
        if (!isStale) return finish(error instanceof ProxyTrouble ? error.reason : received.stage, detailOf(error))
        stop()
        done(undefined)
      }
    }
  )
  return stop
}

const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? error.name

/** Codes of a connection that was closed before we wrote to it or before it answered. */
const closed = {
  ECONNRESET: "ECONNRESET",
  EPIPE: "EPIPE",
  UND_ERR_SOCKET: "ECONNRESET",
  UND_ERR_DESTROYED: "ECONNRESET"
}
/** Our own words, or Node's, for undici's errors. Merchants read them. */
const details: Readonly<Record<string, string>> = {
  ...closed,
  HTTPParserError: "the response is not HTTP/1.1",
  UND_ERR_HEADERS_OVERFLOW: "HPE_HEADER_OVERFLOW",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "HPE_UNEXPECTED_CONTENT_LENGTH"
}

/** The code alone, since messages of others contain addresses. */
const detailOf = (error: Error): string =>
  error instanceof ProxyTrouble ? error.message : (details[codeOf(error)] ?? codeOf(error))

/** Logs when the operator's proxy begins to fail and when it works again, and not each failure in between. */
const makeProxyLog = () => {
  let failing = false
  return (outcome: Outcome): Effect.Effect<void> => {
    const fails = outcome._tag === "NotDelivered" && outcome.reason === "proxy"
    // An outcome for which the proxy was not asked says nothing about the proxy.
    const usedProxy = outcome._tag === "Answered" || !["dns", "refused_address"].includes(outcome.reason)
    if (fails === failing || !usedProxy) return Effect.void
    failing = fails
    return fails
      ? Effect.logError(
          `the webhook proxy is failing (${outcome.detail}); deliveries wait for it and are not counted as attempts`
        )
      : Effect.logInfo("the webhook proxy works again")
  }
}

/** Resolves names as other programs on this machine do: `localhost`, the hosts file, neighbouring containers. */
const resolveLocally = (hostname: string) =>
  Effect.callback<ReadonlyArray<string>, HostNotFound>((resume) =>
    lookup(hostname, { all: true, order: "verbatim" }, (error, found) =>
      resume(
        error === null
          ? Effect.succeed(found.map(({ address }) => address))
          : Effect.fail(new HostNotFound({ code: error.code ?? error.name }))
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
      resume(
        error === null ? Effect.succeed(addresses) : Effect.fail(new HostNotFound({ code: error.code ?? error.name }))
      )
    )
  )
